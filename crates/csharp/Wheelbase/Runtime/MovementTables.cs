using System;

namespace Wheelbase
{
    /// <summary>The memory of searches: one at a time uses it, so make one for each thread. It grows to the largest map that it is
    /// used with, 8 to 16 bytes for each pose.</summary>
    public sealed unsafe class Scratch : WheelbaseHandle
    {
        static ulong Make()
        {
            ulong made = 0;
            Check(Native.wb_scratch_new(&made));
            return made;
        }

        /// <summary>Makes it empty.</summary>
        public Scratch() : base(Make()) { }

        internal override Status Destroy(ulong handle) { return Native.wb_scratch_destroy(handle); }
    }

    /// <summary>A path, written by searches; its memory is used again.</summary>
    public sealed unsafe class PlannedPath : WheelbaseHandle
    {
        static ulong Make()
        {
            ulong made = 0;
            Check(Native.wb_path_new(&made));
            return made;
        }

        /// <summary>Makes it empty.</summary>
        public PlannedPath() : base(Make()) { }

        internal override Status Destroy(ulong handle) { return Native.wb_path_destroy(handle); }

        /// <summary>Its poses, the start first; none if it is empty.</summary>
        public PoseRows Poses
        {
            get
            {
                PathPose* poses;
                UIntPtr count;
                Check(Native.wb_path_poses(Handle, &poses, &count));
                return new PoseRows(this, poses, count);
            }
        }

        /// <summary>Its moves, as numbers of primitives: the first leads from pose 0 to pose 1.</summary>
        public ByteRows Moves
        {
            get
            {
                byte* moves;
                UIntPtr count;
                Check(Native.wb_path_moves(Handle, &moves, &count));
                return new ByteRows(this, moves, count);
            }
        }
    }

    /// <summary>What <c>MovementTables.PlanAll</c> writes; its arrays grow, and are used again.</summary>
    public sealed class Batch
    {
        internal UIntPtr[] Offsets = new UIntPtr[1];

        /// <summary>An answer for each request; more may follow, of earlier batches.</summary>
        public Answer[] Answers = new Answer[0];
        // Never empty: no buffers ask for the answers alone.
        /// <summary>The poses of all paths, one path after another.</summary>
        public PathPose[] Poses = new PathPose[1];
        /// <summary>The move that leads from the pose of the same index to the next; <c>Constants.NoMove</c> from the last.</summary>
        public byte[] Moves = new byte[1];
        /// <summary>Number of requests.</summary>
        public int Count { get; internal set; }

        /// <summary>Index of the first pose of a path; that of number <c>Count</c> is the number of all poses.</summary>
        public int First(int request) { return (int)(uint)Offsets[request]; }

        /// <summary>Makes room for this many poses, so that a batch need not be planned twice to get them.</summary>
        public void Reserve(int poses)
        {
            if (Poses.Length >= poses) return;
            Poses = new PathPose[poses];
            Moves = new byte[poses];
        }
    }

    /// <summary>Movement tables: a class compiled against a map. All searches of the class on the map use them.</summary>
    /// <remarks>Any number of threads may plan together, each with its own scratch and path. <c>Update</c> and
    /// <c>MakeComponents</c> run alone.</remarks>
    public sealed unsafe class MovementTables : WheelbaseHandle
    {
        internal MovementTables(ulong handle) : base(handle) { }

        internal override Status Destroy(ulong handle) { return Native.wb_tables_destroy(handle); }

        /// <summary>Compiles a class against a map. Cost: poses x primitives x swept cells.</summary>
        public static MovementTables Compile(GridMap map, MovementClass of)
        {
            ulong tables = 0;
            var status = Native.wb_tables_new(Of(map), Of(of), &tables);
            GC.KeepAlive(map);
            GC.KeepAlive(of);
            Check(status);
            return new MovementTables(tables);
        }

        /// <summary>An estimate of the memory that <c>Compile</c> takes, in bytes: kept, and at its peak.</summary>
        public static void Need(GridMap map, MovementClass of, out ulong kept, out ulong peak)
        {
            ulong bytesKept, bytesPeak;
            var status = Native.wb_tables_need(Of(map), Of(of), &bytesKept, &bytesPeak);
            GC.KeepAlive(map);
            GC.KeepAlive(of);
            Check(status);
            kept = bytesKept;
            peak = bytesPeak;
        }

        /// <summary>A copy. The two share their memory until one of them is updated.</summary>
        public MovementTables Clone()
        {
            ulong copy = 0;
            var status = Native.wb_tables_clone(Handle, &copy);
            GC.KeepAlive(this);
            Check(status);
            return new MovementTables(copy);
        }

        /// <summary>Follows an edit of the map: recompiles what the rectangle of <c>GridMap.Edit</c> can touch. Searches that are
        /// in progress must be restarted, and fields repaired.</summary>
        public UpdateEffect Update(GridMap map, CellRect changed)
        {
            UpdateEffect effect;
            Check(TryUpdate(map, changed, out effect));
            return effect;
        }

        /// <summary>As <c>Update</c>; gives the status.</summary>
        public Status TryUpdate(GridMap map, CellRect changed, out UpdateEffect effect)
        {
            uint bits = 0;
            var status = Native.wb_tables_update(Handle, Of(map), &changed, &bits);
            effect = (UpdateEffect)bits;
            GC.KeepAlive(this);
            GC.KeepAlive(map);
            return status;
        }

        /// <summary>Makes the components of the poses, which answer <c>Connected</c>, and end searches for goals out of reach immediately.
        /// Cost: about as much as compiling.</summary>
        public void MakeComponents()
        {
            var status = Native.wb_tables_make_components(Handle);
            GC.KeepAlive(this);
            Check(status);
        }

        /// <summary>Whether a pose is on the map and legal.</summary>
        public bool IsLegal(Pose pose)
        {
            byte legal;
            var status = Native.wb_tables_is_legal(Handle, &pose, &legal);
            GC.KeepAlive(this);
            Check(status);
            return legal != 0;
        }

        /// <summary>Whether some pose at a cell can be reached from some legal pose at another. No search.</summary>
        public Connected Connected(Cell from, Cell to)
        {
            uint answer;
            var status = Native.wb_tables_connected(Handle, &from, &to, &answer);
            GC.KeepAlive(this);
            Check(status);
            return (Connected)answer;
        }

        /// <summary>One move from a pose: its time in ticks and the pose after it; 0 and the pose itself if it is illegal.</summary>
        public uint Move(Pose pose, uint primitive, out Pose after)
        {
            uint ticks;
            Pose then;
            var status = Native.wb_tables_move(Handle, &pose, primitive, &then, &ticks);
            GC.KeepAlive(this);
            Check(status);
            after = then;
            return ticks;
        }

        /// <summary>The number of leading moves that are legal from a pose, and the pose and the ticks after these.</summary>
        public int CheckMoves(Pose start, byte[] moves, int count, out PathPose end)
        {
            Arguments.Part(moves, count, "count");
            UIntPtr legal;
            PathPose last;
            Status status;
            fixed (byte* at = moves) status = Native.wb_tables_check_moves(Handle, &start, at, (UIntPtr)(uint)count, &last, &legal);
            GC.KeepAlive(this);
            Check(status);
            end = last;
            return (int)(uint)legal;
        }

        /// <summary>Memory in bytes, without the class.</summary>
        public ulong MemoryBytes
        {
            get
            {
                ulong bytes;
                var status = Native.wb_tables_memory(Handle, &bytes);
                GC.KeepAlive(this);
                Check(status);
                return bytes;
            }
        }

        /// <summary>Plans a cheapest path. That there is none is an answer (<c>Answer.Result</c>), not a failure. <c>path</c> gets poses
        /// and moves; null if only the answer is wanted.</summary>
        public Answer Plan(Request request, Scratch scratch, PlannedPath path = null)
        {
            Answer answer;
            Check(TryPlan(request, scratch, path, out answer));
            return answer;
        }

        /// <summary>As <c>Plan</c>; gives the status. Allocates nothing.</summary>
        public Status TryPlan(Request request, Scratch scratch, PlannedPath path, out Answer answer)
        {
            Native.wb_request asked;
            var found = new Answer { Size = (uint)sizeof(Answer) };
            Status status;
            fixed (ulong* obstacles = request.Obstacles)
            {
                request.PutTo(&asked, Arena.Begin(), obstacles);
                status = Native.wb_plan(Handle, &asked, Of(scratch), Of(path), &found);
            }
            answer = found;
            Written(status, scratch, path);
            return status;
        }

        void Written(Status status, Scratch scratch, PlannedPath path)
        {
            if (path != null) path.ChangedBy(status);
            GC.KeepAlive(scratch);
            GC.KeepAlive(path);
            GC.KeepAlive(this);
        }

        /// <summary>Begins a search in a scratch, to be advanced over several frames. Whether it has ended already. Slicing changes
        /// no answer.</summary>
        public bool Begin(Request request, Scratch scratch)
        {
            bool done;
            Check(TryBegin(request, scratch, out done));
            return done;
        }

        /// <summary>As <c>Begin</c>; gives the status.</summary>
        public Status TryBegin(Request request, Scratch scratch, out bool done)
        {
            Native.wb_request asked;
            byte ended = 0;
            Status status;
            fixed (ulong* obstacles = request.Obstacles)
            {
                request.PutTo(&asked, Arena.Begin(), obstacles);
                status = Native.wb_plan_begin(Handle, &asked, Of(scratch), &ended);
            }
            done = ended != 0;
            Written(status, scratch, null);
            return status;
        }

        /// <summary>Continues a search for at most this many expansions. Whether it has ended.</summary>
        public bool Advance(Scratch scratch, ulong expansions)
        {
            bool done;
            Check(TryAdvance(scratch, expansions, out done));
            return done;
        }

        /// <summary>As <c>Advance</c>; gives the status: <c>Status.Argument</c> if the tables have changed since; then restart it.
        /// </summary>
        public Status TryAdvance(Scratch scratch, ulong expansions, out bool done)
        {
            byte ended = 0;
            var status = Native.wb_plan_advance(Handle, Of(scratch), expansions, &ended);
            done = ended != 0;
            Written(status, scratch, null);
            return status;
        }

        /// <summary>Answer and path of a search; before its end <c>PlanResult.LimitReached</c>, and it can still go on.</summary>
        public Answer Finish(Scratch scratch, PlannedPath path = null)
        {
            Answer answer;
            Check(TryFinish(scratch, path, out answer));
            return answer;
        }

        /// <summary>As <c>Finish</c>; gives the status.</summary>
        public Status TryFinish(Scratch scratch, PlannedPath path, out Answer answer)
        {
            var found = new Answer { Size = (uint)sizeof(Answer) };
            var status = Native.wb_plan_finish(Handle, Of(scratch), Of(path), &found);
            answer = found;
            Written(status, scratch, path);
            return status;
        }

        /// <summary>Plans the first <c>count</c> requests together, on this many threads, with the same answers for any number:
        /// 0 or 1 for the caller's alone. <c>batch</c> gets answers and paths; with <c>answersOnly</c> no paths.</summary>
        /// <remarks>Where the batch has too little room for the poses it grows and plans again: <c>Batch.Reserve</c> spares that. Then
        /// nothing is allocated.</remarks>
        public void PlanAll(Request[] requests, int count, Batch batch, Scratch scratch = null, uint threads = 0, bool answersOnly = false)
        {
            Check(TryPlanAll(requests, count, batch, scratch, threads, answersOnly));
        }

        /// <summary>As <c>PlanAll</c>; gives the status.</summary>
        public Status TryPlanAll(Request[] requests, int count, Batch batch, Scratch scratch, uint threads, bool answersOnly)
        {
            Arguments.Part(requests, count, "count");
            if (batch == null) throw new ArgumentNullException("batch");
            var arena = Arena.Begin();
            var asked = (Native.wb_request*)arena.Take(count, sizeof(Native.wb_request));
            ulong[] obstacles = null;
            ulong* obstaclesAt = null;
            for (var i = 0; i < count; i++)
            {
                // Requests that share their obstacles share the copy.
                if (!ReferenceEquals(requests[i].Obstacles, obstacles))
                {
                    obstacles = requests[i].Obstacles;
                    obstaclesAt = null;
                    if (obstacles != null)
                    {
                        obstaclesAt = (ulong*)arena.Take(obstacles.Length, 8);
                        for (var word = 0; word < obstacles.Length; word++) obstaclesAt[word] = obstacles[word];
                    }
                }
                requests[i].PutTo(asked + i, arena, obstaclesAt);
            }
            if (batch.Answers.Length < count) batch.Answers = new Answer[count];
            if (batch.Offsets.Length < count + 1) batch.Offsets = new UIntPtr[count + 1];
            batch.Count = count;
            for (var i = 0; i < count; i++) batch.Answers[i].Size = (uint)sizeof(Answer);
            for (; ; )
            {
                Status status;
                fixed (Answer* answers = batch.Answers)
                fixed (PathPose* poses = batch.Poses)
                fixed (byte* moves = batch.Moves)
                fixed (UIntPtr* offsets = batch.Offsets)
                    status = answersOnly
                        ? Native.wb_plan_batch(Handle, asked, (UIntPtr)(uint)count, threads, Of(scratch), answers, null, null, UIntPtr.Zero, offsets)
                        : Native.wb_plan_batch(Handle, asked, (UIntPtr)(uint)count, threads, Of(scratch), answers, poses, moves,
                            (UIntPtr)(uint)batch.Poses.Length, offsets);
                Written(status, scratch, null);
                if (status != Status.Buffer || answersOnly) return status;
                batch.Reserve(batch.First(count));
            }
        }

        /// <summary>Says in words why an answer has no path to its goal, and where; empty if it has.</summary>
        public string Explain(GridMap map, Request request, Answer answer)
        {
            Native.wb_request asked;
            Status status;
            answer.Size = (uint)sizeof(Answer);
            var arena = Arena.Begin();
            var room = new Room(arena, 1, 512);
            fixed (ulong* obstacles = request.Obstacles)
            {
                request.PutTo(&asked, arena, obstacles);
                do status = Native.wb_plan_explain(Of(map), Handle, &asked, &answer, room.At, room.Capacity, &room.Count);
                while (room.IsTooSmallFor(status));
            }
            GC.KeepAlive(this);
            GC.KeepAlive(map);
            Check(status);
            return Arena.String(room.At, room.Count);
        }
    }
}
