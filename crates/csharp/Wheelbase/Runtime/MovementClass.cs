using System;

namespace Wheelbase
{
    /// <summary>A motion primitive: a move in the agent's own frame.</summary>
    public sealed class Primitive
    {
        /// <summary>A move: forward and right in cells, heading steps to the left, base time in ticks.</summary>
        public Primitive(string name, int forward, int right, int turn, uint time)
        {
            Name = name;
            Forward = forward;
            Right = right;
            Turn = turn;
            Time = time;
        }

        /// <summary>Name; no other primitive of the class has it.</summary>
        public string Name;
        /// <summary>Displacement forward in cells, -255 to 255. With one heading: to the east.</summary>
        public int Forward;
        /// <summary>Displacement to the right in cells, -255 to 255. With one heading: to the south.</summary>
        public int Right;
        /// <summary>Heading steps, positive to the left (counterclockwise).</summary>
        public int Turn;
        /// <summary>Base time in ticks at speed 1000, 1 to 65,535.</summary>
        public uint Time;
        /// <summary>With 8 headings a primitive that moves is <c>Straight</c> or <c>Diagonal</c>.</summary>
        public When When;
        /// <summary>Further swept cells: x is forward, y is right of the anchor at the start; null if they are not given.</summary>
        public Cell[] Swept;
    }

    /// <summary>The speed of a class on a terrain kind or over a side kind, in place of the map's.</summary>
    public struct ClassSpeed
    {
        /// <summary>Name of the kind, speed in thousandths.</summary>
        public ClassSpeed(string name, uint speed)
        {
            Name = name;
            Speed = speed;
        }

        /// <summary>Name of the kind; a map that lacks the kind ignores it.</summary>
        public string Name;
        /// <summary>In thousandths: 1000 normal, 0 impassable; at most 65,535.</summary>
        public uint Speed;
    }

    /// <summary>The specification of a movement class; begins with the default values.</summary>
    public sealed class ClassSpec
    {
        /// <summary>Name.</summary>
        public string Name;
        /// <summary>Shape of the maps that it moves on.</summary>
        public Shape Shape = Shape.Square;
        /// <summary>1 (no facing), 4 or 8; on hexagonal maps 1 or 6. 0: 4, or 6 on hexagonal maps.</summary>
        public uint Headings;
        /// <summary>Which cells a displacement touches.</summary>
        public SweepRule SweepMoves = SweepRule.Usual;
        /// <summary>Which cells a turn touches.</summary>
        public SweepRule SweepTurns = SweepRule.Usual;
        /// <summary>The point about which it turns, in half cells forward of the anchor's centre.</summary>
        public int PivotForward;
        /// <summary>The same, in half cells to the right. Both even or both odd.</summary>
        public int PivotRight;
        /// <summary>Climbing: extra time for each unit of rise, in thousandths of the base time.</summary>
        public uint ClimbUp;
        /// <summary>Extra time for each unit of fall, in thousandths of the base time; may be negative.</summary>
        public int ClimbDown;
        /// <summary>Most rise of a move in units; <c>Constants.None</c> for no limit.</summary>
        public uint MaxUp = Constants.None;
        /// <summary>Most fall of a move in units; <c>Constants.None</c> for no limit.</summary>
        public uint MaxDown = Constants.None;
        /// <summary>Largest difference of the heights under the footprint; <c>Constants.None</c> for no limit.</summary>
        public uint MaxTilt = Constants.None;
        /// <summary>The cells that it covers while facing east: x is forward, y is right of the anchor. Null: the anchor alone.
        /// </summary>
        public Cell[] Footprint;
        /// <summary>With 8 headings: the cells that it covers while facing NE, in map axes; null: worked out.</summary>
        public Cell[] Diagonal;
        /// <summary>Its motion primitives, 1 to 16.</summary>
        public Primitive[] Primitives;
        /// <summary>Its own speeds on terrain kinds.</summary>
        public ClassSpeed[] Speeds;
        /// <summary>Its own speeds over side kinds.</summary>
        public ClassSpeed[] SideSpeeds;
    }

    /// <summary>A movement class: what an agent covers, how it moves, how long that takes. Never changes; any number of threads
    /// may read it.</summary>
    public sealed unsafe class MovementClass : WheelbaseHandle
    {
        internal MovementClass(ulong handle) : base(handle) { }

        internal override Status Destroy(ulong handle) { return Native.wb_class_destroy(handle); }

        static Cell* Put(Arena arena, Cell[] cells, out UIntPtr count)
        {
            var n = cells == null ? 0 : cells.Length;
            var at = (Cell*)arena.Take(n, sizeof(Cell));
            for (var i = 0; i < n; i++) at[i] = cells[i];
            count = (UIntPtr)(uint)n;
            return at;
        }

        static Native.wb_speed* Put(Arena arena, ClassSpeed[] speeds, out UIntPtr count)
        {
            var n = speeds == null ? 0 : speeds.Length;
            var at = (Native.wb_speed*)arena.Take(n, sizeof(Native.wb_speed));
            for (var i = 0; i < n; i++)
            {
                at[i] = default(Native.wb_speed);
                at[i].name = arena.Text(speeds[i].Name, out at[i].name_length);
                at[i].speed = speeds[i].Speed;
            }
            count = (UIntPtr)(uint)n;
            return at;
        }

        /// <summary>Makes a class of a specification. The message of a failure names the mistake and the expected value.</summary>
        public static MovementClass Create(ClassSpec spec)
        {
            if (spec == null) throw new ArgumentNullException("spec");
            var arena = Arena.Begin();
            Native.wb_class_spec to;
            Check(Native.wb_class_spec_init(&to));
            to.shape = (uint)spec.Shape;
            to.headings = spec.Headings != 0 ? spec.Headings : spec.Shape == Shape.Hex ? 6u : 4u;
            to.sweep_moves = (uint)spec.SweepMoves;
            to.sweep_turns = (uint)spec.SweepTurns;
            to.pivot_forward = spec.PivotForward;
            to.pivot_right = spec.PivotRight;
            to.climb_up = spec.ClimbUp;
            to.climb_down = spec.ClimbDown;
            to.max_up = spec.MaxUp;
            to.max_down = spec.MaxDown;
            to.max_tilt = spec.MaxTilt;
            to.name = arena.Text(spec.Name, out to.name_length);
            to.footprint = Put(arena, spec.Footprint, out to.n_footprint);
            to.diagonal = Put(arena, spec.Diagonal, out to.n_diagonal);
            var n = spec.Primitives == null ? 0 : spec.Primitives.Length;
            var primitives = (Native.wb_primitive*)arena.Take(n, sizeof(Native.wb_primitive));
            for (var i = 0; i < n; i++)
            {
                var from = spec.Primitives[i];
                var one = default(Native.wb_primitive);
                one.size = (uint)sizeof(Native.wb_primitive);
                one.forward = from.Forward;
                one.right = from.Right;
                one.turn = from.Turn;
                one.time = from.Time;
                one.when = (uint)from.When;
                one.lists_swept = from.Swept == null ? 0u : 1;
                one.name = arena.Text(from.Name, out one.name_length);
                one.swept = Put(arena, from.Swept, out one.n_swept);
                primitives[i] = one;
            }
            to.primitives = primitives;
            to.n_primitives = (UIntPtr)(uint)n;
            to.speeds = Put(arena, spec.Speeds, out to.n_speeds);
            to.side_speeds = Put(arena, spec.SideSpeeds, out to.n_side_speeds);
            ulong made = 0;
            Check(Native.wb_class_new(&to, &made));
            return new MovementClass(made);
        }

        /// <summary>The class of a text: of a class file (TOML), or with the name <c>FILE#CLASS</c> a class of a scenario. No file
        /// is opened.</summary>
        public static MovementClass Parse(string name, string toml)
        {
            MovementClass made;
            Check(TryParse(name, toml, out made));
            return made;
        }

        /// <summary>As <c>Parse</c>; gives the status. <c>made</c> is null if it fails.</summary>
        public static Status TryParse(string name, string toml, out MovementClass made)
        {
            ulong handle = 0;
            var arena = Arena.Begin();
            UIntPtr nameLength, length;
            var nameAt = arena.Text(name, out nameLength);
            var at = arena.Text(toml, out length);
            var status = Native.wb_class_parse(nameAt, nameLength, at, length, &handle);
            made = status == Status.Ok ? new MovementClass(handle) : null;
            return status;
        }

        /// <summary>A copy.</summary>
        public MovementClass Clone()
        {
            ulong copy = 0;
            var status = Native.wb_class_clone(Handle, &copy);
            GC.KeepAlive(this);
            Check(status);
            return new MovementClass(copy);
        }

        /// <summary>Facts about it.</summary>
        public ClassInfo Info
        {
            get
            {
                var info = new ClassInfo { Size = (uint)sizeof(ClassInfo) };
                var status = Native.wb_class_describe(Handle, &info);
                GC.KeepAlive(this);
                Check(status);
                return info;
            }
        }

        /// <summary>Its name.</summary>
        public string Name
        {
            get
            {
                Status status;
                var room = new Room(Arena.Begin(), 1, 64);
                do status = Native.wb_class_name(Handle, room.At, room.Capacity, &room.Count);
                while (room.IsTooSmallFor(status));
                GC.KeepAlive(this);
                Check(status);
                return Arena.String(room.At, room.Count);
            }
        }

        /// <summary>The name of one of its primitives.</summary>
        public string PrimitiveName(uint primitive)
        {
            Status status;
            var room = new Room(Arena.Begin(), 1, 64);
            do status = Native.wb_class_primitive_name(Handle, primitive, room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return Arena.String(room.At, room.Count);
        }

        /// <summary>The cells that an agent of the class covers in a pose; they may lie off the map.</summary>
        public Cell[] Cells(Pose pose)
        {
            Status status;
            var room = new Room(Arena.Begin(), sizeof(Cell), 64);
            do status = Native.wb_class_cells(Handle, &pose, (Cell*)room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return room.Cells();
        }
    }
}
