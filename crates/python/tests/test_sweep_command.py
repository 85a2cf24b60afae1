"""`python -m wheelbase sweep`: the table, messages and statuses of `wheelbase sweep`."""

import importlib.util
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import sweeping
import wheelbase as wb
from sweeping import CARTS, begin, carts, check_keys, killed_and_resumed, program, rows_of, run, timed
from wheelbase import _command, _parquet, _ray
from wheelbase._native import PreparedSweep, TableFile


class Command(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        self.words = carts(self.folder)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def test_the_flags_are_those_of_the_program(self):
        path = os.environ.get("WHEELBASE_PROGRAM")
        if not path:
            self.skipTest("no WHEELBASE_PROGRAM")
        help = subprocess.run([path, "sweep", "--help"], capture_output=True, text=True, check=True).stdout
        # Those of messages are of the whole program.
        others = {"--help", "--version", "--message-format", "--color"}
        flags = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", help, re.M)) - others
        known = {word for action in sweep_actions() for word in action.option_strings if word.startswith("--")}
        self.assertIn("--seeds", flags)
        # The older names are hidden in the help of the program.
        self.assertEqual(known - {"--help", "--out", "--jobs"}, flags | {"--ray"})
        self.assertIn("--nothing", run(self.folder, *self.words(1), "--out", "a.csv", "--nothing", status=2))

    def test_every_way_gives_one_table(self):
        words = self.words(8)
        for ending in ("csv", "jsonl"):
            one = f"one.{ending}"
            said = run(self.folder, *words, "--out", one, "-j", 1)
            self.assertIn(f"{one}: 40 rows, 8 not_loaded\n  the first that failed: carts.toml, groups[0].count = 500, seed 0: ", said)
            table = self.read(one)
            self.assertEqual(run(self.folder, *words, "--out", f"two.{ending}", "-j2", "--quiet"), "")
            for number in (1, 2, 3):
                run(self.folder, *words, "--out", f"part{number}.{ending}", "--shard", f"{number}/3", "--quiet")
            parts = [f"part{number}.{ending}" for number in (3, 1, 2)]
            said = run(self.folder, "--out", f"merged.{ending}", "--html", "merged.html", "--merge", *parts)
            self.assertEqual(said, f"merged.{ending}: 40 rows, 8 not_loaded\n")
            here = os.getcwd()
            os.chdir(self.folder)
            try:
                wb.sweep("carts.toml", "0..8", set={"groups[0].count": [6, 2, 500, 4, 3]}, out=f"call.{ending}", jobs=2)
            finally:
                os.chdir(here)
            others = ["two", "merged", "call"]
            if program(self.folder, *words, "--out", f"program.{ending}", "--quiet"):
                others.append("program")
            for other in others:
                self.assertEqual(self.read(f"{other}.{ending}"), table, other)
        check_keys(self.read("one.csv"), 40)
        page = self.read("merged.html")
        self.assertIn(b"Sweep of carts.toml", page)

    def test_a_shard_is_missing(self):
        words = self.words(2)
        said = run(self.folder, *words, "--out", "a.csv", "--shard", "1/2")
        self.assertIn("a.csv: 5 rows of shard 1/2 of 10 items", said)
        said = run(self.folder, "--merge", "a.csv", "--out", "b.csv", status=1)
        self.assertIn("warning: 5 of 10 items have no row in these tables; is there another shard?", said)

    def test_killed_at_random_moments_and_resumed(self):
        # By hand: WHEELBASE_KILLS=50 WHEELBASE_SEEDS=100 for 500 items.
        seeds, kills = int(os.environ.get("WHEELBASE_SEEDS", 16)), int(os.environ.get("WHEELBASE_KILLS", 6))
        seed = int(os.environ.get("WHEELBASE_SEED", time.time()))
        words = carts(self.folder, ticks=2000)(seeds)
        seconds = timed(run, self.folder, *words, "--out", "whole.csv", "-j", 1, "--quiet")
        rows = killed_and_resumed(self.folder, words, "runs.csv", 5 * seeds, kills, random.Random(seed), seconds)
        print(f"\n{5 * seeds} items, {seconds:.1f} s, seed {seed}: killed {kills} times, with lines {rows}")
        self.assertEqual(rows, sorted(rows))
        self.assertEqual(self.read("runs.csv"), self.read("whole.csv"))
        check_keys(self.read("runs.csv"), 5 * seeds)

    def test_an_interrupt_keeps_what_is_done(self):
        long = CARTS.replace("ticks = 150", "ticks = 3_000_000_000")
        (self.folder / "long.toml").write_text(long)
        words = ["carts.toml", "long.toml", "--seeds", "0..4", "--out", "runs.csv", "-j", 1]
        for sent in (signal.SIGINT, signal.SIGTERM):
            (self.folder / "runs.csv.part").unlink(missing_ok=True)
            process = begin(self.folder, *words)
            while process.poll() is None and rows_of(self.folder / "runs.csv.part") < 5:
                time.sleep(0.02)
            process.send_signal(sent)
            _, said = process.communicate(timeout=60)
            self.assertEqual(
                (process.returncode, said),
                (130, "interrupted: 4 rows of 8 are in runs.csv.part; the same command with --resume goes on\n"),
            )
        (self.folder / "long.toml").write_text(CARTS)
        self.assertTrue(run(self.folder, *words, "--resume").startswith("4 rows kept; 4 items to run\n"))

    def test_failed_items_are_recorded(self):
        run(self.folder, *self.words(2), "--out", "runs.csv", "--record-failed", "failed", "--quiet", "--times")
        self.assertEqual(len(list((self.folder / "failed").glob("*.toml"))), 2)
        self.assertTrue(self.read("runs.csv").splitlines()[0].endswith(b",wall_s"))
        run(self.folder, *self.words(2), "--out", "runs.csv", "--memory-max", "1KiB", "--quiet")
        self.assertEqual(self.read("runs.csv").count(b",no_memory,"), 10)
        run(self.folder, *self.words(2), "--out", "runs.csv", "--resume", "--quiet", "--check-invariants")
        self.assertEqual(self.read("runs.csv").count(b",done,"), 8)

    def test_wrong_arguments(self):
        words = self.words(2)
        base = [*words, "--out", "runs.csv"]
        for more, expected in [
            (["--measure", "move"], "error: no measure `move`, expected all or some of ticks, "),
            (["--set", "tciks=3"], "error: carts.toml: tciks: unknown key"),
            (["--set", "ticks"], "error: --set: expected KEY=VALUE,VALUE,..., found `ticks`"),
            (["--shard", "0/3"], "error: --shard: expected a shard I/N"),
            (["--html", "runs.csv"], "clash"),
            (["--html", "carts.map"], "is read"),
            (["carts.toml"], "the scenario carts.toml is given twice"),
            (["missing.toml"], "error: missing.toml: cannot be read"),
            (["-j", "0"], "expected a whole number from 1 to 1024, found 0"),
            (["--memory-max", "4GB"], "expected a number of bytes"),
            (["--merge", "a.csv"], "--merge cannot be used with"),
        ]:
            self.assertIn(expected, run(self.folder, *more, *base, status=2), more)
        for words, expected in [
            (["carts.toml", "--out", "runs.csv"], "expected a SCENARIO and --seeds, or --merge"),
            (["carts.toml", "--seeds", "5..5", "--out", "runs.csv"], "error: --seeds: the range of seeds 5..5 is empty"),
            (["carts.toml", "--seeds", "0..2", "--out", "runs.txt"], "expected a table FILE.csv or FILE.jsonl, found runs.txt"),
            (["--merge", "a.csv", "--out", "runs.csv"], "error: a.csv: cannot be read"),
        ]:
            self.assertIn(expected, run(self.folder, *words, status=2), words)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"carts.map", "carts.toml"})

    def test_rows_that_differ_are_named(self):
        words = [*self.words(2), "--measure", "moves", "--quiet", "--out", "runs.csv"]
        run(self.folder, *words)
        table = self.read("runs.csv")
        lines = table.splitlines(keepends=True)
        lines[1] = lines[1].rsplit(b",", 1)[0] + b",77777\n"
        (self.folder / "runs.csv.part").write_bytes(b"".join(lines))
        said = run(self.folder, *words, "--resume", status=1)
        self.assertIn("error: runs.csv:2 and runs.csv.part:2: the row of carts.toml, groups[0].count = 6, seed 0 was", said)
        self.assertEqual(self.read("runs.csv"), table)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "no pyarrow")
    def test_parquet_has_the_values_of_the_csv(self):
        import pandas
        import pyarrow.parquet

        words = [*self.words(4), "--set", "collision=swept,discrete", "--measure", "all"]
        run(self.folder, *words, "--out", "runs.csv", "--quiet")
        self.assertEqual(run(self.folder, *words, "--out", "runs.parquet", "--quiet"), "")
        run(self.folder, *words, "--out", "runs.parquet", "--quiet", "--resume")
        run(self.folder, "--merge", "runs.jsonl", "--out", "merged.parquet", "--quiet")
        texts = {"key": str, "state_hash": str}
        csv = pandas.read_csv(self.folder / "runs.csv", dtype=texts)
        for name in ("runs.parquet", "merged.parquet"):
            parquet = pandas.read_parquet(self.folder / name)
            self.assertEqual(list(parquet.columns), list(csv.columns))
            pandas.testing.assert_frame_equal(
                parquet.astype(object).where(parquet.notna(), None),
                csv.astype(object).where(csv.notna(), None),
                check_dtype=False,
            )
        schema = pyarrow.parquet.read_schema(self.folder / "runs.parquet")
        kinds = {name: str(schema.field(name).type) for name in ("seed", "key", "state_hash", "moves", "collision")}
        self.assertEqual(
            kinds, {"seed": "int64", "key": "string", "state_hash": "string", "moves": "int64", "collision": "string"}
        )

    def test_a_missing_extra_is_named(self):
        with mock.patch.dict("sys.modules", {"pyarrow": None}), self.assertRaisesRegex(wb.ArgumentError, "pip install pyarrow"):
            _parquet.pyarrow()
        with mock.patch.dict("sys.modules", {"ray": None}), self.assertRaisesRegex(wb.ArgumentError, "pip install ray"):
            _ray.import_ray()

    def test_wrong_arguments_of_ray(self):
        words = [*self.words(1), "--quiet"]
        with mock.patch.dict("sys.modules", {"ray": mock.MagicMock(**{"is_initialized.return_value": False}), "ray.exceptions": mock.MagicMock()}):
            with self.assertRaisesRegex(wb.ArgumentError, "`jobs` is 5000, expected 0 to 1024"):
                _ray.run_on_ray(None, None, [], "auto", jobs=5000, warn=print)
            with self.assertRaisesRegex(wb.ArgumentError, "`ray` is '127.0.0.1:1': no cluster can be reached there"):
                _ray.run_on_ray(None, None, [], "127.0.0.1:1", warn=print)
        if not importlib.util.find_spec("ray"):
            said = run(self.folder, *words, "--out", "a.csv", "--ray", "auto", status=2)
            self.assertIn('`pip install ray` installs it', said)

    def test_a_worker_of_another_release_is_refused(self):
        with self.assertRaisesRegex(wb.ArgumentError, f"has wheelbase {re.escape(wb.__version__)}, the driver wheelbase 0.0.1"):
            _ray.run_chunk("0.0.1", [None], [0], False)

    def test_a_worker_needs_no_file_of_the_driver(self):
        words = self.words(3)
        run(self.folder, *words, "--out", "whole.csv", "--quiet")
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            prepared = PreparedSweep(["carts.toml"], "0..3", set=[sweeping.COUNTS])
        finally:
            os.chdir(here)
        sweep, files = prepared.sweep(), prepared.files()
        self.assertEqual(set(files), {"carts.toml", "carts.map"})
        there = PreparedSweep.of_files(sweep, files, None, 1)
        file = TableFile(self.folder / "runs.csv", prepared, False)
        self.assertEqual(file.items_left(), list(range(15)))
        for item in reversed(range(15)):
            self.assertEqual(file.add(there.run([item])), 1)
        self.assertTrue(file.is_whole())
        self.assertEqual(file.failed, 3)
        file.finish([])
        self.assertEqual(self.read("runs.csv"), self.read("whole.csv"))
        with self.assertRaises(wb.BusyError):
            file.add(there.run([0]))
        # Of other files: another key.
        other = PreparedSweep.of_files(sweep, {**files, "carts.toml": files["carts.toml"].replace(b"150", b"160")}, None, 1)
        file = TableFile(self.folder / "runs.csv", prepared, False)
        with self.assertRaisesRegex(wb.ArgumentError, "it is of other files, or of another release"):
            file.add(other.run([0]))
        with self.assertRaisesRegex(wb.ArgumentError, "`items` has 15, expected 0 to 14"):
            there.run([15])
        with self.assertRaisesRegex(wb.TextError, "carts.toml: is not among the files given"):
            PreparedSweep.of_files(sweep, {}, None, 1)


def sweep_actions():
    """The flags of the command."""
    commands = next(action for action in _command.parser()._actions if action.dest == "command")
    return commands.choices["sweep"]._actions


if __name__ == "__main__":
    unittest.main()
