using System;

namespace Wheelbase
{
    /// <summary>A field: the costs from all poses to a goal, or from one pose to all others. One search for many questions.</summary>
    /// <remarks>It works with its tables alone. While it is not complete it searches on when asked, and then one thread at a time
    /// may ask; once <c>Settle</c> has made it complete, any number.</remarks>
    public sealed unsafe class CostField : WheelbaseHandle
    {
        readonly MovementTables tables;

        CostField(ulong handle, MovementTables tables) : base(handle) { this.tables = tables; }

        internal override Status Destroy(ulong handle) { return Native.wb_field_destroy(handle); }

        /// <summary>The costs from all poses to a goal, with a radius in cells. Nothing is searched yet.</summary>
        public static CostField ToGoal(MovementTables tables, Pose[] goals, uint within = 0)
        {
            ulong field = 0;
            Status status;
            fixed (Pose* at = goals)
                status = Native.wb_field_to_goal(Of(tables), at, (UIntPtr)(uint)(goals == null ? 0 : goals.Length), within, &field);
            GC.KeepAlive(tables);
            Check(status);
            return new CostField(field, tables);
        }

        /// <summary>The costs from one pose to all others.</summary>
        public static CostField FromPose(MovementTables tables, Pose start)
        {
            ulong field = 0;
            var status = Native.wb_field_from_pose(Of(tables), &start, &field);
            GC.KeepAlive(tables);
            Check(status);
            return new CostField(field, tables);
        }

        Status Done(Status status)
        {
            GC.KeepAlive(this);
            GC.KeepAlive(tables);
            return status;
        }

        /// <summary>Continues the search for at most this many expansions. Whether every reachable pose is settled.</summary>
        public bool Settle(ulong expansions = ulong.MaxValue)
        {
            byte complete;
            Check(Done(Native.wb_field_settle(Handle, tables.Handle, expansions, &complete)));
            return complete != 0;
        }

        /// <summary>Follows an edit, after the tables have, with the same rectangle.</summary>
        public void Repair(CellRect changed) { Check(Done(Native.wb_field_repair(Handle, tables.Handle, &changed))); }

        /// <summary>The cost between a pose and the field's end in ticks; <c>Constants.Never</c> if there is no way.</summary>
        public uint Cost(Pose pose)
        {
            uint ticks;
            Check(TryCost(pose, out ticks));
            return ticks;
        }

        /// <summary>As <c>Cost</c>; gives the status.</summary>
        public Status TryCost(Pose pose, out uint ticks)
        {
            uint cost = 0;
            var status = Done(Native.wb_field_cost(Handle, tables.Handle, &pose, &cost));
            ticks = cost;
            return status;
        }

        /// <summary>All poses within this many ticks, each with its cost as <c>Arrival</c>, row by row.</summary>
        public PathPose[] Within(uint ticks)
        {
            Status status;
            var room = new Room(Arena.Begin(), sizeof(PathPose), 256);
            do status = Native.wb_field_within(Handle, tables.Handle, ticks, (PathPose*)room.At, room.Capacity, &room.Count);
            while (room.IsTooSmallFor(status));
            Check(Done(status));
            return room.Poses();
        }

        /// <summary>Writes a cheapest path between a pose and the field's end, in the direction of travel. Whether there is one.</summary>
        public bool Path(Pose pose, PlannedPath path)
        {
            byte found;
            var status = Done(Native.wb_field_path(Handle, tables.Handle, &pose, Of(path), &found));
            if (path != null) path.ChangedBy(status);
            GC.KeepAlive(path);
            Check(status);
            return found != 0;
        }

        /// <summary>The next move of an agent at a pose towards the goal, and the pose after it; <c>Constants.None</c> at the goal, and
        /// where there is no way.</summary>
        public uint Next(Pose pose, out Pose after)
        {
            uint primitive;
            Check(TryNext(pose, out primitive, out after));
            return primitive;
        }

        /// <summary>As <c>Next</c>; gives the status.</summary>
        public Status TryNext(Pose pose, out uint primitive, out Pose after)
        {
            uint move = Constants.None;
            var then = pose;
            var status = Done(Native.wb_field_next(Handle, tables.Handle, &pose, &move, &then));
            primitive = move;
            after = then;
            return status;
        }
    }
}
