// Maps, classes, tables, plans, fields and queues: each call with right and wrong arguments.
using System;
using System.Linq;
using System.Text;
using System.Threading;
using Wheelbase;

static class Calls
{
    internal static readonly string[] Lake = { ".........", ".........", "....WW...", ".........", ".........", "........." };
    internal const string Lorry = "[class.lorry]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [\n" +
        "  { name = \"forward\", by = [1, 0], time = 10 },\n  { name = \"reverse\", by = [-1, 0], time = 30 },\n" +
        "  { name = \"left\", turn = 1, time = 10 },\n  { name = \"right\", turn = -1, time = 10 },\n]\n";

    public static void MapsAreMadeReadAndEdited()
    {
        var map = GridMap.FromRows(Lake);
        var info = map.Info;
        Check.That(info.Width == 9 && info.Height == 6 && info.Shape == Shape.Square && info.Revision == 0, "info");
        Check.That(info.TerrainKinds == 5 && info.SideKinds == 2 && info.HasElevation == 0, "kinds");
        var water = map.TerrainKindOf("water");
        Check.Equal((uint)map.Terrain[2 * 9 + 4], water, "water");
        Check.Equal(map.TerrainName(water), "water", "name");
        Check.Fails(Status.NotFound, "ground, swamp, water", () => map.TerrainKindOf("lava"));
        Check.Fails(Status.NotFound, "", () => map.TerrainName(99));
        var copy = map.Clone();
        CellRect changed;
        var wrong = new[] { Change.Terrain(new CellRect(-1, -1, 3, 3), 3), Change.Terrain(new CellRect(5, 5, 1, 1), 9) };
        Check.Equal(copy.TryEdit(wrong, 2, out changed), Status.Argument, "edit");
        Check.That(Library.LastError().Contains("changes[1]"), Library.LastError());
        var before = copy.Terrain;
        Check.Equal(copy.TryEdit(wrong, 1, out changed), Status.Ok, "edit");
        Check.Equal(changed, new CellRect(0, 0, 2, 2), "changed");
        Check.Throws<InvalidOperationException>(() => before[0].ToString());
        Check.That(copy.Terrain[0] == 3 && map.Terrain[0] == 0, "the copy alone is edited");
        Check.Equal(copy.Edit(Change.Elevation(new CellRect(2, 2, 1, 1), -5)), new CellRect(2, 2, 1, 1), "elevation");
        Check.Equal(copy.Info.HasElevation, 1u, "elevation");
        copy.Edit(new[] { Change.Sides(new Cell(4, 4), new[] { Constants.SideWall }), Change.Rotate(new Cell(4, 4), 1) });
        Check.Equal(copy.Info.Revision, 3ul, "revision");
        Check.Throws<ArgumentOutOfRangeException>(() => copy.TryEdit(wrong, 3, out changed));
        copy.Dispose();

        var failure = Check.Fails(Status.Text, "rows:2:2: ", () => GridMap.FromRows("..\n.?"));
        Check.That(failure.File == "rows" && failure.Line == 2 && failure.Column == 2, "place");
        Check.Fails(Status.Argument, "", () => GridMap.Filled(0, 5));
        var hex = GridMap.Filled(4, 5, 0, Shape.Hex);
        Check.Equal(hex.Info.Shape, Shape.Hex, "shape");
        hex.Dispose();
        using (var three = GridMap.Parse("three.map", Encoding.UTF8.GetBytes("type octile\nheight 1\nwidth 3\nmap\n.T.\n")))
            Check.Equal(three.Terrain.ToArray().Length, 3, "cells");
        GridMap none;
        Check.Equal(GridMap.TryParse("maps/x.toml", Encoding.UTF8.GetBytes("name = \"x\"\nticks = 1\n[map]\nrows = [\"..\", \".?\"]\n"), out none),
            Status.Text, "parse");
        Check.That(none == null && Library.LastError().StartsWith("maps/x.toml:4:", StringComparison.Ordinal), Library.LastError());
        Check.Equal(GridMap.TryOpen("no/such.map", out none), Status.Text, "open");
        Check.Fails(Status.Text, "no/such.map", () => GridMap.Open("no/such.map"));
        using (var river = GridMap.Open(System.IO.Path.Combine(Check.Root, "scenarios/first/11_river.toml")))
            Check.That(river.Info.Width > 10 && river.TerrainKindOf("shallow") < river.Info.TerrainKinds, "river");
        var kinds = new[] { new TerrainKind { Name = "Schlamm, tief: ä€😀", Speed = 300, Characters = "m" }, new TerrainKind { Name = "lava" } };
        using (var own = GridMap.FromCells(2, 2, new byte[] { 0, 1, 0, 1 }, kinds))
        {
            Check.Equal(own.TerrainKindOf("lava"), 1u, "own kind");
            Check.Equal(own.TerrainName(0), kinds[0].Name, "UTF-8 both ways");
        }
        Check.Fails(Status.Argument, "expected 4", () => GridMap.FromCells(2, 2, new byte[3], kinds));
        Check.Fails(Status.Argument, "", () => GridMap.FromCells(2, 2, null));
        map.Dispose();
    }

    public static void ClassesAreMadeAndDescribed()
    {
        using (var lorry = MovementClass.Parse("lorry.toml", Lorry))
        using (var copy = lorry.Clone())
        {
            Check.Equal(copy.Name, "lorry", "name");
            Check.Equal(copy.PrimitiveName(1), "reverse", "primitive");
            Check.Fails(Status.NotFound, "", () => copy.PrimitiveName(9));
            Check.That(copy.Info.Headings == 4 && copy.Info.FootprintCells == 2 && copy.Info.Primitives == 4 && copy.Info.Width == 2, "info");
            var cells = copy.Cells(new Pose(5, 5, 1));
            Check.That(cells.Length == 2 && cells[1].X == 5 && cells[1].Y == 6, "cells");
            Check.Fails(Status.Argument, "expected less than 4", () => copy.Cells(new Pose(5, 5, 4)));
        }
        var spec = new ClassSpec
        {
            Name = "boat",
            Footprint = new[] { new Cell(0, 0), new Cell(-1, 0) },
            Primitives = new[] { new Primitive("forward", 1, 0, 0, 10) { Swept = new[] { new Cell(0, 1) } }, new Primitive("left", 0, 0, 1, 10) },
            Speeds = new[] { new ClassSpeed("water", 250), new ClassSpeed("ground", 0) },
            SideSpeeds = new[] { new ClassSpeed("wall", 0) },
        };
        using (var boat = MovementClass.Create(spec)) Check.That(boat.Info.Shape == Shape.Square && boat.Info.Height == 1, "boat");
        spec.Headings = 3;
        Check.Fails(Status.Argument, "expected 1, 4 or 8", () => MovementClass.Create(spec));
        MovementClass none;
        Check.Equal(MovementClass.TryParse("c.toml", "[class.a]\nheadings = 5", out none), Status.Text, "parse");
        Check.That(Library.LastError().Contains("c.toml:2:12:"), Library.LastError());
        var hexagonal = new ClassSpec
        {
            Name = "hex", Shape = Shape.Hex, Headings = 1, SweepMoves = SweepRule.Ends, Diagonal = null,
            Primitives = new[] { new Primitive("east", 1, 0, 0, 3) { When = When.Any } },
        };
        using (var hex = MovementClass.Create(hexagonal)) Check.Equal(hex.Info.Headings, 1u, "headings");
    }

    public static void TablesAnswerAndFollowEdits()
    {
        using (var map = GridMap.FromRows(Lake))
        using (var lorry = MovementClass.Parse("lorry.toml", Lorry))
        using (var tables = MovementTables.Compile(map, lorry))
        using (var scratch = new Scratch())
        using (var path = new PlannedPath())
        {
            ulong kept, peak;
            MovementTables.Need(map, lorry, out kept, out peak);
            Check.That(kept > 0 && peak >= kept && tables.MemoryBytes > 0, "memory");
            Check.That(tables.IsLegal(new Pose(1, 1, 0)) && !tables.IsLegal(new Pose(4, 2, 0)), "legal");
            Check.Equal(tables.Connected(new Cell(1, 1), new Cell(7, 4)), Connected.Unknown, "connected");
            tables.MakeComponents();
            Check.Equal(tables.Connected(new Cell(1, 1), new Cell(7, 4)), Connected.Yes, "connected");
            Pose after;
            Check.Equal(tables.Move(new Pose(1, 1, 0), 0, out after), 10u, "ticks");
            Check.Equal(after, new Pose(2, 1, 0), "after");
            Check.Equal(tables.Move(new Pose(3, 2, 0), 0, out after), 0u, "into the lake");
            Check.That(map.ExplainMove(lorry, new Pose(3, 2, 0), 0).Contains("water"), "why");
            Check.Equal(map.ExplainMove(lorry, new Pose(1, 1, 0), 0), "", "why");
            Check.That(map.ExplainPose(lorry, new Pose(4, 2, 0)) != "" && map.ExplainPose(lorry, new Pose(1, 1, 0)) == "", "why");
            var request = new Request(new Pose(1, 1, 0), Pose.At(7, 1));
            var answer = tables.Plan(request, scratch, path);
            Check.That(answer.Result == PlanResult.Found && answer.Cost == 60 && answer.Moves == 6 && answer.Reached == Reached.Goal, "answer");
            Check.That(path.Poses.Count == 7 && path.Moves.Count == 6 && path.Poses[6].Pose.X == 7, "path");
            var old = path.Poses;
            Check.Equal(tables.Plan(request, scratch).Cost, 60u, "without a path");
            Check.Equal(old[6].Arrival, 60u, "rows stay");
            request.Obstacles = new ulong[6];
            request.Obstacles[1] = 0xff;
            Check.Equal(tables.Plan(request, scratch, path).Result, PlanResult.Unreachable, "obstacles");
            Check.Throws<InvalidOperationException>(() => old[0].ToString());
            request.Obstacles = null;
            request.Goals = new[] { Pose.At(7, 4), Pose.At(3, 1) };
            Check.Equal(tables.Plan(request, scratch, path).Cost, 20u, "the nearer of two goals");
            request.Goals = null;
            request.Window = new CellRect(0, 0, 4, 2);
            Check.That(tables.Plan(request, scratch, path).Result != PlanResult.Found, "window");
            request.Window = default(CellRect);
            request.ExpansionsMax = 1;
            request.Partial = true;
            Check.Equal(tables.Plan(request, scratch, path).Result, PlanResult.LimitReached, "limit");
            request = new Request(new Pose(1, 1, 0), Pose.At(4, 2)) { Fallback = Fallback.Nearest, Heuristic = Heuristic.Manhattan };
            answer = tables.Plan(request, scratch, path);
            Check.Equal(answer.Reached, Reached.Nearest, "nearest");
            request = new Request(new Pose(1, 1, 0), Pose.At(7, 1));
            bool done;
            Check.Equal(tables.TryBegin(request, scratch, out done), Status.Ok, "begin");
            Check.Equal(tables.TryAdvance(scratch, 2, out done), Status.Ok, "advance");
            Check.Equal(tables.TryFinish(scratch, path, out answer), Status.Ok, "finish");
            Check.Equal(answer.Result, PlanResult.LimitReached, "before its end");
            var copy = tables.Clone();
            var changed = map.Edit(Change.Terrain(new CellRect(4, 0, 2, 2), 3));
            Check.Equal(tables.Update(map, changed), UpdateEffect.Changed, "effect");
            Check.Equal(tables.TryAdvance(scratch, 2, out done), Status.Argument, "begin again");
            UpdateEffect effect;
            Check.Equal(tables.TryUpdate(null, changed, out effect), Status.NoHandle, "no map");
            Check.That(tables.Plan(request, scratch, path).Cost == 170 && copy.Plan(request, scratch, path).Cost == 60, "copy");
            copy.Dispose();
            request.Goals = new Pose[0];
            Check.Fails(Status.Argument, "goal", () => tables.Plan(request, scratch, path));
        }
    }

    public static void FieldsLeadToTheirGoals()
    {
        using (var map = GridMap.Filled(30, 30))
        using (var cart = MovementClass.Create(Check.Cart()))
        using (var tables = MovementTables.Compile(map, cart))
        using (var field = CostField.ToGoal(tables, new[] { Pose.At(20, 20) }, 1))
        using (var path = new PlannedPath())
        {
            var pose = new Pose(2, 3, 1);
            uint cost = field.Cost(pose), spent = 0;
            for (; ; )
            {
                Pose after, moved;
                var primitive = field.Next(pose, out after);
                if (primitive == Constants.None) break;
                spent += tables.Move(pose, primitive, out moved);
                Check.Equal(after, moved, "next");
                pose = moved;
            }
            Check.Equal(spent, cost, "cost");
            Check.That(field.Path(new Pose(2, 3, 1), path) && path.Poses[path.Poses.Count - 1].Arrival == cost, "path");
            using (var reach = CostField.FromPose(tables, new Pose(5, 5, 0)))
            {
                Check.Equal(string.Join(",", reach.Within(2).Select(row => row.Arrival).OrderBy(ticks => ticks)), "0,2,2,2", "within");
                Check.That(!reach.Settle(1) && reach.Settle(), "settle");
            }
            var changed = map.Edit(Change.Terrain(new CellRect(0, 10, 30, 1), 3));
            tables.Update(map, changed);
            uint ticks_;
            Check.Equal(field.TryCost(pose, out ticks_), Status.Argument, "changed since");
            field.Repair(changed);
            Check.Equal(field.Cost(new Pose(2, 3, 1)), Constants.Never, "cut off");
            Check.Fails(Status.Argument, "", () => CostField.ToGoal(tables, null));
            Check.Fails(Status.NoHandle, "", () => CostField.ToGoal(null, new[] { Pose.At(1, 1) }));
            Check.Fails(Status.NoHandle, "", () => field.Path(pose, null));
        }
    }

    public static void QueuesSpendTheirBudgetOnAnyThreads()
    {
        using (var map = GridMap.Filled(60, 60))
        using (var cart = MovementClass.Create(Check.Cart()))
        using (var tables = MovementTables.Compile(map, cart))
        using (var scratch = new Scratch())
        {
            var of = new[] { tables };
            var alone = new uint[40];
            var results = new ulong[2][];
            for (var run = 0; run < 2; run++)
            {
                var seen = results[run] = new ulong[40];
                using (var queue = new PathQueue(60, 60, 1, 4))
                {
                    var first = ulong.MaxValue;
                    for (var i = 0; i < 40; i++)
                    {
                        var request = new Request(new Pose(0, i, 0), Pose.At(59, 59 - i));
                        alone[i] = tables.Plan(request, scratch).Cost;
                        var ticket = queue.Submit(0, request, i % 3);
                        if (i == 0) first = ticket;
                        Check.Equal(ticket, first + (ulong)i, "ticket");
                    }
                    var dropped = queue.Submit(0, new Request(new Pose(0, 0, 0), Pose.At(5, 5)));
                    Check.That(queue.Cancel(dropped) && !queue.Cancel(dropped), "cancel");
                    Check.Equal(queue.Open, 40, "open");
                    PoseRows poses = default(PoseRows);
                    for (var frame = 0; queue.Open > 0; frame++)
                    {
                        Check.That(frame < 2000, "no end");
                        int answers;
                        if (run == 0) answers = queue.Advance(of, 2000);
                        else
                        {
                            answers = 0;
                            for (var jobs = queue.Begin(of, 2000); jobs > 0; jobs = queue.End(out answers))
                            {
                                var threads = new Thread[jobs];
                                for (var job = 0; job < jobs; job++)
                                {
                                    var mine = job;
                                    threads[job] = new Thread(() => queue.Run(mine));
                                    threads[job].Start();
                                }
                                foreach (var thread in threads) thread.Join();
                            }
                        }
                        for (var n = 0; n < answers; n++)
                        {
                            ulong ticket;
                            ByteRows moves;
                            var answer = queue.AnswerOf(n, out ticket, out poses, out moves);
                            Check.Equal(poses[poses.Count - 1].Arrival, answer.Cost, "arrival");
                            Check.Equal(moves.Count, poses.Count - 1, "moves");
                            seen[(int)(ticket - first)] = (ulong)frame << 32 | answer.Cost;
                        }
                    }
                    int last;
                    Check.Equal(queue.TryAdvance(of, 1, out last), Status.Ok, "an empty frame");
                    Check.Throws<InvalidOperationException>(() => poses[0].ToString());
                    Check.Equal(queue.TryRun(0), Status.Argument, "no job");
                    Check.Equal(queue.TryEnd(out last, out last), Status.Argument, "no frame");
                    Check.Equal(queue.TryBegin(null, 1, out last), Status.Argument, "no tables");
                }
            }
            for (var i = 0; i < 40; i++)
            {
                Check.Equal(results[1][i], results[0][i], "threads change frame or cost");
                Check.Equal((uint)results[0][i], alone[i], "cost");
            }
        }
    }

    public static void NamesAreThoseOfTheLibrary()
    {
        Check.That(Library.NameOf(Status.Busy) != null && Library.NameOf((Status)99) == null, "status");
        Check.Equal(Library.NameOf(PlanResult.StartBlocked), "start_blocked", "result");
        Check.Equal(Library.NameOf(Activity.Following), "following", "activity");
        Check.Equal(Library.NameOf(EventKind.OrderDone), "order_done", "event");
        Check.Equal(Library.NameOf(OrderKind.GotoGroup), "goto_group", "order");
        Check.Equal(Library.NameOf(Refusal.PoseHeld), "pose_held", "refusal");
        Check.Equal(Library.NameOf(OrderFailure.GoalBlocked), "goal_blocked", "failure");
        Check.Equal(Library.NameOf(WaitRule.CorridorTurn), "corridor_turn", "rule");
        // Every number of an enumeration has a name, and they are the same but for their spelling.
        foreach (EventKind kind in Enum.GetValues(typeof(EventKind)))
            Check.Equal(Library.NameOf(kind).Replace("_", ""), kind.ToString().ToLowerInvariant(), "event");
        foreach (WaitRule rule in Enum.GetValues(typeof(WaitRule)))
            Check.Equal(Library.NameOf(rule).Replace("_", ""), rule.ToString().ToLowerInvariant(), "rule");
        Check.Equal(Library.NameOf((EventKind)Enum.GetValues(typeof(EventKind)).Length), null, "more kinds of events");
    }

    // A class of a structure is that of a text with the same values, move for move.
    public static void ASpecificationIsTakenWhole()
    {
        const string toml = "[class.climber]\nheadings = 4\nfootprint = [[0, 0], [1, 0], [0, 1], [1, 1]]\npivot = [0.5, 0.5]\n" +
            "sweep = { moves = \"full\", turns = \"full\" }\nup = 200\ndown = -50\nmax_up = 2\nmax_down = 3\nmax_tilt = 4\n" +
            "speed = { swamp = 250 }\nmoves = [\n  { name = \"forward\", by = [1, 0], time = 10 },\n  { name = \"left\", turn = 1, time = 15 },\n]\n";
        var spec = new ClassSpec
        {
            Name = "climber", Headings = 4, Footprint = new[] { new Cell(0, 0), new Cell(1, 0), new Cell(0, 1), new Cell(1, 1) },
            PivotForward = 1, PivotRight = 1, SweepMoves = SweepRule.Full, SweepTurns = SweepRule.Full,
            ClimbUp = 200, ClimbDown = -50, MaxUp = 2, MaxDown = 3, MaxTilt = 4, Speeds = new[] { new ClassSpeed { Name = "swamp", Speed = 250 } },
            Primitives = new[] { new Primitive("forward", 9, 9, 9, 9), new Primitive("left", 0, 0, 1, 15) },
        };
        spec.Primitives[0].Forward = 1;
        spec.Primitives[0].Right = 0;
        spec.Primitives[0].Turn = 0;
        spec.Primitives[0].Time = 10;
        var heights = new Change[36];
        for (var i = 0; i < heights.Length; i++) heights[i] = Change.Elevation(new CellRect(i % 6 * 2, i / 6 * 2, 2, 2), i * 7 % 5);
        using (var map = GridMap.Filled(12, 12))
        using (var typed = MovementClass.Parse("climber.toml", toml))
        using (var built = MovementClass.Create(spec))
        {
            map.Edit(heights);
            map.Edit(Change.Terrain(new CellRect(6, 0, 3, 12), 1));
            using (var one = MovementTables.Compile(map, typed))
            using (var other = MovementTables.Compile(map, built))
            {
                int legal = 0, times = 0;
                for (var i = 0; i < 12 * 12 * 4; i++)
                {
                    var pose = new Pose(i % 12, i / 12 % 12, (uint)(i / 144));
                    Check.Equal(other.IsLegal(pose), one.IsLegal(pose), pose.ToString());
                    for (var primitive = 0u; primitive < 2; primitive++)
                    {
                        Pose after, then;
                        var ticks = one.Move(pose, primitive, out after);
                        Check.Equal(other.Move(pose, primitive, out then), ticks, pose.ToString());
                        Check.Equal(then, after, pose.ToString());
                        if (ticks > 0) legal++;
                        if (ticks != 0 && ticks != 10 && ticks != 15) times++;
                    }
                }
                Check.That(legal > 50 && times > 10, legal + " moves, " + times + " of other times");
            }
        }
    }

    // What C's init functions set is what these structures have without a word.
    public static unsafe void UsualValuesAreThoseOfTheLibrary()
    {
        Native.wb_request request;
        Check.Equal(Native.wb_request_init(&request), Status.Ok, "request");
        Check.That(request.within == 0 && request.heuristic == (uint)default(Request).Heuristic && request.weight_permille == 1000, "request");
        Check.That(request.fallback == (uint)default(Request).Fallback && request.partial == 0 && request.expansions_max == 0, "request");
        Check.That(request.window.Width == 0 && request.n_obstacles == UIntPtr.Zero && request.size == sizeof(Native.wb_request), "request");
        Native.wb_order order;
        Check.Equal(Native.wb_order_init(&order, (uint)OrderKind.Wait), Status.Ok, "order");
        Check.That(order.kind == (uint)OrderKind.Wait && order.headings <= 1 && order.within == 0 && order.stream == 0, "order");
        Check.That(order.fallback == (uint)default(Order).Fallback && order.if_unreachable == (uint)default(Order).IfUnreachable, "order");
        var settings = new WorldSettings();
        Check.That(settings.SearchSlots == 16 && settings.ExpansionsPerTick == 200000 && settings.PosesPerAgent == 16 && settings.TriesPerTick == 20000, "settings");
        Check.That(settings.Threads == 0 && settings.Ticks == 0 && settings.Landmarks == Constants.None && settings.Collision == Collision.Swept, "settings");
    }

    public static void ValuesAreComparedWithoutAnAllocation()
    {
        Check.That(new Pose(1, 2, 3) == new Pose(1, 2, 3) && new Pose(1, 2, 3) != new Pose(1, 2, 0), "poses");
        Check.That(new Cell(1, 2) == new Cell(1, 2) && new Cell(1, 2) != new Cell(2, 1), "cells");
        Check.That(new CellRect(1, 2, 3, 4) == new CellRect(1, 2, 3, 4) && new CellRect(1, 2, 3, 4) != new CellRect(1, 2, 4, 3), "rectangles");
        Check.That(new Pose(1, 2, 3).Equals((object)new Pose(1, 2, 3)) && !new Cell(1, 2).Equals(null), "objects");
        Check.Equal(new Pose(1, 2, 3).GetHashCode(), new Pose(1, 2, 3).GetHashCode(), "hash");
    }
}
