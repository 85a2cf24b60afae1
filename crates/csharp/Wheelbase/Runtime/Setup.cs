using System;

namespace Wheelbase
{
    /// <summary>Settings of a world; begins with the default values. All that changes results has to be equal on all machines that
    /// step equal worlds: everything but <c>Threads</c>.</summary>
    public sealed class WorldSettings
    {
        /// <summary>Name of the world.</summary>
        public string Name;
        /// <summary>Which overlaps of bodies are ruled out.</summary>
        public Collision Collision = Collision.Swept;
        /// <summary>Seed of all random numbers.</summary>
        public ulong Seed;
        /// <summary>Ticks to run at most; 0 for a world without a last tick.</summary>
        public uint Ticks;
        /// <summary>Path searches in progress together, 1 to 1,024.</summary>
        public uint SearchSlots;
        /// <summary>Expansions for path searches per tick, 1 to 2^40.</summary>
        public ulong ExpansionsPerTick;
        /// <summary>Poses that each agent may expand per tick to plan its moves, at least 1; of <c>TrafficRule.Cooperative</c>.</summary>
        public uint PosesPerAgent;
        /// <summary>Traffic search budget: tries of <c>TrafficRule.UnitRobots</c> per tick.</summary>
        public ulong TriesPerTick;
        /// <summary>Threads that the world runs on: 0 or 1 for the calling one.</summary>
        public uint Threads;
        /// <summary>The traffic rule.</summary>
        public TrafficRule Rule;
        /// <summary>Who finds the paths.</summary>
        public PathSource Paths;
        /// <summary>Landmarks of each class, 0 to 64; <c>Constants.None</c>: as many as pay off.</summary>
        public uint Landmarks;

        /// <summary>The default values of the library.</summary>
        public unsafe WorldSettings()
        {
            Native.wb_settings usual;
            WheelbaseHandle.Check(Native.wb_settings_init(&usual));
            Collision = (Collision)usual.collision;
            Seed = usual.seed;
            Ticks = usual.ticks;
            SearchSlots = usual.search_slots;
            ExpansionsPerTick = usual.expansions_per_tick;
            PosesPerAgent = usual.poses_per_agent;
            TriesPerTick = usual.tries_per_tick;
            Threads = usual.threads;
            Rule = (TrafficRule)usual.rule;
            Paths = (PathSource)usual.paths;
            Landmarks = usual.landmarks;
        }

        internal unsafe Native.wb_settings Put(Arena arena)
        {
            var to = default(Native.wb_settings);
            to.size = (uint)sizeof(Native.wb_settings);
            to.collision = (uint)Collision;
            to.seed = Seed;
            to.ticks = Ticks;
            to.search_slots = SearchSlots;
            to.expansions_per_tick = ExpansionsPerTick;
            to.poses_per_agent = PosesPerAgent;
            to.tries_per_tick = TriesPerTick;
            to.threads = Threads;
            to.rule = (uint)Rule;
            to.paths = (uint)Paths;
            to.landmarks = Landmarks;
            to.name = arena.Text(Name, out to.name_length);
            return to;
        }
    }

    /// <summary>A world in the making, on a map as it is now. It can make any number of worlds. One thread at a time changes it.
    /// </summary>
    public sealed unsafe class Setup : WheelbaseHandle
    {
        static ulong Make(GridMap map, WorldSettings settings)
        {
            ulong made = 0;
            if (settings == null) settings = new WorldSettings();
            var at = settings.Put(Arena.Begin());
            var status = Native.wb_setup_new(Of(map), &at, &made);
            GC.KeepAlive(map);
            Check(status);
            return made;
        }

        /// <summary>Begins it, without classes and agents. Later edits of the map do not follow.</summary>
        public Setup(GridMap map, WorldSettings settings = null) : base(Make(map, settings)) { }

        internal override Status Destroy(ulong handle) { return Native.wb_setup_destroy(handle); }

        uint Add(WheelbaseHandle of)
        {
            uint number;
            var status = Native.wb_setup_class(Handle, Of(of), &number);
            GC.KeepAlive(this);
            GC.KeepAlive(of);
            Check(status);
            return number;
        }

        /// <summary>Adds a class, which is compiled here, and gives its number: 0, 1, 2 ... in order.</summary>
        public uint AddClass(MovementClass of) { return Add(of); }

        /// <summary>Adds a class by its tables, compiled against this map, which are shared.</summary>
        public uint AddClass(MovementTables tables) { return Add(tables); }

        /// <summary>Adds an agent, and gives its id: 0, 1, 2 ... in order.</summary>
        public uint AddAgent(Spawn spawn)
        {
            uint agent;
            var status = Native.wb_setup_agent(Handle, spawn.Put(Arena.Begin()), &agent);
            GC.KeepAlive(this);
            Check(status);
            return agent;
        }

        /// <summary>Makes two teams friends, 0 to 31 each.</summary>
        public void MakeFriends(uint one, uint other)
        {
            var status = Native.wb_setup_friends(Handle, one, other);
            GC.KeepAlive(this);
            Check(status);
        }

        /// <summary>Sets a parameter of traffic by its name: for experiments.</summary>
        public void Tune(string name, uint value)
        {
            UIntPtr length;
            var at = Arena.Begin().Text(name, out length);
            var status = Native.wb_setup_tune(Handle, at, length, value);
            GC.KeepAlive(this);
            Check(status);
        }

        /// <summary>Names changes that edits may make and undo while landmarks stay in use, such as the doors of a fortress.</summary>
        public void Ease(Change[] changes)
        {
            Status status;
            fixed (Change* at = changes) status = Native.wb_setup_ease(Handle, at, (UIntPtr)(uint)(changes == null ? 0 : changes.Length));
            GC.KeepAlive(this);
            Check(status);
        }
    }
}
