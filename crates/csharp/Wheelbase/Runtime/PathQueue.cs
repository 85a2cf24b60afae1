using System;

namespace Wheelbase
{
    /// <summary>A queue of path requests: each frame spends a budget of expansions on the first requests by priority and age.
    /// </summary>
    /// <remarks>The answers depend on requests, tables and budgets, and on no thread. One thread at a time calls it, but for
    /// <c>Run</c>: the jobs of a round may run on any threads together.</remarks>
    public sealed unsafe class PathQueue : WheelbaseHandle
    {
        static ulong Make(uint width, uint height, uint classes, uint slots)
        {
            ulong made = 0;
            Check(Native.wb_queue_new(width, height, classes, slots, &made));
            return made;
        }

        /// <summary>For maps of a size and a number of classes, at most 256, with this many searches in progress together, 1 to 1,024.
        /// </summary>
        public PathQueue(uint width, uint height, uint classes = 1, uint slots = 16) : base(Make(width, height, classes, slots)) { }

        internal override Status Destroy(ulong handle) { return Native.wb_queue_destroy(handle); }

        /// <summary>Queues a request for the class with a number. Of two requests the one of higher priority goes first; a unit weighs
        /// as much as a frame of waiting. Gives the ticket by which its answer is known.</summary>
        public ulong Submit(uint classNumber, Request request, int priority = 0)
        {
            ulong ticket;
            Check(TrySubmit(classNumber, request, priority, out ticket));
            return ticket;
        }

        /// <summary>As <c>Submit</c>; gives the status.</summary>
        public Status TrySubmit(uint classNumber, Request request, int priority, out ulong ticket)
        {
            Native.wb_request asked;
            ulong given = 0;
            Status status;
            fixed (ulong* obstacles = request.Obstacles)
            {
                request.PutTo(&asked, Arena.Begin(), obstacles);
                status = Native.wb_queue_submit(Handle, classNumber, &asked, priority, &given);
            }
            ticket = given;
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>Drops a request. False if there is none of this ticket.</summary>
        public bool Cancel(ulong ticket)
        {
            var status = Native.wb_queue_cancel(Handle, ticket);
            GC.KeepAlive(this);
            if (status == Status.NotFound) return false;
            Check(status);
            return true;
        }

        /// <summary>The number of requests without an answer.</summary>
        public int Open
        {
            get
            {
                UIntPtr count;
                var status = Native.wb_queue_open(Handle, &count);
                GC.KeepAlive(this);
                Check(status);
                return (int)(uint)count;
            }
        }

        static ulong* Put(Arena arena, MovementTables[] tables)
        {
            var n = tables == null ? 0 : tables.Length;
            var at = (ulong*)arena.Take(n, 8);
            for (var i = 0; i < n; i++) at[i] = Of(tables[i]);
            return at;
        }

        static UIntPtr Number(MovementTables[] tables) { return (UIntPtr)(uint)(tables == null ? 0 : tables.Length); }

        /// <summary>Begins a frame of a budget of expansions, with the tables of each class in order of its number. Gives the number of
        /// jobs for <c>Run</c>; 0 if there is nothing to do, and then the frame has ended.</summary>
        public Status TryBegin(MovementTables[] tables, ulong budget, out int jobs)
        {
            UIntPtr n = UIntPtr.Zero;
            var status = Native.wb_queue_begin(Handle, Put(Arena.Begin(), tables), Number(tables), budget, &n);
            jobs = (int)(uint)n;
            ChangedBy(status);
            GC.KeepAlive(tables);
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>Runs a job of the present round, each once, on any thread.</summary>
        public Status TryRun(int job)
        {
            var status = Native.wb_queue_run(Handle, (UIntPtr)(uint)job);
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>Ends a round, after all its jobs have run. Gives the jobs of the next round; 0 when the frame is over, and then the
        /// number of answers.</summary>
        public Status TryEnd(out int jobs, out int answers)
        {
            UIntPtr n = UIntPtr.Zero, given = UIntPtr.Zero;
            var status = Native.wb_queue_end(Handle, &n, &given);
            jobs = (int)(uint)n;
            answers = (int)(uint)given;
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>As <c>TryBegin</c>; gives the jobs.</summary>
        public int Begin(MovementTables[] tables, ulong budget)
        {
            int jobs;
            Check(TryBegin(tables, budget, out jobs));
            return jobs;
        }

        /// <summary>As <c>TryRun</c>.</summary>
        public void Run(int job) { Check(TryRun(job)); }

        /// <summary>As <c>TryEnd</c>; gives the jobs of the next round.</summary>
        public int End(out int answers)
        {
            int jobs;
            Check(TryEnd(out jobs, out answers));
            return jobs;
        }

        /// <summary>A whole frame on the calling thread. Gives the number of answers.</summary>
        public int Advance(MovementTables[] tables, ulong budget)
        {
            int answers;
            Check(TryAdvance(tables, budget, out answers));
            return answers;
        }

        /// <summary>As <c>Advance</c>; gives the status.</summary>
        public Status TryAdvance(MovementTables[] tables, ulong budget, out int answers)
        {
            UIntPtr n = UIntPtr.Zero;
            var status = Native.wb_queue_advance(Handle, Put(Arena.Begin(), tables), Number(tables), budget, &n);
            answers = (int)(uint)n;
            ChangedBy(status);
            GC.KeepAlive(tables);
            GC.KeepAlive(this);
            return status;
        }

        /// <summary>An answer of the last frame, by its number from 0, in order of the tickets, with its path: poses, and a move from
        /// each but the last; none without a path. Both hold until the next frame.</summary>
        public Answer AnswerOf(int number, out ulong ticket, out PoseRows poses, out ByteRows moves)
        {
            var answer = new Answer { Size = (uint)sizeof(Answer) };
            ulong of;
            PathPose* first;
            byte* firstMove;
            UIntPtr count;
            Check(Native.wb_queue_answer(Handle, (UIntPtr)(uint)number, &of, &answer, &first, &firstMove, &count));
            ticket = of;
            poses = new PoseRows(this, first, count);
            moves = new ByteRows(this, firstMove, count == UIntPtr.Zero ? count : (UIntPtr)((uint)count - 1));
            return answer;
        }
    }
}
