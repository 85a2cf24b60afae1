using System;

namespace Wheelbase
{
    /// <summary>A source of tasks: goals that agents are given one after another, without end.</summary>
    public sealed class TaskSource
    {
        /// <summary>Its kind; fields of other kinds are ignored.</summary>
        public TaskKind Kind;
        /// <summary>Of random tasks: the area, within the map.</summary>
        public CellRect Area;
        /// <summary>Of a list: the number of headings in which the goals count, 1, 4, 6 or 8; 0 for 1.</summary>
        public uint Headings;
        /// <summary>Of a list: the goals of all agents, one list after another.</summary>
        public Pose[] Goals;
        /// <summary>Of a list: the part of each agent. The k-th of the agents of a command, in order of id, gets the k-th.</summary>
        public TaskList[] Lists;
        /// <summary>Of round robin: the number of agents.</summary>
        public uint Team;
        /// <summary>Of round robin: the cells.</summary>
        public Cell[] Cells;

        /// <summary>Random legal cells of an area.</summary>
        public static TaskSource Random(CellRect area) { return new TaskSource { Kind = TaskKind.Random, Area = area }; }

        /// <summary>One list of cells for all: of <c>team</c> agents, agent k gets the k-th cell, the (team + k)-th and so on.</summary>
        public static TaskSource RoundRobin(uint team, Cell[] cells)
        {
            return new TaskSource { Kind = TaskKind.RoundRobin, Team = team, Cells = cells };
        }

        /// <summary>A list of goals for each agent, repeated.</summary>
        public static TaskSource List(uint headings, Pose[] goals, TaskList[] lists)
        {
            return new TaskSource { Kind = TaskKind.List, Headings = headings, Goals = goals, Lists = lists };
        }

        internal unsafe Native.wb_task_source* Put(Arena arena)
        {
            var to = (Native.wb_task_source*)arena.Zeros(sizeof(Native.wb_task_source));
            to->size = (uint)sizeof(Native.wb_task_source);
            to->kind = (uint)Kind;
            to->area = Area;
            to->headings = Headings;
            to->team = Team;
            if (Goals != null) to->goals = arena.Goals(Goals, default(Pose), out to->n_goals);
            var lists = (TaskList*)arena.Take(Lists == null ? 0 : Lists.Length, sizeof(TaskList));
            for (var i = 0; Lists != null && i < Lists.Length; i++) lists[i] = Lists[i];
            to->lists = lists;
            to->n_lists = (UIntPtr)(uint)(Lists == null ? 0 : Lists.Length);
            var cells = (Cell*)arena.Take(Cells == null ? 0 : Cells.Length, sizeof(Cell));
            for (var i = 0; Cells != null && i < Cells.Length; i++) cells[i] = Cells[i];
            to->cells = cells;
            to->n_cells = (UIntPtr)(uint)(Cells == null ? 0 : Cells.Length);
            return to;
        }
    }

    /// <summary>An order. Fields of other kinds are ignored.</summary>
    public struct Order
    {
        /// <summary>Its kind.</summary>
        public OrderKind Kind;
        /// <summary>Number of headings in which the headings of goals count: 4, 6 or 8, as its agents' class has; 0 or 1 if no goal
        /// names a heading.</summary>
        public uint Headings;
        /// <summary>Radius around each goal in cells; of an order to follow, the distance in cells to keep within.</summary>
        public uint Within;
        /// <summary>What to do if the goal cannot be reached.</summary>
        public Fallback Fallback;
        /// <summary>What becomes of an order that cannot be carried out.</summary>
        public IfUnreachable IfUnreachable;
        /// <summary>Of an order to wait: ticks. Of a patrol: ticks to stand at each waypoint. Of an order to repeat: the number of orders
        /// before it.</summary>
        public uint Ticks;
        /// <summary>Of an order to follow: the id of the leader.</summary>
        public uint Leader;
        /// <summary>Of tasks: the number of the random stream.</summary>
        public uint Stream;
        /// <summary>Of an order to an area: the cells.</summary>
        public CellRect Area;
        /// <summary>The goal, where <c>Goals</c> is null.</summary>
        public Pose Goal;
        /// <summary>Members of the goal, of which the agent takes the cheapest; of a patrol: the waypoints in turn.</summary>
        public Pose[] Goals;
        /// <summary>Of tasks: where they come from.</summary>
        public TaskSource Tasks;

        /// <summary>Go to a cell, in any heading.</summary>
        public static Order GoTo(int x, int y) { return new Order { Kind = OrderKind.Goto, Goal = Pose.At(x, y) }; }

        /// <summary>Go to a pose, whose heading counts among this many headings.</summary>
        public static Order GoTo(Pose goal, uint headings) { return new Order { Kind = OrderKind.Goto, Goal = goal, Headings = headings }; }

        /// <summary>Go to a free pose in an area.</summary>
        public static Order GoToArea(CellRect area) { return new Order { Kind = OrderKind.GotoArea, Area = area }; }

        /// <summary>Go to a pose around a cell; poses are assigned to all agents of the command together.</summary>
        public static Order GoToGroup(int x, int y) { return new Order { Kind = OrderKind.GotoGroup, Goal = Pose.At(x, y) }; }

        /// <summary>Go in formation: all agents of the command keep their layout and the pace of the slowest. They face the heading
        /// of the goal, which counts among this many headings, if their class has it.</summary>
        public static Order GoToFormation(Pose goal, uint headings)
        {
            return new Order { Kind = OrderKind.GotoFormation, Goal = goal, Headings = headings };
        }

        /// <summary>Visit the goals in turn, without end, and stand for some ticks at each.</summary>
        public static Order Patrol(Pose[] goals, uint headings = 0, uint dwell = 0)
        {
            return new Order { Kind = OrderKind.Patrol, Goals = goals, Headings = headings, Ticks = dwell };
        }

        /// <summary>Do a number of orders before it in its list once more, without end.</summary>
        public static Order Repeat(uint orders) { return new Order { Kind = OrderKind.Repeat, Ticks = orders }; }

        /// <summary>Stand for a number of ticks.</summary>
        public static Order Wait(uint ticks) { return new Order { Kind = OrderKind.Wait, Ticks = ticks }; }

        /// <summary>Stand in place for a number of ticks, and never be pushed.</summary>
        public static Order WaitInPlace(uint ticks) { return new Order { Kind = OrderKind.WaitInPlace, Ticks = ticks }; }

        /// <summary>Do one task after another, without end; the last of a list.</summary>
        public static Order Do(TaskSource tasks, uint stream = 0)
        {
            return new Order { Kind = OrderKind.Tasks, Tasks = tasks, Stream = stream };
        }

        /// <summary>Drop all orders behind this one and rest; others may push the agent.</summary>
        public static Order Stop() { return new Order { Kind = OrderKind.Stop }; }

        /// <summary>Rest without end, and never be pushed.</summary>
        public static Order Hold() { return new Order { Kind = OrderKind.Hold }; }

        /// <summary>Keep within a number of cells of an agent, until that is gone.</summary>
        public static Order Follow(uint leader, uint within)
        {
            return new Order { Kind = OrderKind.Follow, Leader = leader, Within = within };
        }

        internal unsafe void PutTo(Native.wb_order* to, Arena arena)
        {
            *to = default(Native.wb_order);
            to->size = (uint)sizeof(Native.wb_order);
            to->kind = (uint)Kind;
            to->headings = Headings;
            to->within = Within;
            to->fallback = (uint)Fallback;
            to->if_unreachable = (uint)IfUnreachable;
            to->ticks = Ticks;
            to->leader = Leader;
            to->stream = Stream;
            to->area = Area;
            if (Goals != null || Kind == OrderKind.Goto || Kind == OrderKind.GotoGroup || Kind == OrderKind.GotoFormation || Kind == OrderKind.Patrol)
                to->goals = arena.Goals(Goals, Goal, out to->n_goals);
            to->tasks = Tasks == null ? null : Tasks.Put(arena);
        }

        internal static unsafe Native.wb_order* Put(Arena arena, Order[] orders, out UIntPtr count)
        {
            var n = orders == null ? 0 : orders.Length;
            var at = (Native.wb_order*)arena.Take(n, sizeof(Native.wb_order));
            for (var i = 0; i < n; i++) orders[i].PutTo(at + i, arena);
            count = (UIntPtr)(uint)n;
            return at;
        }
    }

    /// <summary>An agent to place.</summary>
    public struct Spawn
    {
        /// <summary>Number of its class, and its pose: legal, on cells that nobody holds.</summary>
        public Spawn(uint classNumber, Pose pose) : this()
        {
            Class = classNumber;
            Pose = pose;
        }

        /// <summary>Number of its class.</summary>
        public uint Class;
        /// <summary>Its pose.</summary>
        public Pose Pose;
        /// <summary>Its priority; higher goes first.</summary>
        public int Priority;
        /// <summary>Its team, 0 to 31.</summary>
        public uint Team;
        /// <summary>Its speed factor in thousandths, 1 to 65,535; 0 for the default 1,000.</summary>
        public uint SpeedFactor;
        /// <summary>Its index among the agents that share its tasks.</summary>
        public uint Number;
        /// <summary>Its orders, done one after another; null for none.</summary>
        public Order[] Orders;

        internal unsafe Native.wb_spawn* Put(Arena arena)
        {
            var to = (Native.wb_spawn*)arena.Zeros(sizeof(Native.wb_spawn));
            to->size = (uint)sizeof(Native.wb_spawn);
            to->class_ = Class;
            to->pose = Pose;
            to->priority = Priority;
            to->team = Team;
            to->speed_factor = SpeedFactor;
            to->number = Number;
            to->orders = Order.Put(arena, Orders, out to->n_orders);
            return to;
        }
    }

    /// <summary>Agents to place at random.</summary>
    public struct SpawnGroup
    {
        /// <summary>Number of their class.</summary>
        public uint Class;
        /// <summary>Their number.</summary>
        public uint Count;
        /// <summary>Area of their anchors, clipped to the map.</summary>
        public CellRect Area;
        /// <summary>Priority of each.</summary>
        public int Priority;
        /// <summary>Team of each, 0 to 31.</summary>
        public uint Team;
        /// <summary>Speed factor of each in thousandths, 1 to 65,535; 0 for the default 1,000.</summary>
        public uint SpeedFactor;
        /// <summary>In any legal pose; else in the largest set of poses that reach each other while it has room.</summary>
        public bool Anywhere;
        /// <summary>What happens to agents without room.</summary>
        public IfNoRoom IfNoRoom;
        /// <summary>Orders of each.</summary>
        public Order[] Orders;

        internal unsafe Native.wb_spawn_group* Put(Arena arena)
        {
            var to = (Native.wb_spawn_group*)arena.Zeros(sizeof(Native.wb_spawn_group));
            to->size = (uint)sizeof(Native.wb_spawn_group);
            to->class_ = Class;
            to->count = Count;
            to->area = Area;
            to->priority = Priority;
            to->team = Team;
            to->speed_factor = SpeedFactor;
            to->anywhere = Anywhere ? 1u : 0u;
            to->if_no_room = (uint)IfNoRoom;
            to->orders = Order.Put(arena, Orders, out to->n_orders);
            return to;
        }
    }

    /// <summary>The agents that a command is about: one, several by id, or all in an area at that tick (those whose pose, or the pose
    /// in which their current move began, has its anchor there).</summary>
    public struct Selection
    {
        internal uint[] Ids;
        internal int Count;
        internal uint One;
        internal CellRect Area;
        internal bool IsArea;

        /// <summary>The first of an array of ids, which is read during the command.</summary>
        public Selection(uint[] ids, int count) : this()
        {
            Arguments.Part(ids, count, "count");
            Ids = ids ?? new uint[0];
            Count = count;
        }

        /// <summary>One agent.</summary>
        public static implicit operator Selection(uint agent) { return new Selection { One = agent, Count = 1 }; }

        /// <summary>One agent, not negative.</summary>
        public static implicit operator Selection(int agent) { return new Selection { One = checked((uint)agent), Count = 1 }; }

        /// <summary>Several agents.</summary>
        public static implicit operator Selection(uint[] agents) { return new Selection(agents, agents == null ? 0 : agents.Length); }

        /// <summary>All in an area.</summary>
        public static implicit operator Selection(CellRect area) { return new Selection { Area = area, IsArea = true }; }

        internal unsafe uint* Put(Arena arena, out UIntPtr count)
        {
            var at = (uint*)arena.Take(Count, 4);
            if (Ids == null && Count == 1) at[0] = One;
            for (var i = 0; Ids != null && i < Count; i++) at[i] = Ids[i];
            count = (UIntPtr)(uint)Count;
            return at;
        }
    }
}
