// Made from crates/capi/include/wheelbase.h; do not edit:
// WHEELBASE_BLESS=1 cargo test -p wheelbase-capi --test csharp
using System;
using System.Runtime.InteropServices;
using System.Security;

namespace Wheelbase
{
    /// <summary>What a call returns.</summary>
    public enum Status : uint
    {
        /// <summary>The call succeeded.</summary>
        Ok = 0,
        /// <summary>A pointer is null where a value is needed, or not aligned.</summary>
        Pointer = 1,
        /// <summary>The number is no handle: 0, or never given out.</summary>
        NoHandle = 2,
        /// <summary>The object of this handle has been destroyed.</summary>
        Destroyed = 3,
        /// <summary>The handle is of another kind than the call takes.</summary>
        WrongKind = 4,
        /// <summary>Another thread is in a call that excludes this one. Nothing was done; the call may be repeated.</summary>
        Busy = 5,
        /// <summary>A call panicked while it changed this object. It can only be destroyed.</summary>
        Broken = 6,
        /// <summary>The <c>size</c> of a structure is none that this version of the library knows.</summary>
        Size = 7,
        /// <summary>The buffer is too small: the count says how much is needed. Nothing was written into the buffer.</summary>
        Buffer = 8,
        /// <summary>An argument is out of its range; the message names it.</summary>
        Argument = 9,
        /// <summary>A text or file is wrong; the message gives file, line and column.</summary>
        Text = 10,
        /// <summary>A limit is exceeded: memory, or the number of objects.</summary>
        Limit = 11,
        /// <summary>The requested object does not exist, such as an agent that has been removed.</summary>
        NotFound = 12,
        /// <summary>A call panicked, which is a fault of the library, and changed nothing.</summary>
        Panic = 13,
    }

    /// <summary>The numbers <c>WB_ACTIVITY_...</c> of C.</summary>
    public enum Activity : uint
    {
        /// <summary>It has no order left.</summary>
        Idle = 0,
        /// <summary>It rests for an order to wait, or near the agent that it follows.</summary>
        Dwelling = 1,
        /// <summary>Its path request has no answer yet.</summary>
        AwaitingPath = 2,
        /// <summary>It has a path.</summary>
        Following = 3,
        /// <summary>It lets another agent pass; then it asks for a path again.</summary>
        Yielding = 4,
        /// <summary>It has reached its goal; the order is done at the next tick.</summary>
        Arrived = 5,
        /// <summary>Its goal cannot be reached. An edit may change that.</summary>
        Unreachable = 6,
        /// <summary>It rests, and nobody may push it.</summary>
        Holding = 7,
    }

    /// <summary>The numbers <c>WB_EVENT_...</c> of C.</summary>
    public enum EventKind : uint
    {
        /// <summary>An agent was placed. <c>a</c>: its class.</summary>
        Spawned = 0,
        /// <summary>An agent was removed.</summary>
        Removed = 1,
        /// <summary>A command, or its part about the agent, was not carried out. <c>a</c>: the reason, <c>WB_REFUSED_...</c>.</summary>
        Refused = 2,
        /// <summary>An order was given. <c>a</c>: its number, <c>b</c>: its kind, <c>WB_ORDER_...</c>.</summary>
        Ordered = 3,
        /// <summary>An order is done. <c>a</c>: its number, <c>b</c>: its kind.</summary>
        OrderDone = 4,
        /// <summary>The goal of an order cannot be reached; noted once for each order. <c>a</c>: its number, <c>b</c>: its kind, <c>c</c>: the reason,
        /// <c>WB_FAILURE_...</c>.</summary>
        OrderFailed = 5,
        /// <summary>A task was given. <c>a</c>, <c>b</c>: column and row of its goal, the bits of an <c>int32_t</c> each; <c>c</c>: the heading asked for,
        /// <c>Constants.AnyHeading</c> for any.</summary>
        TaskGiven = 6,
        /// <summary>A task is done. <c>a</c>, <c>b</c>: column and row of the agent's anchor.</summary>
        TaskDone = 7,
        /// <summary>An agent has another path: the answer to a request, or made by the traffic rule. <c>a</c>: its number of moves.</summary>
        PathFound = 8,
        /// <summary>An agent has waited for 8 ticks. <c>a</c>: the agent in the way of its next move.</summary>
        Blocked = 9,
        /// <summary>An edit took effect. <c>a</c>: the tick at which it was asked for.</summary>
        EditDone = 10,
        /// <summary>An edit waits until it disturbs no agent; noted once. <c>a</c>: the number of agents that it would disturb.</summary>
        EditWaits = 11,
        /// <summary>An agent has another priority. <c>a</c>: the priority, the bits of an <c>int32_t</c>.</summary>
        PrioritySet = 12,
        /// <summary>An agent has another team. <c>a</c>: the team.</summary>
        TeamSet = 13,
        /// <summary>An agent has another speed factor. <c>a</c>: the factor in thousandths.</summary>
        SpeedFactorSet = 14,
        /// <summary>An agent has another class. <c>a</c>: the class.</summary>
        ClassSet = 15,
        /// <summary>The tasks of an agent were replaced by others.</summary>
        TasksReplaced = 16,
        /// <summary>A waiting edit was withdrawn. <c>a</c>, <c>b</c>: low and high half of the ticket of its command. The event has the ticket of
        /// the command that withdrew it.</summary>
        EditCancelled = 17,
        /// <summary>A later edit has replaced parts of a waiting edit. <c>a</c>, <c>b</c>: low and high half of the ticket of the earlier edit,
        /// <c>c</c>: the changes left of it, 0 if it waits no longer. The event has the ticket of the later edit.</summary>
        EditReplaced = 18,
        /// <summary>An agent has left the map and has no row. <c>a</c>: the agent that it entered, <c>Constants.None</c> if none was named.</summary>
        Entered = 19,
        /// <summary>An agent has come back to the map. <c>a</c>: its class.</summary>
        Left = 20,
    }

    /// <summary>The numbers <c>WB_REFUSED_...</c> of C.</summary>
    public enum Refusal : uint
    {
        /// <summary>No agent has this id any more, or yet; or there is no such leader to follow or container to enter.</summary>
        UnknownAgent = 0,
        /// <summary>There is no class of this number.</summary>
        UnknownClass = 1,
        /// <summary>The pose is not a legal one of the class.</summary>
        IllegalPose = 2,
        /// <summary>Another agent holds a cell of the pose, or is about to, or an edit waits for it.</summary>
        PoseHeld = 3,
        /// <summary>The goal of an order is off the map.</summary>
        GoalOffMap = 4,
        /// <summary>A heading is not below the order's number of headings, or that number is not 1, 4, 6 or 8.</summary>
        WrongHeading = 5,
        /// <summary>An order names no goal, or several for a group; orders come after tasks; or an agent is to follow itself.</summary>
        WrongOrder = 6,
        /// <summary>Tasks without a goal for some agent, or with a goal off the map.</summary>
        WrongTasks = 7,
        /// <summary>A list is too long: at most 4,096 orders and 65,536 goals a command, 65,536 changes an edit, 1,048,576 agents.</summary>
        TooLong = 8,
        /// <summary>An edit names an unknown kind of terrain or side, or a cell off the map.</summary>
        WrongEdit = 9,
        /// <summary>The team is not below 32.</summary>
        UnknownTeam = 10,
        /// <summary>A speed factor of 0.</summary>
        WrongSpeedFactor = 11,
        /// <summary>The most agents are present, or no ids are left.</summary>
        TooManyAgents = 12,
        /// <summary>There is no room for an agent that comes back, or for all agents of a group. The placed agents have events with the
        /// same ticket.</summary>
        NoRoom = 13,
        /// <summary>The agent waits for no path from the host.</summary>
        NoRequest = 14,
        /// <summary>A path has an illegal move, or does not lead to the goal.</summary>
        WrongPath = 15,
        /// <summary>A primitive that the agent's class does not have.</summary>
        WrongPrimitive = 16,
        /// <summary>No edit with this ticket waits.</summary>
        NoSuchEdit = 17,
        /// <summary>The agent is off the map.</summary>
        OffMap = 18,
        /// <summary>The agent is on the map, where only an agent off the map can come back.</summary>
        OnMap = 19,
    }

    /// <summary>The numbers <c>WB_ORDER_...</c> of C.</summary>
    public enum OrderKind : uint
    {
        /// <summary>Go to a member of the goal, the cheapest.</summary>
        Goto = 0,
        /// <summary>Go to the cheapest pose with its anchor in an area that no other agent stands on or is assigned.</summary>
        GotoArea = 1,
        /// <summary>Visit the goals in turn, without end.</summary>
        Patrol = 2,
        /// <summary>Stand for a number of ticks.</summary>
        Wait = 3,
        /// <summary>Do one task after another, without end. The last of a list.</summary>
        Tasks = 4,
        /// <summary>Go to a pose around the goal; poses are assigned to all agents of the command together.</summary>
        GotoGroup = 5,
        /// <summary>Drop all orders behind this one and rest; others may push the agent.</summary>
        Stop = 6,
        /// <summary>Rest without end. Nobody pushes the agent, and searches take it for an obstacle.</summary>
        Hold = 7,
        /// <summary>Keep within a number of cells of an agent, until that is gone.</summary>
        Follow = 8,
        /// <summary>Stand in place for a number of ticks. Nobody pushes the agent, and searches take it for an obstacle.</summary>
        WaitInPlace = 9,
        /// <summary>Do a number of orders before it in its list once more, without end.</summary>
        Repeat = 10,
        /// <summary>Go to a pose around the goal in formation: the agents of the command keep their layout and the pace of the slowest.
        /// They face the heading of the goal, if their class has it.</summary>
        GotoFormation = 11,
    }

    /// <summary>The numbers <c>WB_FAILURE_...</c> of C.</summary>
    public enum OrderFailure : uint
    {
        /// <summary>No member of the goal is on the map.</summary>
        GoalOffMap = 0,
        /// <summary>The class has none of the headings that the order names.</summary>
        NoSuchHeading = 1,
        /// <summary>No pose of the goal is legal.</summary>
        GoalBlocked = 2,
        /// <summary>No sequence of moves leads from the agent to the goal.</summary>
        Unreachable = 3,
        /// <summary>Agents on hold, or resting agents of other teams, are in the way.</summary>
        Obstructed = 4,
        /// <summary>All poses in the area, or near the group's goal, are taken.</summary>
        NoRoom = 5,
        /// <summary>The path would take more than 2^32 - 2 ticks.</summary>
        CostOverflow = 6,
    }

    /// <summary>The numbers <c>WB_WAIT_...</c> of C.</summary>
    public enum WaitRule : uint
    {
        /// <summary>Nothing is left for it to do.</summary>
        NothingToDo = 0,
        /// <summary>It is in mid-move.</summary>
        Moves = 1,
        /// <summary>It rests as its order says: for a <c>wait</c>, or near the agent that it follows.</summary>
        Dwelling = 2,
        /// <summary>It is on hold.</summary>
        Hold = 3,
        /// <summary>Its path request has no answer yet, or it asks for a path at the next tick.</summary>
        Path = 4,
        /// <summary>It has let another agent pass.</summary>
        Yielding = 5,
        /// <summary>Another agent, <c>holder</c>, is in the way of its next move, at the cell <c>at</c>.</summary>
        Agent = 6,
        /// <summary>An edit waits for cells of its next moves.</summary>
        Edit = 7,
        /// <summary>Its goal cannot be reached for now.</summary>
        Unreachable = 8,
        /// <summary>An edit has made its pose illegal.</summary>
        Stranded = 9,
        /// <summary>A traffic rule from outside holds it back.</summary>
        OutsideRule = 10,
        /// <summary>Agents that come from another side have their turn to enter a corridor.</summary>
        CorridorTurn = 11,
        /// <summary>An agent is in the corridor, or admitted to it, that this one can neither pass nor follow.</summary>
        CorridorHeld = 12,
        /// <summary>A whole batch that goes the agent's way comes first, for others want to come the other way.</summary>
        CorridorQueue = 13,
        /// <summary>The next moves lead into a busy corridor, for which the agent has not asked.</summary>
        CorridorBusy = 14,
        /// <summary>No plan leads over the no-stopping ground of a busy corridor and off it again.</summary>
        KeepClear = 15,
        /// <summary>The next moves lead to poses that leave it, or an agent there, no room to turn.</summary>
        NoRoomToTurn = 16,
        /// <summary>An agent of higher priority has a soft reservation on a cell of the next moves.</summary>
        Claim = 17,
        /// <summary>Another agent has reserved a cell of the next moves for its own: it goes first.</summary>
        Reserved = 18,
        /// <summary>Another agent rests on a cell of the next moves.</summary>
        Resting = 19,
        /// <summary>It was pushed aside, and stays until its pusher has passed.</summary>
        MakesWay = 21,
        /// <summary>The next move is planned.</summary>
        Planned = 22,
        /// <summary>Nothing is in the way any more; it looks for another plan after a pause.</summary>
        Pause = 23,
        /// <summary>No plan among the reservations of the others was found.</summary>
        NoPlan = 24,
        /// <summary>The way is free, but its searches have used up the poses that it may expand.</summary>
        Budget = 25,
        /// <summary>On a map too full for all, the robot pursues no goal for a while.</summary>
        Crowd = 26,
        /// <summary>The robot is bound to a push.</summary>
        Pushed = 27,
        /// <summary>The robot is slower than the rule allows, or stands where the rule has no moves for it.</summary>
        Stopped = 28,
        /// <summary>No operation of the robot that is free brings it nearer.</summary>
        NoOperation = 29,
        /// <summary>The host, which names the moves, has named none.</summary>
        Host = 30,
        /// <summary>Another agent is in the way that cannot make way, and no way around it is known.</summary>
        Roadblock = 31,
    }

    /// <summary>The numbers <c>WB_PLAN_...</c> of C.</summary>
    public enum PlanResult : uint
    {
        /// <summary>A path to the goal was found; with <c>Fallback.Nearest</c>, or to the nearest pose.</summary>
        Found = 0,
        /// <summary>The anchor of the start is off the map.</summary>
        StartOffMap = 1,
        /// <summary>No member of the goal has its anchor on the map.</summary>
        GoalOffMap = 2,
        /// <summary>The start is not a legal pose.</summary>
        StartBlocked = 3,
        /// <summary>No member of the goal is a legal pose.</summary>
        GoalBlocked = 4,
        /// <summary>There is no path.</summary>
        Unreachable = 5,
        /// <summary>The limit of expansions was reached first.</summary>
        LimitReached = 6,
        /// <summary>The path would take more than 2^32 - 2 ticks.</summary>
        CostOverflow = 7,
        /// <summary>The map has a path, but agents on hold, or resting agents of other teams, block it: of <c>wb_world_plan</c> alone.</summary>
        Obstructed = 8,
    }

    /// <summary>The numbers <c>WB_REACHED_...</c> of C.</summary>
    public enum Reached : uint
    {
        /// <summary>There is no path.</summary>
        Nothing = 0,
        /// <summary>The path ends at a member of the goal.</summary>
        Goal = 1,
        /// <summary>The path ends at the pose nearest to the goal.</summary>
        Nearest = 2,
        /// <summary>The path ends at the best pose expanded before the limit.</summary>
        Partial = 3,
    }

    /// <summary>The numbers <c>WB_SHAPE_...</c> of C.</summary>
    public enum Shape : uint
    {
        /// <summary>Square cells. Sides: 0 east, 1 north, 2 west, 3 south.</summary>
        Square = 0,
        /// <summary>Hexagonal cells with a corner to the north; odd rows are shifted half a cell to the east. Sides: 0 east, 1
        /// northeast, 2 northwest, 3 west, 4 southwest, 5 southeast.</summary>
        Hex = 1,
    }

    /// <summary>The numbers <c>WB_FALLBACK_...</c> of C.</summary>
    public enum Fallback : uint
    {
        /// <summary>If the goal cannot be reached, there is no path.</summary>
        Fail = 0,
        /// <summary>If the goal cannot be reached, the path leads to the nearest pose that can be reached.</summary>
        Nearest = 1,
    }

    /// <summary>The numbers <c>WB_HEURISTIC_...</c> of C.</summary>
    public enum Heuristic : uint
    {
        /// <summary>The default heuristic: the norm that estimates most for the class. As a guide in an answer: never.</summary>
        Default = 0,
        /// <summary>No heuristic: Dijkstra's algorithm.</summary>
        Zero = 1,
        /// <summary>Manhattan norm; square maps only.</summary>
        Manhattan = 2,
        /// <summary>Chebyshev norm; square maps only.</summary>
        Chebyshev = 3,
        /// <summary>Octile norm; square maps only.</summary>
        Octile = 4,
        /// <summary>Euclidean norm.</summary>
        Euclid = 5,
        /// <summary>Hexagonal norm; hexagonal maps only.</summary>
        Hexagonal = 6,
        /// <summary>Greedy: a path, fast, and not the cheapest one.</summary>
        Greedy = 7,
        /// <summary>As a guide in an answer: landmarks.</summary>
        Landmarks = 100,
        /// <summary>As a guide in an answer: a field of costs to the goal.</summary>
        Field = 101,
        /// <summary>As a guide in an answer: costs learned by earlier searches.</summary>
        Learned = 102,
        /// <summary>As a guide in an answer: a bound that the host gives.</summary>
        Custom = 103,
    }

    /// <summary>The numbers <c>WB_SWEEP_...</c> of C.</summary>
    public enum SweepRule : uint
    {
        /// <summary>A move touches the footprints at its ends, and at each equal step between them.</summary>
        Ends = 0,
        /// <summary>A move touches every cell whose interior the moving body touches; square maps only.</summary>
        Full = 1,
        /// <summary>The default: <c>SweepRule.Full</c> on square maps, <c>SweepRule.Ends</c> on hexagonal maps.</summary>
        Usual = 2,
    }

    /// <summary>The numbers <c>WB_WHEN_...</c> of C.</summary>
    public enum When : uint
    {
        /// <summary>A primitive of any heading.</summary>
        Any = 0,
        /// <summary>With 8 headings: a primitive that starts facing E, N, W or S.</summary>
        Straight = 1,
        /// <summary>With 8 headings: a primitive that starts facing NE, NW, SW or SE; its cells are given in map axes (east, south)
        /// while facing NE.</summary>
        Diagonal = 2,
    }

    /// <summary>The numbers <c>WB_CONNECTED_...</c> of C.</summary>
    public enum Connected : uint
    {
        /// <summary>One cell leads to the other.</summary>
        Yes = 1,
        /// <summary>No way leads from one cell to the other.</summary>
        No = 0,
        /// <summary>Only a search can tell: there are one-way moves, or <c>wb_tables_make_components</c> has not been called.</summary>
        Unknown = 2,
    }

    /// <summary>The numbers <c>WB_COLLISION_...</c> of C.</summary>
    public enum Collision : uint
    {
        /// <summary>Bodies never overlap, also while they move: all cells that a move sweeps are held.</summary>
        Swept = 0,
        /// <summary>Bodies never overlap at whole moves: a move holds its start and its end.</summary>
        Discrete = 1,
    }

    /// <summary>The numbers <c>WB_RULE_...</c> of C.</summary>
    public enum TrafficRule : uint
    {
        /// <summary>The default traffic rule, for any classes.</summary>
        Cooperative = 0,
        /// <summary>A rule for one class of one cell whose moves take a tick each, under <c>Collision.Discrete</c>.</summary>
        UnitRobots = 1,
        /// <summary>No rule: the host names each move by <c>wb_command_decisions</c>.</summary>
        Commanded = 2,
    }

    /// <summary>The numbers <c>WB_PATHS_...</c> of C.</summary>
    public enum PathSource : uint
    {
        /// <summary>The planner finds the paths, within the budget of expansions.</summary>
        Planner = 0,
        /// <summary>The host finds the paths: <c>wb_world_path_requests</c>, <c>wb_command_path_answer</c>.</summary>
        Host = 1,
    }

    /// <summary>The numbers <c>WB_ON_AGENTS_...</c> of C.</summary>
    public enum OnAgents : uint
    {
        /// <summary>The edit waits until it disturbs no agent.</summary>
        Wait = 0,
        /// <summary>Agents that the edit disturbs stay where they are until a later edit frees them.</summary>
        Strand = 1,
        /// <summary>Agents that the edit disturbs are removed.</summary>
        Remove = 2,
        /// <summary>The edit waits until it disturbs no agent, or until its deadline; then as <c>OnAgents.Strand</c>.</summary>
        WaitStrand = 3,
        /// <summary>The edit waits until it disturbs no agent, or until its deadline; then as <c>OnAgents.Remove</c>.</summary>
        WaitRemove = 4,
    }

    /// <summary>The numbers <c>WB_UNREACHABLE_...</c> of C.</summary>
    public enum IfUnreachable : uint
    {
        /// <summary>An order that cannot be carried out is reported, and the next one begins.</summary>
        Drop = 0,
        /// <summary>An order that cannot be carried out is reported once, kept, and tried again after a change that could help.</summary>
        Wait = 1,
    }

    /// <summary>The numbers <c>WB_NO_ROOM_...</c> of C.</summary>
    public enum IfNoRoom : uint
    {
        /// <summary>Agents of a group for which there is no room are counted and reported.</summary>
        Drop = 0,
        /// <summary>The command is tried again every eight ticks until all agents of the group are placed.</summary>
        Wait = 1,
    }

    /// <summary>The numbers <c>WB_TASKS_...</c> of C.</summary>
    public enum TaskKind : uint
    {
        /// <summary>Random legal cells of <c>area</c>.</summary>
        Random = 0,
        /// <summary>A list of goals for each agent, repeated.</summary>
        List = 1,
        /// <summary>One list of cells for all: of <c>team</c> agents, agent k gets the k-th cell, the (team + k)-th and so on.</summary>
        RoundRobin = 2,
    }

    /// <summary>The numbers <c>WB_CHANGE_...</c> of C.</summary>
    public enum ChangeKind : uint
    {
        /// <summary>A change that sets the terrain kind of the cells of <c>area</c> to <c>value</c>; cells off the map are ignored.</summary>
        Terrain = 0,
        /// <summary>A change that sets the height of the cells of <c>area</c> to <c>value</c>, -32768 to 32767; cells off the map are ignored.</summary>
        Elevation = 1,
        /// <summary>A change that sets the sides of the cell (<c>area.x</c>, <c>area.y</c>), which is on the map, to <c>side_kinds</c>.</summary>
        Sides = 2,
        /// <summary>A change that rotates the cell (<c>area.x</c>, <c>area.y</c>), which is on the map, with its sides. It turns counterclockwise
        /// by <c>value</c> steps: quarter turns of a square, sixths of a turn of a hexagon.</summary>
        Rotate = 3,
    }

    /// <summary>The numbers <c>WB_FLAG_...</c> of C.</summary>
    [Flags] public enum AgentFlags : uint
    {
        /// <summary>Bit of <c>flags</c>: an edit has made its pose or its move illegal, and no later edit has undone that.</summary>
        Stranded = 1,
        /// <summary>Bit of <c>flags</c>: it holds its position and is never pushed.</summary>
        OnHold = 2,
        /// <summary>Bit of <c>flags</c>: its path leads to the pose nearest to a goal that it cannot reach.</summary>
        ToNearest = 4,
        /// <summary>Bit of <c>flags</c>: its path is a leg of a route over the abstract graph, and does not lead to its goal.</summary>
        OnLeg = 8,
    }

    /// <summary>The numbers <c>WB_UPDATE_...</c> of C.</summary>
    [Flags] public enum UpdateEffect : uint
    {
        /// <summary>In <c>wb_tables_update</c>: a pose or a move is not as it was.</summary>
        Changed = 1,
        /// <summary>In <c>wb_tables_update</c>: a pose or a move has become legal, or a move cheaper.</summary>
        Eased = 2,
    }

    /// <summary>Numbers that stand alone.</summary>
    public static class Constants
    {
        /// <summary>The heading of a goal that may be reached with any heading.</summary>
        public const uint AnyHeading = uint.MaxValue;
        /// <summary>No number: no agent, no limit, no ticket, where a comment says so.</summary>
        public const uint None = uint.MaxValue;
        /// <summary>Ticks to a place that is never reached.</summary>
        public const uint Never = uint.MaxValue;
        /// <summary>In <c>side_kinds</c>: this side stays as it is.</summary>
        public const uint Keep = uint.MaxValue;
        /// <summary>The side kind that never limits a move. Further kinds come from the map's file.</summary>
        public const uint SideOpen = 0;
        /// <summary>The side kind that no move crosses.</summary>
        public const uint SideWall = 1;
        /// <summary>The version of this interface: the major number in the upper 16 bits, the minor in the lower. Programs run with any
        /// library of the same major number and the same or a higher minor.</summary>
        public const uint AbiVersion = (1 << 16);
        /// <summary>In <c>moves</c> of <c>wb_plan_batch</c>: the last pose of a path, after which there is no move.</summary>
        public const uint NoMove = byte.MaxValue;
        /// <summary><c>primitive</c> of an agent at rest.</summary>
        public const uint AtRest = 255;
        /// <summary><c>order_kind</c> of an agent without an order.</summary>
        public const uint NoOrder = 255;
        /// <summary><c>ticket</c> of an event that no command asked for.</summary>
        public const ulong NoTicket = ulong.MaxValue;
        /// <summary>There is more to do.</summary>
        public const uint Running = 0;
        /// <summary>The last tick is reached, or nothing is left to do. A world without a last tick never ends.</summary>
        public const uint Ended = 1;
    }

    /// <summary>Facts about a map.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct MapInfo
    {
        /// <summary><c>sizeof(wb_map_info)</c>, set by the caller.</summary>
        internal uint Size;
        /// <summary>Columns.</summary>
        public uint Width;
        /// <summary>Rows.</summary>
        public uint Height;
        /// <summary><c>Shape.Square</c> or <c>Shape.Hex</c>.</summary>
        public Shape Shape;
        /// <summary>Edits so far that changed something.</summary>
        public ulong Revision;
        /// <summary>Number of terrain kinds, numbered from 0.</summary>
        public uint TerrainKinds;
        /// <summary>Number of side kinds, numbered from 0: <c>Constants.SideOpen</c>, <c>Constants.SideWall</c>, then the side kinds of the map's file.</summary>
        public uint SideKinds;
        /// <summary>1 if a cell has or had a height other than 0, else 0.</summary>
        public uint HasElevation;
        /// <summary>0.</summary>
        internal uint Reserved;
    }

    /// <summary>A rectangle of cells. Empty if <c>Width</c> or <c>Height</c> is 0.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct CellRect
    {
        /// <summary>Column of the northwest cell.</summary>
        public int X;
        /// <summary>Row of the northwest cell.</summary>
        public int Y;
        /// <summary>Columns.</summary>
        public uint Width;
        /// <summary>Rows.</summary>
        public uint Height;
    }

    /// <summary>A change of a map.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct Change
    {
        /// <summary><c>ChangeKind.Terrain</c>, <c>ChangeKind.Elevation</c>, <c>ChangeKind.Sides</c> or <c>ChangeKind.Rotate</c>.</summary>
        public ChangeKind Kind;
        /// <summary>The cells; of the last two kinds only <c>x</c> and <c>y</c> are read.</summary>
        public CellRect Area;
        /// <summary>Terrain kind, height or steps; not read for <c>ChangeKind.Sides</c>.</summary>
        public int Value;
        /// <summary>Read for <c>ChangeKind.Sides</c> only: kinds by number of the side (see <c>Shape.Square</c>), or <c>Constants.Keep</c>. Square cells
        /// ignore the last two.</summary>
        public fixed uint SideKinds[6];
    }

    /// <summary>A cell: column and row. x grows to the east, y to the south; (0, 0) is the northwest cell. May lie off the map.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct Cell
    {
        /// <summary>Column.</summary>
        public int X;
        /// <summary>Row.</summary>
        public int Y;
    }

    /// <summary>Facts about a class.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct ClassInfo
    {
        /// <summary><c>sizeof(wb_class_info)</c>, set by the caller.</summary>
        internal uint Size;
        /// <summary><c>Shape.Square</c> or <c>Shape.Hex</c>.</summary>
        public Shape Shape;
        /// <summary>Number of headings.</summary>
        public uint Headings;
        /// <summary>Cells of its footprint while facing east.</summary>
        public uint FootprintCells;
        /// <summary>Number of primitives, numbered from 0.</summary>
        public uint Primitives;
        /// <summary>Columns of its footprint while facing east.</summary>
        public uint Width;
        /// <summary>Rows of its footprint while facing east.</summary>
        public uint Height;
        /// <summary>0.</summary>
        internal uint Reserved;
    }

    /// <summary>A pose: the cell of the anchor, and the heading counted counterclockwise from east. 4 headings are 0 E, 1 N, 2 W, 3
    /// S. 8 headings are E, NE, N, NW, W, SW, S, SE. The 6 headings of hexagonal maps are E, NE, NW, W, SW, SE. A single
    /// heading is 0.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct Pose
    {
        /// <summary>Column of the anchor.</summary>
        public int X;
        /// <summary>Row of the anchor.</summary>
        public int Y;
        /// <summary>Heading; in goals also <c>Constants.AnyHeading</c>.</summary>
        public uint Heading;
    }

    /// <summary>A pose and when it is reached.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct PathPose
    {
        /// <summary>The pose.</summary>
        public Pose Pose;
        /// <summary>Ticks from the start of the path.</summary>
        public uint Arrival;
    }

    /// <summary>What came of a request.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct Answer
    {
        /// <summary><c>sizeof(wb_answer)</c>, set by the caller.</summary>
        internal uint Size;
        /// <summary><c>PlanResult.Found</c> ...</summary>
        public PlanResult Result;
        /// <summary>Where the path ends: <c>Reached.Goal</c> ...; <c>Reached.Nothing</c> without a path.</summary>
        public Reached Reached;
        /// <summary>Ticks that the path takes; 0 without one.</summary>
        public uint Cost;
        /// <summary>Poses that the search expanded.</summary>
        public ulong Expansions;
        /// <summary>The last pose of the path; all zeros without one.</summary>
        public Pose End;
        /// <summary>Moves of the path.</summary>
        public uint Moves;
        /// <summary>What guided the search: <c>Heuristic.Zero</c> ... or <c>Heuristic.Landmarks</c> ...</summary>
        public Heuristic Guide;
        /// <summary>0.</summary>
        internal uint Reserved;
    }

    /// <summary>An agent after a tick.</summary>
    /// <remarks>
    /// <para>The move fields (<c>FromX</c> to <c>Turn</c>, <c>BeginTick</c>, <c>EndTick</c>) hold the present move, and at rest the last one. So
    /// after the step that leads to tick t they say where the agent was at any time from t - 1 to t. At time u its part of
    /// the move is (u - <c>BeginTick</c>) / (<c>EndTick</c> - <c>BeginTick</c>), at most 1. For an agent that has not moved since it
    /// was placed, both poses are its pose. Both ticks are the tick at which it was placed.</para>
    /// </remarks>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct AgentRow
    {
        /// <summary>Its id, for life; never used again.</summary>
        public uint Id;
        /// <summary>Number of its class.</summary>
        public byte Class;
        /// <summary>Its team.</summary>
        public byte Team;
        /// <summary><c>WB_ACTIVITY_...</c></summary>
        public Activity Activity { get { return (Activity)activity; } }
        internal byte activity;
        /// <summary>Number of the primitive of the move in progress; <c>Constants.AtRest</c> at rest.</summary>
        public byte Primitive;
        /// <summary>Column of the anchor where the move began.</summary>
        public int FromX;
        /// <summary>Row of cells of the anchor where the move began.</summary>
        public int FromY;
        /// <summary>Column of the anchor where the move ends; at rest, of the anchor.</summary>
        public int ToX;
        /// <summary>Row of cells of the anchor where the move ends; at rest, of the anchor.</summary>
        public int ToY;
        /// <summary>Heading at which the move began.</summary>
        public byte FromHeading;
        /// <summary>Heading at which the move ends; at rest, the heading.</summary>
        public byte ToHeading;
        /// <summary>Heading steps of the move, counterclockwise positive. With 8 headings a turn by 1 and one by -7 have the same
        /// ends.</summary>
        public sbyte Turn;
        /// <summary>Kind of the current order, <c>WB_ORDER_...</c>; <c>Constants.NoOrder</c> without one.</summary>
        public OrderKind OrderKind { get { return (OrderKind)order_kind; } }
        internal byte order_kind;
        /// <summary>Tick at which the move began.</summary>
        public uint BeginTick;
        /// <summary>Tick at which the move ends; at rest, since which the agent rests.</summary>
        public uint EndTick;
        /// <summary>Tick since which it could have moved on but has not; <c>Constants.Never</c> while it does not wait.</summary>
        public uint WaitsSince;
        /// <summary>Number of the current order, as in events; <c>Constants.None</c> without one.</summary>
        public uint Order;
        /// <summary>Bits: <c>WB_FLAG_...</c>. The others are 0 for now.</summary>
        public AgentFlags Flags;
    }

    /// <summary>One thing that happened at the last tick.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct EventRow
    {
        /// <summary>The tick.</summary>
        public uint Tick;
        /// <summary><c>WB_EVENT_...</c>, which says what <c>A</c>, <c>B</c> and <c>C</c> are.</summary>
        public EventKind Kind;
        /// <summary>Id of the agent; <c>Constants.None</c> if it is about none.</summary>
        public uint Agent;
        /// <summary>See <c>Kind</c>; 0 without a meaning.</summary>
        public uint A;
        /// <summary>As <c>A</c>.</summary>
        public uint B;
        /// <summary>As <c>A</c>.</summary>
        public uint C;
        /// <summary>Ticket of the command that asked for it, of refusals, placements, and edits; <c>Constants.NoTicket</c> without one.</summary>
        public ulong Ticket;
    }

    /// <summary>Details of an event. A field that does not apply is <c>Constants.None</c>, <c>Constants.NoTicket</c>, or 0 where its comment says so.</summary>
    /// <remarks>
    /// <para><c>Ticket</c>: all events that a command is the cause of, orders done and failed among them. <c>Reached</c>: an order done.
    /// <c>Blocker</c>: refused because the pose is held, an order that is obstructed, an agent that is blocked. <c>class</c>, <c>Team</c>
    /// and <c>Pose</c>: placed, removed (the last values), refused (the values of the command), another class or team. <c>Area</c>
    /// and <c>Agents</c>: edits.</para>
    /// </remarks>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct EventDetails
    {
        /// <summary><c>sizeof(wb_event_details)</c>, set by the caller.</summary>
        internal uint Size;
        /// <summary>Where an order has ended: <c>Reached.Goal</c> ...; <c>Reached.Nothing</c> of other events.</summary>
        public Reached Reached;
        /// <summary>Ticket of the command that is the cause; of an order, the command that gave it.</summary>
        public ulong Ticket;
        /// <summary>The agent in the way.</summary>
        public uint Blocker;
        /// <summary>Number of the class.</summary>
        public uint Class;
        /// <summary>The team.</summary>
        public uint Team;
        /// <summary>How many of <c>Agents</c> there are.</summary>
        public uint NAgents;
        /// <summary>The pose; all zeros but for the heading <c>Constants.None</c> without one.</summary>
        public Pose Pose;
        /// <summary>Rectangle around the cells of an edit, on the map; all zeros without one.</summary>
        public CellRect Area;
        /// <summary>Agents for which an edit waits or waited at first, in order of id, at most 8; the others are 0.</summary>
        public fixed uint Agents[8];
        /// <summary>0.</summary>
        internal uint Reserved;
    }

    /// <summary>What a run counts as it goes.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct Counts
    {
        /// <summary><c>sizeof(wb_counts)</c>, set by the caller.</summary>
        internal uint Size;
        /// <summary>Agents in mid-move at the last tick, once its moves had begun.</summary>
        public uint Moving;
        /// <summary>Agents at rest at the last tick with a path to follow, or waiting for a path.</summary>
        public uint Waiting;
        /// <summary>Longest time from giving a task to its end, in ticks, over the tasks done.</summary>
        public uint LongestTaskTicks;
        /// <summary>Longest time from start to end of a trip, in ticks, over all trips finished.</summary>
        public uint LongestTripTicks;
        /// <summary>Longest wait of one agent with a path, or for one, in ticks.</summary>
        public uint LongestWaitTicks;
        /// <summary>Longest time from a path request to its answer, in ticks.</summary>
        public uint LongestRequestTicks;
        /// <summary>Edits that wait until they disturb no agent.</summary>
        public uint EditsPending;
        /// <summary>Agents ever placed.</summary>
        public ulong Placed;
        /// <summary>Agents removed since.</summary>
        public ulong Removed;
        /// <summary>Agents that events could not place for lack of room.</summary>
        public ulong NotPlaced;
        /// <summary>Commands, or their parts about an agent, that were not carried out.</summary>
        public ulong CommandsRefused;
        /// <summary>Orders done.</summary>
        public ulong OrdersDone;
        /// <summary>Orders dropped because their goal cannot be reached.</summary>
        public ulong OrdersUnreachable;
        /// <summary>Of these, the orders of each reason, by <c>WB_FAILURE_...</c>; the others are 0 for now.</summary>
        public fixed ulong UnreachableBy[16];
        /// <summary>Tasks done.</summary>
        public ulong TasksDone;
        /// <summary>Moves begun.</summary>
        public ulong Moves;
        /// <summary>Starts that the traffic rule asked for and that were refused.</summary>
        public ulong MovesRefused;
        /// <summary>Of these, the moves that would have overlapped another.</summary>
        public ulong MovesOverlapping;
        /// <summary>Ticks from giving an order or a task to its end, summed over those done.</summary>
        public ulong Flowtime;
        /// <summary>Trips finished whose single-agent bound is known.</summary>
        public ulong Trips;
        /// <summary>Ticks from start to end, summed over these trips.</summary>
        public ulong TripTicks;
        /// <summary>Single-agent bounds in ticks, summed over these trips.</summary>
        public ulong BoundTicks;
        /// <summary>Sum of <c>Waiting</c> over the ticks.</summary>
        public ulong WaitTicks;
        /// <summary>Path requests made.</summary>
        public ulong PathRequests;
        /// <summary>Expansions of all searches.</summary>
        public ulong Expansions;
        /// <summary>Pairs of agents in violation, summed over ticks; <c>UINT64_MAX</c> unless invariants are checked.</summary>
        public ulong Collisions;
    }

    /// <summary>Memory in use for agents and goals. Not counted: the map, movement tables, occupancy and searches, which grow with
    /// the map, and the memory of the traffic rule.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct WorldMemory
    {
        /// <summary><c>sizeof(wb_memory)</c>, set by the caller.</summary>
        internal uint Size;
        /// <summary>0.</summary>
        internal uint Reserved;
        /// <summary>Agents present.</summary>
        public ulong Agents;
        /// <summary>Bytes of their rows, orders, tasks, and remaining paths.</summary>
        public ulong AgentBytes;
        /// <summary>Goals with a cost field.</summary>
        public ulong Fields;
        /// <summary>Bytes of their fields.</summary>
        public ulong FieldBytes;
        /// <summary>Bytes of the landmarks of all classes.</summary>
        public ulong LandmarkBytes;
    }

    /// <summary>The goals of one agent in a list of tasks.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct TaskList
    {
        /// <summary>Index of its first goal.</summary>
        public uint First;
        /// <summary>Number of its goals, at least 1.</summary>
        public uint Count;
    }

    /// <summary>An agent and the pose that an order to a group would give it.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct GroupPose
    {
        /// <summary>Id of the agent.</summary>
        public uint Agent;
        /// <summary>The pose; without room or a way, its heading is <c>Constants.None</c>.</summary>
        public Pose Pose;
    }

    /// <summary>Why an agent is not moving on. Numbers that do not apply are <c>Constants.None</c>, and such cells are 0.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct WaitReason
    {
        /// <summary><c>sizeof(wb_wait_reason)</c>, set by the caller.</summary>
        internal uint Size;
        /// <summary><c>WB_WAIT_...</c></summary>
        public WaitRule Rule;
        /// <summary>The agent that holds the cells it needs.</summary>
        public uint Holder;
        /// <summary>1 if <c>At</c> says which cell is needed, else 0.</summary>
        public uint HasAt;
        /// <summary>The cell that is needed.</summary>
        public Cell At;
        /// <summary>Number of the corridor.</summary>
        public uint Corridor;
        /// <summary>The side of the corridor whose turn it is, or on which the queue stands: 0 east, 1 north, 2 west, 3 south.</summary>
        public uint Side;
        /// <summary>The first cell of the corridor, row by row.</summary>
        public Cell CorridorAt;
        /// <summary>Agents nearer to the corridor that go the same way.</summary>
        public uint Ahead;
        /// <summary>0.</summary>
        internal uint Reserved;
    }

    /// <summary>A path for the host to find.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe partial struct PathRequest
    {
        /// <summary>The agent.</summary>
        public uint Agent;
        /// <summary>Number of its class.</summary>
        public uint Class;
        /// <summary>The pose in which the path begins.</summary>
        public Pose Start;
        /// <summary>Radius around each goal in cells.</summary>
        public uint Within;
        /// <summary>Priority of the agent.</summary>
        public int Priority;
        /// <summary>Index of the first member of its goal among all goals.</summary>
        public uint FirstGoal;
        /// <summary>Number of members of its goal.</summary>
        public uint GoalCount;
    }

    /// <summary>The C interface as it is: its functions, and its structures with pointers. Objects of this package have
    /// their handle in <c>Handle</c>.</summary>
    [SuppressUnmanagedCodeSecurity]
    public static unsafe class Native
    {
#if UNITY_IOS && !UNITY_EDITOR
        /// <summary>The library is linked in.</summary>
        public const string Library = "__Internal";
#else
        /// <summary>The library's name: <c>libwheelbase_c.so</c>, <c>libwheelbase_c.dylib</c>, <c>wheelbase_c.dll</c>.</summary>
        public const string Library = "wheelbase_c";
#endif

        /// <summary>A terrain kind of a map.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_terrain
        {
            /// <summary><c>sizeof(wb_terrain)</c>.</summary>
            public uint size;
            /// <summary>Speed in thousandths: 1000 normal, 400 slow, 0 impassable; at most 65535.</summary>
            public uint speed;
            /// <summary>Name; movement classes set their own speeds by it.</summary>
            public byte* name;
            /// <summary>Bytes of the name.</summary>
            public UIntPtr name_length;
            /// <summary>The characters that stand for the kind in rows.</summary>
            public byte* characters;
            /// <summary>Bytes of the characters.</summary>
            public UIntPtr characters_length;
        }

        /// <summary>A motion primitive: a move in the agent's own frame.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_primitive
        {
            /// <summary><c>sizeof(wb_primitive)</c>.</summary>
            public uint size;
            /// <summary>Displacement forward, in cells, -255 to 255. With one heading: to the east.</summary>
            public int forward;
            /// <summary>Displacement to the right, in cells, -255 to 255. With one heading: to the south, on hexagonal maps to the
            /// southeast.</summary>
            public int right;
            /// <summary>Heading steps, positive to the left (counterclockwise).</summary>
            public int turn;
            /// <summary>Base time in ticks at speed 1000, 1 to 65535.</summary>
            public uint time;
            /// <summary><c>When.Any</c>; with 8 headings a primitive that moves is <c>When.Straight</c> or <c>When.Diagonal</c>.</summary>
            public uint when;
            /// <summary>1 if <c>Swept</c> is given, even without cells; else 0. It matters for a primitive that moves and turns. If <c>Swept</c>
            /// is not given and a rule is <c>SweepRule.Full</c>, the primitive sweeps every cell that the body touches during the
            /// turn and the move.</summary>
            public uint lists_swept;
            /// <summary>0.</summary>
            public uint reserved;
            /// <summary>Name, no other primitive of the class has it.</summary>
            public byte* name;
            /// <summary>Bytes of the name.</summary>
            public UIntPtr name_length;
            /// <summary>Further swept cells: x is forward, y is right of the anchor at the start.</summary>
            public Cell* swept;
            /// <summary>Number of swept cells.</summary>
            public UIntPtr n_swept;
        }

        /// <summary>The speed of a class on a terrain kind or over a side kind, in place of the map's.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_speed
        {
            /// <summary>Name of the kind; a map that lacks the kind ignores it.</summary>
            public byte* name;
            /// <summary>Bytes of the name.</summary>
            public UIntPtr name_length;
            /// <summary>In thousandths: 1000 normal, 0 impassable; at most 65535.</summary>
            public uint speed;
            /// <summary>0.</summary>
            public uint reserved;
        }

        /// <summary>What a movement class is. Begin with <c>wb_class_spec_init</c>.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_class_spec
        {
            /// <summary><c>sizeof(wb_class_spec)</c>.</summary>
            public uint size;
            /// <summary>Shape of the maps it moves on: <c>Shape.Square</c> or <c>Shape.Hex</c>.</summary>
            public uint shape;
            /// <summary>1 (no facing), 4 or 8; on hexagonal maps 1 or 6.</summary>
            public uint headings;
            /// <summary>Which cells a displacement touches: <c>SweepRule.Usual</c>, <c>SweepRule.Ends</c> or <c>SweepRule.Full</c>.</summary>
            public uint sweep_moves;
            /// <summary>Which cells a turn touches: <c>SweepRule.Usual</c>, <c>SweepRule.Ends</c> or <c>SweepRule.Full</c>.</summary>
            public uint sweep_turns;
            /// <summary>The point about which it turns, in half cells forward of the anchor's centre.</summary>
            public int pivot_forward;
            /// <summary>The same, in half cells to the right. Both even or both odd.</summary>
            public int pivot_right;
            /// <summary>Climbing: extra time for each unit of rise, in thousandths of the base time.</summary>
            public uint climb_up;
            /// <summary>Extra time for each unit of fall, in thousandths of the base time; may be negative.</summary>
            public int climb_down;
            /// <summary>Most rise of a move in units; <c>Constants.None</c> for no limit.</summary>
            public uint max_up;
            /// <summary>Most fall of a move in units; <c>Constants.None</c> for no limit.</summary>
            public uint max_down;
            /// <summary>Largest difference of the heights under the footprint; <c>Constants.None</c> for no limit.</summary>
            public uint max_tilt;
            /// <summary>Name.</summary>
            public byte* name;
            /// <summary>Bytes of the name.</summary>
            public UIntPtr name_length;
            /// <summary>The cells it covers while facing east: x is forward (east), y is right (south) of the anchor. None: the anchor
            /// alone.</summary>
            public Cell* footprint;
            /// <summary>Number of cells, at most 1024.</summary>
            public UIntPtr n_footprint;
            /// <summary>With 8 headings: the cells it covers while facing NE, in map axes (east, south). None: the cells that the turned
            /// body covers at least half.</summary>
            public Cell* diagonal;
            /// <summary>Number of diagonal cells.</summary>
            public UIntPtr n_diagonal;
            /// <summary>Its motion primitives.</summary>
            public wb_primitive* primitives;
            /// <summary>Number of primitives, at most 16; 0 of a building.</summary>
            public UIntPtr n_primitives;
            /// <summary>Its own speeds on terrain kinds.</summary>
            public wb_speed* speeds;
            /// <summary>Number of speeds.</summary>
            public UIntPtr n_speeds;
            /// <summary>Its own speeds over side kinds.</summary>
            public wb_speed* side_speeds;
            /// <summary>Number of speeds over sides.</summary>
            public UIntPtr n_side_speeds;
        }

        /// <summary>A request to the planner. Initialise it with <c>wb_request_init</c>.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_request
        {
            /// <summary><c>sizeof(wb_request)</c>.</summary>
            public uint size;
            /// <summary>Radius of the goal in cells: any anchor this near to a member is one too.</summary>
            public uint within;
            /// <summary>Pose of the agent.</summary>
            public Pose start;
            /// <summary><c>Heuristic.Default</c> ...; guides the search, and changes no cost unless it is greedy.</summary>
            public uint heuristic;
            /// <summary>The cost is at most this many thousandths of the cheapest: 1000 is exact; at least 1000.</summary>
            public uint weight_permille;
            /// <summary><c>Fallback.Fail</c> or <c>Fallback.Nearest</c>.</summary>
            public uint fallback;
            /// <summary>1: a search that hits the limit gives the path to its best pose; else 0.</summary>
            public uint partial;
            /// <summary>0.</summary>
            public uint reserved;
            /// <summary>Most expansions; 0 for no limit.</summary>
            public ulong expansions_max;
            /// <summary>No move sweeps a cell outside it; empty for no window.</summary>
            public CellRect window;
            /// <summary>The members of the goal.</summary>
            public Pose* goals;
            /// <summary>Number of members, at least 1.</summary>
            public UIntPtr n_goals;
            /// <summary>Cells that no move may sweep, such as resting agents: a bit for each cell, with a new word for each row. The bit
            /// of (x, y) is <c>obstacles[y * ((width + 63) / 64) + x / 64] &gt;&gt; (x % 64) &amp; 1</c>. Null for none.</summary>
            public ulong* obstacles;
            /// <summary>Number of words: <c>(width + 63) / 64 * height</c>; 0 for none.</summary>
            public UIntPtr n_obstacles;
        }

        /// <summary>A file in memory.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_file
        {
            /// <summary>Its path as the scenario writes it.</summary>
            public byte* name;
            /// <summary>Bytes of <c>Name</c>.</summary>
            public UIntPtr name_length;
            /// <summary>Its content.</summary>
            public byte* bytes;
            /// <summary>Bytes of the content.</summary>
            public UIntPtr length;
        }

        /// <summary>A source of tasks: goals that agents are given one after another, without end. Fields of other kinds are ignored.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_task_source
        {
            /// <summary><c>sizeof(wb_task_source)</c>, set by the caller.</summary>
            public uint size;
            /// <summary><c>TaskKind.Random</c>, <c>TaskKind.List</c> or <c>TaskKind.RoundRobin</c>.</summary>
            public uint kind;
            /// <summary>Of random tasks: the area, within the map.</summary>
            public CellRect area;
            /// <summary>Of a list: the number of headings in which the goals count, 1, 4, 6 or 8; 0 for 1.</summary>
            public uint headings;
            /// <summary>Of round robin: the number of agents.</summary>
            public uint team;
            /// <summary>Of a list: the goals of all agents, one list after another.</summary>
            public Pose* goals;
            /// <summary>Number of <c>Goals</c>.</summary>
            public UIntPtr n_goals;
            /// <summary>Of a list: the part of each agent. The k-th of the agents of a command, in order of id, gets the k-th.</summary>
            public TaskList* lists;
            /// <summary>Number of <c>Lists</c>.</summary>
            public UIntPtr n_lists;
            /// <summary>Of round robin: the cells.</summary>
            public Cell* cells;
            /// <summary>Number of <c>Cells</c>.</summary>
            public UIntPtr n_cells;
        }

        /// <summary>An order. Fields of other kinds are ignored. So a structure of zeros is an order once <c>Size</c>, <c>Kind</c> and the fields
        /// of the kind are set.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_order
        {
            /// <summary><c>sizeof(wb_order)</c>, set by the caller. In an array all have the size of the first.</summary>
            public uint size;
            /// <summary><c>WB_ORDER_...</c></summary>
            public uint kind;
            /// <summary>Number of headings that the headings of <c>Goals</c> count in: 4, 6 or 8, as the agents' class has. It is 1, or 0 for
            /// 1, if no goal names a heading. Agents of other classes take the headings of the same names.</summary>
            public uint headings;
            /// <summary>Radius around each goal in cells; of an order to follow, the distance in cells to keep within.</summary>
            public uint within;
            /// <summary><c>Fallback.Fail</c> or <c>Fallback.Nearest</c>.</summary>
            public uint fallback;
            /// <summary><c>IfUnreachable.Drop</c> or <c>IfUnreachable.Wait</c>.</summary>
            public uint if_unreachable;
            /// <summary>Of an order to wait: ticks. Of a patrol: ticks to stand at each waypoint. Of an order to repeat: the number of
            /// orders before it.</summary>
            public uint ticks;
            /// <summary>Of an order to follow: the id of the leader.</summary>
            public uint leader;
            /// <summary>Of tasks: the number of the random stream.</summary>
            public uint stream;
            /// <summary>0.</summary>
            public uint reserved;
            /// <summary>Of an order to an area: the cells.</summary>
            public CellRect area;
            /// <summary>Members of the goal: the agent goes to the cheapest. Of an order for a group: one. Of a patrol: the waypoints in
            /// turn.</summary>
            public Pose* goals;
            /// <summary>Number of <c>Goals</c>.</summary>
            public UIntPtr n_goals;
            /// <summary>Of tasks: where they come from.</summary>
            public wb_task_source* tasks;
        }

        /// <summary>Settings of a world. All that changes results has to be equal on all machines that step equal worlds: everything but
        /// <c>Threads</c>.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_settings
        {
            /// <summary><c>sizeof(wb_settings)</c>, set by the caller.</summary>
            public uint size;
            /// <summary><c>Collision.Swept</c> (default) or <c>Collision.Discrete</c>.</summary>
            public uint collision;
            /// <summary>Seed of all random numbers. Default 0.</summary>
            public ulong seed;
            /// <summary>Ticks to run at most; 0 (default) for a world without a last tick, which idles when nothing is left to do.</summary>
            public uint ticks;
            /// <summary>Path searches in progress together, 1 to 1,024. Default 16.</summary>
            public uint search_slots;
            /// <summary>Expansions for path searches per tick, 1 to 2^40. Default 200,000.</summary>
            public ulong expansions_per_tick;
            /// <summary>Traffic search budget: tries of <c>TrafficRule.UnitRobots</c> per tick. Default 20,000.</summary>
            public ulong tries_per_tick;
            /// <summary>Threads, as for <c>wb_world_set_threads</c>. Default 0.</summary>
            public uint threads;
            /// <summary><c>TrafficRule.Cooperative</c> (default), <c>TrafficRule.UnitRobots</c> or <c>TrafficRule.Commanded</c>.</summary>
            public uint rule;
            /// <summary><c>PathSource.Planner</c> (default) or <c>PathSource.Host</c>.</summary>
            public uint paths;
            /// <summary>Landmarks of each class, 0 to 64, which make far searches cheap; a game of clicks on a large map asks for 4.
            /// <c>Constants.None</c> (default): as many as pay off for agents with tasks all over the map, none in a game of clicks.</summary>
            public uint landmarks;
            /// <summary>Poses that each agent may expand per tick to plan its moves, at least 1; of <c>TrafficRule.Cooperative</c>. Default 16.</summary>
            public uint poses_per_agent;
            /// <summary>Name of the world.</summary>
            public byte* name;
            /// <summary>Bytes of <c>Name</c>.</summary>
            public UIntPtr name_length;
        }

        /// <summary>An agent to place.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_spawn
        {
            /// <summary><c>sizeof(wb_spawn)</c>, set by the caller.</summary>
            public uint size;
            /// <summary>Number of its class.</summary>
            public uint class_;
            /// <summary>Its pose: legal, on cells that nobody holds.</summary>
            public Pose pose;
            /// <summary>Its priority; higher goes first. Default 0.</summary>
            public int priority;
            /// <summary>Its team, 0 to 31.</summary>
            public uint team;
            /// <summary>Its speed factor in thousandths, 1 to 65,535; 0 for the default 1,000.</summary>
            public uint speed_factor;
            /// <summary>Its index among the agents that share its tasks.</summary>
            public uint number;
            /// <summary>0.</summary>
            public uint reserved;
            /// <summary>Its orders, done one after another.</summary>
            public wb_order* orders;
            /// <summary>Number of <c>Orders</c>.</summary>
            public UIntPtr n_orders;
        }

        /// <summary>Agents to place at random.</summary>
        [StructLayout(LayoutKind.Sequential)]
        public unsafe struct wb_spawn_group
        {
            /// <summary><c>sizeof(wb_spawn_group)</c>, set by the caller.</summary>
            public uint size;
            /// <summary>Number of their class.</summary>
            public uint class_;
            /// <summary>Their number.</summary>
            public uint count;
            /// <summary>Area of their anchors, clipped to the map.</summary>
            public CellRect area;
            /// <summary>Priority of each.</summary>
            public int priority;
            /// <summary>Team of each, 0 to 31.</summary>
            public uint team;
            /// <summary>Speed factor of each in thousandths, 1 to 65,535; 0 for the default 1,000.</summary>
            public uint speed_factor;
            /// <summary>1: in any legal pose; 0: in the largest set of poses that reach each other while it has room.</summary>
            public uint anywhere;
            /// <summary><c>IfNoRoom.Drop</c> or <c>IfNoRoom.Wait</c>.</summary>
            public uint if_no_room;
            /// <summary>Orders of each, stored once.</summary>
            public wb_order* orders;
            /// <summary>Number of <c>Orders</c>.</summary>
            public UIntPtr n_orders;
        }

        /// <summary>The version of the library that runs: compare its upper 16 bits with the upper 16 bits of <c>Constants.AbiVersion</c>.</summary>
        /// <remarks>
        /// <para>Threads: any.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern uint wb_abi_version();

        /// <summary>The name of a status, in English, ending with a zero byte; null for a number that is no status.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_status_name(uint status);

        /// <summary>The message of the last call that failed on this thread, UTF-8, without a zero byte at its end. It begins with the
        /// name of the function, as <c>wb_map_new: </c>; then mistakes in files and texts begin with <c>file:line:column:</c>, a line for
        /// each. A failure of this call leaves the message as it is.</summary>
        /// <remarks>
        /// <para>Threads: any; each has its own message.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_last_error(byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>Makes a map of <c>width</c> x <c>height</c> cells of one terrain kind, with open sides, of height 0.</summary>
        /// <remarks>
        /// <para>It has the terrain kinds of MovingAI maps, in this order, with characters, and speeds in thousandths. They are
        /// <c>ground</c> (<c>.</c> <c>G</c>) 1000, <c>swamp</c> (<c>S</c>) 500, and <c>water</c> (<c>W</c>), <c>trees</c> (<c>T</c>) and <c>out</c> (<c>@</c> <c>O</c>) 0. At most 2^26
        /// cells; 1 byte each.</para>
        /// <para>Threads: any. Lifetime: until <c>wb_map_destroy</c>. Statuses: <c>Status.Argument</c> for a size, shape or kind that does not
        /// exist.</para>
        /// <para>Pointers: <c>map</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_new(uint width, uint height, uint shape, uint terrain, ulong* map);

        /// <summary>Makes a map of cells that the host has: <c>width * height</c> terrain kinds, row by row. <c>terrains</c> are the kinds,
        /// numbered in their order from 0; the kinds of MovingAI maps (see <c>wb_map_new</c>) that are not among them follow. At
        /// most 255 kinds.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: until <c>wb_map_destroy</c>; all data is copied. Statuses: <c>Status.Argument</c> for an invalid size or
        /// shape, a wrong number of cells, or a cell of no kind. Also for two kinds with the same name or character.</para>
        /// <para>Pointers: <c>cells</c> has <c>n_cells</c> bytes. <c>terrains</c> has <c>n_terrains</c> structures with texts as long as they say, or is null with
        /// 0. <c>map</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_from_cells(uint width, uint height, uint shape, byte* cells, UIntPtr n_cells, wb_terrain* terrains, UIntPtr n_terrains, ulong* map);

        /// <summary>Makes a map of square cells of text: a line for each row, a character for each cell (see <c>wb_map_new</c>).</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: until <c>wb_map_destroy</c>. Statuses: <c>Status.Text</c> with line and column of an unknown character or
        /// of a row of another length; <c>Status.Argument</c> for text that is not UTF-8.</para>
        /// <para>Pointers: <c>rows</c> has <c>length</c> bytes; <c>map</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_from_rows(byte* rows, UIntPtr length, ulong* map);

        /// <summary>Makes the map of a file that the host has read. It is a map file or a scenario (<c>.toml</c>), which may define terrain
        /// kinds, side kinds, walls and heights. The ending of <c>name</c> tells the format: <c>.toml</c>, <c>.png</c>, <c>.tmx</c> (Tiled), else
        /// MovingAI. The name is used in messages. No file is opened, so a file that names others cannot be read: use
        /// <c>wb_map_open</c>.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: until <c>wb_map_destroy</c>. Statuses: <c>Status.Text</c> with file, line and column of each mistake.</para>
        /// <para>Pointers: <c>name</c> has <c>name_length</c> bytes, <c>bytes</c> has <c>length</c>; <c>map</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_parse(byte* name, UIntPtr name_length, byte* bytes, UIntPtr length, ulong* map);

        /// <summary>Reads a map file, or the map of a scenario (<c>.toml</c>), from the disk. As <c>wb_map_parse</c>, with the files that it
        /// names.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: until <c>wb_map_destroy</c>. Statuses: <c>Status.Text</c> for a file that cannot be read, or with file,
        /// line and column of each mistake.</para>
        /// <para>Pointers: <c>path</c> has <c>length</c> bytes; <c>map</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_open(byte* path, UIntPtr length, ulong* map);

        /// <summary>A copy of a map, which is edited apart from it.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the map. Lifetime: until <c>wb_map_destroy</c>.</para>
        /// <para>Pointers: <c>copy</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_clone(ulong map, ulong* copy);

        /// <summary>Destroys a map; 0 is none. Tables and worlds made of it keep what they need.</summary>
        /// <remarks>
        /// <para>Threads: any, while no other call uses the map (else <c>Status.Busy</c>).</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_destroy(ulong map);

        /// <summary>Writes the facts about a map: size, shape, revision, numbers of kinds.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the map.</para>
        /// <para>Pointers: <c>info</c> may be written as far as its <c>size</c> says, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_describe(ulong map, MapInfo* info);

        /// <summary>The terrain kinds of all cells, row by row: cell (x, y) has <c>cells[y * width + x]</c>.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the map. Lifetime: <c>*cells</c> is the map's own memory, valid until the map is
        /// edited or destroyed; nothing is copied.</para>
        /// <para>Pointers: <c>cells</c> and <c>count</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_terrain(ulong map, byte** cells, UIntPtr* count);

        /// <summary>The number of the terrain kind with a name.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the map. Statuses: <c>Status.NotFound</c>.</para>
        /// <para>Pointers: <c>name</c> has <c>length</c> bytes; <c>kind</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_terrain_kind(ulong map, byte* name, UIntPtr length, uint* kind);

        /// <summary>The name of a terrain kind, UTF-8, without a zero byte at its end.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the map. Statuses: <c>Status.NotFound</c>; <c>Status.Buffer</c> with the bytes needed in
        /// <c>count</c>.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with 0; <c>count</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_terrain_name(ulong map, uint kind, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>Makes changes, in their order, as one edit. All are checked first: a wrong change is named by its number, and then
        /// none is made. <c>changed</c> gets the rectangle that holds every cell that is not as it was, which <c>wb_tables_update</c>
        /// takes; it is empty if nothing has changed. <c>changed</c> may be null.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the map (else <c>Status.Busy</c>). Cost: the cells of the changes' areas. Statuses:
        /// <c>Status.Argument</c>.</para>
        /// <para>Pointers: <c>changes</c> has <c>count</c> values; <c>changed</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_map_edit(ulong map, Change* changes, UIntPtr count, CellRect* changed);

        /// <summary>Sets a specification to the default values: 4 headings on square maps, 1 cell, pivot at the anchor's centre,
        /// <c>SweepRule.Usual</c>, no limits of climbing. Name and primitives are left to set.</summary>
        /// <remarks>
        /// <para>Threads: any.</para>
        /// <para>Pointers: <c>spec</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_spec_init(wb_class_spec* spec);

        /// <summary>Makes a movement class: what an agent covers, how it moves, how long that takes.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: until <c>wb_class_destroy</c>; all data is copied. Statuses: <c>Status.Argument</c>, whose message names
        /// the mistake and the expected value; <c>Status.Size</c>.</para>
        /// <para>Pointers: <c>spec</c> and all data that it points to can be read as far as its sizes and counts say, or <c>spec</c> is null. <c>class_</c>
        /// may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_new(wb_class_spec* spec, ulong* class_);

        /// <summary>Makes the class of a text: of a class file (TOML, <c>[class.NAME]</c>), or, with the name <c>FILE#CLASS</c>, a class of a
        /// scenario. The name is used in messages; no file is opened. Terrain kinds that the file defines belong to maps, see
        /// <c>wb_map_parse</c>.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: until <c>wb_class_destroy</c>. Statuses: <c>Status.Text</c> with file, line and column of each mistake.</para>
        /// <para>Pointers: <c>name</c> has <c>name_length</c> bytes, <c>toml</c> has <c>length</c>; <c>class_</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_parse(byte* name, UIntPtr name_length, byte* toml, UIntPtr length, ulong* class_);

        /// <summary>A copy of a class.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: until <c>wb_class_destroy</c>.</para>
        /// <para>Pointers: <c>copy</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_clone(ulong class_, ulong* copy);

        /// <summary>Destroys a class; 0 is none. Tables and worlds made of it keep what they need.</summary>
        /// <remarks>
        /// <para>Threads: any, while no other call uses the class (else <c>Status.Busy</c>).</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_destroy(ulong class_);

        /// <summary>Writes the facts about a class.</summary>
        /// <remarks>
        /// <para>Threads: any.</para>
        /// <para>Pointers: <c>info</c> may be written as far as its <c>size</c> says, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_describe(ulong class_, ClassInfo* info);

        /// <summary>The name of a class, UTF-8, without a zero byte at its end.</summary>
        /// <remarks>
        /// <para>Threads: any. Statuses: <c>Status.Buffer</c> with the bytes needed in <c>count</c>.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with 0; <c>count</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_name(ulong class_, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>The name of a primitive of a class, UTF-8, without a zero byte at its end.</summary>
        /// <remarks>
        /// <para>Threads: any. Statuses: <c>Status.NotFound</c>; <c>Status.Buffer</c> with the bytes needed in <c>count</c>.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with 0; <c>count</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_primitive_name(ulong class_, uint primitive, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>The cells that an agent of a class covers at a pose; they may lie off the map.</summary>
        /// <remarks>
        /// <para>Threads: any. Statuses: <c>Status.Buffer</c> with the cells needed in <c>count</c>; <c>Status.Argument</c> for a heading that the class
        /// lacks.</para>
        /// <para>Pointers: <c>pose</c> can be read, or is null; <c>cells</c> has room for <c>capacity</c> values, or is null with 0; <c>count</c> may be written,
        /// or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_class_cells(ulong class_, Pose* pose, Cell* cells, UIntPtr capacity, UIntPtr* count);

        /// <summary>Compiles a class against a map. All searches of this class on this map use these tables, which take the place of
        /// both.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of map and class. Cost: poses x primitives x swept cells; memory as
        /// <c>wb_tables_need</c> says. Lifetime: until <c>wb_tables_destroy</c>. Statuses: <c>Status.Argument</c> for a class that is larger than
        /// the map or for maps of another shape.</para>
        /// <para>Pointers: <c>tables</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_new(ulong map, ulong class_, ulong* tables);

        /// <summary>An estimate of the memory that <c>wb_tables_new</c> takes: <c>kept</c> by the tables, and <c>peak</c> while it compiles, in bytes.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of map and class. Statuses: as <c>wb_tables_new</c>.</para>
        /// <para>Pointers: <c>kept</c> and <c>peak</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_need(ulong map, ulong class_, ulong* kept, ulong* peak);

        /// <summary>A copy of tables. The two share their memory until one of them is updated.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the tables. Lifetime: until <c>wb_tables_destroy</c>.</para>
        /// <para>Pointers: <c>copy</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_clone(ulong tables, ulong* copy);

        /// <summary>Destroys tables; 0 is none. Searches, fields and frames of queues in progress with them cannot go on.</summary>
        /// <remarks>
        /// <para>Threads: any, while no other call uses the tables (else <c>Status.Busy</c>).</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_destroy(ulong tables);

        /// <summary>Follows an edit of the map: recompiles everything that the <c>changed</c> rectangle of <c>wb_map_edit</c> can touch, and keeps
        /// the components correct. After several edits give the rectangle that contains all of them. <c>effect</c> gets
        /// <c>UpdateEffect.Changed</c> and <c>UpdateEffect.Eased</c>, or 0; it may be null. Searches in progress must be restarted, and fields
        /// repaired (<c>wb_field_repair</c>).</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the tables (else <c>Status.Busy</c>). Statuses: <c>Status.Argument</c> for a map of another
        /// size, shape or other kinds.</para>
        /// <para>Pointers: <c>changed</c> can be read, or is null; <c>effect</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_update(ulong tables, ulong map, CellRect* changed, uint* effect);

        /// <summary>Makes the components of the poses: which are connected. Updates keep them. They answer <c>wb_tables_connected</c>, and
        /// searches for goals out of reach end immediately; that pays for many requests.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the tables (else <c>Status.Busy</c>). Cost: about as much as compiling. Searches in
        /// progress must be restarted.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_make_components(ulong tables);

        /// <summary>Whether a pose is on the map and legal: <c>*legal</c> gets 1 or 0.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the tables. Statuses: <c>Status.Argument</c> for a heading that the class lacks.</para>
        /// <para>Pointers: <c>pose</c> can be read, or is null; <c>legal</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_is_legal(ulong tables, Pose* pose, byte* legal);

        /// <summary>Whether some pose with its anchor in the cell <c>to</c> can be reached from some legal pose with its anchor in <c>from</c>.
        /// <c>*answer</c> gets <c>Connected.Yes</c>, <c>Connected.No</c> or <c>Connected.Unknown</c>. No search.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the tables.</para>
        /// <para>Pointers: <c>from</c> and <c>to</c> can be read, or are null; <c>answer</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_connected(ulong tables, Cell* from_, Cell* to, uint* answer);

        /// <summary>One move from a pose. <c>*ticks</c> gets its time, or 0 if it is illegal (<c>wb_explain_move</c> says why). <c>*after</c> gets the
        /// pose after a legal move, else the pose itself. <c>after</c> may be null.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the tables. Statuses: <c>Status.Argument</c> for a heading or a primitive that the
        /// class lacks.</para>
        /// <para>Pointers: <c>pose</c> can be read, or is null; <c>after</c> and <c>ticks</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_move(ulong tables, Pose* pose, uint primitive, Pose* after, uint* ticks);

        /// <summary>Checks a list of moves from a pose, such as a path after an edit. <c>*n_legal</c> gets the number of leading legal moves,
        /// and <c>*end</c> the pose and the ticks after them. <c>end</c> may be null.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the tables. Statuses: <c>Status.Argument</c> for a heading that the class lacks.</para>
        /// <para>Pointers: <c>start</c> can be read, or is null; <c>moves</c> has <c>count</c> bytes; <c>end</c> and <c>n_legal</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_check_moves(ulong tables, Pose* start, byte* moves, UIntPtr count, PathPose* end, UIntPtr* n_legal);

        /// <summary>Memory of tables in bytes, without the class.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the tables.</para>
        /// <para>Pointers: <c>bytes</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_tables_memory(ulong tables, ulong* bytes);

        /// <summary>Says in words why a move from a pose is illegal, and where; without text (<c>*count</c> 0) if it is legal. UTF-8, without
        /// a zero byte at its end.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of map and class. Statuses: <c>Status.Buffer</c> with the bytes needed in <c>count</c>;
        /// <c>Status.Argument</c> for a heading or a primitive that the class lacks.</para>
        /// <para>Pointers: <c>pose</c> can be read, or is null; <c>buffer</c> has room for <c>capacity</c> bytes, or is null with 0; <c>count</c> may be written,
        /// or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_explain_move(ulong map, ulong class_, Pose* pose, uint primitive, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>Says in words why a pose is illegal, and where; without text (<c>*count</c> 0) if it is legal. UTF-8, without a zero byte
        /// at its end.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of map and class. Statuses: <c>Status.Buffer</c> with the bytes needed in <c>count</c>;
        /// <c>Status.Argument</c> for a heading that the class lacks.</para>
        /// <para>Pointers: As for <c>wb_explain_move</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_explain_pose(ulong map, ulong class_, Pose* pose, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>Sets a request to the default values: the cheapest path, default heuristic, no limits. Start and goals are left to
        /// set.</summary>
        /// <remarks>
        /// <para>Threads: any.</para>
        /// <para>Pointers: <c>request</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_request_init(wb_request* request);

        /// <summary>The name of a result, such as <c>start_blocked</c>, ending with a zero byte; null for a number that is none.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_plan_result_name(uint result);

        /// <summary>Makes the memory of searches. It grows to the largest map that it is used with, 8 to 16 bytes for each pose.</summary>
        /// <remarks>
        /// <para>Threads: any; one at a time uses it, so make one for each. Lifetime: until <c>wb_scratch_destroy</c>.</para>
        /// <para>Pointers: <c>scratch</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_scratch_new(ulong* scratch);

        /// <summary>Destroys the memory of searches; 0 is none. A search in progress is dropped.</summary>
        /// <remarks>
        /// <para>Threads: any, while no other call uses it (else <c>Status.Busy</c>).</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_scratch_destroy(ulong scratch);

        /// <summary>Makes an empty path, to be written by searches. Its memory is used again.</summary>
        /// <remarks>
        /// <para>Threads: any; one at a time writes it. Lifetime: until <c>wb_path_destroy</c>.</para>
        /// <para>Pointers: <c>path</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_path_new(ulong* path);

        /// <summary>Destroys a path; 0 is none.</summary>
        /// <remarks>
        /// <para>Threads: any, while no other call uses the path (else <c>Status.Busy</c>).</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_path_destroy(ulong path);

        /// <summary>Plans a cheapest path. <c>path</c> gets its poses and moves, and is empty without one; 0 if only the answer is wanted.
        /// That there is no path is an answer (<c>answer-&gt;result</c>), not a failure.</summary>
        /// <remarks>
        /// <para>Threads: any number together with the same tables, each with its own scratch and path. Cost: expansions; after the
        /// first searches nothing is allocated. Statuses: <c>Status.Argument</c> for a request that makes no sense, <c>Status.Size</c>.</para>
        /// <para>Pointers: <c>request</c> and all data that it points to can be read as far as its sizes and counts say, or <c>request</c> is null.
        /// <c>answer</c> may be written as far as its <c>size</c> says, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_plan(ulong tables, wb_request* request, ulong scratch, ulong path, Answer* answer);

        /// <summary>Begins a search, to be advanced over several frames. <c>*done</c> gets 1 if it has ended already, else 0. The request is
        /// copied. Drops a search in progress in the same scratch.</summary>
        /// <remarks>
        /// <para>Threads, statuses: as <c>wb_plan</c>.</para>
        /// <para>Pointers: <c>request</c> as for <c>wb_plan</c>; <c>done</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_plan_begin(ulong tables, wb_request* request, ulong scratch, byte* done);

        /// <summary>Goes on with a search for at most <c>expansions</c>; <c>*done</c> gets 1 when it has ended, else 0. Slicing changes no answer.</summary>
        /// <remarks>
        /// <para>Threads: as <c>wb_plan</c>; another thread may go on. Statuses: <c>Status.Argument</c> if no search is in progress, or the tables
        /// have changed since: then restart it.</para>
        /// <para>Pointers: <c>done</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_plan_advance(ulong tables, ulong scratch, ulong expansions, byte* done);

        /// <summary>Writes answer and path of a search. Before its end that is <c>PlanResult.LimitReached</c>, with <c>partial</c> a path towards
        /// the goal, and the search can still go on. <c>path</c> may be 0.</summary>
        /// <remarks>
        /// <para>Threads, statuses: as <c>wb_plan_advance</c>.</para>
        /// <para>Pointers: <c>answer</c> may be written as far as its <c>size</c> says, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_plan_finish(ulong tables, ulong scratch, ulong path, Answer* answer);

        /// <summary>Says in words why an answer has no path to its goal, and where; without text (<c>*count</c> 0) if it has. UTF-8, without
        /// a zero byte at its end.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of map and tables. Statuses: <c>Status.Buffer</c> with the bytes needed in <c>count</c>;
        /// <c>Status.Argument</c> for another map than the tables are of, or a result that does not exist.</para>
        /// <para>Pointers: <c>request</c> as for <c>wb_plan</c>; <c>answer</c> can be read as far as its <c>size</c> says, or is null. <c>buffer</c> has room for
        /// <c>capacity</c> bytes, or is null with 0; <c>count</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_plan_explain(ulong map, ulong tables, wb_request* request, Answer* answer, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>Plans many requests together. <c>answers</c> gets one answer per request. <c>offsets</c> has <c>count + 1</c> numbers, which locate
        /// the paths. The poses of path n are <c>poses[offsets[n]]</c> to <c>poses[offsets[n + 1] - 1]</c>. The entry of <c>moves</c> at the
        /// same index leads from that pose to the next (<c>Constants.NoMove</c> from the last). <c>poses</c> and <c>moves</c> have room for
        /// <c>capacity</c> each; each may be null. If there are more poses, <c>offsets[count]</c> is their number. Answers and offsets
        /// are then complete, and paths are written up to the first without room.</summary>
        /// <remarks>
        /// <para><c>threads</c>: 0 or 1 for the caller's alone; more are made by the library, and kept in the scratch for the next batch.
        /// The answers are the same for any number. <c>scratch</c> may be 0: then memory and threads are made for this call.</para>
        /// <para>Threads: any number together with the same tables, each with its own scratch. Statuses: as <c>wb_plan</c>, naming the
        /// number of the request, before any is planned; <c>Status.Buffer</c>.</para>
        /// <para>Pointers: <c>requests</c> has <c>count</c> structures as for <c>wb_plan</c>. <c>answers</c> has room for <c>count</c> structures of the <c>size</c> in the
        /// first. <c>poses</c> and <c>moves</c> have room for <c>capacity</c>, or are null. <c>offsets</c> has room for <c>count + 1</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_plan_batch(ulong tables, wb_request* requests, UIntPtr count, uint threads, ulong scratch, Answer* answers, PathPose* poses, byte* moves, UIntPtr capacity, UIntPtr* offsets);

        /// <summary>The poses of a path, the start first; none if it is empty.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the path. Lifetime: <c>*poses</c> is the path's own memory, valid until it is
        /// written or destroyed; nothing is copied.</para>
        /// <para>Pointers: <c>poses</c> and <c>count</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_path_poses(ulong path, PathPose** poses, UIntPtr* count);

        /// <summary>The moves of a path, as numbers of primitives: the first leads from pose 0 to pose 1.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the path. Lifetime: <c>*moves</c> is the path's own memory, valid until it is
        /// written or destroyed; nothing is copied.</para>
        /// <para>Pointers: <c>moves</c> and <c>count</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_path_moves(ulong path, byte** moves, UIntPtr* count);

        /// <summary>Makes the field of costs from all poses to a goal: one search answers for all agents that go there. Nothing is
        /// searched before a question, or <c>wb_field_settle</c>. <c>within</c>: radius of the goal in cells.</summary>
        /// <remarks>
        /// <para>Threads: any, beside other readers of the tables. Lifetime: until <c>wb_field_destroy</c>; it works with these tables
        /// alone. Memory: 4 to 8 bytes for each pose. Statuses: <c>Status.Argument</c> without a goal, or for a heading that the class
        /// lacks.</para>
        /// <para>Pointers: <c>goals</c> has <c>n_goals</c> values; <c>field</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_to_goal(ulong tables, Pose* goals, UIntPtr n_goals, uint within, ulong* field);

        /// <summary>Makes the field of costs from one pose to all others: what an agent can reach, and when.</summary>
        /// <remarks>
        /// <para>Threads, lifetime, memory, statuses: as <c>wb_field_to_goal</c>.</para>
        /// <para>Pointers: <c>start</c> can be read, or is null; <c>field</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_from_pose(ulong tables, Pose* start, ulong* field);

        /// <summary>Destroys a field; 0 is none.</summary>
        /// <remarks>
        /// <para>Threads: any, while no other call uses the field (else <c>Status.Busy</c>).</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_destroy(ulong field);

        /// <summary>Searches on for at most <c>expansions</c>; <c>*complete</c> gets 1 when every pose that can be reached is settled, else 0. To
        /// spread the work over frames, or to make the field complete, after which any number of threads can read it together.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the field (else <c>Status.Busy</c>). Statuses: <c>Status.Argument</c> for other tables, or
        /// tables that have changed since.</para>
        /// <para>Pointers: <c>complete</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_settle(ulong field, ulong tables, ulong expansions, byte* complete);

        /// <summary>Follows an edit, after the tables have (<c>wb_tables_update</c>), with the same rectangle; of several edits give the
        /// rectangle that holds all. Costs that stay are kept.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the field (else <c>Status.Busy</c>). Statuses: <c>Status.Argument</c> for other tables.</para>
        /// <para>Pointers: <c>changed</c> can be read, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_repair(ulong field, ulong tables, CellRect* changed);

        /// <summary>The cost between a pose and the field's end in ticks: to the goal, or from the start. <c>Constants.Never</c> if there is no way.</summary>
        /// <remarks>
        /// <para>Threads: any number together while the pose is settled or the field complete. Otherwise the call continues the
        /// search, and no other call may use the field (else <c>Status.Busy</c>). Statuses: <c>Status.Argument</c> as <c>wb_field_settle</c>, or for a
        /// heading that the class lacks.</para>
        /// <para>Pointers: <c>pose</c> can be read, or is null; <c>ticks</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_cost(ulong field, ulong tables, Pose* pose, uint* ticks);

        /// <summary>All poses of at most <c>ticks</c>, each with its cost as <c>arrival</c>, row by row: what an agent can reach in a turn.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the field (else <c>Status.Busy</c>). Cost: the poses of the answer. Statuses:
        /// <c>Status.Buffer</c> with the poses needed in <c>count</c>; <c>Status.Argument</c> as <c>wb_field_settle</c>.</para>
        /// <para>Pointers: <c>reached</c> has room for <c>capacity</c> values, or is null with 0; <c>count</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_within(ulong field, ulong tables, uint ticks, PathPose* reached, UIntPtr capacity, UIntPtr* count);

        /// <summary>Writes a cheapest path between a pose and the field's end, in the direction of travel. <c>*found</c> gets 1. Without a
        /// path it gets 0, and the path is empty.</summary>
        /// <remarks>
        /// <para>Threads: as <c>wb_field_cost</c>; the path is written by one. Statuses: as <c>wb_field_cost</c>.</para>
        /// <para>Pointers: <c>pose</c> can be read, or is null; <c>found</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_path(ulong field, ulong tables, Pose* pose, ulong path, byte* found);

        /// <summary>The next move of an agent at a pose towards the goal of the field: <c>*primitive</c> gets its number, and <c>*after</c> the
        /// pose after it. At the goal, and where there is no way, <c>*primitive</c> is <c>Constants.None</c>, and <c>*after</c> the pose itself. Of a
        /// field from a pose it is the first move from there towards <c>pose</c>, and <c>*after</c> the pose after it. <c>after</c> may be
        /// null.</summary>
        /// <remarks>
        /// <para>Threads: as <c>wb_field_cost</c>; a field from a pose is searched by one. Statuses: as <c>wb_field_cost</c>.</para>
        /// <para>Pointers: <c>pose</c> can be read, or is null; <c>primitive</c> and <c>after</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_field_next(ulong field, ulong tables, Pose* pose, uint* primitive, Pose* after);

        /// <summary>Makes an empty queue of path requests, for maps of a size and a number of classes. <c>slots</c> searches, at least one,
        /// are in progress together. Each holds the memory of a search, and their number affects the result.</summary>
        /// <remarks>
        /// <para>In each frame the queue spends a budget of expansions on the requests that come first by priority and age. The
        /// answers depend on requests, tables and budgets, and on no thread.</para>
        /// <para>Threads: any. Lifetime: until <c>wb_queue_destroy</c>. Statuses: <c>Status.Argument</c> for a size that does not exist, more than
        /// 256 classes or 1024 slots.</para>
        /// <para>Pointers: <c>queue</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_new(uint width, uint height, uint classes, uint slots, ulong* queue);

        /// <summary>Destroys a queue with its requests; 0 is none.</summary>
        /// <remarks>
        /// <para>Threads: any, while no other call uses the queue (else <c>Status.Busy</c>).</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_destroy(ulong queue);

        /// <summary>Queues a request for the class with a number, from 0; all is copied. Of two requests the one of higher <c>priority</c>
        /// goes first; a unit weighs as much as a frame of waiting. <c>*ticket</c> gets a number by which its answer is known.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the queue and no frame is under way (else <c>Status.Busy</c>). Statuses:
        /// <c>Status.Argument</c>.</para>
        /// <para>Pointers: <c>request</c> as for <c>wb_plan</c>; <c>ticket</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_submit(ulong queue, uint class_, wb_request* request, int priority, ulong* ticket);

        /// <summary>Drops a request; its answer will not come. A request of which the answer can be read already is dropped at the next
        /// frame.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the queue and no frame is under way (else <c>Status.Busy</c>). Statuses:
        /// <c>Status.NotFound</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_cancel(ulong queue, ulong ticket);

        /// <summary>The number of requests without an answer.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the queue and no frame is under way (else <c>Status.Busy</c>).</para>
        /// <para>Pointers: <c>count</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_open(ulong queue, UIntPtr* count);

        /// <summary>Begins a frame of a budget of expansions. <c>tables</c> are the tables of each class, in order of class number; the frame
        /// keeps the data that it needs. Drops the answers of the last frame. <c>*jobs</c> gets the number of searches that
        /// <c>wb_queue_run</c> can run together. It is 0 if there is nothing to do, and then the frame has ended.</summary>
        /// <remarks>
        /// <para><code>
        /// size_t jobs = 0, answers = 0;
        /// wb_queue_begin(queue, tables, n_tables, 20000, &amp;jobs);
        /// while (jobs &gt; 0) {
        /// for (size_t job = 0; job &lt; jobs; job++) wb_queue_run(queue, job);   // on any threads
        /// wb_queue_end(queue, &amp;jobs, &amp;answers);                               // when all have run
        /// }
        /// </code></para>
        /// <para>Threads: one, while no other call uses the queue (else <c>Status.Busy</c>). Statuses: <c>Status.Argument</c> for a wrong number of
        /// tables, or tables of a map of another size.</para>
        /// <para>Pointers: <c>tables</c> has <c>n_tables</c> handles; <c>jobs</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_begin(ulong queue, ulong* tables, UIntPtr n_tables, ulong budget, UIntPtr* jobs);

        /// <summary>Runs a job of the present round: <c>job</c> is less than the <c>jobs</c> of <c>wb_queue_begin</c> or <c>wb_queue_end</c>, and each is
        /// run once.</summary>
        /// <remarks>
        /// <para>Threads: any number together, with different jobs. Cost: its share of the budget. Statuses: <c>Status.Argument</c> for a job
        /// that does not exist or has been run; <c>Status.Busy</c> while another thread runs it.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_run(ulong queue, UIntPtr job);

        /// <summary>Ends a round, after all its jobs have been run. While something of the budget is left and searches need it, <c>*jobs</c>
        /// gets the number of jobs of the next round, and <c>*answers</c> 0. Else the frame is over: <c>*jobs</c> gets 0, and <c>*answers</c>
        /// the number of answers to be read by <c>wb_queue_answer</c>.</summary>
        /// <remarks>
        /// <para>Threads: one, while no other call uses the queue (else <c>Status.Busy</c>). Statuses: <c>Status.Argument</c> if no frame is under way
        /// or a job has not been run; <c>Status.Broken</c> if a job panicked.</para>
        /// <para>Pointers: <c>jobs</c> and <c>answers</c> may be written, or are null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_end(ulong queue, UIntPtr* jobs, UIntPtr* answers);

        /// <summary>A whole frame on the calling thread: <c>wb_queue_begin</c>, all jobs, <c>wb_queue_end</c>. <c>*answers</c> gets the number of
        /// answers.</summary>
        /// <remarks>
        /// <para>Threads, statuses: as <c>wb_queue_begin</c>.</para>
        /// <para>Pointers: <c>tables</c> has <c>n_tables</c> handles; <c>answers</c> may be written, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_advance(ulong queue, ulong* tables, UIntPtr n_tables, ulong budget, UIntPtr* answers);

        /// <summary>An answer of the last frame, by its number from 0, in order of the tickets. <c>*poses</c> and <c>*moves</c> get the path:
        /// <c>*count</c> poses, and a move from each but the last to the next; 0 without a path. <c>ticket</c>, <c>answer</c>, <c>poses</c>,
        /// <c>moves</c> may be null.</summary>
        /// <remarks>
        /// <para>Threads: any number together. Lifetime: poses and moves are the queue's own memory, valid until the next frame
        /// begins or the queue is destroyed. Statuses: <c>Status.NotFound</c> for a number that is no answer.</para>
        /// <para>Pointers: <c>ticket</c>, <c>poses</c>, <c>moves</c> and <c>count</c> may be written, or are null; <c>answer</c> may be written as far as its <c>size</c>
        /// says, or is null.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_queue_answer(ulong queue, UIntPtr number, ulong* ticket, Answer* answer, PathPose** poses, byte** moves, UIntPtr* count);

        /// <summary>The name of an activity, such as "following", ending with a zero byte; null for a number that is none.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_activity_name(uint activity);

        /// <summary>The name of a kind of event, such as "order_done", ending with a zero byte; null for a number that is none.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_event_kind_name(uint kind);

        /// <summary>The name of a kind of order, such as "goto_group", ending with a zero byte; null for a number that is none.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_order_kind_name(uint kind);

        /// <summary>The name of a reason for a refusal, such as "pose_held", ending with a zero byte; null for a number that is none.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_refusal_name(uint refusal);

        /// <summary>The name of a reason why an order failed, such as "goal_blocked", ending with a zero byte; null for a number that is
        /// none.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_failure_name(uint failure);

        /// <summary>A world from a scenario (<c>.toml</c>) or a problem of the League of Robot Runners (<c>.json</c>) on the disk, and the files
        /// that it names. It has not stepped. <c>threads</c>: as for <c>wb_world_set_threads</c>.</summary>
        /// <remarks>
        /// <para>Fails with <c>Status.Text</c> for mistakes in the files: the message has a line for each, with its place.</para>
        /// <para>Threads: any.</para>
        /// <para>Pointers: <c>path</c> has <c>length</c> bytes; <c>world</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_open(byte* path, UIntPtr length, uint threads, ulong* world);

        /// <summary>A world from the text of a scenario or problem in memory. <c>name</c> is in all messages, and its extension, <c>.toml</c> or
        /// <c>.json</c>, tells the two apart. All files that the text names, such as its map, are among <c>files</c>.</summary>
        /// <remarks>
        /// <para>Fails with <c>Status.Text</c> for mistakes in the texts: the message has a line for each, with its place.</para>
        /// <para>Threads: any. Lifetime: everything is copied.</para>
        /// <para>Pointers: <c>name</c> has <c>name_length</c> bytes, <c>bytes</c> has <c>length</c>, <c>files</c> points to <c>n_files</c> files that are valid likewise;
        /// <c>world</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_parse(byte* name, UIntPtr name_length, byte* bytes, UIntPtr length, wb_file* files, UIntPtr n_files, uint threads, ulong* world);

        /// <summary>A copy that steps exactly like the world. It shares map, tables and cost fields with it until one of the two changes
        /// them.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>copy</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_clone(ulong world, ulong* copy);

        /// <summary>Makes <c>world</c> a copy of <c>from</c>, in the memory that <c>world</c> has, as far as it goes: what a game does to roll back.
        /// Both may be the same world. A recording of <c>world</c> ends.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>, reads <c>from</c>. Lifetime: invalidates memory borrowed from <c>world</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_copy_from(ulong world, ulong from_);

        /// <summary>Destroys a world. 0 does nothing.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>. Lifetime: invalidates memory borrowed from it.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_destroy(ulong world);

        /// <summary>Writes the whole world as bytes, for <c>wb_world_load</c>: a saved game, or the start of a player who joins late. The
        /// bytes are kept until the world changes. So one call can ask for their number and the next can get them, without
        /// making them twice. They do not contain events.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>; of two threads that save it together, one may get <c>Status.Busy</c>.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_save(ulong world, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>A world from the bytes of <c>wb_world_save</c>. It steps exactly like the world that was saved. Fails with <c>Status.Text</c> for
        /// bytes that are damaged, whatever they are. <c>threads</c>: as for <c>wb_world_set_threads</c>.</summary>
        /// <remarks>
        /// <para>Threads: any.</para>
        /// <para>Pointers: <c>bytes</c> has <c>length</c> bytes; <c>world</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_load(byte* bytes, UIntPtr length, uint threads, ulong* world);

        /// <summary>Puts the world of <c>wb_world_save</c> in place of this one, which keeps its handle and its threads. If it fails, the
        /// world is as it was. A recording of <c>world</c> ends.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>. Lifetime: invalidates memory borrowed from it.</para>
        /// <para>Pointers: <c>bytes</c> has <c>length</c> bytes.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_restore(ulong world, byte* bytes, UIntPtr length);

        /// <summary>Sets the threads that the world runs on: 0 or 1 for the calling thread, else this many threads of the world, at most
        /// 1,024. Results are equal for all. In a browser there is only the calling thread.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_set_threads(ulong world, uint threads);

        /// <summary>Sets the last tick of the run, counted from tick 0: no tick begins after it. 0 for a world without a last tick,
        /// which idles when nothing is left to do.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_set_ticks(ulong world, uint ticks);

        /// <summary>From now on checks after every tick that no two agents overlap and no agent has an illegal pose. <c>collisions</c> of
        /// <c>Counts</c> counts the pairs in violation. For tests: it takes time.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_check_invariants(ulong world);

        /// <summary>Runs one tick. Commands take effect at its beginning. <c>state</c>: <c>Constants.Running</c> or <c>Constants.Ended</c>.</summary>
        /// <remarks>
        /// <para>Fails with <c>Status.Broken</c> if the step panics, which is a fault of the library, as do all later calls but
        /// <c>wb_world_destroy</c>.</para>
        /// <para>Threads: changes <c>world</c>. Lifetime: invalidates memory borrowed from it.</para>
        /// <para>Pointers: <c>state</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_step(ulong world, uint* state);

        /// <summary>The tick that comes next: the number of ticks that have run.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>tick</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_tick(ulong world, uint* tick);

        /// <summary>The hash of the state: equal worlds that get equal commands at equal ticks have equal hashes, on any machine. Linear
        /// in the agents.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>hash</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_hash(ulong world, ulong* hash);

        /// <summary>The agents present, in order of id. Nothing is copied.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>. Lifetime: the rows stay until the next <c>wb_world_step</c>, <c>wb_world_restore</c>,
        /// <c>wb_world_copy_from</c> or <c>wb_world_destroy</c> of this world; commands leave them as they are. No thread may read them
        /// while another is in one of these calls.</para>
        /// <para>Pointers: <c>rows</c> and <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_agents(ulong world, AgentRow** rows, UIntPtr* count);

        /// <summary>What happened at the last tick, in order; nothing before the first. Agents placed before the first tick have no
        /// events.</summary>
        /// <remarks>
        /// <para>Threads and lifetime: as for <c>wb_world_agents</c>.</para>
        /// <para>Pointers: <c>rows</c> and <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_events(ulong world, EventRow** rows, UIntPtr* count);

        /// <summary>Details of an event of the last tick, by its index in the rows of <c>wb_world_events</c>. <c>Status.NotFound</c> if there are
        /// fewer events.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>. Lifetime: the details are a copy.</para>
        /// <para>Pointers: <c>details</c> points to a structure whose <c>size</c> is set.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_event_details(ulong world, UIntPtr index, EventDetails* details);

        /// <summary>The row of an agent. <c>Status.NotFound</c> if it is not present.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>. Lifetime: the row is a copy.</para>
        /// <para>Pointers: <c>row</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_agent(ulong world, uint agent, AgentRow* row);

        /// <summary>The counts of the run so far.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>counts</c> points to a structure whose <c>size</c> is set.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_counts(ulong world, Counts* counts);

        /// <summary>Memory of agents and goals after the last tick. Linear in orders and fields.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>memory</c> points to a structure whose <c>size</c> is set.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_memory(ulong world, WorldMemory* memory);

        /// <summary>Whether no later tick can change anything: no command waits, and every agent rests without anything to do.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>nothing_left</c> may be written; it becomes 0 or 1.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_nothing_left(ulong world, byte* nothing_left);

        /// <summary>Gives an agent a name, for results and for hosts to find it; it is saved, but no part of the state. A recording that
        /// begins with a snapshot is to begin after it. <c>Status.NotFound</c> if the agent is not present.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>. Lifetime: the name is copied.</para>
        /// <para>Pointers: <c>name</c> has <c>length</c> bytes.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_name_agent(ulong world, uint agent, byte* name, UIntPtr length);

        /// <summary>The name of an agent, where the scenario or <c>wb_world_name_agent</c> gives one; empty otherwise. <c>Status.NotFound</c> if the
        /// agent is not present.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_agent_name(ulong world, uint agent, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>Makes <c>order</c> an order of a kind, with its <c>size</c> and the default values of everything else.</summary>
        /// <remarks>
        /// <para>Threads: any.</para>
        /// <para>Pointers: <c>order</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_order_init(wb_order* order, uint kind);

        /// <summary>Sets <c>settings</c> to the defaults, with their <c>size</c>.</summary>
        /// <remarks>
        /// <para>Threads: any.</para>
        /// <para>Pointers: <c>settings</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_settings_init(wb_settings* settings);

        /// <summary>A world in the making, on a map as it is now, without classes and agents. A setup can make any number of worlds.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>map</c>. Lifetime: the setup shares the map's memory and does not follow later edits of it.</para>
        /// <para>Pointers: <c>settings</c> points to a structure whose <c>size</c> is set; <c>setup</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_setup_new(ulong map, wb_settings* settings, ulong* setup);

        /// <summary>Destroys a setup. 0 does nothing. Worlds made of it stay.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>setup</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_setup_destroy(ulong setup);

        /// <summary>Adds a class, and gives its number: 0, 1, 2 ... in order. Tables compiled against the setup's map are shared; a
        /// class is compiled here. Components are made where there are none. So worlds on one map are made fast if its tables
        /// are made once, with components.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>setup</c>, reads the other. Lifetime: the setup needs neither of the handles later.</para>
        /// <para>Pointers: <c>class_number</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_setup_class(ulong setup, ulong class_or_tables, uint* class_number);

        /// <summary>Adds an agent, and gives its id: 0, 1, 2 ... in order. It has no event. Whether it can stand there is found when the
        /// world is made.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>setup</c>. Lifetime: everything is copied.</para>
        /// <para>Pointers: <c>spawn</c> and all data that it points to are valid. <c>agent</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_setup_agent(ulong setup, wb_spawn* spawn, uint* agent);

        /// <summary>Makes two teams friends, 0 to 31 each: friends yield to each other by priority and push each other out of the way.
        /// Each team is its own friend; others are obstacles to each other where they rest.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>setup</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_setup_friends(ulong setup, uint one, uint other);

        /// <summary>Sets a parameter by its name, as <c>wheelbase run --tune NAME=VALUE</c>: for experiments. <c>docs/traffic.md</c> lists them;
        /// the message on an unknown name does, too.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>setup</c>.</para>
        /// <para>Pointers: <c>name</c> has <c>length</c> bytes.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_setup_tune(ulong setup, byte* name, UIntPtr length, uint value);

        /// <summary>Names changes that edits may make and undo while landmarks stay in use, such as the doors of a fortress. Any other
        /// edit that makes a move easier switches the landmarks off until they are repaired; this affects the time of searches
        /// alone.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>setup</c>. Lifetime: everything is copied.</para>
        /// <para>Pointers: <c>changes</c> points to <c>n_changes</c> changes.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_setup_ease(ulong setup, Change* changes, UIntPtr n_changes);

        /// <summary>A world of a setup, before its first tick. <c>Status.Argument</c> with all mistakes of the setup, such as agents that
        /// overlap. The setup stays as it is.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>setup</c>.</para>
        /// <para>Pointers: <c>world</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_new(ulong setup, ulong* world);

        /// <summary>Places an agent. Its id is the number of agents placed before; the event <c>EventKind.Spawned</c> has it, and the ticket.</summary>
        /// <remarks>
        /// <para><c>tick</c> and <c>ticket</c> mean the same in all commands. With <c>tick</c> 0 the command takes effect at the beginning of the
        /// next step, after the commands given before it. With a later tick it takes effect then, before the commands given
        /// there with 0. A past tick counts as 0. The number of the command is written to <c>ticket</c>, unless that is null; the
        /// event of a refusal has it. The call itself fails only for meaningless arguments. If the world cannot carry the
        /// command out, for example because an agent is gone, an event refuses it at that tick.</para>
        /// <para>Threads: changes <c>world</c>. Lifetime: everything is copied; rows stay borrowed.</para>
        /// <para>Pointers: <c>spawn</c> and all data that it points to are valid. <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_spawn(ulong world, wb_spawn* spawn, uint tick, ulong* ticket);

        /// <summary>Places agents at random. Those for which there is no room are counted in <c>not_placed</c> and refused by one event.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>group</c> and all data that it points to are valid. <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_spawn_group(ulong world, wb_spawn_group* group, uint tick, ulong* ticket);

        /// <summary>Removes agents.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_remove(ulong world, uint* agents, UIntPtr n_agents, uint tick, ulong* ticket);

        /// <summary>Removes the agents in an area: those whose pose, or the pose in which their current move began, has its anchor there
        /// at that tick.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>area</c> is valid; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_remove_in(ulong world, CellRect* area, uint tick, ulong* ticket);

        /// <summary>Takes agents off the map: into a garrison, a transport, a burrow. Each keeps its id and orders; it holds no cell,
        /// blocks nobody and has no row. A move in progress ends without effect. <c>container</c> is the agent that they enter,
        /// <c>Constants.None</c> for none; it is only stored. Off the map only <c>wb_command_leave</c> and <c>wb_command_remove</c> reach them; other
        /// commands to them are refused with <c>Refusal.OffMap</c>.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_enter(ulong world, uint* agents, UIntPtr n_agents, uint container, uint tick, ulong* ticket);

        /// <summary>As <c>wb_command_enter</c>, for the agents in an area (see <c>wb_command_remove_in</c>).</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>area</c> is valid; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_enter_in(ulong world, CellRect* area, uint container, uint tick, ulong* ticket);

        /// <summary>Puts an agent that is off the map back, at rest in a pose. It begins its current order from there. With <c>or_nearest</c>
        /// 1 the nearest pose will do that is legal and free: the least distance of the anchor first, then the heading of
        /// <c>pose</c>. If <c>pose</c> is legal, poses are left out that cannot be reached from it.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>pose</c> is valid; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_leave(ulong world, uint agent, Pose* pose, byte or_nearest, uint tick, ulong* ticket);

        /// <summary>Gives agents orders, which they carry out one after another. The orders replace the remaining ones, or follow them
        /// with <c>append</c> 1. An empty list takes all orders away. Agents sent to a group goal by one command share the poses
        /// around it. Of several commands to an agent at one tick only the first replaces; the orders of the others follow.
        /// Orders that begin with <c>OrderKind.Stop</c> always replace.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids, <c>orders</c> to <c>n_orders</c> orders, and what these point to is valid; <c>ticket</c> is
        /// null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_order(ulong world, uint* agents, UIntPtr n_agents, wb_order* orders, UIntPtr n_orders, byte append, uint tick, ulong* ticket);

        /// <summary>As <c>wb_command_order</c>, for the agents in an area (see <c>wb_command_remove_in</c>).</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>area</c> is valid, <c>orders</c> points to <c>n_orders</c> orders, and what these point to is valid; <c>ticket</c> is null, or may be
        /// written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_order_in(ulong world, CellRect* area, wb_order* orders, UIntPtr n_orders, byte append, uint tick, ulong* ticket);

        /// <summary>Gives agents tasks, in place of their present tasks or after their orders. Random tasks are drawn from a stream of
        /// the number <c>stream</c>.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids; <c>source</c> and all data that it points to are valid. <c>ticket</c> is null, or may be
        /// written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_tasks(ulong world, uint* agents, UIntPtr n_agents, wb_task_source* source, uint stream, uint tick, ulong* ticket);

        /// <summary>As <c>wb_command_tasks</c>, for the agents in an area (see <c>wb_command_remove_in</c>).</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>area</c> is valid; <c>source</c> and all data that it points to are valid. <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_tasks_in(ulong world, CellRect* area, wb_task_source* source, uint stream, uint tick, ulong* ticket);

        /// <summary>Sets the priority of agents; higher goes first.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_priority(ulong world, uint* agents, UIntPtr n_agents, int priority, uint tick, ulong* ticket);

        /// <summary>As <c>wb_command_priority</c>, for the agents in an area (see <c>wb_command_remove_in</c>).</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>area</c> is valid; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_priority_in(ulong world, CellRect* area, int priority, uint tick, ulong* ticket);

        /// <summary>Gives an agent another class at the end of its current move, for example to deploy or upgrade. It keeps its orders.
        /// A heading that the new class lacks becomes any heading. <c>pose</c> is the new pose, in headings of the new class. Null
        /// keeps the cell, and the heading of the same name or else the first heading (east).</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>pose</c> is null or valid; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_class(ulong world, uint agent, uint class_, Pose* pose, uint tick, ulong* ticket);

        /// <summary>Sets the team of agents, 0 to 31.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_team(ulong world, uint* agents, UIntPtr n_agents, uint team, uint tick, ulong* ticket);

        /// <summary>As <c>wb_command_team</c>, for the agents in an area (see <c>wb_command_remove_in</c>).</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>area</c> is valid; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_team_in(ulong world, CellRect* area, uint team, uint tick, ulong* ticket);

        /// <summary>Sets the speed factor of agents in thousandths, 1 to 65,535; 1,000 is the normal speed. A move that begins takes
        /// max(1, ceil(time * 1000 / factor)) ticks. Paths are planned for 1,000.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_speed_factor(ulong world, uint* agents, UIntPtr n_agents, uint factor, uint tick, ulong* ticket);

        /// <summary>As <c>wb_command_speed_factor</c>, for the agents in an area (see <c>wb_command_remove_in</c>).</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>area</c> is valid; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_speed_factor_in(ulong world, CellRect* area, uint factor, uint tick, ulong* ticket);

        /// <summary>Changes the map; all changes are one edit. <c>on_agents</c>, one of <c>WB_ON_AGENTS_...</c>, decides about agents whose pose
        /// or move would become illegal. <c>deadline</c> is the most ticks of waiting if <c>on_agents</c> has a deadline; otherwise it is
        /// ignored.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>changes</c> points to <c>n_changes</c> changes; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_edit(ulong world, Change* changes, UIntPtr n_changes, uint on_agents, uint deadline, uint tick, ulong* ticket);

        /// <summary>Withdraws an edit that still waits, by the ticket of its command. Any other ticket is refused with
        /// <c>Refusal.NoSuchEdit</c>.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_cancel_edit(ulong world, ulong edit, uint tick, ulong* ticket);

        /// <summary>Moves for agents to begin at the tick, in a world with the rule <c>TrafficRule.Commanded</c>; other rules ignore them. A move
        /// is a number among the primitives of the agent's class. Of two moves of an agent the first counts.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>agents</c> and <c>primitives</c> point to <c>n_agents</c> numbers each; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_decisions(ulong world, uint* agents, byte* primitives, UIntPtr n_agents, uint tick, ulong* ticket);

        /// <summary>Answers the open path request of an agent, in a world with <c>PathSource.Host</c>. The answer is the moves from its pose to
        /// its goal, as numbers of primitives, or <c>found</c> 0 if there is no path. Moves are checked: a wrong path is refused,
        /// and the request stays open.</summary>
        /// <remarks>
        /// <para><c>tick</c>, <c>ticket</c>, threads and lifetime: as for <c>wb_command_spawn</c>.</para>
        /// <para>Pointers: <c>moves</c> points to <c>n_moves</c> numbers; <c>ticket</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_command_path_answer(ulong world, uint agent, byte found, byte* moves, UIntPtr n_moves, uint tick, ulong* ticket);

        /// <summary>The name of a rule that has an agent wait, such as "corridor_turn", ending with a zero byte; null for a number that
        /// is none.</summary>
        /// <remarks>
        /// <para>Threads: any. Lifetime: for ever.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* wb_wait_rule_name(uint rule);

        /// <summary>The agent that holds a cell; <c>Constants.None</c> if none does, or the cell is off the map.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>cell</c> is valid; <c>agent</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_agent_at(ulong world, Cell* cell, uint* agent);

        /// <summary>The agents that hold a cell of an area, or the end of whose move will, in order of id. Linear in the cells of a
        /// small area, else in all agents.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>area</c> is valid; <c>agents</c> has room for <c>capacity</c> ids, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_agents_in(ulong world, CellRect* area, uint* agents, UIntPtr capacity, UIntPtr* count);

        /// <summary>The agents off the map that have entered an agent, in order of id; with <c>container</c> <c>Constants.None</c> all agents off the
        /// map. Linear in the agents off the map.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>agents</c> has room for <c>capacity</c> ids, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_off_map(ulong world, uint container, uint* agents, UIntPtr capacity, UIntPtr* count);

        /// <summary>Whether an agent of a class could be placed in a pose now. <c>refusal</c>: <c>Constants.None</c> if so, else
        /// <c>Refusal.UnknownClass</c>, <c>Refusal.IllegalPose</c> or <c>Refusal.PoseHeld</c>. A command to place it can still be
        /// refused if an earlier command takes the place.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>pose</c> is valid; <c>refusal</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_can_place(ulong world, uint class_, Pose* pose, uint* refusal);

        /// <summary>The agents whose pose or move would become illegal if these changes were made together now, in order of id.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>changes</c> points to <c>n_changes</c> changes; <c>agents</c> has room for <c>capacity</c> ids, or is null with <c>capacity</c> 0; <c>count</c>
        /// may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_would_disturb(ulong world, Change* changes, UIntPtr n_changes, uint* agents, UIntPtr capacity, UIntPtr* count);

        /// <summary>Previews the poses that an order to a group, of the kind <c>OrderKind.GotoGroup</c> or <c>OrderKind.GotoFormation</c>, would
        /// give to some agents, in order of id. None for other orders. Costs a cost field for each class, as the order itself
        /// does.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>agents</c> points to <c>n_agents</c> ids. <c>order</c> points to an order whose <c>size</c> is set, with pointers as its fields say.
        /// <c>poses</c> has room for <c>capacity</c> poses, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_group_poses(ulong world, uint* agents, UIntPtr n_agents, wb_order* order, GroupPose* poses, UIntPtr capacity, UIntPtr* count);

        /// <summary>Previews the path of an agent to a goal, from where it rests, or will rest, around the agents that are obstacles to
        /// its team. <c>within</c>: radius around each goal in cells; <c>path</c>: 0 where only the answer is wanted. <c>Status.NotFound</c> if
        /// the agent is not present.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>, changes <c>scratch</c> and <c>path</c>.</para>
        /// <para>Pointers: <c>goals</c> points to <c>n_goals</c> goals; <c>answer</c> points to a structure whose <c>size</c> is set.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_plan(ulong world, uint agent, Pose* goals, UIntPtr n_goals, uint within, ulong scratch, ulong path, Answer* answer);

        /// <summary>The poses that an agent can reach within some ticks from where it rests, or will rest, each with its distance in
        /// ticks. The agent moves at the normal speed, alone on the map. Linear in the poses within reach. <c>Status.NotFound</c> if
        /// the agent is not present.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>reached</c> has room for <c>capacity</c> poses, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_reach(ulong world, uint agent, uint ticks, PathPose* reached, UIntPtr capacity, UIntPtr* count);

        /// <summary>The remaining path of an agent, from where it rests or will rest. Arrivals are in ticks from there at its speed
        /// factor, if nothing holds it up. Without a path this is one pose. <c>Status.NotFound</c> if the agent is not present.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>poses</c> has room for <c>capacity</c> poses, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_path(ulong world, uint agent, PathPose* poses, UIntPtr capacity, UIntPtr* count);

        /// <summary>Why an agent is not moving on: by which rule, for which agent, at which cell or corridor. The buffer gets the same
        /// in words, as UTF-8 without a zero byte at its end. <c>count</c> may be null if the words are not wanted. <c>Status.NotFound</c>
        /// if the agent is not present.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>reason</c> points to a structure whose <c>size</c> is set. <c>buffer</c> has room for <c>capacity</c> bytes, or is null with
        /// <c>capacity</c> 0. <c>count</c> is null, or may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_reason_for_waiting(ulong world, uint agent, WaitReason* reason, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>The paths for the host to find, in a world with <c>PathSource.Host</c>, in order of agent. A request is listed after each
        /// step until <c>wb_command_path_answer</c> answers it. The members of all goals are in <c>goals</c>; each request names its
        /// part. Both arrays follow the count protocol: where one is too small neither is written.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>requests</c> has room for <c>capacity</c> requests, <c>goals</c> for <c>goal_capacity</c> goals, or they are null with 0; <c>count</c> and
        /// <c>n_goals</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_path_requests(ulong world, PathRequest* requests, UIntPtr capacity, UIntPtr* count, Pose* goals, UIntPtr goal_capacity, UIntPtr* n_goals);

        /// <summary>The number of classes.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_classes(ulong world, uint* count);

        /// <summary>The name of a class.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_class_name(ulong world, uint class_, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>The cells that an agent of a class covers in a pose; they may lie off the map.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>pose</c> is valid; <c>cells</c> has room for <c>capacity</c> cells, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_class_cells(ulong world, uint class_, Pose* pose, Cell* cells, UIntPtr capacity, UIntPtr* count);

        /// <summary>A class as a separate object, for its headings and primitives, and for other worlds.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>. Lifetime: independent of the world.</para>
        /// <para>Pointers: <c>class_handle</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_class(ulong world, uint class_, ulong* class_handle);

        /// <summary>Adds a class between two ticks, such as a unit that a game has just unlocked, and gives its number. It is compiled
        /// against the map as it is. Equal worlds add equal classes between the same ticks. The class has no landmarks.
        /// Corridors stay as the bodies of the setup have them, so declare the smallest and the largest body there. Snapshots
        /// and copies have the class. A recording that began before refuses the next tick: begin another one.</summary>
        /// <remarks>
        /// <para>Fails with <c>Status.Limit</c> for a class beyond 256, and with <c>Status.Argument</c> for a class for maps of another shape.
        /// <c>TrafficRule.UnitRobots</c> drives one class, so there it fails with <c>Status.Argument</c> too. After a failure nothing has
        /// changed.</para>
        /// <para>Threads: changes <c>world</c>, reads <c>class_handle</c>. Lifetime: the world does not need the handle later.</para>
        /// <para>Pointers: <c>class_number</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_add_class(ulong world, ulong class_handle, uint* class_number);

        /// <summary>Whether searches of a class use its landmarks: 1 if so. 0 if it has none, or if an edit has made a move easier and
        /// they are not repaired yet.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>.</para>
        /// <para>Pointers: <c>in_use</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_landmarks_in_use(ulong world, uint class_, byte* in_use);

        /// <summary>The present tables of a class as a separate object, to plan with. They share the world's memory until an edit
        /// changes one of the two, and do not follow the world.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>. Lifetime: independent of the world.</para>
        /// <para>Pointers: <c>tables</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_tables(ulong world, uint class_, ulong* tables);

        /// <summary>The present map as a separate object. It shares the world's memory until an edit changes one of the two.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>. Lifetime: independent of the world.</para>
        /// <para>Pointers: <c>map</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_map(ulong world, ulong* map);

        /// <summary>The terrain kinds of all cells, row by row. Nothing is copied.</summary>
        /// <remarks>
        /// <para>Threads: reads <c>world</c>. Lifetime: as for <c>wb_world_agents</c>.</para>
        /// <para>Pointers: <c>cells</c> and <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_world_terrain(ulong world, byte** cells, UIntPtr* count);

        /// <summary>Begins to record a world, before the step of the first tick to record. A world that has not stepped, from
        /// <c>wb_world_new</c>, <c>wb_world_open</c> or <c>wb_world_parse</c>, is recorded with its setup. Any other world is recorded with a
        /// snapshot. So the file needs no other data. Another recording of the world ends.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>world</c>.</para>
        /// <para>Pointers: <c>recording</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_recording_begin(ulong world, ulong* recording);

        /// <summary>Records the last step of the world: called after each step, with the state that it gave. A step without this call,
        /// <c>wb_world_restore</c> and <c>wb_world_copy_from</c> end the recording: then it can only be finished. A recording also ends
        /// with its run: idle steps add nothing, and a step in which something happens is refused. <c>wb_world_set_ticks</c> with 0
        /// makes a world that has no last tick.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>recording</c> and <c>world</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_recording_tick(ulong recording, ulong world, uint state);

        /// <summary>Writes the recording as bytes, the content of a file for <c>wheelbase verify</c>. The first call ends it; further calls
        /// give the same bytes. <c>world</c> is the recorded world, or 0 if it is gone. If it is 0 or broken, or the recording had
        /// ended before, the bytes end as if the run had been killed. <c>wheelbase verify</c> reports this and accepts it.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>recording</c>, reads <c>world</c>.</para>
        /// <para>Pointers: <c>buffer</c> has room for <c>capacity</c> bytes, or is null with <c>capacity</c> 0; <c>count</c> may be written.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_recording_finish(ulong recording, ulong world, byte* buffer, UIntPtr capacity, UIntPtr* count);

        /// <summary>Destroys a recording. 0 does nothing.</summary>
        /// <remarks>
        /// <para>Threads: changes <c>recording</c>.</para>
        /// </remarks>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status wb_recording_destroy(ulong recording);
    }
}
