// Structures over borrowed memory, one for each kind of row: C# has no generic pointers before version 8, and mcs none at all.
#if NETSTANDARD2_1 || NET_STANDARD_2_1 || NETSTANDARD2_1_OR_GREATER || NETCOREAPP2_1_OR_GREATER || NET5_0_OR_GREATER
#define WHEELBASE_SPANS
#endif
using System;
using System.Collections;
using System.Collections.Generic;

namespace Wheelbase
{
    static class Rows
    {
        internal static void Throw(int index, int count)
        {
            if ((uint)index >= (uint)count) throw new ArgumentOutOfRangeException("index");
            throw new InvalidOperationException("these rows are of an earlier state of their owner: ask for rows again");
        }
    }

    /// <summary>The agents of a world, in order of id, read without a copy: the library's own memory.</summary>
    /// <remarks>It holds until the world's next <c>Step</c>, <c>Restore</c>, <c>CopyFrom</c> or <c>Dispose</c>. To read it later by index throws; pointers and spans of it are not checked, and do not
    /// keep their owner alive.</remarks>
    public unsafe partial struct AgentRows : IEnumerable<AgentRow>
    {
        readonly WheelbaseHandle owner;
        readonly int revision;
        readonly AgentRow* first;

        internal AgentRows(WheelbaseHandle owner, AgentRow* first, UIntPtr count)
        {
            this.owner = owner;
            this.first = first;
            revision = owner.Revision;
            Count = (int)(uint)count;
        }

        /// <summary>How many there are.</summary>
        public readonly int Count;

        /// <summary>One of them.</summary>
        public ref readonly AgentRow this[int index]
        {
            get
            {
                if ((uint)index >= (uint)Count || owner.Revision != revision) Rows.Throw(index, Count);
                return ref first[index];
            }
        }

        /// <summary>Where they begin in memory; not checked.</summary>
        public AgentRow* Pointer { get { return first; } }

#if WHEELBASE_SPANS
        /// <summary>The same as a span; not checked.</summary>
        public ReadOnlySpan<AgentRow> Span { get { return new ReadOnlySpan<AgentRow>(first, Count); } }
#endif

        /// <summary>A copy.</summary>
        public AgentRow[] ToArray()
        {
            var rows = new AgentRow[Count];
            for (var i = 0; i < rows.Length; i++) rows[i] = this[i];
            return rows;
        }

        /// <summary>One after another.</summary>
        public Enumerator GetEnumerator() { return new Enumerator(this); }

        IEnumerator<AgentRow> IEnumerable<AgentRow>.GetEnumerator() { return GetEnumerator(); }

        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }

        /// <summary>One after another, without an allocation.</summary>
        public struct Enumerator : IEnumerator<AgentRow>
        {
            readonly AgentRows rows;
            int at;

            internal Enumerator(AgentRows rows)
            {
                this.rows = rows;
                at = -1;
            }

            /// <summary>The present one.</summary>
            public AgentRow Current { get { return rows[at]; } }

            object IEnumerator.Current { get { return Current; } }

            /// <summary>Goes on to the next.</summary>
            public bool MoveNext() { return ++at < rows.Count; }

            /// <summary>Begins again.</summary>
            public void Reset() { at = -1; }

            /// <summary>Nothing.</summary>
            public void Dispose() { }
        }
    }

    /// <summary>What happened at the last tick of a world, in order, read without a copy: the library's own memory.</summary>
    /// <remarks>It holds until the world's next <c>Step</c>, <c>Restore</c>, <c>CopyFrom</c> or <c>Dispose</c>. To read it later by index throws; pointers and spans of it are not checked, and do not
    /// keep their owner alive.</remarks>
    public unsafe struct EventRows : IEnumerable<EventRow>
    {
        readonly WheelbaseHandle owner;
        readonly int revision;
        readonly EventRow* first;

        internal EventRows(WheelbaseHandle owner, EventRow* first, UIntPtr count)
        {
            this.owner = owner;
            this.first = first;
            revision = owner.Revision;
            Count = (int)(uint)count;
        }

        /// <summary>How many there are.</summary>
        public readonly int Count;

        /// <summary>One of them.</summary>
        public ref readonly EventRow this[int index]
        {
            get
            {
                if ((uint)index >= (uint)Count || owner.Revision != revision) Rows.Throw(index, Count);
                return ref first[index];
            }
        }

        /// <summary>Where they begin in memory; not checked.</summary>
        public EventRow* Pointer { get { return first; } }

#if WHEELBASE_SPANS
        /// <summary>The same as a span; not checked.</summary>
        public ReadOnlySpan<EventRow> Span { get { return new ReadOnlySpan<EventRow>(first, Count); } }
#endif

        /// <summary>A copy.</summary>
        public EventRow[] ToArray()
        {
            var rows = new EventRow[Count];
            for (var i = 0; i < rows.Length; i++) rows[i] = this[i];
            return rows;
        }

        /// <summary>One after another.</summary>
        public Enumerator GetEnumerator() { return new Enumerator(this); }

        IEnumerator<EventRow> IEnumerable<EventRow>.GetEnumerator() { return GetEnumerator(); }

        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }

        /// <summary>One after another, without an allocation.</summary>
        public struct Enumerator : IEnumerator<EventRow>
        {
            readonly EventRows rows;
            int at;

            internal Enumerator(EventRows rows)
            {
                this.rows = rows;
                at = -1;
            }

            /// <summary>The present one.</summary>
            public EventRow Current { get { return rows[at]; } }

            object IEnumerator.Current { get { return Current; } }

            /// <summary>Goes on to the next.</summary>
            public bool MoveNext() { return ++at < rows.Count; }

            /// <summary>Begins again.</summary>
            public void Reset() { at = -1; }

            /// <summary>Nothing.</summary>
            public void Dispose() { }
        }
    }

    /// <summary>The poses of a path, read without a copy: the library's own memory.</summary>
    /// <remarks>It holds until the path is written again, or the next frame of the queue. To read it later by index throws; pointers and spans of it are not checked, and do not
    /// keep their owner alive.</remarks>
    public unsafe struct PoseRows : IEnumerable<PathPose>
    {
        readonly WheelbaseHandle owner;
        readonly int revision;
        readonly PathPose* first;

        internal PoseRows(WheelbaseHandle owner, PathPose* first, UIntPtr count)
        {
            this.owner = owner;
            this.first = first;
            revision = owner.Revision;
            Count = (int)(uint)count;
        }

        /// <summary>How many there are.</summary>
        public readonly int Count;

        /// <summary>One of them.</summary>
        public ref readonly PathPose this[int index]
        {
            get
            {
                if ((uint)index >= (uint)Count || owner.Revision != revision) Rows.Throw(index, Count);
                return ref first[index];
            }
        }

        /// <summary>Where they begin in memory; not checked.</summary>
        public PathPose* Pointer { get { return first; } }

#if WHEELBASE_SPANS
        /// <summary>The same as a span; not checked.</summary>
        public ReadOnlySpan<PathPose> Span { get { return new ReadOnlySpan<PathPose>(first, Count); } }
#endif

        /// <summary>A copy.</summary>
        public PathPose[] ToArray()
        {
            var rows = new PathPose[Count];
            for (var i = 0; i < rows.Length; i++) rows[i] = this[i];
            return rows;
        }

        /// <summary>One after another.</summary>
        public Enumerator GetEnumerator() { return new Enumerator(this); }

        IEnumerator<PathPose> IEnumerable<PathPose>.GetEnumerator() { return GetEnumerator(); }

        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }

        /// <summary>One after another, without an allocation.</summary>
        public struct Enumerator : IEnumerator<PathPose>
        {
            readonly PoseRows rows;
            int at;

            internal Enumerator(PoseRows rows)
            {
                this.rows = rows;
                at = -1;
            }

            /// <summary>The present one.</summary>
            public PathPose Current { get { return rows[at]; } }

            object IEnumerator.Current { get { return Current; } }

            /// <summary>Goes on to the next.</summary>
            public bool MoveNext() { return ++at < rows.Count; }

            /// <summary>Begins again.</summary>
            public void Reset() { at = -1; }

            /// <summary>Nothing.</summary>
            public void Dispose() { }
        }
    }

    /// <summary>Moves of a path, or terrain kinds of a map, read without a copy: the library's own memory.</summary>
    /// <remarks>It holds until the path is written or the map edited again, or the next frame of the queue or step of the world. To read it later by index throws; pointers and spans of it are not checked, and do not
    /// keep their owner alive.</remarks>
    public unsafe struct ByteRows : IEnumerable<byte>
    {
        readonly WheelbaseHandle owner;
        readonly int revision;
        readonly byte* first;

        internal ByteRows(WheelbaseHandle owner, byte* first, UIntPtr count)
        {
            this.owner = owner;
            this.first = first;
            revision = owner.Revision;
            Count = (int)(uint)count;
        }

        /// <summary>How many there are.</summary>
        public readonly int Count;

        /// <summary>One of them.</summary>
        public ref readonly byte this[int index]
        {
            get
            {
                if ((uint)index >= (uint)Count || owner.Revision != revision) Rows.Throw(index, Count);
                return ref first[index];
            }
        }

        /// <summary>Where they begin in memory; not checked.</summary>
        public byte* Pointer { get { return first; } }

#if WHEELBASE_SPANS
        /// <summary>The same as a span; not checked.</summary>
        public ReadOnlySpan<byte> Span { get { return new ReadOnlySpan<byte>(first, Count); } }
#endif

        /// <summary>A copy.</summary>
        public byte[] ToArray()
        {
            var rows = new byte[Count];
            for (var i = 0; i < rows.Length; i++) rows[i] = this[i];
            return rows;
        }

        /// <summary>One after another.</summary>
        public Enumerator GetEnumerator() { return new Enumerator(this); }

        IEnumerator<byte> IEnumerable<byte>.GetEnumerator() { return GetEnumerator(); }

        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }

        /// <summary>One after another, without an allocation.</summary>
        public struct Enumerator : IEnumerator<byte>
        {
            readonly ByteRows rows;
            int at;

            internal Enumerator(ByteRows rows)
            {
                this.rows = rows;
                at = -1;
            }

            /// <summary>The present one.</summary>
            public byte Current { get { return rows[at]; } }

            object IEnumerator.Current { get { return Current; } }

            /// <summary>Goes on to the next.</summary>
            public bool MoveNext() { return ++at < rows.Count; }

            /// <summary>Begins again.</summary>
            public void Reset() { at = -1; }

            /// <summary>Nothing.</summary>
            public void Dispose() { }
        }
    }
}
