// Setups, worlds, commands, questions, recordings.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Wheelbase;

static class Worlds
{
    public static void AWorldObeysCommandsAndTellsWhatHappened()
    {
        var map = GridMap.Filled(20, 10);
        var cart = MovementClass.Create(Check.Cart());
        var tables = MovementTables.Compile(map, cart);
        var setup = new Setup(map, new WorldSettings { Name = "yard", Seed = 3 });
        setup.AddClass(tables);
        setup.MakeFriends(1, 2);
        setup.Ease(new[] { Change.Terrain(new CellRect(1, 1, 1, 1), 0) });
        Check.Fails(Status.Argument, "nonsense", () => setup.Tune("nonsense", 1));
        var first = setup.AddAgent(new Spawn(0, new Pose(1, 1, 0)));
        var world = World.Create(setup);
        Check.Equal(world.Classes, 1u, "classes");
        Check.Equal(world.ClassName(0), "cart", "name");
        Check.Equal(world.ClassCells(0, new Pose(3, 4, 0)).Length, 1, "cells");
        using (var scratch = new Scratch())
        using (var path = new PlannedPath())
        {
            Check.Equal(world.Plan(first, new[] { Pose.At(8, 1) }, scratch, path).Cost, 14u, "preview");
            Check.Equal(path.Poses.Count, 8, "preview");
        }
        world.Order(first, Order.GoTo(new Pose(8, 1, 0), 4));
        world.Order(first, Order.Wait(3), true);
        var ticket = world.Spawn(new Spawn(0, new Pose(1, 1, 0)));
        Check.That(world.Step(), "runs");
        var refused = world.Events.Single(one => one.Kind == EventKind.Refused);
        Check.That(refused.Ticket == ticket && refused.A == (uint)Refusal.PoseHeld, "refused");
        var details = world.EventDetails(Array.IndexOf(world.Events.Select(one => one.Kind).ToArray(), EventKind.Refused));
        Check.That(details.Ticket == ticket && details.Blocker == first && details.Pose.X == 1, "details");
        Check.Equal(world.TryEventDetails(99, out details), Status.NotFound, "details");
        var rows = world.Agents;
        Check.Equal(rows.Count, 1, "agents");
        var row = rows[0];
        Check.That(row.Id == 0 && row.FromX == 1 && row.ToX == 2 && row.ToY == 1 && row.ToHeading == 0, "row");
        Check.That(row.Activity == Activity.Following && row.OrderKind == OrderKind.Goto && row.IsMoving, "row");
        Check.Equal(row.Progress(1), 0.5f, "progress");
        Check.That(world.Path(first).Length > 1, "path");
        Check.Equal(world.Path(first, new PathPose[0]), world.Path(first).Length, "path");
        world.Step();
        Check.Throws<InvalidOperationException>(() => rows[0].ToString());
        Check.Throws<ArgumentOutOfRangeException>(() => world.Agents[1].ToString());
        var done = 0;
        for (var i = 0; i < 30; i++)
        {
            world.Step();
            foreach (var one in world.Events) if (one.Kind == EventKind.OrderDone) done++;
        }
        Check.Equal(done, 2, "orders done");
        Check.Equal(world.Agent(first).ToX, 8, "arrived");
        Check.Equal(world.AgentAt(new Cell(8, 1)), first, "agent at");
        Check.Equal(world.AgentAt(new Cell(1, 1)), Constants.None, "agent at");
        Check.Equal(world.AgentsIn(new CellRect(0, 0, 20, 10)).Single(), first, "agents in");
        var few = new uint[4];
        Check.That(world.AgentsIn(new CellRect(0, 0, 20, 10), few) == 1 && world.AgentsIn(new CellRect(0, 0, 20, 10), null) == 1, "agents in");
        Refusal refusal;
        Check.That(!world.CanPlace(0, new Pose(8, 1, 0), out refusal) && refusal == Refusal.PoseHeld, "held");
        Check.That(world.CanPlace(0, new Pose(1, 1, 0), out refusal), "free");
        string words;
        Check.Equal(world.ReasonForWaiting(first).Rule, WaitRule.NothingToDo, "reason");
        Check.That(world.ReasonForWaiting(first, out words).Rule == WaitRule.NothingToDo && words != "", "reason");
        var wall = new[] { Change.Terrain(new CellRect(8, 0, 1, 10), map.TerrainKindOf("out")) };
        Check.Equal(world.WouldDisturb(wall).Single(), first, "disturbs");
        world.Orders(new[] { first }, new[] { Order.Wait(1), Order.WaitInPlace(2), Order.Repeat(2) });
        for (var i = 0; i < 7; i++) world.Step();
        Check.That(world.Counts.OrdersDone >= 6, "repeats");
        var goal = new Pose { X = 5, Y = 2, Heading = 0 };
        var shown = world.GroupPoses(new[] { first }, Order.GoToFormation(goal, 4)).Single();
        Check.That(shown.Agent == first && shown.Pose.X == 5 && shown.Pose.Y == 2, "previews a formation");
        world.Order(first, Order.WaitInPlace(5));
        var edit = world.Edit(wall);
        world.Step();
        Check.Equal(world.Counts.EditsPending, 1u, "edit waits");
        var waits = world.EventDetails(Array.IndexOf(world.Events.Select(one => one.Kind).ToArray(), EventKind.EditWaits));
        Check.That(waits.Ticket == edit && waits.AgentIds().Single() == first && waits.Area.Width == 1, "waits for");
        world.CancelEdit(edit);
        ulong twice;
        Check.Equal(world.TryCancelEdit(edit, 0, out twice), Status.Ok, "cancel");
        world.Step();
        Check.Equal(world.Counts.EditsPending, 0u, "cancelled");
        var refusedTwice = world.Events.Single(one => one.Kind == EventKind.Refused);
        Check.That(refusedTwice.Ticket == twice && refusedTwice.A == (uint)Refusal.NoSuchEdit, "cancelled twice");
        world.Edit(wall);
        world.Step();
        Check.Equal(world.Counts.EditsPending, 1u, "edit waits");
        world.Orders(new[] { first }, new[] { Order.GoTo(12, 3) });
        for (var i = 0; i < 40; i++) world.Step();
        Check.Equal(world.Counts.EditsPending, 0u, "edit done");
        Check.Equal((uint)world.Terrain[8], map.TerrainKindOf("out"), "terrain");
        Check.Equal(world.Map().Terrain[8], world.Terrain[8], "map");
        Check.That(!world.TablesOf(0).IsLegal(new Pose(8, 1, 0)) && world.Class(0).Name == "cart", "parts");
        Check.Equal(world.AddClass(world.Class(0)), 1u, "added class");
        Check.That(world.Classes == 2 && !world.LandmarksInUse(1), "classes");
        world.NameAgent(first, "Grüße");
        Check.Equal(world.AgentName(first), "Grüße", "name");
        Check.That(world.Reach(first, 2).Length >= 3, "reach");
        world.SetPriority(first, 3);
        world.SetTeam(new CellRect(0, 0, 20, 10), 2);
        world.SetSpeedFactor(first, 500);
        world.SetClass(first, 0, new Pose(12, 3, 0));
        world.Step();
        var kinds = world.Events.Select(one => one.Kind).ToArray();
        foreach (var kind in new[] { EventKind.PrioritySet, EventKind.TeamSet, EventKind.SpeedFactorSet })
            Check.That(kinds.Contains(kind), kind.ToString());
        Check.Equal(world.Agents[0].Team, (byte)2, "team");
        world.Enter(first);
        world.Step();
        Check.That(world.Agents.Count == 0 && world.OffMap().Single() == first && world.OffMap(first).Length == 0, "off the map");
        world.Leave(first, new Pose(12, 3, 0));
        world.Step();
        Check.That(world.Events.Any(one => one.Kind == EventKind.Left && one.Agent == first) && world.OffMap().Length == 0, "back");
        ulong rides;
        Check.Equal(world.TryEnter(first, Constants.None, 0, out rides), Status.Ok, "enters");
        Check.Equal(world.TryLeave(first, new Pose(12, 3, 0), true, 0, out rides), Status.Ok, "leaves");
        world.Step();
        Check.That(world.Agents.Count == 1 && world.OffMap().Length == 0, "there and back");
        world.Remove(first);
        world.Step();
        Check.That(world.Agents.Count == 0 && world.NothingLeft, "removed");
        Check.Fails(Status.NotFound, "agent", () => world.Agent(first));
        AgentRow gone;
        Check.Equal(world.TryAgent(first, out gone), Status.NotFound, "gone");
        foreach (var one in new WheelbaseHandle[] { world, setup, tables, cart, map }) one.Dispose();
    }

    public static void EveryKindOfOrderAndSelectionIsTaken()
    {
        using (var map = GridMap.Filled(30, 20))
        using (var cart = MovementClass.Create(Check.Cart()))
        using (var setup = new Setup(map))
        {
            setup.AddClass(cart);
            var agents = new uint[6];
            for (var i = 0; i < 6; i++)
                agents[i] = setup.AddAgent(new Spawn(0, new Pose(2, 2 * i, 0)) { Team = 1, Priority = i, Orders = new[] { Order.Wait(1) } });
            using (var world = World.Create(setup))
            {
                world.CheckInvariants();
                world.Order(agents, Order.GoToGroup(20, 5), true);
                world.Step();
                for (var i = 0; i < 100 && world.Counts.OrdersDone < 12; i++) world.Step();
                Check.Equal(world.Counts.OrdersDone, 12ul, "a group");
                var area = new CellRect(0, 0, 30, 20);
                world.Order(agents[0], Order.GoToArea(new CellRect(1, 1, 3, 3)));
                world.Order(agents[1], Order.Patrol(new[] { Pose.At(5, 5), Pose.At(9, 5) }, 0, 2));
                world.Order(agents[2], Order.Hold());
                world.Order(agents[3], Order.Follow(agents[1], 2));
                world.Order(agents[4], Order.Do(TaskSource.RoundRobin(1, new[] { new Cell(25, 15), new Cell(20, 15) })));
                world.Tasks(agents[5], TaskSource.List(1, new[] { Pose.At(25, 2), Pose.At(22, 2) }, new[] { new TaskList { First = 0, Count = 2 } }));
                for (var i = 0; i < 300; i++) world.Step();
                var rows = world.Agents;
                Check.Equal(rows[1].OrderKind, OrderKind.Patrol, "patrol");
                Check.That((rows[2].Flags & AgentFlags.OnHold) != 0, "hold");
                Check.Equal(rows[3].OrderKind, OrderKind.Follow, "follow");
                Check.That(world.Counts.TasksDone > 4, "tasks");
                Check.Equal(world.Counts.OrdersUnreachableBy(OrderFailure.Unreachable), 0ul, "unreachable");
                world.Order(area, Order.Stop());
                world.Tasks(area, TaskSource.Random(area), 7, 310);
                world.SetPriority(area, 1);
                world.SetSpeedFactor(area, 2000);
                world.Orders(area, new[] { Order.Wait(2), Order.Wait(3) }, true);
                world.SetTeam(agents, 1);
                for (var i = 0; i < 100; i++) world.Step();
                Check.Equal(world.Counts.CommandsRefused, 0ul, "refused");
                world.Remove(new Selection(agents, 2));
                world.Remove(area);
                world.Step();
                Check.Equal(world.Agents.Count, 0, "all removed");
                Check.Equal(world.Counts.Collisions, 0ul, "collisions");
                world.SpawnGroup(new SpawnGroup { Class = 0, Count = 5, Area = area, Anywhere = true });
                world.Step();
                rows = world.Agents;
                Check.Equal(rows.Count, 5, "a group placed");
                for (var i = 0; i < 5; i++) Check.Equal(rows.IndexOf(rows[i].Id), i, "index");
                Check.That(rows.IndexOf(0) == -1 && rows.IndexOf(99) == -1, "no index");
                Check.Throws<OverflowException>(() => world.Remove(-1));
                Check.That(world.Memory.Agents == 5 && world.Memory.AgentBytes > 0, "memory");
                ulong ticket;
                Check.Equal(world.TryOrder(agents, default(Order), false, 0, out ticket), Status.Ok, "a zeroed order");
                Check.Equal(world.TryTasks(agents, null, 0, 0, out ticket), Status.Pointer, "no source");
                Check.That(Library.LastError().Contains("source"), Library.LastError());
            }
        }
    }

    public static void AWorldIsSavedLoadedClonedAndRolledBack()
    {
        using (var world = Check.Crowd(50, 40))
        {
            for (var i = 0; i < 20; i++) world.Step();
            var bytes = world.Save();
            var hash = world.Hash;
            using (var copy = world.Clone())
            using (var loaded = World.Load(bytes, 2))
            {
                Check.That(copy.Hash == hash && loaded.Hash == hash, "the same hash");
                for (var i = 0; i < 30; i++)
                {
                    world.Step();
                    copy.Step();
                    loaded.Step();
                }
                Check.That(copy.Hash == world.Hash && loaded.Hash == world.Hash && world.Hash != hash, "the same steps");
                world.Restore(bytes);
                Check.Equal(world.Hash, hash, "restored");
                world.CopyFrom(loaded);
                Check.Equal(world.Hash, copy.Hash, "copied");
                world.SetThreads(2);
                world.Step();
                copy.Step();
                Check.Equal(world.Hash, copy.Hash, "threads");
            }
            byte[] room = new byte[3];
            int count;
            Check.Equal(world.TrySave(ref room, out count), Status.Ok, "save");
            Check.Equal(count, room.Length, "bytes");
            var before = world.Hash;
            room[count / 2] ^= 1;
            Check.Equal(world.TryRestore(room, count), Status.Text, "damaged");
            Check.Equal(world.Hash, before, "as it was");
            World none;
            Check.Equal(World.TryLoad(room, count - 1, 0, out none), Status.Text, "cut off");
            Check.Equal(World.TryLoad(null, 0, 0, out none), Status.Text, "nothing");
            Check.That(none == null, "no world");
        }
    }

    public static void AHostFindsPathsAndAHostDecides()
    {
        using (var map = GridMap.Filled(10, 4))
        using (var cart = MovementClass.Create(Check.Cart()))
        using (var tables = MovementTables.Compile(map, cart))
        using (var scratch = new Scratch())
        using (var path = new PlannedPath())
        {
            var start = new Pose(0, 0, 0);
            using (var setup = new Setup(map, new WorldSettings { Paths = PathSource.Host }))
            {
                setup.AddClass(tables);
                var agent = setup.AddAgent(new Spawn(0, start) { Orders = new[] { Order.GoTo(5, 2) } });
                using (var world = World.Create(setup))
                {
                    world.Step();
                    PathRequest[] requests = new PathRequest[0];
                    Pose[] goals = null;
                    Check.Equal(world.PathRequests(ref requests, ref goals), 1, "requests");
                    var one = requests[0];
                    Check.That(one.Agent == agent && one.Start.Equals(start) && one.GoalCount == 1 && goals[one.FirstGoal].X == 5, "request");
                    tables.Plan(new Request(one.Start, goals[one.FirstGoal]), scratch, path);
                    var moves = path.Moves.ToArray();
                    world.AnswerPath(agent, moves, moves.Length);
                    for (var i = 0; i < 40; i++) world.Step();
                    Check.Equal(world.Agent(agent).ToX, 5, "arrived");
                    world.AnswerPath(agent, null, 0);
                    world.Step();
                    Check.Equal(world.Events[0].A, (uint)Refusal.NoRequest, "no request");
                }
            }
            using (var setup = new Setup(map, new WorldSettings { Rule = TrafficRule.Commanded, Collision = Collision.Discrete }))
            {
                setup.AddClass(tables);
                setup.AddAgent(new Spawn(0, start));
                using (var world = World.Create(setup))
                {
                    world.Decide(new uint[] { 0 }, new byte[] { 0 }, 1);
                    world.Step();
                    Check.Equal(world.Agents[0].ToX, 1, "moved");
                }
            }
        }
    }

    public static void AllMistakesOfASetupAreNamed()
    {
        using (var map = GridMap.Filled(8, 8))
        using (var cart = MovementClass.Create(Check.Cart()))
        using (var setup = new Setup(map))
        {
            setup.AddClass(cart);
            setup.AddAgent(new Spawn(0, new Pose(0, 0, 0)));
            setup.AddAgent(new Spawn(0, new Pose(0, 0, 0)));
            Check.Fails(Status.Argument, "agent", () => World.Create(setup));
        }
        var failure = Check.Fails(Status.Text, "bad.toml:2", () => World.Parse("bad.toml", Encoding.UTF8.GetBytes("name = \"x\"\nseed = -1\n")));
        Check.That(failure.File == "bad.toml" && failure.Places.Any(place => place.Line == 2), "place");
        World none;
        Check.Equal(World.TryOpen("no/such.toml", 0, out none), Status.Text, "open");
        Check.Equal(World.TryParse("bad.toml", null, null, 0, out none), Status.Text, "nothing");
    }

    public static void ARecordingIsWritten()
    {
        byte[] bytes;
        using (var world = Check.Crowd(20, 20))
        {
            using (var recording = world.Record())
            {
                for (var i = 0; i < 10; i++) world.Step();
                bytes = recording.Finish();
                Check.That(bytes.Length > 100 && bytes.SequenceEqual(recording.Finish()), "the same bytes");
                world.Step();
            }
            File.WriteAllBytes("csharp.rec", bytes);
            var second = world.Record();
            second.Dispose();
            world.Step();
            var third = world.Record();
            world.Step();
            world.Dispose();
            Check.That(third.Finish().Length > 100, "without its world");
            third.Dispose();
        }
    }

    public static void FirstScenariosRun()
    {
        var files = new[] { new NamedFile("../maps/river.map", Check.File("scenarios/maps/river.map")) };
        foreach (var name in new[] { "01_yard", "09_hexagons", "11_river", "14_reinforcements" })
        {
            var path = "scenarios/first/" + name + ".toml";
            using (var opened = World.Open(Path.Combine(Check.Root, path), 2))
            using (var parsed = World.Parse(name + ".toml", Check.File(path), files))
            {
                parsed.CheckInvariants();
                for (var i = 0; i < 300; i++)
                {
                    parsed.Step();
                    opened.Step();
                }
                Check.Equal(opened.Hash, parsed.Hash, name);
                Check.That(parsed.Counts.Collisions == 0 && parsed.Counts.Moves > 0, name);
            }
        }
    }

    static void Ok(Status status)
    {
        if (status != Status.Ok) throw new Exception(status + ": " + Library.LastError());
    }

    // A loop without exceptions does what one with them does.
    public static void MethodsThatGiveAStatusDoTheSame()
    {
        using (var one = Check.Crowd(30, 30))
        using (var other = one.Clone())
        {
            var ids = new uint[] { 1, 2, 3 };
            var goto_ = new Order { Kind = OrderKind.Goto, Goal = Pose.At(12, 12), IfUnreachable = IfUnreachable.Wait };
            var follow = new Order { Kind = OrderKind.Follow, Leader = 5, Within = 3 };
            var wait = new Order { Kind = OrderKind.Wait, Ticks = 4 };
            var list = new TaskSource { Kind = TaskKind.List, Goals = new[] { Pose.At(2, 2) }, Lists = new[] { new TaskList { Count = 1 } } };
            var tasks = new Order { Kind = OrderKind.Tasks, Tasks = TaskSource.Random(new CellRect(0, 0, 9, 9)), Stream = 3 };
            var wall = new[] { Change.Terrain(new CellRect(15, 15, 1, 1), 3) };
            var spawn = new Spawn(0, new Pose(29, 29, 0)) { SpeedFactor = 700, Number = 2 };
            var group = new SpawnGroup { Count = 2, Area = new CellRect(20, 20, 9, 9), SpeedFactor = 900, IfNoRoom = IfNoRoom.Wait };
            one.Step();
            bool isRunning;
            Ok(other.TryStep(out isRunning));
            Check.That(isRunning, "running");
            var given = new List<ulong>
            {
                one.Spawn(spawn), one.SpawnGroup(group), one.Order(4, goto_), one.Orders(ids, new[] { wait, follow }), one.Order(6, tasks, true),
                one.Tasks(7, list, 2), one.SetPriority(ids, -2), one.SetTeam(8, 1), one.SetSpeedFactor(9, 1500), one.SetClass(10, 0),
                one.Edit(wall, OnAgents.WaitRemove, 5), one.Remove(11, 4), one.Decide(ids, new byte[3], 3), one.AnswerPath(12, null, 0),
            };
            var tickets = new ulong[14];
            Ok(other.TrySpawn(spawn, 0, out tickets[0]));
            Ok(other.TrySpawnGroup(group, 0, out tickets[1]));
            Ok(other.TryOrder(4, goto_, false, 0, out tickets[2]));
            Ok(other.TryOrders(ids, new[] { wait, follow }, false, 0, out tickets[3]));
            Ok(other.TryOrder(6, tasks, true, 0, out tickets[4]));
            Ok(other.TryTasks(7, list, 2, 0, out tickets[5]));
            Ok(other.TrySetPriority(ids, -2, 0, out tickets[6]));
            Ok(other.TrySetTeam(8, 1, 0, out tickets[7]));
            Ok(other.TrySetSpeedFactor(9, 1500, 0, out tickets[8]));
            Ok(other.TrySetClass(10, 0, null, 0, out tickets[9]));
            Ok(other.TryEdit(wall, OnAgents.WaitRemove, 5, 0, out tickets[10]));
            Ok(other.TryRemove(11, 4, out tickets[11]));
            Ok(other.TryDecide(ids, new byte[3], 3, 0, out tickets[12]));
            Ok(other.TryAnswerPath(12, null, 0, 0, out tickets[13]));
            Check.That(given.SequenceEqual(tickets), "tickets");
            for (var i = 0; i < 50; i++)
            {
                one.Step();
                Ok(other.TryStep(out isRunning));
                Check.Equal(other.Hash, one.Hash, "hash");
            }
            Check.Equal(one.Counts.Placed, 33ul, "placed");
            Check.Equal(one.Counts.Removed, 1ul, "removed");
            Ok(other.TryCopyFrom(one));
            using (var map = one.Map())
            using (var tables = one.TablesOf(0))
            using (var scratch = new Scratch())
            using (var queue = new PathQueue(30, 30))
            using (var field = CostField.ToGoal(tables, new[] { Pose.At(3, 3) }))
            {
                ulong ticket;
                Ok(queue.TrySubmit(0, new Request(new Pose(0, 0, 0), Pose.At(4, 4)), 0, out ticket));
                var batch = new Batch();
                batch.Reserve(100);
                Ok(tables.TryPlanAll(new[] { new Request(new Pose(0, 0, 0), Pose.At(4, 4)) }, 1, batch, scratch, 0, false));
                Check.That(batch.Poses.Length == 100 && batch.Answers[0].Moves > 0, "batch");
                uint primitive;
                Pose after;
                Ok(field.TryNext(new Pose(0, 0, 0), out primitive, out after));
                Check.Equal(field.Next(new Pose(0, 0, 0), out after), primitive, "next");
                Check.That(!map.IsInvalid && !map.IsClosed, "an object is one");
            }
            var file = new NamedFile { Name = "none.map", Bytes = null };
            World none;
            Check.Equal(World.TryParse("x.toml", Encoding.UTF8.GetBytes("[map]\nfile = \"none.map\"\n"), new[] { file }, 0, out none), Status.Text, "empty");
        }
    }
}
