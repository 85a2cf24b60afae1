using System;

namespace Wheelbase
{
    /// <summary>A terrain kind of a map that the host makes.</summary>
    public sealed class TerrainKind
    {
        /// <summary>Name; movement classes set their own speeds by it.</summary>
        public string Name;
        /// <summary>Speed in thousandths: 1000 normal, 0 impassable; at most 65,535.</summary>
        public uint Speed;
        /// <summary>The characters that stand for the kind in rows; may be null.</summary>
        public string Characters;
    }

    /// <summary>A map: cells with terrain kinds, heights and sides.</summary>
    /// <remarks>x grows to the east, y to the south. Any number of threads may read it; <c>Edit</c> runs alone. Tables and
    /// worlds made of it keep what they need.</remarks>
    public sealed unsafe class GridMap : WheelbaseHandle
    {
        internal GridMap(ulong handle) : base(handle) { }

        internal override Status Destroy(ulong handle) { return Native.wb_map_destroy(handle); }

        /// <summary>A map of one terrain kind: <c>ground</c> 0, <c>swamp</c> 1, <c>water</c> 2, <c>trees</c> 3, <c>out</c> 4, of
        /// which the last three are impassable. At most 2^26 cells; 1 byte each.</summary>
        public static GridMap Filled(uint width, uint height, uint terrain = 0, Shape shape = Shape.Square)
        {
            ulong map = 0;
            Check(Native.wb_map_new(width, height, (uint)shape, terrain, &map));
            return new GridMap(map);
        }

        /// <summary>A map of cells that the host has: <c>width * height</c> kinds, row by row, numbered as in <c>kinds</c>; the
        /// kinds that every map has follow them.</summary>
        public static GridMap FromCells(uint width, uint height, byte[] cells, TerrainKind[] kinds = null, Shape shape = Shape.Square)
        {
            ulong map = 0;
            var arena = Arena.Begin();
            var n = kinds == null ? 0 : kinds.Length;
            var at = (Native.wb_terrain*)arena.Take(n, sizeof(Native.wb_terrain));
            for (var i = 0; i < n; i++)
            {
                at[i] = default(Native.wb_terrain);
                at[i].size = (uint)sizeof(Native.wb_terrain);
                at[i].speed = kinds[i].Speed;
                at[i].name = arena.Text(kinds[i].Name, out at[i].name_length);
                at[i].characters = arena.Text(kinds[i].Characters, out at[i].characters_length);
            }
            fixed (byte* from = cells)
                Check(Native.wb_map_from_cells(width, height, (uint)shape, from, (UIntPtr)(uint)(cells == null ? 0 : cells.Length), at,
                    (UIntPtr)(uint)n, &map));
            return new GridMap(map);
        }

        /// <summary>A map of square cells of text: a line for each row, a character for each cell: <c>.</c> ground, <c>S</c> swamp,
        /// <c>W</c> water, <c>T</c> trees, <c>@</c> out.</summary>
        public static GridMap FromRows(string rows)
        {
            ulong map = 0;
            UIntPtr length;
            var at = Arena.Begin().Text(rows, out length);
            Check(Native.wb_map_from_rows(at, length, &map));
            return new GridMap(map);
        }

        /// <summary>As <c>FromRows</c>, of an array of rows.</summary>
        public static GridMap FromRows(string[] rows) { return FromRows(string.Join("\n", rows)); }

        /// <summary>The map of a file that the host has read; the ending of the name says which: <c>.toml</c> (a scenario),
        /// <c>.png</c>, <c>.tmx</c>, else MovingAI. No file is opened.</summary>
        public static GridMap Parse(string name, byte[] bytes)
        {
            GridMap map;
            Check(TryParse(name, bytes, out map));
            return map;
        }

        /// <summary>As <c>Parse</c>; gives the status. <c>map</c> is null if it fails.</summary>
        public static Status TryParse(string name, byte[] bytes, out GridMap map)
        {
            ulong made = 0;
            UIntPtr length;
            var at = Arena.Begin().Text(name, out length);
            Status status;
            fixed (byte* from = bytes) status = Native.wb_map_parse(at, length, from, (UIntPtr)(uint)(bytes == null ? 0 : bytes.Length), &made);
            map = status == Status.Ok ? new GridMap(made) : null;
            return status;
        }

        /// <summary>Reads a map file, or the map of a scenario, from the disk, with the files that it names.</summary>
        public static GridMap Open(string path)
        {
            GridMap map;
            Check(TryOpen(path, out map));
            return map;
        }

        /// <summary>As <c>Open</c>; gives the status. <c>map</c> is null if it fails.</summary>
        public static Status TryOpen(string path, out GridMap map)
        {
            ulong made = 0;
            UIntPtr length;
            var at = Arena.Begin().Text(path, out length);
            var status = Native.wb_map_open(at, length, &made);
            map = status == Status.Ok ? new GridMap(made) : null;
            return status;
        }

        /// <summary>A copy, which is edited apart from it.</summary>
        public GridMap Clone()
        {
            ulong copy = 0;
            var status = Native.wb_map_clone(Handle, &copy);
            GC.KeepAlive(this);
            Check(status);
            return new GridMap(copy);
        }

        /// <summary>Size, shape, revision, numbers of kinds.</summary>
        public MapInfo Info
        {
            get
            {
                var info = new MapInfo { Size = (uint)sizeof(MapInfo) };
                var status = Native.wb_map_describe(Handle, &info);
                GC.KeepAlive(this);
                Check(status);
                return info;
            }
        }

        /// <summary>The terrain kinds of all cells, row by row: cell (x, y) has <c>[y * width + x]</c>. Nothing is copied.</summary>
        public ByteRows Terrain
        {
            get
            {
                byte* cells;
                UIntPtr count;
                Check(Native.wb_map_terrain(Handle, &cells, &count));
                return new ByteRows(this, cells, count);
            }
        }

        /// <summary>The number of the terrain kind with a name; <c>Status.NotFound</c> if there is none.</summary>
        public uint TerrainKindOf(string name)
        {
            uint kind;
            UIntPtr length;
            var at = Arena.Begin().Text(name, out length);
            var status = Native.wb_map_terrain_kind(Handle, at, length, &kind);
            GC.KeepAlive(this);
            Check(status);
            return kind;
        }

        /// <summary>The name of a terrain kind.</summary>
        public string TerrainName(uint kind)
        {
            Status status;
            var room = new Room(Arena.Begin(), 1, 64);
            do status = Native.wb_map_terrain_name(Handle, kind, room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            Check(status);
            return Arena.String(room.At, room.Count);
        }

        /// <summary>Makes changes, in their order, as one edit: all or none. Gives the rectangle that holds every cell that is not
        /// as it was, which <c>MovementTables.Update</c> takes; empty if nothing has changed.</summary>
        public CellRect Edit(Change[] changes)
        {
            CellRect changed;
            Check(TryEdit(changes, changes == null ? 0 : changes.Length, out changed));
            return changed;
        }

        /// <summary>As <c>Edit</c>, of one change.</summary>
        public CellRect Edit(Change change)
        {
            CellRect changed;
            var status = Native.wb_map_edit(Handle, &change, (UIntPtr)1, &changed);
            Edited(status);
            Check(status);
            return changed;
        }

        /// <summary>As <c>Edit</c>, of the first changes of an array; gives the status.</summary>
        public Status TryEdit(Change[] changes, int count, out CellRect changed)
        {
            Arguments.Part(changes, count, "count");
            Status status;
            fixed (Change* at = changes)
            fixed (CellRect* to = &changed) status = Native.wb_map_edit(Handle, at, (UIntPtr)(uint)count, to);
            Edited(status);
            return status;
        }

        void Edited(Status status)
        {
            ChangedBy(status);
            GC.KeepAlive(this);
        }

        /// <summary>Says in words why a move of a class from a pose is illegal, and where; empty if it is legal.</summary>
        public string ExplainMove(MovementClass of, Pose pose, uint primitive)
        {
            Status status;
            var room = new Room(Arena.Begin(), 1, 512);
            do status = Native.wb_explain_move(Handle, Of(of), &pose, primitive, room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            GC.KeepAlive(of);
            Check(status);
            return Arena.String(room.At, room.Count);
        }

        /// <summary>Says in words why a pose of a class is illegal, and where; empty if it is legal.</summary>
        public string ExplainPose(MovementClass of, Pose pose)
        {
            Status status;
            var room = new Room(Arena.Begin(), 1, 512);
            do status = Native.wb_explain_pose(Handle, Of(of), &pose, room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            GC.KeepAlive(this);
            GC.KeepAlive(of);
            Check(status);
            return Arena.String(room.At, room.Count);
        }
    }

    // A part of an array that a caller names: checked here, for the library cannot know how long an array is.
    static class Arguments
    {
        internal static void Part(Array array, int count, string argument)
        {
            if ((uint)count > (uint)(array == null ? 0 : array.Length))
                throw new ArgumentOutOfRangeException(argument, "the array has not so many elements");
        }
    }
}
