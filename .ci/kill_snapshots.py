#!/usr/bin/env python3
"""Kills runs that write snapshots, and fills their disks: a snapshot is always absent or whole.

usage: kill_snapshots.py --program PATH --kills N --seed S [--keep DIR]

Runs `wheelbase run SCENARIO --snapshot FILE --snapshot-every 1`, or resumes FILE, and kills it with SIGKILL: at any
moment, soon after the file has changed, or while FILE.part is there, which is during a write. After each kill FILE is
absent or a snapshot that loads, with the state hash of a straight run to its tick; after every tenth it is resumed to a
later tick, with the hash of a straight run to that. Then a full disk, a file size limit, /dev/full, a folder and a file
that are read-only: the old snapshot stays whole, and the run ends as one without snapshots but with exit status 2. A
kill is no power failure: what the kernel has taken is not lost. The exit status is 0 only if nothing is wrong. Python
3.11, standard library only.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# All kinds of orders, events and searches that go on from tick to tick. It never ends by itself.
SCENARIO = ROOT / "scenarios/mixed.toml"
# Ticks after which the file is deleted and the run begins anew, and the tick to which every tenth snapshot is resumed.
ANEW_TICKS = 250
LATER_TICKS = 400
TIMEOUT_S = 60
NOBODY = 65_534
RIGHT_STATUSES = (0, 1)


class Wrong(Exception):
    """A rule is broken."""


class Runs:
    """Runs of one program in one folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.scenario = os.path.join(folder, "killed.toml")
        shutil.copy(SCENARIO, self.scenario)
        self.hashes = {}

    def command(self, *arguments):
        return [self.program, "run", "--quiet", "--format", "json", *map(str, arguments)]

    def run(self, *arguments, statuses=RIGHT_STATUSES, **options):
        """The result of a run to its end."""
        ended = subprocess.run(self.command(*arguments), capture_output=True, timeout=TIMEOUT_S, check=False, **options)
        told = ended.stderr.decode(errors="replace").strip()
        if ended.returncode not in statuses or "panicked" in told:
            raise Wrong(f"{arguments}: exit status {ended.returncode}: {told}")
        return json.loads(ended.stdout), told

    def hash_at(self, ticks):
        """State hash of a straight run."""
        if ticks not in self.hashes:
            self.hashes[ticks] = self.run(self.scenario, "--ticks", ticks, "--threads", 1)[0]["state_hash"]
        return self.hashes[ticks]

    def check(self, snapshot, later):
        """The tick of a snapshot, which must be whole."""
        found = self.run("--resume", snapshot, "--ticks", 0, "--threads", 1)[0]
        ticks = found["ticks"]
        if found["state_hash"] != self.hash_at(ticks):
            raise Wrong(f"{snapshot}: another state at tick {ticks} than a straight run")
        if later:
            end = max(ticks, LATER_TICKS)
            resumed = self.run("--resume", snapshot, "--ticks", end, "--threads", 2)[0]
            if resumed["state_hash"] != self.hash_at(end):
                raise Wrong(f"{snapshot}: resumed from tick {ticks}, another state at tick {end} than a straight run")
        return ticks


def stamp(path):
    """What changes whenever a file is replaced; `None` without one."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def wait_for(process, condition):
    """Waits without a pause until something holds; `False` if the process ends or time is up first."""
    until = time.monotonic() + 5
    while not condition():
        if process.poll() is not None or time.monotonic() > until:
            return False
    return True


def kill_once(runs, snapshot, rng):
    """Starts a run, kills it, and returns what was there: how it was chosen, and whether a write was under way."""
    part = snapshot + ".part"
    source = ["--resume", snapshot] if os.path.exists(snapshot) else [runs.scenario]
    moment = rng.choice(["any", "changed", "part", "part", "part"])
    command = runs.command(*source, "--threads", 1, "--ticks", 4_000_000, "--snapshot", snapshot, "--snapshot-every", 1)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        if moment == "any":
            time.sleep(rng.uniform(0, 0.15))
        else:
            for _ in range(rng.randint(1, 4)):
                before = stamp(snapshot)
                wait_for(process, lambda before=before: stamp(snapshot) != before)
            if moment == "part":
                wait_for(process, lambda: os.path.exists(part))
                rest = rng.choice([0, 0, rng.uniform(0, 0.0005), rng.uniform(0, 0.005)])
            else:
                rest = rng.uniform(0, 0.01)
            if rest > 0:
                time.sleep(rest)
        process.kill()
        told = process.stderr.read().decode(errors="replace").strip()
        status = process.wait()
    if status != -signal.SIGKILL:
        raise Wrong(f"{command}: exit status {status} before the kill: {told}")
    return moment, stamp(part) is not None


def kill_all(runs, kills, rng):
    """All kills. Prints what they hit."""
    snapshot = os.path.join(runs.folder, "a.snap")
    counts = collections.Counter()
    sizes = []
    for number in range(kills):
        before = stamp(snapshot)
        moment, written = kill_once(runs, snapshot, rng)
        counts[moment] += 1
        counts["during a write"] += written
        if written:
            sizes.append(os.stat(snapshot + ".part").st_size)
        if not os.path.exists(snapshot):
            if before is not None:
                raise Wrong(f"kill {number}: the old snapshot is gone")
            counts["absent"] += 1
            continue
        ticks = runs.check(snapshot, later=number % 10 == 0)
        counts["old" if stamp(snapshot) == before else "new"] += 1
        if ticks > ANEW_TICKS:
            os.remove(snapshot)
            if rng.random() < 0.5 and os.path.exists(snapshot + ".part"):
                os.remove(snapshot + ".part")
    partial = sum(1 for size in sizes if size < max(sizes)) if sizes else 0
    print(f"{kills} kills: {counts['any']} at any moment, {counts['changed']} after a change, {counts['part']} while a "
          f"part file was there; {counts['during a write']} left a part file, {partial} of them shorter than the longest; "
          f"snapshot absent after {counts['absent']}, the old one after {counts['old']}, a new one after {counts['new']}, "
          "each whole", flush=True)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check_harmless(runs, name, snapshot, ticks=120, **options):
    """A run whose snapshots cannot be written ends as one without, with exit status 2 and a reason; the old file stays."""
    old = read(snapshot) if os.path.isfile(snapshot) else None
    found, told = runs.run(runs.scenario, "--ticks", ticks, "--threads", 1, "--snapshot", snapshot, "--snapshot-every", 10,
                           statuses=(2,), **options)
    if found["ticks"] != ticks or found["state_hash"] != runs.hash_at(ticks):
        raise Wrong(f"{name}: the run has ended in another state, at tick {found['ticks']}")
    if os.path.basename(snapshot) not in told:
        raise Wrong(f"{name}: the file is not named: {told}")
    if old is not None:
        if read(snapshot) != old:
            raise Wrong(f"{name}: the old snapshot has changed")
        runs.check(snapshot, later=True)
        if os.path.exists(snapshot + ".part"):
            raise Wrong(f"{name}: a part file is left")
    print(f"{name}: the run is unharmed{'' if old is None else ', the old snapshot whole'}: {told.splitlines()[-1]}", flush=True)


def as_user():
    """Options of a process that the rights of files bind: root is bound by none."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


def limit_files(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def check_disks(runs):
    """Disks that are full, and files and folders that cannot be written."""
    old = os.path.join(runs.folder, "old.snap")
    runs.run(runs.scenario, "--ticks", 30, "--snapshot", old)
    size = os.stat(old).st_size
    if os.path.exists("/dev/full"):
        check_harmless(runs, "/dev/full", "/dev/full")
    # Early snapshots are smaller than the old one: none may fit.
    first = os.path.join(runs.folder, "first.snap")
    runs.run(runs.scenario, "--ticks", 1, "--snapshot", first)
    limit = os.stat(first).st_size // 2
    check_harmless(runs, "a file size limit", old, preexec_fn=limit_files(limit), restore_signals=False)
    check_harmless(runs, "no folder", os.path.join(runs.folder, "none", "a.snap"))

    shut = os.path.join(runs.folder, "shut")
    os.mkdir(shut)
    inside = shutil.copy(old, os.path.join(shut, "a.snap"))
    os.chmod(inside, 0o666)
    os.chmod(shut, 0o555)
    check_harmless(runs, "a read-only folder", inside, **as_user())
    os.chmod(shut, 0o777)
    os.chmod(inside, 0o444)
    check_harmless(runs, "a read-only file", inside, **as_user())

    disk = os.path.join(runs.folder, "disk")
    os.mkdir(disk)
    # Room for the old file, and for a little of a new one, which may be smaller.
    pages = size // 4096 + 3
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={pages * 4096}", "none", disk], capture_output=True,
                             check=False)
    if mounted.returncode != 0:
        print("a full disk: left out, only root can mount one", flush=True)
        return
    try:
        check_harmless(runs, "a full disk", shutil.copy(old, os.path.join(disk, "a.snap")))
    finally:
        subprocess.run(["umount", disk], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--keep", help="work in this folder and keep it")
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp(prefix="kill_snapshots.")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    # A user without rights may not reach the original.
    program = shutil.copy(args.program, os.path.join(folder, "wheelbase"))
    runs = Runs(program, folder)
    began = time.monotonic()
    try:
        check_disks(runs)
        kill_all(runs, args.kills, random.Random(args.seed))
    except Wrong as problem:
        print(f"seed {args.seed}: {problem}", flush=True)
        return 1
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    print(f"seed {args.seed}: {args.kills} kills in {time.monotonic() - began:.0f} s, nothing wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
