// What a call costs beyond its work, rows of 5,000 agents, 10,000 requests in one call: Tests.exe ROOT figures
using System;
using System.Globalization;
using System.Runtime.InteropServices;
using Wheelbase;

static class Figures
{
    [DllImport("libc")] static extern unsafe int clock_gettime(int clock, long* time);

    // Processor time of this thread, of Linux: a busy machine disturbs it less than the time of day.
    static unsafe double Now()
    {
        const int thread = 3;
        var time = stackalloc long[2];
        Check.Equal(clock_gettime(thread, time), 0, "clock_gettime");
        return time[0] + time[1] * 1e-9;
    }

    // Seconds of the fastest of seven runs.
    static double Seconds(Action run)
    {
        var least = double.MaxValue;
        for (var i = 0; i < 7; i++)
        {
            var begin = Now();
            run();
            least = Math.Min(least, Now() - begin);
        }
        return least;
    }

    const uint Side = 256;

    // SplitMix64.
    static ulong Next(ref ulong state)
    {
        var z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    static int Below(ref ulong state, uint limit) { return (int)(Next(ref state) % limit); }

    static void Say(string text, params object[] values) { Console.WriteLine(string.Format(CultureInfo.InvariantCulture, text, values)); }

    internal static unsafe int Print()
    {
        // The same map and the same ways as in figures.c.
        var state = 16ul;
        var cells = new byte[Side * Side];
        for (var i = 0; i < cells.Length; i++) cells[i] = Next(ref state) % 10 == 0 ? (byte)3 : (byte)0;
        using (var map = GridMap.FromCells(Side, Side, cells))
        using (var lorry = MovementClass.Parse("lorry.toml", Calls.Lorry))
        using (var tables = MovementTables.Compile(map, lorry))
        using (var scratch = new Scratch())
        using (var path = new PlannedPath())
        {
            tables.MakeComponents(); // a goal out of reach ends a search at once
            const uint n = 2000000;
            long legal = 0, legalRaw = 0;
            var managed = Seconds(() =>
            {
                legal = 0;
                for (var i = 0u; i < n; i++) if (tables.IsLegal(new Pose((int)(i & 255), (int)(i >> 8 & 255), i & 3))) legal++;
            });
            var raw = Seconds(() =>
            {
                legalRaw = 0;
                var handle = tables.Handle;
                for (var i = 0u; i < n; i++)
                {
                    var pose = new Pose((int)(i & 255), (int)(i >> 8 & 255), i & 3);
                    byte isLegal;
                    Native.wb_tables_is_legal(handle, &pose, &isLegal);
                    legalRaw += isLegal;
                }
            });
            Check.Equal(legal, legalRaw, "legal poses");
            Say("one call (is_legal): {0:F0} ns, by Native {1:F0} ns", managed * 1e9 / n, raw * 1e9 / n);

            // Short ways, of whose time the call is a part.
            var requests = new Request[10000];
            for (var i = 0; i < requests.Length;)
            {
                var start = new Pose(Below(ref state, Side), Below(ref state, Side), (uint)Below(ref state, 4));
                var goal = Pose.At(Math.Min((int)Side - 1, start.X + Below(ref state, 5)), Math.Min((int)Side - 1, start.Y + Below(ref state, 5)));
                if (tables.IsLegal(start)) requests[i++] = new Request(start, goal);
            }
            ulong cost = 0, costOfBatch = 0;
            var each = Seconds(() =>
            {
                cost = 0;
                for (var i = 0; i < requests.Length; i++) cost += tables.Plan(requests[i], scratch, path).Cost;
            });
            var batch = new Batch();
            var all = Seconds(() =>
            {
                costOfBatch = 0;
                tables.PlanAll(requests, requests.Length, batch, scratch);
                for (var i = 0; i < batch.Count; i++) costOfBatch += batch.Answers[i].Cost;
            });
            Check.Equal(cost, costOfBatch, "costs");
            Say("10,000 short plans: {0:F2} ms one by one, {1:F2} ms in one call", each * 1e3, all * 1e3);
            Say("sum of costs {0}", cost);
        }
        using (var world = Check.Crowd(5000, 300))
        {
            world.Step();
            world.Step();
            Check.Equal(world.Agents.Count, 5000, "agents");
            long one = 0, two = 0;
            var byIndex = Seconds(() =>
            {
                var sum = 0L;
                for (var k = 0; k < 100; k++)
                {
                    var rows = world.Agents;
                    for (var i = 0; i < rows.Count; i++) sum += rows[i].ToX + rows[i].ToY + rows[i].ToHeading;
                }
                one = sum;
            });
            var byPointer = Seconds(() =>
            {
                var sum = 0L;
                for (var k = 0; k < 100; k++)
                {
                    var rows = world.Agents;
                    var at = rows.Pointer;
                    for (var end = at + rows.Count; at < end; at++) sum += at->ToX + at->ToY + at->ToHeading;
                }
                two = sum;
            });
            Check.Equal(one, two, "sums");
            Say("three fields of 5,000 rows: {0:F1} us by index, {1:F1} us by pointer", byIndex * 1e4, byPointer * 1e4);
#if WHEELBASE_SPANS
            long three = 0;
            var bySpan = Seconds(() =>
            {
                var sum = 0L;
                for (var k = 0; k < 100; k++)
                {
                    var rows = world.Agents.Span;
                    for (var i = 0; i < rows.Length; i++) sum += rows[i].ToX + rows[i].ToY + rows[i].ToHeading;
                }
                three = sum;
            });
            Check.Equal(three, one, "sums");
            Say("three fields of 5,000 rows: {0:F1} us by span", bySpan * 1e4);
#endif
        }
        return 0;
    }
}
