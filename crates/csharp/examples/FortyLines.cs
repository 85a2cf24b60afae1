// Tanks of two by two cells on a map with a gap: planned alone, then together in a world.
using System;
using Wheelbase;

static class FortyLines
{
    static void Main()
    {
        var rows = new[]
        {
            "..............", "......@@......", "......@@......", "..............", "..............", "......@@......",
            "......@@......",
        };
        var tank = new ClassSpec
        {
            Name = "tank",
            Footprint = new[] { new Cell(0, 0), new Cell(1, 0), new Cell(0, 1), new Cell(1, 1) },
            PivotForward = 1, PivotRight = 1, // in half cells: the middle of the four
            Primitives = new[] // name, forward, right, turn, ticks
            {
                new Primitive("forward", 1, 0, 0, 12), new Primitive("reverse", -1, 0, 0, 36),
                new Primitive("left", 0, 0, 1, 12), new Primitive("right", 0, 0, -1, 12),
            },
        };
        using (var map = GridMap.FromRows(rows))
        using (var tankClass = MovementClass.Create(tank))
        using (var tables = MovementTables.Compile(map, tankClass)) // shared by all tanks on this map
        using (var scratch = new Scratch()) // the memory of one search at a time
        using (var path = new PlannedPath())
        using (var setup = new Setup(map, new WorldSettings { Name = "gap", Seed = 1 }))
        {
            tables.MakeComponents(); // searches for goals out of reach end at once
            var answer = tables.Plan(new Request(new Pose(0, 0, 0), Pose.At(12, 0)), scratch, path);
            var middle = path.Poses[path.Poses.Count / 2];
            Console.WriteLine("{0}: {1} moves, {2} ticks, by way of row {3}", Library.NameOf(answer.Result), answer.Moves,
                answer.Cost, middle.Pose.Y);

            var number = setup.AddClass(tables);
            var agents = new uint[2];
            for (var i = 0; i < 2; i++) agents[i] = setup.AddAgent(new Spawn(number, new Pose(0, 5 * i, 0)));
            using (var world = World.Create(setup))
            {
                world.Order(agents, Order.GoToGroup(11, 3));
                while (!world.NothingLeft && world.Tick < 1000)
                {
                    world.Step();
                    foreach (var one in world.Events)
                        if (one.Kind == EventKind.OrderDone)
                            Console.WriteLine("tick {0}: tank {1} has arrived", one.Tick, one.Agent);
                }
                foreach (var row in world.Agents) Console.WriteLine("tank {0} is at {1}, {2}", row.Id, row.ToX, row.ToY);
                Console.WriteLine("tick {0}, hash {1:x16}", world.Tick, world.Hash);
            }
        }
    }
}
