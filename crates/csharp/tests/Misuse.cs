// What must never crash: use after dispose, null, wrong kinds, finalizers, threads, cultures.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using Wheelbase;

static class Misuse
{
    public static void UseAfterDisposeIsAStatus()
    {
        var map = GridMap.FromRows(Calls.Lake);
        var cart = MovementClass.Create(Check.Cart());
        var tables = MovementTables.Compile(map, cart);
        var scratch = new Scratch();
        var path = new PlannedPath();
        var world = Check.Crowd(5, 10);
        world.Step();
        tables.Plan(new Request(new Pose(0, 0, 0), Pose.At(3, 0)), scratch, path);
        var poses = path.Poses;
        var agents = world.Agents;
        Check.Equal(poses.Count, 4, "poses");
        foreach (var one in new WheelbaseHandle[] { map, cart, tables, scratch, path, world })
        {
            one.Dispose();
            one.Dispose();
            Check.That(one.IsClosed, "closed");
        }
        Check.Throws<InvalidOperationException>(() => poses[0].ToString());
        Check.Throws<InvalidOperationException>(() => agents[0].ToString());
        Check.Fails(Status.Destroyed, "map", () => { var info = map.Info; });
        Check.Fails(Status.Destroyed, "", () => map.Edit(Change.Terrain(new CellRect(0, 0, 1, 1), 1)));
        Check.Fails(Status.Destroyed, "", () => { var name = cart.Name; });
        Check.Fails(Status.Destroyed, "", () => tables.Plan(new Request(new Pose(0, 0, 0), Pose.At(1, 1)), scratch));
        Check.Fails(Status.Destroyed, "", () => { var rows = path.Poses; });
        Check.Fails(Status.Destroyed, "", () => world.Step());
        bool isRunning;
        Check.Equal(world.TryStep(out isRunning), Status.Destroyed, "step");
        Check.That(!isRunning, "not running");
        AgentRows none;
        Check.Equal(world.TryAgents(out none), Status.Destroyed, "agents");
        Check.Equal(none.Count, 0, "agents");
        EventRows events;
        Check.Equal(world.TryEvents(out events), Status.Destroyed, "events");
        ulong ticket;
        Check.Equal(world.TryOrder(0, Order.Stop(), false, 0, out ticket), Status.Destroyed, "order");
        Check.Equal(ticket, Constants.NoTicket, "ticket");
        Check.Fails(Status.Destroyed, "", () => world.Save());
        Check.Fails(Status.Destroyed, "", () => world.Record());
    }

    public static unsafe void NullAndWrongKindsAreStatuses()
    {
        using (var map = GridMap.FromRows(Calls.Lake))
        using (var scratch = new Scratch())
        using (var cart = MovementClass.Create(Check.Cart()))
        {
            Check.Fails(Status.NoHandle, "", () => MovementTables.Compile(map, null));
            Check.Fails(Status.NoHandle, "", () => MovementTables.Compile(null, cart));
            Check.Fails(Status.NoHandle, "", () => new Setup(null));
            Check.Fails(Status.NoHandle, "", () => World.Create(null));
            using (var tables = MovementTables.Compile(map, cart))
            {
                Answer answer;
                Check.Equal(tables.TryPlan(default(Request), null, null, out answer), Status.NoHandle, "no scratch");
                Check.Throws<ArgumentOutOfRangeException>(() => tables.PlanAll(null, 1, new Batch()));
                Check.Throws<ArgumentNullException>(() => tables.PlanAll(new Request[1], 1, null));
                tables.PlanAll(null, 0, new Batch());
                PathPose end;
                Check.Throws<ArgumentOutOfRangeException>(() => tables.CheckMoves(new Pose(0, 0, 0), new byte[2], 3, out end));
            }
            ulong made;
            Check.Equal(Native.wb_tables_new(cart.Handle, map.Handle, &made), Status.WrongKind, "wrong kind");
            Check.That(Library.LastError().Contains("a handle of kind class, expected map"), Library.LastError());
            Check.Equal(Native.wb_tables_new(0x123456789abcdef, map.Handle, &made), Status.NoHandle, "forged");
            Check.Equal(Native.wb_map_describe(map.Handle, null), Status.Pointer, "null");
            Check.Throws<ArgumentNullException>(() => MovementClass.Create(null));
            Check.Fails(Status.Argument, "", () => MovementClass.Create(new ClassSpec { Headings = 5 }));
            // Without moves it is a building.
            MovementClass.Create(new ClassSpec()).Dispose();
            Check.Fails(Status.Text, "", () => GridMap.FromRows((string)null));
            Check.Fails(Status.Text, "", () => World.Load(null));
            using (var world = Check.Crowd(3, 10))
            {
                world.Step();
                world.Remove((uint[])null);
                world.Orders(0, null);
                world.Edit(null);
                Check.Throws<ArgumentOutOfRangeException>(() => world.Decide(new uint[1], new byte[0], 1));
                Check.Throws<ArgumentOutOfRangeException>(() => new Selection(new uint[1], 2));
                Check.Throws<ArgumentOutOfRangeException>(() => new Selection(new uint[1], -1));
                Check.Fails(Status.NoHandle, "", () => world.CopyFrom(null));
                Check.Fails(Status.NoHandle, "", () => world.Plan(0, new[] { Pose.At(1, 1) }, null));
                world.Step();
            }
        }
    }

    // Objects that are forgotten are destroyed by the thread of the finalizers, while other calls run.
    public static void FinalizersDisturbNobody()
    {
        using (var world = Check.Crowd(50, 40))
        {
            for (var round = 0; round < 20; round++)
            {
                Forget();
                GC.Collect();
                world.Step();
                GC.WaitForPendingFinalizers();
                var rows = world.Agents;
                var sum = 0;
                for (var i = 0; i < rows.Count; i++) sum += rows[i].ToX;
                Check.That(rows.Count == 0 || sum > 0, "rows");
            }
            Check.Equal(world.Agents.Count, 50, "agents");
        }
        // Handles are given back: else they would grow without end.
        Check.That(forgotten.Count == 200, "forgotten");
        var alive = 0;
        foreach (var handle in forgotten) if (IsAlive(handle)) alive++;
        Check.That(alive < 100, alive + " of 200 forgotten maps are alive");
    }

    static readonly List<ulong> forgotten = new List<ulong>();

    static void Forget()
    {
        for (var i = 0; i < 10; i++) forgotten.Add(GridMap.Filled(100, 100).Handle);
    }

    static unsafe bool IsAlive(ulong handle)
    {
        byte* cells;
        UIntPtr count;
        return Native.wb_map_terrain(handle, &cells, &count) != Status.Destroyed;
    }

    public static void ThreadsShareTablesAndClashIsBusy()
    {
        using (var map = GridMap.Filled(100, 100))
        using (var cart = MovementClass.Create(Check.Cart()))
        using (var tables = MovementTables.Compile(map, cart))
        {
            var failures = 0;
            var threads = new Thread[4];
            for (var n = 0; n < threads.Length; n++)
            {
                var mine = n;
                threads[n] = new Thread(() =>
                {
                    using (var scratch = new Scratch())
                        for (var i = 0; i < 50; i++)
                        {
                            Answer answer;
                            var status = tables.TryPlan(new Request(new Pose(0, mine, 0), Pose.At(i, 99)), scratch, null, out answer);
                            if (status != Status.Ok || answer.Result != PlanResult.Found) Interlocked.Increment(ref failures);
                        }
                });
                threads[n].Start();
            }
            foreach (var thread in threads) thread.Join();
            Check.Equal(failures, 0, "failures");
        }
        // A world is stepped by two threads at once: one of them gets Busy, and may step again. Then it is disposed of in mid-step.
        var world = Check.Crowd(300, 60);
        int steps = 0, busy = 0, other = 0;
        var begin = new Barrier(3);
        ThreadStart run = () =>
        {
            begin.SignalAndWait();
            for (var i = 0; i < 200; i++)
            {
                bool isRunning;
                var status = world.TryStep(out isRunning);
                if (status == Status.Ok) Interlocked.Increment(ref steps);
                else if (status == Status.Busy) Interlocked.Increment(ref busy);
                else if (status != Status.Destroyed) Interlocked.Increment(ref other);
            }
        };
        var both = new[] { new Thread(run), new Thread(run) };
        foreach (var thread in both) thread.Start();
        begin.SignalAndWait();
        while (Volatile.Read(ref steps) < 20) Thread.Sleep(1);
        world.Dispose();
        foreach (var thread in both) thread.Join();
        Check.That(other == 0 && steps >= 20, steps + " steps, " + busy + " busy, " + other + " others");
        Check.Fails(Status.Destroyed, "", () => world.Step());
    }

    public static void NoCultureChangesNumbers()
    {
        foreach (var name in new[] { "de-DE", "tr-TR" })
        {
            Thread.CurrentThread.CurrentCulture = new CultureInfo(name);
            var failure = Check.Fails(Status.Text, "INFO.toml:2:12:", () => MovementClass.Parse("INFO.toml", "[class.a]\nheadings = 5"));
            Check.That(failure.File == "INFO.toml" && failure.Places.Count == 2, "the moves are missing, too");
            Check.That(failure.Places[1].Line == 2 && failure.Places[1].Column == 12, "place");
            Check.Equal(new Pose(-1234, 5678, 3).ToString(), "(-1234, 5678) 3", "pose");
            Check.Equal(new CellRect(-1, 2, 3000, 4).ToString(), "(-1, 2) 3000 x 4", "rectangle");
            Check.Equal(new Cell(-12345, 6).ToString(), "(-12345, 6)", "cell");
            Check.Fails(Status.Argument, "expected 4", () => GridMap.FromCells(2, 2, new byte[3000]));
            Check.That(Library.LastError().Contains("3000"), Library.LastError());
            Check.Equal(Library.NameOf(EventKind.TaskGiven), "task_given", "name");
        }
    }
}
