using System;
using System.Globalization;

namespace Wheelbase
{
    public partial struct Cell : IEquatable<Cell>
    {
        /// <summary>Column and row.</summary>
        public Cell(int x, int y)
        {
            X = x;
            Y = y;
        }

        /// <summary>Whether all fields are equal.</summary>
        public bool Equals(Cell other) { return X == other.X && Y == other.Y; }

        /// <summary>Whether it is an equal one.</summary>
        public override bool Equals(object other) { return other is Cell && Equals((Cell)other); }

        /// <summary>Equal ones have equal hashes.</summary>
        public override int GetHashCode() { return unchecked(X * 31 + Y); }

        /// <summary>Whether they are equal.</summary>
        public static bool operator ==(Cell one, Cell other) { return one.Equals(other); }

        /// <summary>Whether they differ.</summary>
        public static bool operator !=(Cell one, Cell other) { return !one.Equals(other); }

        /// <summary>(x, y).</summary>
        public override string ToString() { return string.Format(CultureInfo.InvariantCulture, "({0}, {1})", X, Y); }
    }

    public partial struct CellRect : IEquatable<CellRect>
    {
        /// <summary>The northwest cell, columns and rows.</summary>
        public CellRect(int x, int y, uint width, uint height)
        {
            X = x;
            Y = y;
            Width = width;
            Height = height;
        }

        /// <summary>Whether all fields are equal.</summary>
        public bool Equals(CellRect other) { return X == other.X && Y == other.Y && Width == other.Width && Height == other.Height; }

        /// <summary>Whether it is an equal one.</summary>
        public override bool Equals(object other) { return other is CellRect && Equals((CellRect)other); }

        /// <summary>Equal ones have equal hashes.</summary>
        public override int GetHashCode() { return unchecked(((X * 31 + Y) * 31 + (int)Width) * 31 + (int)Height); }

        /// <summary>Whether they are equal.</summary>
        public static bool operator ==(CellRect one, CellRect other) { return one.Equals(other); }

        /// <summary>Whether they differ.</summary>
        public static bool operator !=(CellRect one, CellRect other) { return !one.Equals(other); }

        /// <summary>(x, y) width x height.</summary>
        public override string ToString()
        {
            return string.Format(CultureInfo.InvariantCulture, "({0}, {1}) {2} x {3}", X, Y, Width, Height);
        }
    }

    public partial struct Pose : IEquatable<Pose>
    {
        /// <summary>A pose, or a goal with this heading.</summary>
        public Pose(int x, int y, uint heading)
        {
            X = x;
            Y = y;
            Heading = heading;
        }

        /// <summary>A goal at a cell, with any heading.</summary>
        public static Pose At(int x, int y) { return new Pose(x, y, Constants.AnyHeading); }

        /// <summary>Whether all fields are equal.</summary>
        public bool Equals(Pose other) { return X == other.X && Y == other.Y && Heading == other.Heading; }

        /// <summary>Whether it is an equal one.</summary>
        public override bool Equals(object other) { return other is Pose && Equals((Pose)other); }

        /// <summary>Equal ones have equal hashes.</summary>
        public override int GetHashCode() { return unchecked((X * 31 + Y) * 31 + (int)Heading); }

        /// <summary>Whether they are equal.</summary>
        public static bool operator ==(Pose one, Pose other) { return one.Equals(other); }

        /// <summary>Whether they differ.</summary>
        public static bool operator !=(Pose one, Pose other) { return !one.Equals(other); }

        /// <summary>(x, y) heading.</summary>
        public override string ToString()
        {
            return string.Format(CultureInfo.InvariantCulture, "({0}, {1}) {2}", X, Y,
                Heading == Constants.AnyHeading ? "any" : Heading.ToString(CultureInfo.InvariantCulture));
        }
    }

    public unsafe partial struct Change
    {
        /// <summary>Sets the terrain kind of the cells of an area; cells off the map are ignored.</summary>
        public static Change Terrain(CellRect area, uint kind)
        {
            return new Change { Kind = ChangeKind.Terrain, Area = area, Value = unchecked((int)kind) };
        }

        /// <summary>Sets the height of the cells of an area, -32,768 to 32,767; cells off the map are ignored.</summary>
        public static Change Elevation(CellRect area, int height)
        {
            return new Change { Kind = ChangeKind.Elevation, Area = area, Value = height };
        }

        /// <summary>Sets sides of a cell: kinds by number of the side, or <c>Constants.Keep</c>; sides that are not given are kept.
        /// </summary>
        public static Change Sides(Cell cell, uint[] kinds)
        {
            var change = new Change { Kind = ChangeKind.Sides, Area = new CellRect(cell.X, cell.Y, 1, 1) };
            for (var side = 0; side < 6; side++) change.SideKinds[side] = side < kinds.Length ? kinds[side] : Constants.Keep;
            return change;
        }

        /// <summary>Rotates a cell with its sides by steps counterclockwise.</summary>
        public static Change Rotate(Cell cell, int steps)
        {
            return new Change { Kind = ChangeKind.Rotate, Area = new CellRect(cell.X, cell.Y, 1, 1), Value = steps };
        }
    }

    public unsafe partial struct EventDetails
    {
        /// <summary>The agents for which an edit waits or waited at first: a copy.</summary>
        public uint[] AgentIds()
        {
            var ids = new uint[NAgents];
            fixed (uint* all = Agents)
            {
                for (var i = 0; i < ids.Length; i++) ids[i] = all[i];
            }
            return ids;
        }
    }

    public unsafe partial struct Counts
    {
        /// <summary>Of the orders dropped because their goal cannot be reached, those with this reason.</summary>
        public ulong OrdersUnreachableBy(OrderFailure reason)
        {
            if ((uint)reason >= 16) return 0;
            fixed (ulong* by = UnreachableBy) return by[(uint)reason];
        }
    }

    public partial struct AgentRow
    {
        /// <summary>Whether it is in mid-move.</summary>
        public bool IsMoving { get { return Primitive != Constants.AtRest; } }

        /// <summary>How much of its move is done at a time in ticks, 0 to 1: for drawing between <c>From...</c> and <c>To...</c>.
        /// </summary>
        public float Progress(double tick)
        {
            if (EndTick <= BeginTick || tick >= EndTick) return 1;
            return tick <= BeginTick ? 0 : (float)((tick - BeginTick) / (EndTick - BeginTick));
        }
    }

    public unsafe partial struct AgentRows
    {
        /// <summary>The index of the row of an agent; -1 if it is not present. Binary search.</summary>
        public int IndexOf(uint id)
        {
            int low = 0, high = Count - 1;
            while (low <= high)
            {
                var middle = low + (high - low) / 2;
                var found = this[middle].Id;
                if (found == id) return middle;
                if (found < id) low = middle + 1;
                else high = middle - 1;
            }
            return -1;
        }
    }

    /// <summary>A request to the planner. The default values: the cheapest path, default heuristic, no limits.</summary>
    public struct Request
    {
        /// <summary>From a pose to a goal: a pose, or <c>Pose.At</c> a cell.</summary>
        public Request(Pose start, Pose goal) : this()
        {
            Start = start;
            Goal = goal;
        }

        /// <summary>From a pose to the cheapest of several goals.</summary>
        public Request(Pose start, Pose[] goals) : this()
        {
            Start = start;
            Goals = goals;
        }

        /// <summary>Pose of the agent.</summary>
        public Pose Start;
        /// <summary>The goal, where <c>Goals</c> is null.</summary>
        public Pose Goal;
        /// <summary>The members of the goal, at least one; null for <c>Goal</c> alone.</summary>
        public Pose[] Goals;
        /// <summary>Radius of the goal in cells: any anchor this near to a member is one too.</summary>
        public uint Within;
        /// <summary>Guides the search, and changes no cost unless it is greedy.</summary>
        public Heuristic Heuristic;
        /// <summary>The cost is at most this many thousandths of the cheapest: 0 or 1000 is exact.</summary>
        public uint WeightPermille;
        /// <summary>What to do if the goal cannot be reached.</summary>
        public Fallback Fallback;
        /// <summary>Whether a search that hits the limit gives the path to its best pose.</summary>
        public bool Partial;
        /// <summary>Most expansions; 0 for no limit.</summary>
        public ulong ExpansionsMax;
        /// <summary>No move sweeps a cell outside it; empty for no window.</summary>
        public CellRect Window;
        /// <summary>Cells that no move may sweep, such as resting agents: the bit of (x, y) is
        /// <c>Obstacles[y * ((width + 63) / 64) + x / 64] &gt;&gt; (x % 64) &amp; 1</c>. Null for none.</summary>
        public ulong[] Obstacles;

        internal unsafe void PutTo(Native.wb_request* to, Arena arena, ulong* obstacles)
        {
            to->size = (uint)sizeof(Native.wb_request);
            to->within = Within;
            to->start = Start;
            to->heuristic = (uint)Heuristic;
            to->weight_permille = WeightPermille == 0 ? 1000 : WeightPermille;
            to->fallback = (uint)Fallback;
            to->partial = Partial ? 1u : 0;
            to->reserved = 0;
            to->expansions_max = ExpansionsMax;
            to->window = Window;
            to->goals = arena.Goals(Goals, Goal, out to->n_goals);
            to->obstacles = obstacles;
            to->n_obstacles = (UIntPtr)(uint)(Obstacles == null ? 0 : Obstacles.Length);
        }
    }
}
