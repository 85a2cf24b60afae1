// A tick allocates nothing: steps, commands, rows, events, plans and queues.
using System;
using System.Reflection;
using Wheelbase;

static class Allocations
{
    static readonly Func<long> allocated = Allocated();

    // Null where the runtime does not count.
    static Func<long> Allocated()
    {
        var method = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", BindingFlags.Static | BindingFlags.Public);
        if (method == null) return null;
        var count = (Func<long>)Delegate.CreateDelegate(typeof(Func<long>), method);
        var before = count();
        var some = new byte[1000];
        return count() - before >= some.Length ? count : null;
    }

    public static void ATickAllocatesNothing()
    {
        using (var world = Check.Crowd(100, 50))
        using (var scratch = new Scratch())
        using (var path = new PlannedPath())
        using (var queue = new PathQueue(50, 50, 1, 4))
        {
            for (var i = 0; i < 3; i++) world.Step();
            using (var tables = world.TablesOf(0))
            using (var of = world.Map())
            {
                var all = new[] { tables };
                var ids = new uint[] { 3, 4, 5 };
                var one = new[] { Order.Wait(1), Order.GoTo(7, 7) };
                var goals = new[] { Pose.At(40, 40), Pose.At(2, 2) };
                var door = new[] { Change.Terrain(new CellRect(25, 25, 1, 1), 3) };
                var requests = new Request[20];
                for (var i = 0; i < requests.Length; i++) requests[i] = new Request(new Pose(i, 0, 0), Pose.At(49 - i, 49));
                var batch = new Batch();
                var inArea = new uint[200];
                var pathOf = new PathPose[500];
                byte[] saved = new byte[1 << 20];
                long before = 0, sum = 0;
                for (var tick = 0; tick < 1200; tick++)
                {
                    if (tick == 200) before = allocated == null ? 0 : allocated();
                    bool isRunning;
                    ulong ticket;
                    AgentRows rows;
                    EventRows events;
                    if (world.TryStep(out isRunning) != Status.Ok) throw new Exception(Library.LastError());
                    world.TryAgents(out rows);
                    for (var i = 0; i < rows.Count; i++) sum += rows[i].ToX + rows[i].ToY;
                    foreach (var row in rows) sum += row.ToHeading;
                    world.TryEvents(out events);
                    for (var i = 0; i < events.Count; i++) sum += (long)events[i].Kind;
                    world.TryOrder((uint)(tick % 3), Order.GoTo(tick % 50, 20), false, 0, out ticket);
                    world.TryOrders(ids, one, tick % 2 == 0, 0, out ticket);
                    world.TryOrder(new Selection(ids, 2), new Order { Kind = OrderKind.Goto, Goals = goals }, true, world.Tick + 2, out ticket);
                    world.TrySetPriority(new CellRect(0, 0, 9, 9), tick % 5, 0, out ticket);
                    world.TryEdit(door, OnAgents.Wait, 0, 0, out ticket);
                    sum += (long)world.Hash + world.Agent(7).ToX + world.AgentAt(new Cell(3, 3)) + world.AgentsIn(new CellRect(0, 0, 50, 50), inArea);
                    sum += world.Path(7, pathOf) + (long)world.Counts.Moves + (uint)world.ReasonForWaiting(7).Rule;
                    if (tick % 50 == 0)
                    {
                        int count;
                        world.TrySave(ref saved, out count);
                    }
                    sum += tables.Plan(requests[tick % 20], scratch, path).Cost + path.Poses.Count + path.Moves.Count;
                    sum += world.Plan(7, goals, scratch, path).Cost;
                    tables.PlanAll(requests, requests.Length, batch, scratch);
                    sum += batch.Answers[3].Cost;
                    queue.Submit(0, requests[tick % 20], tick % 4);
                    var answers = queue.Advance(all, 4000);
                    for (var n = 0; n < answers; n++)
                    {
                        PoseRows poses;
                        ByteRows moves;
                        sum += queue.AnswerOf(n, out ticket, out poses, out moves).Cost + poses.Count;
                    }
                    var changed = of.Edit(Change.Terrain(new CellRect(tick % 50, 0, 1, 1), (uint)(tick / 50 % 2)));
                    sum += (uint)tables.Update(of, changed);
                    // What fails costs no more, with the methods that give a status.
                    if (world.TryOrder(0, new Order { Kind = (OrderKind)77 }, false, 0, out ticket) == Status.Ok) throw new Exception("taken");
                }
                if (allocated != null) Check.Equal(allocated() - before, 0L, "bytes allocated in 1,000 ticks");
                Check.That(sum != 0, "nothing was read");
                Console.WriteLine("        {0}", allocated == null ? "allocation not measured in 1,000 ticks" : "0 bytes allocated in 1,000 ticks");
            }
        }
    }
}
