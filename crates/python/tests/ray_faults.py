"""A sweep of 500 items on a Ray cluster of this machine, whose nodes, workers and driver are killed at random moments:

    python ray_faults.py [--seed N] [--items N]

The head has no processors, two nodes have one each. Every table must be that of `-j 1`, byte for byte.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
from unittest import mock

# A busy machine takes its time to start nodes and workers.
os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")
os.environ.setdefault("RAY_worker_register_timeout_seconds", "300")

from ray.cluster_utils import Cluster

import wheelbase as wb
from sweeping import begin, carts, check_keys, rows_of, run, timed
from wheelbase import _ray

#: The item that ends its worker in `a_deadly_item`.
DEADLY = 7


def ancestors(pid):
    """The processes that a process descends from."""
    while pid > 1:
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return
        pid = int(stat.rpartition(")")[2].split()[1])
        yield pid


def workers():
    """The workers of our cluster that run a chunk."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            name = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::run_chunk") and os.getpid() in ancestors(int(folder.name)):
            found.append(int(folder.name))
    return found


def until(what, condition, seconds=600):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


class Faults:
    def __init__(self, folder, items, seed, ticks):
        self.folder, self.items, self.rng = pathlib.Path(folder), items, random.Random(seed)
        # Long enough to be killed in the middle.
        words = carts(folder, ticks=ticks)
        self.words = words(items // 5)
        self.seconds = timed(run, folder, *self.words, "--out", "whole.csv", "-j", 1, "--quiet")
        self.whole = (self.folder / "whole.csv").read_bytes()
        check_keys(self.whole, items)
        print(f"{items} items by -j 1: {self.seconds:.1f} s", flush=True)
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.nodes = [self.cluster.add_node(num_cpus=1) for _ in range(2)]
        self.cluster.wait_for_nodes()

    def begin(self, out, *more):
        return begin(self.folder, *self.words, "--out", out, "--ray", self.cluster.address, *more)

    def underway(self, out, driver):
        """Waits until the sweep has rows, for a random number of them."""
        least = 2 + self.rng.randrange(self.items // 3)
        part = self.folder / f"{out}.part"
        until(f"{least} rows", lambda: driver.poll() is not None or rows_of(part) > least)
        time.sleep(self.rng.uniform(0, 0.5))
        if driver.poll() is not None:
            raise AssertionError(f"the sweep has ended before it could be disturbed: {driver.communicate()}")
        return rows_of(part) - 1

    def ended(self, what, out, driver, disturbed, begun):
        said = driver.communicate(timeout=600)[1]
        assert driver.returncode == 0, (driver.returncode, said)
        table = (self.folder / out).read_bytes()
        assert table == self.whole, f"{what}: another table"
        check_keys(table, self.items)
        print(f"{what}: {disturbed}; the same {self.items} rows after {time.monotonic() - begun:.1f} s", flush=True)

    def undisturbed(self):
        begun = time.monotonic()
        for out in ("plain.csv", "plain.jsonl"):
            driver = self.begin(out, "--quiet", "--record-failed", "failed", "--html", "plain.html")
            said = driver.communicate(timeout=600)[1]
            assert (driver.returncode, said) == (0, ""), said
        assert (self.folder / "plain.csv").read_bytes() == self.whole
        run(self.folder, *self.words, "--out", "whole.jsonl", "--quiet", "--record-failed", "here")
        assert (self.folder / "plain.jsonl").read_bytes() == (self.folder / "whole.jsonl").read_bytes()
        there = {path.name: path.read_bytes() for path in (self.folder / "failed").iterdir()}
        here = {path.name: path.read_bytes() for path in (self.folder / "here").iterdir()}
        assert there == here and len(here) == self.items // 5
        manifest = json.loads((self.folder / "plain.csv.manifest.json").read_text())
        assert [one["file"] for one in manifest["inputs"]] == ["carts.map", "carts.toml"]
        print(f"undisturbed: CSV, JSON lines and {len(here)} recorded failures; {time.monotonic() - begun:.1f} s", flush=True)

    def a_worker_killed(self):
        begun, killed = time.monotonic(), []
        driver = self.begin("worker.csv", "--quiet")
        rows = self.underway("worker.csv", driver)
        for _ in range(3):
            until("a worker", lambda: workers() or driver.poll() is not None)
            for pid in self.rng.sample(workers(), min(1, len(workers()))):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(self.rng.uniform(0.1, 1.0))
        assert killed
        self.ended("a worker killed", "worker.csv", driver, f"{len(killed)} times from {rows} rows on", begun)

    def a_node_killed(self):
        begun = time.monotonic()
        driver = self.begin("node.csv", "--quiet")
        rows = self.underway("node.csv", driver)
        node = self.nodes.pop(self.rng.randrange(2))
        self.cluster.remove_node(node, allow_graceful=False)
        time.sleep(self.rng.uniform(0, 2))
        self.nodes.append(self.cluster.add_node(num_cpus=1))
        self.ended("a node killed", "node.csv", driver, f"after {rows} rows, and another one added", begun)

    def the_driver_killed(self):
        begun, kept = time.monotonic(), []
        for _ in range(3):
            driver = self.begin("driver.csv", "--resume", "--quiet")
            time.sleep(self.rng.uniform(0, 1))
            part = self.folder / "driver.csv.part"
            before = max(1, rows_of(part))
            until("a row more", lambda: driver.poll() is not None or rows_of(part) > before)
            time.sleep(self.rng.uniform(0, 1))
            driver.send_signal(signal.SIGKILL)
            driver.communicate()
            assert driver.returncode == -signal.SIGKILL, "the sweep has ended before it could be killed"
            kept.append(rows_of(part) - 1)
        driver = self.begin("driver.csv", "--resume", "--quiet")
        self.ended("the driver killed and resumed", "driver.csv", driver, f"3 times, with {kept} rows", begun)
        until("no worker to be left", lambda: not workers())

    def an_interrupt(self):
        begun = time.monotonic()
        part = self.folder / "stopped.csv.part"
        for sent in (signal.SIGINT, signal.SIGTERM):
            before = max(1, rows_of(part))
            driver = self.begin("stopped.csv", "--resume")
            until("a row more", lambda: driver.poll() is not None or rows_of(part) > before)
            time.sleep(self.rng.uniform(0, 0.5))
            driver.send_signal(sent)
            said = driver.communicate(timeout=120)[1]
            assert driver.returncode == 130 and "interrupted: " in said, (sent, driver.returncode, said)
        rows = rows_of(part) - 1
        assert 0 < rows < self.items
        # The rest here, without Ray.
        driver = begin(self.folder, *self.words, "--out", "stopped.csv", "--resume", "--quiet")
        self.ended("Ctrl-C and SIGTERM, then resumed without Ray", "stopped.csv", driver, f"with {rows} rows", begun)

    def a_deadly_item(self):
        begun = time.monotonic()
        here, run_chunk = os.getcwd(), _ray.run_chunk

        def deadly(version, job, items, records):
            if DEADLY in items:
                os.kill(os.getpid(), signal.SIGKILL)
            return run_chunk(version, job, items, records)

        os.chdir(self.folder)
        try:
            options = {"set": {"groups[0].count": [6, 2]}, "ray": self.cluster.address, "out": "deadly.csv"}
            with mock.patch.object(_ray, "run_chunk", deadly):
                try:
                    wb.sweep("carts.toml", "0..20", **options)
                    raise AssertionError("an item that ends its worker has a row")
                except wb.BrokenError as error:
                    said = str(error)
            assert "1 items ended" in said and "groups[0].count = 6, seed 7: " in said, said
            assert rows_of("deadly.csv.part") == 40, rows_of("deadly.csv.part")
            # Not deadly any more.
            assert len(wb.sweep("carts.toml", "0..20", resume=True, **options)) == 40
            table = pathlib.Path("deadly.csv").read_bytes()
            wb.sweep("carts.toml", "0..20", set=options["set"], out="other.csv")
            assert table == pathlib.Path("other.csv").read_bytes()

            def old(version, job, items, records):
                return run_chunk("0.0.1", job, items, records)

            with mock.patch.object(_ray, "run_chunk", old):
                try:
                    wb.sweep("carts.toml", "0..20", **options)
                    raise AssertionError("a worker of another release gave rows")
                except wb.ArgumentError as error:
                    assert f"has wheelbase {wb.__version__}, the driver wheelbase 0.0.1" in str(error), error
        finally:
            os.chdir(here)
        print(f"an item that ends its worker: 39 rows, then an error; {time.monotonic() - begun:.1f} s", flush=True)

    def no_cluster(self):
        said = run(self.folder, *self.words, "--out", "none.csv", "--ray", "127.0.0.1:1", status=2)
        assert "error: `ray` is '127.0.0.1:1': no cluster can be reached there" in said, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--ticks", type=int, default=2000, help="of an item: the sweep must last longer than the faults")
    parser.add_argument("--only", help="one case")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        faults = Faults(folder, args.items, args.seed, args.ticks)
        try:
            cases = [
                faults.undisturbed,
                faults.a_worker_killed,
                faults.a_node_killed,
                faults.the_driver_killed,
                faults.an_interrupt,
                faults.a_deadly_item,
                faults.no_cluster,
            ]
            for case in cases:
                if args.only in (None, case.__name__):
                    case()
        finally:
            faults.cluster.shutdown()
    print(
        f"Ray {sys.modules['ray'].__version__}: {args.items} items with workers, nodes and the driver killed, seed {args.seed}:"
        f" one table; {time.monotonic() - begun:.0f} s"
    )


if __name__ == "__main__":
    main()
