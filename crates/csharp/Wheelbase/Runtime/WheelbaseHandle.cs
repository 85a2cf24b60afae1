using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Wheelbase
{
    /// <summary>An object of the library. It lives until <c>Dispose</c>, or until it is collected at some time.</summary>
    /// <remarks>
    /// <para>To use it later gives <c>Status.Destroyed</c>, by an exception or as the status of a <c>Try...</c> method; so do
    /// null (<c>Status.NoHandle</c>) and objects of another kind (<c>Status.WrongKind</c>). To dispose of it twice does nothing.</para>
    /// <para>Threads: calls that only read an object run together; a call that changes it runs alone, and others meanwhile get
    /// <c>Status.Busy</c>, do nothing, and may be repeated. Finalizers run on a separate thread and disturb nobody:
    /// what they destroy is used by no call.</para>
    /// <para>A panic inside the library is a fault of the library. The call gets <c>Status.Panic</c>; an object that was being
    /// changed is <c>Status.Broken</c> from then on and can only be disposed of.</para>
    /// </remarks>
    public abstract unsafe class WheelbaseHandle : SafeHandle
    {
        readonly ulong number;
        // Counts what ends borrowed rows.
        internal int Revision;

        internal WheelbaseHandle(ulong number) : base(IntPtr.Zero, true)
        {
            this.number = number;
            SetHandle((IntPtr)1);
        }

        /// <summary>The handle, for functions of <c>Native</c>; it stays the object's. Keep the object alive over the call:
        /// <c>GC.KeepAlive</c>.</summary>
        public ulong Handle { get { return number; } }

        /// <summary>Always false: a constructor gives an object or throws.</summary>
        public override bool IsInvalid { get { return number == 0; } }

        /// <summary>Destroys the object. While another thread is in a call with it, waits until that has returned.</summary>
        protected sealed override bool ReleaseHandle()
        {
            Revision++;
            Status status;
            while ((status = Destroy(number)) == Status.Busy) Thread.Sleep(0);
            return status == Status.Ok;
        }

        internal abstract Status Destroy(ulong handle);

        // After a call that changes the object that rows were borrowed from. A failed call has changed nothing.
        internal void ChangedBy(Status status)
        {
            if (status == Status.Ok || status == Status.Panic || status == Status.Broken) Revision++;
        }

        internal static ulong Of(WheelbaseHandle of)
        {
            return of == null ? 0 : of.number;
        }

        internal static void Check(Status status)
        {
            if (status != Status.Ok) throw new WheelbaseException(status, Library.LastError());
        }
    }

    /// <summary>The library itself: its version, the last message, the names of its numbers.</summary>
    public static unsafe class Library
    {
        /// <summary>The version of the interface of the library that runs: the major number in the upper 16 bits.</summary>
        public static uint AbiVersion { get { return Native.wb_abi_version(); } }

        /// <summary>Whether the library that runs has the interface that this package is made for. Ask once, at the start.</summary>
        public static bool IsCompatible
        {
            get
            {
                var version = AbiVersion;
                return version >> 16 == Constants.AbiVersion >> 16 && (version & 0xffff) >= (Constants.AbiVersion & 0xffff);
            }
        }

        /// <summary>The message of the last call that failed on this thread; for callers of <c>Try...</c> methods.</summary>
        public static string LastError()
        {
            var room = new Room(Arena.Begin(), 1, 1024);
            while (room.IsTooSmallFor(Native.wb_last_error(room.At, room.Capacity, &room.Count))) { }
            var message = Arena.String(room.At, room.Count);
            // The name of C's function says nothing to this caller.
            var end = message.StartsWith("wb_", StringComparison.Ordinal) ? message.IndexOf(": ", StringComparison.Ordinal) : -1;
            return end < 0 ? message : message.Substring(end + 2);
        }

        /// <summary>The name of a status, in English; null for a number that is none.</summary>
        public static string NameOf(Status status) { return Arena.String(Native.wb_status_name((uint)status)); }

        /// <summary>The name of a result, such as <c>start_blocked</c>, as Rust, C and files have it; null for none.</summary>
        public static string NameOf(PlanResult result) { return Arena.String(Native.wb_plan_result_name((uint)result)); }

        /// <summary>The name of an activity, such as <c>following</c>; null for none.</summary>
        public static string NameOf(Activity activity) { return Arena.String(Native.wb_activity_name((uint)activity)); }

        /// <summary>The name of a kind of event, such as <c>order_done</c>; null for none.</summary>
        public static string NameOf(EventKind kind) { return Arena.String(Native.wb_event_kind_name((uint)kind)); }

        /// <summary>The name of a kind of order, such as <c>goto_group</c>; null for none.</summary>
        public static string NameOf(OrderKind kind) { return Arena.String(Native.wb_order_kind_name((uint)kind)); }

        /// <summary>The name of a reason for a refusal, such as <c>pose_held</c>; null for none.</summary>
        public static string NameOf(Refusal refusal) { return Arena.String(Native.wb_refusal_name((uint)refusal)); }

        /// <summary>The name of a reason why an order failed, such as <c>goal_blocked</c>; null for none.</summary>
        public static string NameOf(OrderFailure failure) { return Arena.String(Native.wb_failure_name((uint)failure)); }

        /// <summary>The name of a rule that has an agent wait, such as <c>corridor_turn</c>; null for none.</summary>
        public static string NameOf(WaitRule rule) { return Arena.String(Native.wb_wait_rule_name((uint)rule)); }
    }
}
