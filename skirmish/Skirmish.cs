// The skirmish of skirmish/, played through the C# binding: 200 units of four classes, clicks at given ticks, a bridge that is
// blown up, a saved game. Prints what golden.txt holds: Skirmish.exe FOLDER. FOLDER has the map and the classes; the clicks are this
// game's own. `Skirmish.exe FOLDER golden.txt` compares instead, and says the first line that differs.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;
using Wheelbase;

// What is clicked, and what its numbers are. Units count in the order in which they were placed.
enum Verb
{
    Goto,     // First unit, count, x, y, radius.
    Nearest,  // First unit, count, x, y: or to the nearest pose that can be reached.
    Patient,  // First unit, count, x, y: or waits until there is a way.
    Face,     // First unit, count, x, y, heading.
    Group,    // First unit, count, x, y.
    Area,     // First unit, count, x, y, width, height.
    Patrol,   // First unit, count, x, y, x, y.
    Follow,   // First unit, count, leader, distance.
    Pause,    // First unit, count, ticks, x, y: waits, then goes.
    Then,     // First unit, count, x, y: after the orders that they have.
    Stop,     // First unit, count.
    Hold,     // First unit, count.
    InBox,    // X, y of the goal; x, y, width, height of a box around units.
    Speed,    // First unit, count, permille.
    Priority, // First unit, count, priority.
    Teams,    // First unit, count, team.
    Class,    // Unit, class.
    Remove,   // First unit, count.
    Shell,    // X, y, width, height: whoever is there is removed.
    Place,    // Class, team, x, y, heading.
    Drop,     // Class, count, x, y, width, height.
    Errands,  // First unit, count, x, y, width, height: errands there.
    Blow,     // X, y, width, height, what becomes of units there (0 to 4: wait ...), deadline: water.
    Build,    // X, y, width, height become ground, after so many ticks.
    FalseAlarm, // X, y, width, height: water there once nobody is on it, which is withdrawn immediately.
    Ferry,    // Unit, the unit that it enters, x, y, heading, ticks: when it returns there.
    Gate,     // X, y, kind of the western side.
    Why,      // Unit: why does it wait?
    Left,     // Unit: what is left of its path?
    Who,      // X, y: who is there?
    Many,     // X, y, width, height: how many are there?
    Room,     // Class, x, y, heading: is there room?
    Harm,     // X, y, width, height: whom would water there disturb?
    Plan,     // Unit, x, y, radius: how long would it take?
    Reach,    // Unit, ticks: how many poses can it reach?
}

struct Click
{
    internal readonly uint Tick;
    internal readonly Verb Verb;
    internal readonly int[] N;

    internal Click(uint tick, Verb verb, params int[] n)
    {
        Tick = tick;
        Verb = verb;
        N = n;
    }
}

// Units in rows, all of one class and team: unit k stands at x + k % columns * dx, y + k / columns * dy.
struct Formation
{
    internal readonly uint Class, Team, Heading;
    internal readonly int Count, X, Y, Columns, Dx, Dy;

    internal Formation(uint class_, uint team, uint heading, int count, int x, int y, int columns, int dx, int dy)
    {
        Class = class_;
        Team = team;
        Heading = heading;
        Count = count;
        X = x;
        Y = y;
        Columns = columns;
        Dx = dx;
        Dy = dy;
    }
}

sealed class Skirmish
{
    const uint SavedAt = 300, LoadedUntil = 400, Ticks = 700, LineEvery = 50;
    const int EventKinds = 21;
    static readonly string[] Classes = { "scout", "truck", "tank", "hovercraft" };

    // Red (team 0) stands in the west and faces east, blue (team 1) in the east.
    static readonly Formation[] Formations =
    {
        new Formation(0, 0, 0, 50, 2, 2, 10, 2, 2),
        new Formation(1, 0, 0, 30, 4, 16, 6, 3, 2),
        new Formation(2, 0, 0, 24, 4, 28, 6, 4, 3),
        new Formation(3, 0, 0, 12, 4, 46, 6, 3, 3),
        new Formation(0, 1, 2, 36, 70, 2, 9, 2, 2),
        new Formation(1, 1, 2, 20, 72, 14, 5, 3, 2),
        new Formation(2, 1, 2, 16, 72, 24, 4, 4, 3),
        new Formation(3, 1, 2, 12, 72, 48, 6, 3, 3),
    };

    static readonly Click[] Clicks =
    {
        new Click(1, Verb.Group, 0, 50, 60, 14, 0, 0),              // red's scouts over the northern bridge
        new Click(1, Verb.Group, 80, 24, 58, 48, 0, 0),             // its tanks over the southern one
        new Click(1, Verb.Area, 104, 12, 56, 16, 12, 10),           // its hovercraft across the river
        new Click(2, Verb.Follow, 50, 10, 0, 4, 0, 0),              // trucks behind the first scout
        new Click(2, Verb.Goto, 60, 10, 38, 14, 6, 0),              // trucks to the head of the bridge
        new Click(2, Verb.Patient, 70, 10, 57, 30, 0, 0),           // trucks over the ford
        new Click(5, Verb.Patrol, 116, 18, 66, 6, 66, 18),          // blue's scouts
        new Click(5, Verb.Patrol, 134, 18, 60, 20, 60, 32),
        new Click(5, Verb.Pause, 152, 10, 40, 56, 30, 0),           // its trucks set out later
        new Click(5, Verb.Errands, 162, 10, 70, 14, 20, 20),
        new Click(5, Verb.Group, 172, 16, 62, 49, 0, 0),            // its tanks to the southern bridge
        new Click(6, Verb.Area, 188, 12, 30, 40, 10, 12),           // its hovercraft across the river
        new Click(20, Verb.Priority, 80, 4, 5, 0, 0, 0),
        new Click(30, Verb.Speed, 0, 10, 500, 0, 0, 0),             // ten scouts are hit
        new Click(31, Verb.Place, 0, 0, 46, 5, 0, 0),               // into the water: refused
        new Click(31, Verb.Place, 0, 0, 4, 60, 0, 0),
        new Click(31, Verb.Room, 2, 46, 5, 0, 0, 0),
        new Click(31, Verb.Room, 3, 46, 5, 0, 0, 0),
        new Click(36, Verb.FalseAlarm, 4, 16, 18, 8),               // where trucks stand
        new Click(37, Verb.Blow, 4, 16, 18, 8, 0, 0),               // under trucks: it waits,
        new Click(37, Verb.Build, 4, 16, 18, 8, 1),                 // and is replaced
        new Click(40, Verb.Then, 0, 20, 66, 24, 0, 0),
        new Click(42, Verb.Ferry, 45, 50, 38, 14, 0, 15),           // a scout rides in a truck
        new Click(60, Verb.Why, 50, 0, 0, 0, 0, 0),
        new Click(60, Verb.Left, 80, 0, 0, 0, 0, 0),
        new Click(75, Verb.Hold, 172, 2, 0, 0, 0, 0),
        new Click(90, Verb.Face, 104, 4, 60, 24, 3, 0),
        new Click(100, Verb.Harm, 44, 12, 8, 4, 0, 0),
        new Click(100, Verb.Many, 44, 12, 8, 4, 0, 0),
        new Click(120, Verb.Blow, 44, 12, 8, 4, 2, 0),              // the northern bridge, with whoever is on it
        new Click(121, Verb.Many, 44, 12, 8, 4, 0, 0),
        new Click(121, Verb.Left, 20, 0, 0, 0, 0, 0),
        new Click(121, Verb.Why, 20, 0, 0, 0, 0, 0),
        new Click(140, Verb.Nearest, 0, 20, 60, 14, 0, 0),          // to the bank, then: the ford is far
        new Click(140, Verb.Stop, 60, 10, 0, 0, 0, 0),
        new Click(150, Verb.Teams, 152, 10, 2, 0, 0, 0),            // ten trucks change sides: team 2 is a friend of red
        new Click(160, Verb.Class, 50, 2, 0, 0, 0, 0),              // a truck becomes a tank, if there is room
        new Click(160, Verb.Class, 61, 0, 0, 0, 0, 0),
        new Click(180, Verb.Drop, 0, 12, 2, 50, 20, 12),            // twelve scouts from the air
        new Click(200, Verb.Plan, 80, 80, 48, 2, 0, 0),
        new Click(200, Verb.Reach, 104, 40, 0, 0, 0, 0),
        new Click(200, Verb.Who, 58, 48, 0, 0, 0, 0),
        new Click(220, Verb.InBox, 80, 14, 56, 40, 12, 20),         // whoever is in the box
        new Click(240, Verb.Remove, 116, 3, 0, 0, 0, 0),
        new Click(250, Verb.Gate, 57, 30, 1, 0, 0, 0),              // a wall across the ford's end
        new Click(260, Verb.Blow, 44, 46, 8, 5, 4, 60),             // the southern bridge, 60 ticks after the warning
        new Click(262, Verb.Harm, 44, 46, 8, 5, 0, 0),
        new Click(270, Verb.Why, 81, 0, 0, 0, 0, 0),
        new Click(275, Verb.Shell, 76, 20, 6, 8, 0, 0),
        new Click(280, Verb.Speed, 0, 10, 1500, 0, 0, 0),
        new Click(282, Verb.Group, 104, 12, 40, 24, 0, 0),
        new Click(284, Verb.Patrol, 20, 20, 30, 6, 30, 40),
        new Click(286, Verb.Plan, 10, 80, 48, 0, 0, 0),
        new Click(290, Verb.Build, 44, 12, 8, 4, 60, 0),            // given now, for later: it is in the saved game
        new Click(295, Verb.Blow, 44, 29, 14, 2, 3, 80),            // the ford: it waits when the game is saved
        new Click(305, Verb.Area, 0, 50, 56, 6, 12, 16),            // to be given again to the game that is loaded
        new Click(310, Verb.Place, 2, 0, 10, 56, 0, 0),
        new Click(320, Verb.Follow, 80, 10, 104, 6, 0, 0),
        new Click(355, Verb.Group, 20, 30, 60, 16, 0, 0),
        new Click(365, Verb.Left, 104, 0, 0, 0, 0, 0),
        new Click(380, Verb.Why, 70, 0, 0, 0, 0, 0),
        new Click(400, Verb.Build, 44, 46, 8, 5, 0, 0),
        new Click(410, Verb.Group, 80, 24, 60, 48, 0, 0),
        new Click(430, Verb.Gate, 57, 30, 0, 0, 0, 0),
        new Click(460, Verb.Drop, 3, 5, 80, 40, 12, 8),
        new Click(505, Verb.InBox, 20, 14, 52, 8, 30, 16),
        new Click(530, Verb.Blow, 44, 12, 8, 4, 0, 0),              // again, when nobody is on it
        new Click(560, Verb.Hold, 116, 20, 0, 0, 0, 0),
        new Click(600, Verb.Errands, 150, 20, 52, 0, 44, 20),       // ten of them had errands before
        new Click(640, Verb.Harm, 44, 46, 8, 5, 0, 0),
        new Click(660, Verb.Why, 80, 0, 0, 0, 0, 0),
        new Click(690, Verb.Stop, 0, 100, 0, 0, 0, 0),
    };

    readonly World world;
    // What the game keeps beside the world, and saves with it: the ids of all units ever placed, in order, and events so far by kind.
    readonly List<uint> units;
    readonly uint[] events;
    readonly StringBuilder text = new StringBuilder();

    Skirmish(World world, List<uint> units, uint[] events)
    {
        this.world = world;
        this.units = units;
        this.events = events;
        world.CheckInvariants();
    }

    static Skirmish Begin(string folder)
    {
        using (var map = GridMap.Parse("river.map", File.ReadAllBytes(Path.Combine(folder, "river.map"))))
        using (var setup = new Setup(map, new WorldSettings { Name = "skirmish", Seed = 7, ExpansionsPerTick = 15000 }))
        {
            foreach (var name in Classes)
                using (var of = MovementClass.Parse(name + ".toml", File.ReadAllText(Path.Combine(folder, name + ".toml"))))
                    setup.AddClass(of);
            setup.MakeFriends(0, 2);
            var game = new Skirmish(World.Create(setup), new List<uint>(), new uint[EventKinds]);
            foreach (var of in Formations)
                for (var k = 0; k < of.Count; k++)
                {
                    var pose = new Pose(of.X + k % of.Columns * of.Dx, of.Y + k / of.Columns * of.Dy, of.Heading);
                    game.world.Spawn(new Spawn(of.Class, pose) { Team = of.Team });
                }
            return game;
        }
    }

    // Plays up to a tick.
    void Run(uint until)
    {
        for (var tick = world.Tick; tick < until; tick++)
        {
            foreach (var click in Clicks)
                if (click.Tick == tick) Do(click.Verb, click.N);
            world.Step();
            var happened = world.Events;
            for (var i = 0; i < happened.Count; i++)
            {
                events[(int)happened[i].Kind]++;
                if (happened[i].Kind == EventKind.Spawned) units.Add(happened[i].Agent);
            }
            if ((tick + 1) % LineEvery == 0) Line();
        }
    }

    static CellRect Rect(int[] n, int first) { return new CellRect(n[first], n[first + 1], (uint)n[first + 2], (uint)n[first + 3]); }

    Change TerrainChange(int[] n, string kind)
    {
        using (var map = world.Map()) return Change.Terrain(Rect(n, 0), map.TerrainKindOf(kind));
    }

    static Order Nearest(int x, int y)
    {
        var order = Order.GoTo(x, y);
        order.Fallback = Fallback.Nearest;
        return order;
    }

    void Do(Verb verb, int[] n)
    {
        switch (verb)
        {
            case Verb.Class: world.SetClass(units[n[0]], (uint)n[1]); return;
            case Verb.InBox: world.Order(Rect(n, 2), Order.GoToGroup(n[0], n[1])); return;
            case Verb.Shell: world.Remove(Rect(n, 0)); return;
            case Verb.Place: world.Spawn(new Spawn((uint)n[0], new Pose(n[2], n[3], (uint)n[4])) { Team = (uint)n[1] }); return;
            case Verb.Drop: world.SpawnGroup(new SpawnGroup { Class = (uint)n[0], Count = (uint)n[1], Area = Rect(n, 2) }); return;
            case Verb.Blow: world.Edit(new[] { TerrainChange(n, "water") }, (OnAgents)n[4], (uint)n[5]); return;
            case Verb.Build: world.Edit(new[] { TerrainChange(n, "ground") }, OnAgents.Wait, 0, world.Tick + (uint)n[4]); return;
            case Verb.Ferry:
                world.Leave(units[n[0]], new Pose(n[2], n[3], (uint)n[4]), true, world.Tick + (uint)n[5]);
                world.Enter(units[n[0]], units[n[1]]);
                return;
            case Verb.FalseAlarm:
                world.CancelEdit(world.Edit(new[] { TerrainChange(n, "water") }));
                return;
            case Verb.Gate:
                world.Edit(new[] { Change.Sides(new Cell(n[0], n[1]), new[] { Constants.Keep, Constants.Keep, (uint)n[2], Constants.Keep }) });
                return;
        }
        if (verb >= Verb.Why)
        {
            Ask(verb, n);
            return;
        }
        Selection chosen = units.GetRange(n[0], n[1]).ToArray();
        var order = Order.GoTo(n[2], n[3]);
        switch (verb)
        {
            case Verb.Goto:
                order.Within = (uint)n[4];
                world.Order(chosen, order);
                break;
            case Verb.Nearest: world.Order(chosen, Nearest(n[2], n[3])); break;
            case Verb.Patient:
                order.IfUnreachable = IfUnreachable.Wait;
                world.Order(chosen, order);
                break;
            case Verb.Face: world.Order(chosen, Order.GoTo(new Pose(n[2], n[3], (uint)n[4]), 4)); break;
            case Verb.Group: world.Order(chosen, Order.GoToGroup(n[2], n[3])); break;
            case Verb.Area: world.Order(chosen, Order.GoToArea(Rect(n, 2))); break;
            case Verb.Patrol: world.Order(chosen, Order.Patrol(new[] { Pose.At(n[2], n[3]), Pose.At(n[4], n[5]) })); break;
            case Verb.Follow: world.Order(chosen, Order.Follow(units[n[2]], (uint)n[3])); break;
            case Verb.Pause: world.Orders(chosen, new[] { Order.Wait((uint)n[2]), Nearest(n[3], n[4]) }); break;
            case Verb.Then: world.Order(chosen, Nearest(n[2], n[3]), true); break;
            case Verb.Stop: world.Order(chosen, Order.Stop()); break;
            case Verb.Hold: world.Order(chosen, Order.Hold()); break;
            case Verb.Speed: world.SetSpeedFactor(chosen, (uint)n[2]); break;
            case Verb.Priority: world.SetPriority(chosen, n[2]); break;
            case Verb.Teams: world.SetTeam(chosen, (uint)n[2]); break;
            case Verb.Remove: world.Remove(chosen); break;
            case Verb.Errands: world.Tasks(chosen, TaskSource.Random(Rect(n, 2)), 1); break;
        }
    }

    void Ask(Verb verb, int[] n)
    {
        switch (verb)
        {
            case Verb.Who:
                var agent = world.AgentAt(new Cell(n[0], n[1]));
                Say("  who {0} {1}: {2}", n[0], n[1], agent == Constants.None ? "nobody" : (object)agent);
                return;
            case Verb.Many: Say("  many {0} {1}: {2}", n[0], n[1], world.AgentsIn(Rect(n, 0)).Length); return;
            case Verb.Room:
                Refusal refusal;
                var isRoom = world.CanPlace((uint)n[0], new Pose(n[1], n[2], (uint)n[3]), out refusal);
                Say("  room {0}: {1}", n[0], isRoom ? "yes" : Library.NameOf(refusal));
                return;
            case Verb.Harm: Say("  harm {0} {1}: {2}", n[0], n[1], world.WouldDisturb(new[] { TerrainChange(n, "water") }).Length); return;
        }
        var unit = units[n[0]];
        AgentRow row;
        var isGone = world.TryAgent(unit, out row) != Status.Ok;
        switch (verb)
        {
            case Verb.Why:
                string words = null;
                var rule = isGone ? null : Library.NameOf(world.ReasonForWaiting(unit, out words).Rule);
                Say(isGone ? "  why {0}: gone" : "  why {0}: {1}: {2}", n[0], rule, words);
                break;
            case Verb.Left:
                var path = isGone ? null : world.Path(unit);
                Say(isGone ? "  left {0}: gone" : "  left {0}: {1} poses, {2} ticks", n[0], isGone ? 0 : path.Length,
                    isGone ? 0 : path[path.Length - 1].Arrival);
                break;
            case Verb.Plan:
                if (isGone)
                {
                    Say("  plan {0}: gone", n[0]);
                    break;
                }
                using (var scratch = new Scratch())
                {
                    var answer = world.Plan(unit, new[] { Pose.At(n[1], n[2]) }, scratch, null, (uint)n[3]);
                    Say("  plan {0}: {1}, {2} ticks, {3} moves", n[0], Library.NameOf(answer.Result), answer.Cost, answer.Moves);
                }
                break;
            default: Say("  reach {0}: {1} poses", n[0], isGone ? 0 : world.Reach(unit, (uint)n[1]).Length); break;
        }
    }

    void Line()
    {
        var rows = world.Agents;
        int x = 0, y = 0, headings = 0;
        for (var i = 0; i < rows.Count; i++)
        {
            x += rows[i].ToX;
            y += rows[i].ToY;
            headings += rows[i].ToHeading;
        }
        var counts = world.Counts;
        var saved = world.Save();
        var checksum = 0x811c9dc5u; // FNV-1a of 32 bits
        foreach (var one in saved) checksum = unchecked((checksum ^ one) * 0x01000193u);
        Say("tick {0} hash {1:x16} units {2} x {3} y {4} headings {5} moves {6} done {7} failed {8} overlaps {9} events {10} saved {11} {12:x8}",
            world.Tick, world.Hash, rows.Count, x, y, headings, counts.Moves, counts.OrdersDone, counts.OrdersUnreachable,
            counts.Collisions, string.Join(" ", events), saved.Length, checksum);
    }

    void Say(string format, params object[] values)
    {
        text.AppendFormat(CultureInfo.InvariantCulture, format, values).Append('\n');
    }

    static string Play(string folder)
    {
        var game = Begin(folder);
        game.Run(SavedAt);
        // The saved game is loaded into a second world. It gets the same clicks, and goes the same way.
        var again = new Skirmish(World.Load(game.world.Save()), new List<uint>(game.units), (uint[])game.events.Clone());
        var before = game.text.Length;
        game.Run(LoadedUntil);
        again.Run(LoadedUntil);
        if (game.text.ToString(before, game.text.Length - before) != again.text.ToString())
            throw new Exception("the loaded game goes another way:\n" + again.text);
        game.Say("loaded at {0}: hash {1:x16}", SavedAt, again.world.Hash);
        // What that one saves goes on in the place of the first.
        game.world.Restore(again.world.Save());
        game.world.CheckInvariants();
        game.Run(Ticks);
        again.world.Dispose();
        game.world.Dispose();
        return game.text.ToString();
    }

    static int Main(string[] arguments)
    {
        if (arguments.Length != 1 && arguments.Length != 2)
        {
            Console.Error.WriteLine("usage: Skirmish.exe FOLDER [GOLDEN]");
            return 2;
        }
        var played = Play(arguments[0]);
        if (arguments.Length == 1)
        {
            Console.Out.Write(played);
            return 0;
        }
        var golden = File.ReadAllText(arguments[1]);
        string[] found = played.Split('\n'), expected = golden.Split('\n');
        for (var i = 0; i < Math.Max(found.Length, expected.Length); i++)
        {
            string one = i < found.Length ? found[i] : "(nothing)", other = i < expected.Length ? expected[i] : "(nothing)";
            if (one == other) continue;
            Console.Error.WriteLine("line " + (i + 1).ToString(CultureInfo.InvariantCulture) + "\n  played " + one + "\n  golden " + other);
            return 1;
        }
        Console.Out.WriteLine("skirmish: " + (expected.Length - 1).ToString(CultureInfo.InvariantCulture) + " lines as in golden.txt");
        return 0;
    }
}
