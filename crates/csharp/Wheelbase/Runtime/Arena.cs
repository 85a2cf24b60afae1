using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Wheelbase
{
    // Memory outside of the managed heap for what a call points to: texts, goals, orders. One for each thread, used again by
    // each call, so that no call allocates once it has grown. Its memory stays valid until the next Begin() on the thread.
    internal sealed unsafe class Arena
    {
        [ThreadStatic] static Arena ofThread;

        // Each chunk is twice as large as the one before, so that memory given out stays where it is.
        const int First = 1 << 12;
        const int Most = 1 << 30;
        readonly byte*[] chunks = new byte*[32];
        readonly int[] sizes = new int[32];
        int chunk;
        int used;

        ~Arena()
        {
            foreach (var at in chunks) Marshal.FreeHGlobal((IntPtr)at);
        }

        internal static Arena Begin()
        {
            var arena = ofThread ?? (ofThread = new Arena());
            arena.chunk = 0;
            arena.used = 0;
            return arena;
        }

        // Room for `count` values of `size` bytes, aligned to 8; never null. Its content is undefined.
        internal byte* Take(long count, int size)
        {
            var bytes = checked(count * size + 7 & ~7L);
            if (bytes > Most) throw new OutOfMemoryException("a call has more than 1 GiB of arguments");
            for (; ; chunk++, used = 0)
            {
                if (chunks[chunk] == null)
                {
                    var wanted = chunk == 0 ? First : sizes[chunk - 1] >= Most ? Most : sizes[chunk - 1] * 2;
                    while (wanted < bytes) wanted *= 2;
                    chunks[chunk] = (byte*)Marshal.AllocHGlobal(wanted);
                    sizes[chunk] = wanted;
                }
                if (bytes > sizes[chunk] - used) continue;
                var at = chunks[chunk] + used;
                used += (int)bytes;
                return at;
            }
        }

        // A structure of zeros.
        internal byte* Zeros(int size)
        {
            var at = Take(1, size);
            for (var i = 0; i < size; i++) at[i] = 0;
            return at;
        }

        // A text as UTF-8; null is the empty text.
        internal byte* Text(string text, out UIntPtr length)
        {
            length = UIntPtr.Zero;
            if (string.IsNullOrEmpty(text)) return Take(1, 8);
            var room = Encoding.UTF8.GetMaxByteCount(text.Length);
            var at = Take(room, 1);
            fixed (char* from = text) length = (UIntPtr)(uint)Encoding.UTF8.GetBytes(from, text.Length, at, room);
            return at;
        }

        internal Pose* Goals(Pose[] goals, Pose goal, out UIntPtr count)
        {
            var n = goals == null ? 1 : goals.Length;
            var at = (Pose*)Take(n, sizeof(Pose));
            if (goals == null) at[0] = goal;
            for (var i = 0; goals != null && i < n; i++) at[i] = goals[i];
            count = (UIntPtr)(uint)n;
            return at;
        }

        internal static string String(byte* at, UIntPtr length)
        {
            return (int)(uint)length == 0 ? "" : Encoding.UTF8.GetString(at, (int)(uint)length);
        }

        // A text of the library that ends with a zero byte; null if there is none.
        internal static string String(byte* at)
        {
            if (at == null) return null;
            var length = 0;
            while (at[length] != 0) length++;
            return String(at, (UIntPtr)(uint)length);
        }
    }

    // What a call fills: asked for again with more room while there is too little.
    internal unsafe struct Room
    {
        readonly Arena arena;
        readonly int size;
        internal byte* At;
        internal UIntPtr Capacity;
        internal UIntPtr Count;

        internal Room(Arena arena, int size, int capacity)
        {
            this.arena = arena;
            this.size = size;
            At = arena.Take(capacity, size);
            Capacity = (UIntPtr)(uint)capacity;
            Count = UIntPtr.Zero;
        }

        internal int N { get { return (int)(uint)Count; } }

        internal bool IsTooSmallFor(Status status)
        {
            if (status != Status.Buffer) return false;
            Capacity = Count;
            At = arena.Take((long)(ulong)Count, size);
            return true;
        }

        internal uint[] Numbers()
        {
            var numbers = new uint[N];
            for (var i = 0; i < numbers.Length; i++) numbers[i] = ((uint*)At)[i];
            return numbers;
        }

        internal Cell[] Cells()
        {
            var cells = new Cell[N];
            for (var i = 0; i < cells.Length; i++) cells[i] = ((Cell*)At)[i];
            return cells;
        }

        internal PathPose[] Poses()
        {
            var poses = new PathPose[N];
            for (var i = 0; i < poses.Length; i++) poses[i] = ((PathPose*)At)[i];
            return poses;
        }
    }
}
