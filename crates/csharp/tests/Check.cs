// What the tests share, and their Main: Tests.exe ROOT runs all, Tests.exe ROOT layout prints the layout of structures.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Text;
using System.Threading;
using Wheelbase;

static class Check
{
    internal static string Root;

    internal static void That(bool is_, string what)
    {
        if (!is_) throw new Exception(what);
    }

    internal static void Equal<T>(T found, T expected, string what)
    {
        if (!EqualityComparer<T>.Default.Equals(found, expected))
            throw new Exception(string.Format(CultureInfo.InvariantCulture, "{0}: {1}, expected {2}", what, found, expected));
    }

    internal static WheelbaseException Fails(Status status, string part, Action call)
    {
        try
        {
            call();
        }
        catch (WheelbaseException failure)
        {
            Equal(failure.Status, status, failure.Message);
            That(failure.Message.Contains(part), "no `" + part + "` in: " + failure.Message);
            return failure;
        }
        throw new Exception("nothing failed, expected " + status + " with `" + part + "`");
    }

    internal static void Throws<T>(Action call) where T : Exception
    {
        try
        {
            call();
        }
        catch (T)
        {
            return;
        }
        throw new Exception("nothing thrown, expected " + typeof(T).Name);
    }

    internal static byte[] File(string path) { return System.IO.File.ReadAllBytes(Path.Combine(Root, path)); }

    // The words of the lines of a file of results that crates/capi/tests/web.rs writes.
    internal static List<string[]> Expected(string name)
    {
        var lines = new List<string[]>();
        foreach (var line in Encoding.UTF8.GetString(File("crates/web/tests/expected/" + name)).Split('\n'))
            if (line != "") lines.Add(line.Split(' '));
        return lines;
    }

    // A class of one cell that turns.
    internal static ClassSpec Cart()
    {
        return new ClassSpec
        {
            Name = "cart",
            Primitives = new[] { new Primitive("forward", 1, 0, 0, 2), new Primitive("left", 0, 0, 1, 2), new Primitive("right", 0, 0, -1, 2) },
        };
    }

    // Many carts on an open map, all with random tasks.
    internal static World Crowd(uint count, uint size)
    {
        using (var map = GridMap.Filled(size, size))
        using (var cart = MovementClass.Create(Cart()))
        using (var setup = new Setup(map, new WorldSettings { Seed = 5 }))
        {
            var number = setup.AddClass(cart);
            var world = World.Create(setup);
            var area = new CellRect(0, 0, size, size);
            world.SpawnGroup(new SpawnGroup { Class = number, Count = count, Area = area, Orders = new[] { Order.Do(TaskSource.Random(area)) } });
            return world;
        }
    }

    static int Main(string[] args)
    {
        Root = args[0];
        var command = args.Length > 1 ? args[1] : "";
        if (command == "layout") return Layout.Print();
        if (command == "figures") return Figures.Print();
        That(Library.IsCompatible, "the library has another interface: " + Library.AbiVersion);
        var failed = 0;
        var n = 0;
        foreach (var group in new[] { typeof(Calls), typeof(Worlds), typeof(Misuse), typeof(Equal), typeof(Allocations) })
        {
            foreach (var test in group.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly))
            {
                n++;
                Thread.CurrentThread.CurrentCulture = CultureInfo.InvariantCulture;
                try
                {
                    test.Invoke(null, null);
                    Console.WriteLine("ok      {0}.{1}", group.Name, test.Name);
                }
                catch (TargetInvocationException failure)
                {
                    failed++;
                    Console.WriteLine("FAILED  {0}.{1}\n{2}", group.Name, test.Name, failure.InnerException);
                }
            }
        }
        Console.WriteLine("{0} tests, {1} failed", n, failed);
        return failed == 0 ? 0 : 1;
    }
}
