using System;

namespace Wheelbase
{
    /// <summary>A file in memory, which a scenario names.</summary>
    public struct NamedFile
    {
        /// <summary>Its path as the scenario writes it, and its content.</summary>
        public NamedFile(string name, byte[] bytes)
        {
            Name = name;
            Bytes = bytes;
        }

        /// <summary>Its path as the scenario writes it.</summary>
        public string Name;
        /// <summary>Its content.</summary>
        public byte[] Bytes;
    }

    /// <summary>Many agents, many ticks, and no two that overlap.</summary>
    /// <remarks>
    /// <para>Commands alone change it, at the beginning of the next step, or of the tick that they name (a tick that is past counts
    /// as 0, the next step). What the world cannot do it refuses by an event with the command's ticket. Equal worlds that get equal
    /// commands at equal ticks have equal hashes, on any machine and for any number of threads.</para>
    /// <para>Threads: step and command it on one thread at a time; any number may ask questions and read rows meanwhile, but not
    /// during <c>Step</c>, <c>Restore</c>, <c>CopyFrom</c> or <c>Dispose</c>. Nothing is allocated by <c>Step</c>, rows and
    /// commands once memory has grown.</para>
    /// </remarks>
    public sealed unsafe class World : WheelbaseHandle
    {
        Recording recording;

        internal World(ulong handle) : base(handle) { }

        internal override Status Destroy(ulong handle) { return Native.wb_world_destroy(handle); }

        static Status Made(Status status, ulong handle, out World world)
        {
            world = status == Status.Ok ? new World(handle) : null;
            return status;
        }

        /// <summary>A world of a setup, before its first tick. The message of a failure names all mistakes, such as agents that overlap.
        /// </summary>
        public static World Create(Setup setup)
        {
            ulong made = 0;
            var status = Native.wb_world_new(Of(setup), &made);
            GC.KeepAlive(setup);
            Check(status);
            return new World(made);
        }

        /// <summary>A world from a scenario (<c>.toml</c>) or a problem of the League of Robot Runners (<c>.json</c>) on the disk.
        /// </summary>
        public static World Open(string path, uint threads = 0)
        {
            World world;
            Check(TryOpen(path, threads, out world));
            return world;
        }

        /// <summary>As <c>Open</c>; gives the status. <c>world</c> is null if it fails.</summary>
        public static Status TryOpen(string path, uint threads, out World world)
        {
            ulong made = 0;
            UIntPtr length;
            var at = Arena.Begin().Text(path, out length);
            return Made(Native.wb_world_open(at, length, threads, &made), made, out world);
        }

        /// <summary>A world from the text of a scenario or problem in memory; all files that it names are among <c>files</c>.</summary>
        public static World Parse(string name, byte[] bytes, NamedFile[] files = null, uint threads = 0)
        {
            World world;
            Check(TryParse(name, bytes, files, threads, out world));
            return world;
        }

        /// <summary>As <c>Parse</c>; gives the status. <c>world</c> is null if it fails.</summary>
        public static Status TryParse(string name, byte[] bytes, NamedFile[] files, uint threads, out World world)
        {
            ulong made = 0;
            var arena = Arena.Begin();
            UIntPtr length;
            var nameAt = arena.Text(name, out length);
            var n = files == null ? 0 : files.Length;
            var at = (Native.wb_file*)arena.Take(n, sizeof(Native.wb_file));
            for (var i = 0; i < n; i++)
            {
                var content = files[i].Bytes ?? new byte[0];
                var copy = arena.Take(content.Length, 1);
                for (var k = 0; k < content.Length; k++) copy[k] = content[k];
                at[i].name = arena.Text(files[i].Name, out at[i].name_length);
                at[i].bytes = copy;
                at[i].length = (UIntPtr)(uint)content.Length;
            }
            Status status;
            fixed (byte* text = bytes)
                status = Native.wb_world_parse(nameAt, length, text, (UIntPtr)(uint)(bytes == null ? 0 : bytes.Length), at, (UIntPtr)(uint)n,
                    threads, &made);
            return Made(status, made, out world);
        }

        /// <summary>A world from the bytes of <c>Save</c>. It steps exactly like the world that was saved.</summary>
        public static World Load(byte[] bytes, uint threads = 0)
        {
            World world;
            Check(TryLoad(bytes, bytes == null ? 0 : bytes.Length, threads, out world));
            return world;
        }

        /// <summary>As <c>Load</c>, from the first <c>count</c> bytes; gives the status. <c>world</c> is null if it fails.</summary>
        public static Status TryLoad(byte[] bytes, int count, uint threads, out World world)
        {
            Arguments.Part(bytes, count, "count");
            ulong made = 0;
            Status status;
            fixed (byte* at = bytes) status = Native.wb_world_load(at, (UIntPtr)(uint)count, threads, &made);
            return Made(status, made, out world);
        }

        /// <summary>A copy that steps exactly like the world. It shares map, tables and cost fields with it.</summary>
        public World Clone()
        {
            ulong copy = 0;
            var status = Native.wb_world_clone(Handle, &copy);
            GC.KeepAlive(this);
            Check(status);
            return new World(copy);
        }

        /// <summary>Makes the world a copy of another, in the memory that it has: what a game does to roll back. A recording of it ends.
        /// </summary>
        public void CopyFrom(World other) { Check(TryCopyFrom(other)); }

        /// <summary>As <c>CopyFrom</c>; gives the status.</summary>
        public Status TryCopyFrom(World other)
        {
            var status = Native.wb_world_copy_from(Handle, Of(other));
            Replaced(status);
            GC.KeepAlive(other);
            return status;
        }

        /// <summary>The whole world as bytes: a saved game. Events are not in it.</summary>
        public byte[] Save()
        {
            byte[] bytes = null;
            int count;
            Check(TrySave(ref bytes, out count));
            if (bytes.Length != count) Array.Resize(ref bytes, count);
            return bytes;
        }

        /// <summary>As <c>Save</c>, into an array that is made larger where it is too small; gives the status.</summary>
        public Status TrySave(ref byte[] bytes, out int count)
        {
            for (; ; )
            {
                UIntPtr needed;
                Status status;
                fixed (byte* at = bytes)
                    status = Native.wb_world_save(Handle, at, (UIntPtr)(uint)(bytes == null ? 0 : bytes.Length), &needed);
                GC.KeepAlive(this);
                count = (int)(uint)needed;
                if (status != Status.Buffer) return status;
                bytes = new byte[count];
            }
        }

        /// <summary>Puts the world of <c>Save</c> in place of this one. If it fails, the world is as it was. A recording of it ends.</summary>
        public void Restore(byte[] bytes) { Check(TryRestore(bytes, bytes == null ? 0 : bytes.Length)); }

        /// <summary>As <c>Restore</c>, from the first <c>count</c> bytes; gives the status.</summary>
        public Status TryRestore(byte[] bytes, int count)
        {
            Arguments.Part(bytes, count, "count");
            Status status;
            fixed (byte* at = bytes) status = Native.wb_world_restore(Handle, at, (UIntPtr)(uint)count);
            Replaced(status);
            return status;
        }

        void Replaced(Status status)
        {
            ChangedBy(status);
            if (status == Status.Ok) recording = null;
            GC.KeepAlive(this);
        }

        /// <summary>Sets the threads that the world runs on: 0 or 1 for the calling one, at most 1,024. Results are equal for all.</summary>
        public void SetThreads(uint threads)
        {
            var status = Native.wb_world_set_threads(Handle, threads);
            GC.KeepAlive(this);
            Check(status);
        }

        /// <summary>Sets the last tick of the run, counted from tick 0; 0 for a world without one.</summary>
        public void SetTicks(uint ticks)
        {
            var status = Native.wb_world_set_ticks(Handle, ticks);
            GC.KeepAlive(this);
            Check(status);
        }

        /// <summary>Checks after every tick that no two agents overlap, and counts pairs that do in <c>Counts.Collisions</c>. For tests: it
        /// takes time.</summary>
        public void CheckInvariants()
        {
            var status = Native.wb_world_check_invariants(Handle);
            GC.KeepAlive(this);
            Check(status);
        }

        /// <summary>Runs one tick. Whether there is more to do: false after the last tick, or when nothing is left to do; a world without a
        /// last tick never ends.</summary>
        public bool Step()
        {
            bool isRunning;
            Check(TryStep(out isRunning));
            return isRunning;
        }

        /// <summary>As <c>Step</c>; gives the status: <c>Status.Broken</c> if the step panics, which is a fault of the library.</summary>
        public Status TryStep(out bool isRunning)
        {
            uint state = Constants.Ended;
            var status = Native.wb_world_step(Handle, &state);
            ChangedBy(status);
            if (status == Status.Ok && recording != null) status = recording.Tick(this, state);
            isRunning = status == Status.Ok && state == Constants.Running;
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>The tick that comes next: the number of ticks that have run.</summary>
        public uint Tick
        {
            get
            {
                uint tick;
                var status = Native.wb_world_tick(Handle, &tick);
                GC.KeepAlive(this);
                Check(status);
                return tick;
            }
        }

        /// <summary>The hash of the state. Linear in the agents.</summary>
        public ulong Hash
        {
            get
            {
                ulong hash;
                var status = Native.wb_world_hash(Handle, &hash);
                GC.KeepAlive(this);
                Check(status);
                return hash;
            }
        }

        /// <summary>The agents present, in order of id. Nothing is copied: ask again after each step.</summary>
        public AgentRows Agents
        {
            get
            {
                AgentRows rows;
                Check(TryAgents(out rows));
                return rows;
            }
        }

        /// <summary>As <c>Agents</c>; gives the status.</summary>
        public Status TryAgents(out AgentRows rows)
        {
            AgentRow* first = null;
            UIntPtr count = UIntPtr.Zero;
            var status = Native.wb_world_agents(Handle, &first, &count);
            rows = new AgentRows(this, first, count);
            return status;
        }

        /// <summary>What happened at the last tick, in order. As for <c>Agents</c>.</summary>
        public EventRows Events
        {
            get
            {
                EventRows rows;
                Check(TryEvents(out rows));
                return rows;
            }
        }

        /// <summary>As <c>Events</c>; gives the status.</summary>
        public Status TryEvents(out EventRows rows)
        {
            EventRow* first = null;
            UIntPtr count = UIntPtr.Zero;
            var status = Native.wb_world_events(Handle, &first, &count);
            rows = new EventRows(this, first, count);
            return status;
        }

        /// <summary>Details of an event of the last tick, by its index in <c>Events</c>: a copy.</summary>
        public EventDetails EventDetails(int index)
        {
            EventDetails details;
            Check(TryEventDetails(index, out details));
            return details;
        }

        /// <summary>As <c>EventDetails</c>; gives the status: <c>Status.NotFound</c> if there are fewer events.</summary>
        public Status TryEventDetails(int index, out EventDetails details)
        {
            var found = new EventDetails { Size = (uint)sizeof(EventDetails) };
            var status = Native.wb_world_event_details(Handle, (UIntPtr)(uint)index, &found);
            details = found;
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>The row of an agent, a copy.</summary>
        public AgentRow Agent(uint id)
        {
            AgentRow row;
            Check(TryAgent(id, out row));
            return row;
        }

        /// <summary>As <c>Agent</c>; gives the status: <c>Status.NotFound</c> if it is not present.</summary>
        public Status TryAgent(uint id, out AgentRow row)
        {
            var found = default(AgentRow);
            var status = Native.wb_world_agent(Handle, id, &found);
            row = found;
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>The counts of the run so far.</summary>
        public Counts Counts
        {
            get
            {
                var counts = new Counts { Size = (uint)sizeof(Counts) };
                var status = Native.wb_world_counts(Handle, &counts);
                GC.KeepAlive(this);
                Check(status);
                return counts;
            }
        }

        /// <summary>Memory of agents and goals after the last tick, in bytes.</summary>
        public WorldMemory Memory
        {
            get
            {
                var memory = new WorldMemory { Size = (uint)sizeof(WorldMemory) };
                var status = Native.wb_world_memory(Handle, &memory);
                GC.KeepAlive(this);
                Check(status);
                return memory;
            }
        }

        /// <summary>Whether no later tick can change anything: no command waits, and every agent rests without anything to do.</summary>
        public bool NothingLeft
        {
            get
            {
                byte nothing;
                var status = Native.wb_world_nothing_left(Handle, &nothing);
                GC.KeepAlive(this);
                Check(status);
                return nothing != 0;
            }
        }

        /// <summary>Gives an agent a name; it is saved, but no part of the state.</summary>
        public void NameAgent(uint agent, string name)
        {
            UIntPtr length;
            var at = Arena.Begin().Text(name, out length);
            var status = Native.wb_world_name_agent(Handle, agent, at, length);
            GC.KeepAlive(this);
            Check(status);
        }

        /// <summary>The name of an agent; empty without one.</summary>
        public string AgentName(uint agent)
        {
            Status status;
            var room = new Room(Arena.Begin(), 1, 64);
            do status = Native.wb_world_agent_name(Handle, agent, room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return Arena.String(room.At, room.Count);
        }

        // Commands.

        Status Given(Status status, ulong given, out ulong ticket)
        {
            ticket = given;
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>Places an agent. Its id is in the event <c>EventKind.Spawned</c> with the ticket. Gives the ticket.</summary>
        public ulong Spawn(Spawn spawn, uint tick = 0)
        {
            ulong ticket;
            Check(TrySpawn(spawn, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Spawn</c>; gives the status.</summary>
        public Status TrySpawn(Spawn spawn, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            status = Native.wb_command_spawn(Handle, spawn.Put(Arena.Begin()), tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Places agents at random. Those for which there is no room are counted, and refused by one event. Gives the ticket.</summary>
        public ulong SpawnGroup(SpawnGroup group, uint tick = 0)
        {
            ulong ticket;
            Check(TrySpawnGroup(group, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>SpawnGroup</c>; gives the status.</summary>
        public Status TrySpawnGroup(SpawnGroup group, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            status = Native.wb_command_spawn_group(Handle, group.Put(Arena.Begin()), tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Removes agents. Gives the ticket.</summary>
        public ulong Remove(Selection agents, uint tick = 0)
        {
            ulong ticket;
            Check(TryRemove(agents, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Remove</c>; gives the status.</summary>
        public Status TryRemove(Selection agents, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            var arena = Arena.Begin();
            UIntPtr n;
            var ids = agents.Put(arena, out n);
            var area = agents.Area;
            if (agents.IsArea) status = Native.wb_command_remove_in(Handle, &area, tick, &given);
            else status = Native.wb_command_remove(Handle, ids, n, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Gives agents an order in place of their remaining orders, or with <c>append</c> after them. Agents sent to a group
        /// goal by one command share the poses around it. Gives the ticket.</summary>
        public ulong Order(Selection agents, Order order, bool append = false, uint tick = 0)
        {
            ulong ticket;
            Check(TryOrder(agents, order, append, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Order</c>; gives the status.</summary>
        public Status TryOrder(Selection agents, Order order, bool append, uint tick, out ulong ticket)
        {
            var arena = Arena.Begin();
            var orders = (Native.wb_order*)arena.Take(1, sizeof(Native.wb_order));
            order.PutTo(orders, arena);
            return Ordered(agents, arena, orders, (UIntPtr)1, append, tick, out ticket);
        }

        /// <summary>As <c>Order</c>, for several orders, done one after another; none leave the agents without any. Gives the ticket.</summary>
        public ulong Orders(Selection agents, Order[] orders, bool append = false, uint tick = 0)
        {
            ulong ticket;
            Check(TryOrders(agents, orders, append, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Orders</c>; gives the status.</summary>
        public Status TryOrders(Selection agents, Order[] orders, bool append, uint tick, out ulong ticket)
        {
            var arena = Arena.Begin();
            UIntPtr n;
            var at = Wheelbase.Order.Put(arena, orders, out n);
            return Ordered(agents, arena, at, n, append, tick, out ticket);
        }

        Status Ordered(Selection agents, Arena arena, Native.wb_order* orders, UIntPtr count, bool append, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            UIntPtr n;
            var ids = agents.Put(arena, out n);
            var area = agents.Area;
            var behind = append ? (byte)1 : (byte)0;
            if (agents.IsArea) status = Native.wb_command_order_in(Handle, &area, orders, count, behind, tick, &given);
            else status = Native.wb_command_order(Handle, ids, n, orders, count, behind, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Gives agents tasks, in place of their present tasks or after their orders. Random tasks are drawn from a stream of
        /// the number <c>stream</c>. Gives the ticket.</summary>
        public ulong Tasks(Selection agents, TaskSource source, uint stream = 0, uint tick = 0)
        {
            ulong ticket;
            Check(TryTasks(agents, source, stream, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Tasks</c>; gives the status.</summary>
        public Status TryTasks(Selection agents, TaskSource source, uint stream, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            var arena = Arena.Begin();
            UIntPtr n;
            var ids = agents.Put(arena, out n);
            var area = agents.Area;
            var tasks = source == null ? null : source.Put(arena);
            if (agents.IsArea) status = Native.wb_command_tasks_in(Handle, &area, tasks, stream, tick, &given);
            else status = Native.wb_command_tasks(Handle, ids, n, tasks, stream, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Sets the priority of agents; higher goes first. Gives the ticket.</summary>
        public ulong SetPriority(Selection agents, int priority, uint tick = 0)
        {
            ulong ticket;
            Check(TrySetPriority(agents, priority, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>SetPriority</c>; gives the status.</summary>
        public Status TrySetPriority(Selection agents, int priority, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            var arena = Arena.Begin();
            UIntPtr n;
            var ids = agents.Put(arena, out n);
            var area = agents.Area;
            if (agents.IsArea) status = Native.wb_command_priority_in(Handle, &area, priority, tick, &given);
            else status = Native.wb_command_priority(Handle, ids, n, priority, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Gives an agent another class at the end of its current move, in a pose of that class; null keeps the cell and the
        /// heading of the same name. Gives the ticket.</summary>
        public ulong SetClass(uint agent, uint classNumber, Pose? pose = null, uint tick = 0)
        {
            ulong ticket;
            Check(TrySetClass(agent, classNumber, pose, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>SetClass</c>; gives the status.</summary>
        public Status TrySetClass(uint agent, uint classNumber, Pose? pose, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            var at = pose.GetValueOrDefault();
            status = Native.wb_command_class(Handle, agent, classNumber, pose.HasValue ? &at : null, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Sets the team of agents, 0 to 31. Gives the ticket.</summary>
        public ulong SetTeam(Selection agents, uint team, uint tick = 0)
        {
            ulong ticket;
            Check(TrySetTeam(agents, team, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>SetTeam</c>; gives the status.</summary>
        public Status TrySetTeam(Selection agents, uint team, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            var arena = Arena.Begin();
            UIntPtr n;
            var ids = agents.Put(arena, out n);
            var area = agents.Area;
            if (agents.IsArea) status = Native.wb_command_team_in(Handle, &area, team, tick, &given);
            else status = Native.wb_command_team(Handle, ids, n, team, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Sets the speed factor of agents in thousandths, 1 to 65,535. Gives the ticket.</summary>
        public ulong SetSpeedFactor(Selection agents, uint permille, uint tick = 0)
        {
            ulong ticket;
            Check(TrySetSpeedFactor(agents, permille, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>SetSpeedFactor</c>; gives the status.</summary>
        public Status TrySetSpeedFactor(Selection agents, uint permille, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            var arena = Arena.Begin();
            UIntPtr n;
            var ids = agents.Put(arena, out n);
            var area = agents.Area;
            if (agents.IsArea) status = Native.wb_command_speed_factor_in(Handle, &area, permille, tick, &given);
            else status = Native.wb_command_speed_factor(Handle, ids, n, permille, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Takes agents off the map, into <c>container</c>, or none. They keep their orders; only <c>Leave</c> and
        /// <c>Remove</c> reach them there. Gives the ticket.</summary>
        public ulong Enter(Selection agents, uint container = Constants.None, uint tick = 0)
        {
            ulong ticket;
            Check(TryEnter(agents, container, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Enter</c>; gives the status.</summary>
        public Status TryEnter(Selection agents, uint container, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            var arena = Arena.Begin();
            UIntPtr n;
            var ids = agents.Put(arena, out n);
            var area = agents.Area;
            if (agents.IsArea) status = Native.wb_command_enter_in(Handle, &area, container, tick, &given);
            else status = Native.wb_command_enter(Handle, ids, n, container, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Puts an agent that is off the map back: in the pose, or with <c>orNearest</c> in the free one nearest to it. It
        /// begins its current order from there. Gives the ticket.</summary>
        public ulong Leave(uint agent, Pose pose, bool orNearest = true, uint tick = 0)
        {
            ulong ticket;
            Check(TryLeave(agent, pose, orNearest, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Leave</c>; gives the status.</summary>
        public Status TryLeave(uint agent, Pose pose, bool orNearest, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            var status = Native.wb_command_leave(Handle, agent, &pose, (byte)(orNearest ? 1 : 0), tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Changes the map; all changes are one edit. <c>onAgents</c> says what happens to agents whose pose or move would
        /// become illegal; <c>deadline</c> is the most ticks of waiting where that has one. Gives the ticket.</summary>
        public ulong Edit(Change[] changes, OnAgents onAgents = OnAgents.Wait, uint deadline = 0, uint tick = 0)
        {
            ulong ticket;
            Check(TryEdit(changes, onAgents, deadline, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Edit</c>; gives the status.</summary>
        public Status TryEdit(Change[] changes, OnAgents onAgents, uint deadline, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            fixed (Change* at = changes)
                status = Native.wb_command_edit(Handle, at, (UIntPtr)(uint)(changes == null ? 0 : changes.Length), (uint)onAgents, deadline, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Withdraws an edit that still waits, by the ticket of its command. Gives the ticket.</summary>
        public ulong CancelEdit(ulong edit, uint tick = 0)
        {
            ulong ticket;
            Check(TryCancelEdit(edit, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>CancelEdit</c>; gives the status.</summary>
        public Status TryCancelEdit(ulong edit, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            var status = Native.wb_command_cancel_edit(Handle, edit, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Moves for agents to begin at the tick, by number of the primitive, in a world with <c>TrafficRule.Commanded</c>: one
        /// for each of the first <c>count</c> agents. Gives the ticket.</summary>
        public ulong Decide(uint[] agents, byte[] primitives, int count, uint tick = 0)
        {
            ulong ticket;
            Check(TryDecide(agents, primitives, count, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>Decide</c>; gives the status.</summary>
        public Status TryDecide(uint[] agents, byte[] primitives, int count, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            Arguments.Part(agents, count, "count");
            Arguments.Part(primitives, count, "count");
            fixed (uint* ids = agents)
            fixed (byte* moves = primitives)
                status = Native.wb_command_decisions(Handle, ids, moves, (UIntPtr)(uint)count, tick, &given);
            return Given(status, given, out ticket);
        }

        /// <summary>Answers the open path request of an agent, in a world with <c>PathSource.Host</c>: with the first <c>count</c> moves
        /// of an array, or with null that there is no path. Gives the ticket.</summary>
        public ulong AnswerPath(uint agent, byte[] moves, int count, uint tick = 0)
        {
            ulong ticket;
            Check(TryAnswerPath(agent, moves, count, tick, out ticket));
            return ticket;
        }

        /// <summary>As <c>AnswerPath</c>; gives the status.</summary>
        public Status TryAnswerPath(uint agent, byte[] moves, int count, uint tick, out ulong ticket)
        {
            ulong given = Constants.NoTicket;
            Status status;
            Arguments.Part(moves, count, "count");
            fixed (byte* at = moves)
                status = Native.wb_command_path_answer(Handle, agent, moves == null ? (byte)0 : (byte)1, at, (UIntPtr)(uint)count, tick, &given);
            return Given(status, given, out ticket);
        }

        // Questions, which change nothing.

        /// <summary>The agent that holds a cell; <c>Constants.None</c> if none does.</summary>
        public uint AgentAt(Cell cell)
        {
            uint agent;
            var status = Native.wb_world_agent_at(Handle, &cell, &agent);
            GC.KeepAlive(this);
            Check(status);
            return agent;
        }

        /// <summary>The agents that hold a cell of an area, or the end of whose move will, in order of id.</summary>
        public uint[] AgentsIn(CellRect area)
        {
            Status status;
            var room = new Room(Arena.Begin(), 4, 256);
            do status = Native.wb_world_agents_in(Handle, &area, (uint*)room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return room.Numbers();
        }

        /// <summary>As <c>AgentsIn</c>, into an array of the caller; gives how many there are. If the array is too small, nothing is
        /// written into it.</summary>
        public int AgentsIn(CellRect area, uint[] agents)
        {
            UIntPtr count;
            Status status;
            fixed (uint* at = agents)
                status = Native.wb_world_agents_in(Handle, &area, at, (UIntPtr)(uint)(agents == null ? 0 : agents.Length), &count);
            GC.KeepAlive(this);
            if (status != Status.Buffer) Check(status);
            return (int)(uint)count;
        }

        /// <summary>The agents off the map that have entered <c>container</c>, in order of id; without one, all of them.</summary>
        public uint[] OffMap(uint container = Constants.None)
        {
            Status status;
            var room = new Room(Arena.Begin(), 4, 256);
            do status = Native.wb_world_off_map(Handle, container, (uint*)room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return room.Numbers();
        }

        /// <summary>Whether an agent of a class could be placed in a pose now; if not, why.</summary>
        public bool CanPlace(uint classNumber, Pose pose, out Refusal refusal)
        {
            uint why;
            var status = Native.wb_world_can_place(Handle, classNumber, &pose, &why);
            GC.KeepAlive(this);
            Check(status);
            refusal = (Refusal)why;
            return why == Constants.None;
        }

        /// <summary>The agents whose pose or move would become illegal if these changes were made together now.</summary>
        public uint[] WouldDisturb(Change[] changes)
        {
            Status status;
            var room = new Room(Arena.Begin(), 4, 256);
            fixed (Change* at = changes)
            {
                var n = (UIntPtr)(uint)(changes == null ? 0 : changes.Length);
                do status = Native.wb_world_would_disturb(Handle, at, n, (uint*)room.At, room.Capacity, &room.Count);
                while (room.IsTooSmallFor(status));
            }
            GC.KeepAlive(this);
            Check(status);
            return room.Numbers();
        }

        /// <summary>Previews the poses that an order to a group, or in formation, would give to some agents, in order of id. Without
        /// room or a way the heading is <c>Constants.None</c>.</summary>
        public GroupPose[] GroupPoses(uint[] agents, Order order)
        {
            Status status;
            var arena = Arena.Begin();
            UIntPtr one;
            var given = Wheelbase.Order.Put(arena, new[] { order }, out one);
            var room = new Room(arena, sizeof(GroupPose), 256);
            fixed (uint* at = agents)
            {
                var n = (UIntPtr)(uint)(agents == null ? 0 : agents.Length);
                do status = Native.wb_world_group_poses(Handle, at, n, given, (GroupPose*)room.At, room.Capacity, &room.Count);
                while (room.IsTooSmallFor(status));
            }
            GC.KeepAlive(this);
            Check(status);
            var poses = new GroupPose[room.N];
            for (var i = 0; i < poses.Length; i++) poses[i] = ((GroupPose*)room.At)[i];
            return poses;
        }

        /// <summary>Previews the path of an agent to a goal, from where it rests, or will rest, around the agents that are obstacles to its
        /// team. <c>within</c>: radius around each goal in cells. <c>path</c>: null where only the answer is wanted.</summary>
        public Answer Plan(uint agent, Pose[] goals, Scratch scratch, PlannedPath path = null, uint within = 0)
        {
            var answer = new Answer { Size = (uint)sizeof(Answer) };
            Status status;
            fixed (Pose* at = goals)
                status = Native.wb_world_plan(Handle, agent, at, (UIntPtr)(uint)(goals == null ? 0 : goals.Length), within, Of(scratch), Of(path),
                    &answer);
            if (path != null) path.ChangedBy(status);
            GC.KeepAlive(this);
            GC.KeepAlive(scratch);
            GC.KeepAlive(path);
            Check(status);
            return answer;
        }

        /// <summary>The poses that an agent can reach within this many ticks, alone on the map, each with its distance in ticks.</summary>
        public PathPose[] Reach(uint agent, uint ticks)
        {
            Status status;
            var room = new Room(Arena.Begin(), sizeof(PathPose), 256);
            do status = Native.wb_world_reach(Handle, agent, ticks, (PathPose*)room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return room.Poses();
        }

        /// <summary>The remaining path of an agent, from where it rests or will rest, with arrivals in ticks from there.</summary>
        public PathPose[] Path(uint agent)
        {
            Status status;
            var room = new Room(Arena.Begin(), sizeof(PathPose), 256);
            do status = Native.wb_world_path(Handle, agent, (PathPose*)room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return room.Poses();
        }

        /// <summary>As <c>Path</c>, into an array of the caller; gives how many poses there are. If the array is too small, nothing is
        /// written into it.</summary>
        public int Path(uint agent, PathPose[] poses)
        {
            UIntPtr count;
            Status status;
            fixed (PathPose* at = poses)
                status = Native.wb_world_path(Handle, agent, at, (UIntPtr)(uint)(poses == null ? 0 : poses.Length), &count);
            GC.KeepAlive(this);
            if (status != Status.Buffer) Check(status);
            return (int)(uint)count;
        }

        /// <summary>Why an agent is not moving on: by which rule, for which agent, at which cell or corridor.</summary>
        public WaitReason ReasonForWaiting(uint agent)
        {
            var reason = new WaitReason { Size = (uint)sizeof(WaitReason) };
            var status = Native.wb_world_reason_for_waiting(Handle, agent, &reason, null, UIntPtr.Zero, null);
            GC.KeepAlive(this);
            Check(status);
            return reason;
        }

        /// <summary>As <c>ReasonForWaiting</c>, and the same in words.</summary>
        public WaitReason ReasonForWaiting(uint agent, out string words)
        {
            Status status;
            var reason = new WaitReason { Size = (uint)sizeof(WaitReason) };
            var room = new Room(Arena.Begin(), 1, 512);
            do status = Native.wb_world_reason_for_waiting(Handle, agent, &reason, room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            words = Arena.String(room.At, room.Count);
            return reason;
        }

        /// <summary>The paths for the host to find, in a world with <c>PathSource.Host</c>, in order of agent, into arrays that are made
        /// larger where they are too small. Gives the number of requests; each names its part of <c>goals</c>.</summary>
        public int PathRequests(ref PathRequest[] requests, ref Pose[] goals)
        {
            if (requests == null) requests = new PathRequest[16];
            if (goals == null) goals = new Pose[16];
            for (; ; )
            {
                UIntPtr count = UIntPtr.Zero, goalCount = UIntPtr.Zero;
                Status status;
                fixed (PathRequest* at = requests)
                fixed (Pose* goalsAt = goals)
                    status = Native.wb_world_path_requests(Handle, at, (UIntPtr)(uint)requests.Length, &count, goalsAt, (UIntPtr)(uint)goals.Length,
                        &goalCount);
                GC.KeepAlive(this);
                if (status != Status.Buffer)
                {
                    Check(status);
                    return (int)(uint)count;
                }
                if ((uint)count > requests.Length) requests = new PathRequest[(uint)count];
                if ((uint)goalCount > goals.Length) goals = new Pose[(uint)goalCount];
            }
        }

        /// <summary>The number of classes.</summary>
        public uint Classes
        {
            get
            {
                uint count;
                var status = Native.wb_world_classes(Handle, &count);
                GC.KeepAlive(this);
                Check(status);
                return count;
            }
        }

        /// <summary>The name of a class.</summary>
        public string ClassName(uint classNumber)
        {
            Status status;
            var room = new Room(Arena.Begin(), 1, 64);
            do status = Native.wb_world_class_name(Handle, classNumber, room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return Arena.String(room.At, room.Count);
        }

        /// <summary>The cells that an agent of a class covers in a pose; they may lie off the map.</summary>
        public Cell[] ClassCells(uint classNumber, Pose pose)
        {
            Status status;
            var room = new Room(Arena.Begin(), sizeof(Cell), 64);
            do status = Native.wb_world_class_cells(Handle, classNumber, &pose, (Cell*)room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return room.Cells();
        }

        /// <summary>A class as a separate object.</summary>
        public MovementClass Class(uint classNumber)
        {
            ulong made = 0;
            var status = Native.wb_world_class(Handle, classNumber, &made);
            GC.KeepAlive(this);
            Check(status);
            return new MovementClass(made);
        }

        /// <summary>Adds a class between two ticks, and gives its number. It has no landmarks. Corridors stay as the bodies of the
        /// setup have them, so declare the smallest and the largest body there.</summary>
        public uint AddClass(MovementClass of)
        {
            uint number;
            var status = Native.wb_world_add_class(Handle, of.Handle, &number);
            GC.KeepAlive(this);
            GC.KeepAlive(of);
            Check(status);
            return number;
        }

        /// <summary>Whether searches of a class use its landmarks. They do not after an edit that makes a move easier, until the
        /// landmarks are repaired.</summary>
        public bool LandmarksInUse(uint classNumber)
        {
            byte inUse;
            var status = Native.wb_world_landmarks_in_use(Handle, classNumber, &inUse);
            GC.KeepAlive(this);
            Check(status);
            return inUse != 0;
        }

        /// <summary>The present tables of a class as a separate object, to plan with. They do not follow the world.</summary>
        public MovementTables TablesOf(uint classNumber)
        {
            ulong made = 0;
            var status = Native.wb_world_tables(Handle, classNumber, &made);
            GC.KeepAlive(this);
            Check(status);
            return new MovementTables(made);
        }

        /// <summary>The present map as a separate object. It does not follow the world.</summary>
        public GridMap Map()
        {
            ulong made = 0;
            var status = Native.wb_world_map(Handle, &made);
            GC.KeepAlive(this);
            Check(status);
            return new GridMap(made);
        }

        /// <summary>The terrain kinds of all cells, row by row. Nothing is copied; as for <c>Agents</c>.</summary>
        public ByteRows Terrain
        {
            get
            {
                byte* cells;
                UIntPtr count;
                Check(Native.wb_world_terrain(Handle, &cells, &count));
                return new ByteRows(this, cells, count);
            }
        }

        /// <summary>Begins to record, every step until <c>Recording.Finish</c>. A world that has not stepped is recorded with its setup, any
        /// other with a snapshot. Another recording of the world ends.</summary>
        public Recording Record()
        {
            ulong made = 0;
            var status = Native.wb_recording_begin(Handle, &made);
            GC.KeepAlive(this);
            Check(status);
            return recording = new Recording(made, this);
        }

        internal void RecordedTo(Recording ended)
        {
            if (recording == ended) recording = null;
        }
    }

    /// <summary>A recording of a world, which <c>wheelbase verify</c> accepts. The world's steps write it.</summary>
    public sealed unsafe class Recording : WheelbaseHandle
    {
        readonly World world;

        internal Recording(ulong handle, World world) : base(handle) { this.world = world; }

        internal override Status Destroy(ulong handle) { return Native.wb_recording_destroy(handle); }

        internal Status Tick(World world, uint state)
        {
            // A disposed recording records nothing any more.
            var status = IsClosed ? Status.Ok : Native.wb_recording_tick(Handle, world.Handle, state);
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>The recording as bytes, the content of a file. The first call ends it; further calls give the same bytes. If the world
        /// has been disposed of before, they end as if the run had been killed, which <c>wheelbase verify</c> says and accepts.</summary>
        public byte[] Finish()
        {
            world.RecordedTo(this);
            var bytes = new byte[1 << 16];
            for (; ; )
            {
                UIntPtr count;
                Status status;
                fixed (byte* at = bytes)
                    status = Native.wb_recording_finish(Handle, world.IsClosed ? 0 : world.Handle, at, (UIntPtr)(uint)bytes.Length, &count);
                GC.KeepAlive(this);
                GC.KeepAlive(world);
                var needed = (int)(uint)count;
                if (status == Status.Buffer)
                {
                    bytes = new byte[needed];
                    continue;
                }
                Check(status);
                Array.Resize(ref bytes, needed);
                return bytes;
            }
        }
    }
}
