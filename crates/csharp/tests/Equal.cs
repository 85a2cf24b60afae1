// The same results as Rust: the files are written by crates/capi/tests/web.rs.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Wheelbase;

static class Equal
{
    const string Scenario = "scenarios/first/16_three_bridges.toml";

    static int Number(string word) { return int.Parse(word, CultureInfo.InvariantCulture); }

    static Request RequestOf(string[] words)
    {
        var heading = Number(words[6]);
        var goal = new Pose(Number(words[4]), Number(words[5]), heading < 0 ? Constants.AnyHeading : (uint)heading);
        return new Request(new Pose(Number(words[1]), Number(words[2]), (uint)Number(words[3])), goal)
        {
            Within = (uint)Number(words[7]),
            WeightPermille = (uint)Number(words[8]),
        };
    }

    static string Text(Answer answer)
    {
        return string.Format(CultureInfo.InvariantCulture, "{0} {1} {2} {3} {4} {5} {6}", Library.NameOf(answer.Result), answer.Cost,
            answer.Expansions, answer.Moves, answer.End.X, answer.End.Y, answer.End.Heading);
    }

    public static void AnswersTo1000RequestsAreThoseOfRust()
    {
        var bytes = Check.File(Scenario);
        var toml = Encoding.UTF8.GetString(bytes);
        var lines = Check.Expected("plans.txt");
        Check.Equal(lines.Count, 1000, "requests");
        var results = new HashSet<PlanResult>();
        var all = new Dictionary<string, MovementTables>();
        using (var map = GridMap.Parse("map.toml", bytes))
        using (var scratch = new Scratch())
        using (var path = new PlannedPath())
        {
            foreach (var words in lines)
            {
                MovementTables tables;
                if (!all.TryGetValue(words[0], out tables))
                    using (var of = MovementClass.Parse("map.toml#" + words[0], toml)) all[words[0]] = tables = MovementTables.Compile(map, of);
                var request = RequestOf(words);
                var answer = tables.Plan(request, scratch, path);
                Check.Equal(Text(answer), string.Join(" ", words, 9, 7), string.Join(" ", words));
                results.Add(answer.Result);
                if (answer.Result != PlanResult.Found)
                {
                    Check.Equal(path.Poses.Count, 0, "poses");
                    Check.That(tables.Explain(map, request, answer) != "", "no reason");
                    continue;
                }
                Check.Equal(tables.Explain(map, request, answer), "", "reason of a path");
                var last = path.Poses.Count - 1;
                Check.Equal((uint)last, answer.Moves, "moves");
                Check.Equal(path.Poses[last].Arrival, answer.Cost, "arrival");
                PathPose end;
                Check.Equal(tables.CheckMoves(request.Start, path.Moves.ToArray(), last, out end), last, "legal moves");
                Check.Equal(end, path.Poses[last], "end");
            }
            Check.That(results.Count >= 5, "only " + results.Count + " results");
            // All at once on any number of threads, and in slices, the same.
            foreach (var pair in all)
            {
                var mine = lines.FindAll(words => words[0] == pair.Key);
                var requests = mine.ConvertAll(words => RequestOf(words)).ToArray();
                var batch = new Batch();
                for (var threads = 0u; threads < 3; threads++)
                {
                    pair.Value.PlanAll(requests, requests.Length, batch, scratch, threads);
                    for (var i = 0; i < batch.Count; i++)
                    {
                        Check.Equal(Text(batch.Answers[i]), string.Join(" ", mine[i], 9, 7), "batch");
                        var n = batch.First(i + 1) - batch.First(i);
                        Check.Equal(n, batch.Answers[i].Result == PlanResult.Found ? (int)batch.Answers[i].Moves + 1 : 0, "poses");
                        if (n == 0) continue;
                        Check.Equal(batch.Poses[batch.First(i + 1) - 1].Arrival, batch.Answers[i].Cost, "arrival");
                        Check.Equal((uint)batch.Moves[batch.First(i + 1) - 1], Constants.NoMove, "the last move");
                    }
                }
                pair.Value.PlanAll(requests, requests.Length, batch, answersOnly: true);
                Check.Equal(Text(batch.Answers[1]), string.Join(" ", mine[1], 9, 7), "answers alone");
                var done = pair.Value.Begin(requests[1], scratch);
                while (!done) done = pair.Value.Advance(scratch, 50);
                Check.Equal(Text(pair.Value.Finish(scratch, path)), string.Join(" ", mine[1], 9, 7), "slices");
                pair.Value.Dispose();
            }
        }
    }

    public static void HashesOf2000TicksAreThoseOfRust()
    {
        using (var world = World.Parse("three_bridges.toml", Check.File(Scenario)))
        {
            world.SetTicks(2000);
            world.CheckInvariants();
            var lines = Check.Expected("hashes.txt");
            Check.Equal(lines[lines.Count - 1][0], "2000", "last tick");
            foreach (var words in lines)
            {
                while (world.Tick < Number(words[0])) world.Step();
                Check.Equal(world.Hash.ToString("x16", CultureInfo.InvariantCulture), words[1], "tick " + words[0]);
            }
            var counts = world.Counts;
            Check.Equal(counts.Collisions, 0ul, "collisions");
            Check.That(counts.TasksDone > 0 && counts.Moves > 1000, "nothing moved");
        }
    }
}
