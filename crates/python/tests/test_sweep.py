"""Sweeps."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import wheelbase as wb
from scenes import SCENARIO

MEASURES = ["ticks", "orders_done", "state_hash"]


class Sweeps(unittest.TestCase):
    def test_the_table_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "runs.csv")
            told = []
            rows = wb.sweep(
                [SCENARIO], "0..4", out=out, measures=MEASURES, set={"expansions_per_tick": [200, 5000]}, jobs=2,
                progress=lambda done, all: told.append((done, all)),
            )
            self.assertEqual(len(rows), 8)
            self.assertEqual(told, [(n, 8) for n in range(1, 9)])
            self.assertEqual({row["status"] for row in rows}, {"done"})
            self.assertEqual([row["seed"] for row in rows], [0, 1, 2, 3] * 2)
            self.assertEqual([row["expansions_per_tick"] for row in rows], [200] * 4 + [5000] * 4)
            self.assertTrue(all(row["orders_done"] > 0 for row in rows))
            table = out.read_bytes()
            self.assertEqual(table.count(b"\n"), 9)
            self.assertTrue(out.with_name("runs.csv.manifest.json").exists() or len(list(out.parent.iterdir())) == 2)
            # Nothing is run again.
            again = wb.sweep(
                [SCENARIO], range(4), out=out, measures=MEASURES, set={"expansions_per_tick": [200, 5000]}, resume=True,
                progress=lambda done, all: self.fail("an item was run again"),
            )
            self.assertEqual((again, out.read_bytes()), (rows, table))
            if program := os.environ.get("WHEELBASE_PROGRAM"):
                other = pathlib.Path(folder, "other.csv")
                subprocess.run(
                    [program, "sweep", SCENARIO, "--seeds", "0..4", "--measure", ",".join(MEASURES), "--set",
                     "expansions_per_tick=200,5000", "--out", other, "--quiet"],
                    check=True,
                )
                self.assertEqual(other.read_bytes(), table)

    def test_an_exception_of_progress_stops_it_and_resume_goes_on(self):
        def stop(done, all):
            if done == 2:
                raise KeyError("enough")

        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "runs.csv")
            with self.assertRaisesRegex(KeyError, "enough"):
                wb.sweep(SCENARIO, "0..6", out=out, measures=["ticks"], jobs=1, progress=stop)
            self.assertFalse(out.exists())
            left = []
            rows = wb.sweep(
                SCENARIO, "0..6", out=out, measures=["ticks"], resume=True, progress=lambda done, all: left.append(all)
            )
            self.assertEqual(len(rows), 6)
            self.assertLess(left[0], 6)

    def test_wrong_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "runs.csv")
            for options in [
                {"seeds": "5..x"}, {"seeds": "0..2", "measures": ["speed"]}, {"seeds": "0..2", "shard": "3/2"},
                {"seeds": "0..2", "set": {"no.such": [1]}},
            ]:
                with self.assertRaises(wb.WheelbaseError):
                    wb.sweep(SCENARIO, out=out, **options)
            with self.assertRaises(wb.WheelbaseError):
                wb.sweep(SCENARIO, "0..2", out=pathlib.Path(folder, "runs.txt"))


if __name__ == "__main__":
    unittest.main()
