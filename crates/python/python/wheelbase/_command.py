"""The command `python -m wheelbase sweep`: the flags, messages and exit statuses of `wheelbase sweep`, and `--ray`."""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

from . import _sweep
from ._errors import BrokenError, RowsDifferError, WheelbaseError
from ._native import PreparedSweep, Table, __version__, parse_bytes, safe

DONE, NEGATIVE, BAD_INPUT, BROKEN, INTERRUPTED = 0, 1, 2, 3, 130

#: What `--merge` goes without.
MERGE_EXCLUDES = [
    "scenarios", "seeds", "set", "measure", "resume", "shard", "jobs", "times", "record_failed", "check_invariants", "ray",
]


def say(text: str) -> None:
    """Prints to standard error. Failures are ignored: nobody reads it."""
    with contextlib.suppress(OSError):
        print(safe(text), file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    commands = argparse.ArgumentParser(prog="python -m wheelbase", description="Runs sweeps of scenarios.")
    commands.add_argument("--version", action="version", version=f"wheelbase {__version__}")
    sweep = commands.add_subparsers(dest="command", required=True).add_parser(
        "sweep",
        help="run scenarios over seeds and values of keys",
        description="Runs scenarios over seeds and values of keys, and writes a table with a row for each run.",
        epilog="Exit status: 0 done, 1 rows differ or are missing, 2 bad arguments or files, 3 an item ended its worker again"
        " and again, 130 interrupted.",
        allow_abbrev=False,
    )
    add = sweep.add_argument
    add("scenarios", nargs="*", metavar="SCENARIO", help="scenarios (.toml), or problems of the League of Robot Runners (.json)")
    add("--seeds", metavar="A..B", help="0..100 for 0 to 99, 0..=99 for the same, or several with commas between them")
    add(
        "--set",
        metavar="KEY=VALUE,...",
        action="append",
        help="set a key of the scenarios to each of these values; repeatable: every combination is run",
    )
    add(
        "--measure",
        metavar="NAME,...",
        action="append",
        help="columns of the table, keys of run --format json; all for all [default: all keys with a number or a text]",
    )
    add(
        "-o",
        "--output",
        "--out",
        dest="out",
        metavar="FILE.csv|FILE.jsonl|FILE.parquet",
        type=pathlib.Path,
        required=True,
        help="the table; until it is whole its rows are in FILE.part. FILE.parquet is made of FILE.jsonl, by pyarrow",
    )
    add("--resume", action="store_true", help="keep the rows of FILE and FILE.part, and run the missing items")
    add("--shard", metavar="I/N", help="run part I of N of the items; --merge joins their tables")
    add(
        "-j",
        "--threads",
        "--jobs",
        dest="jobs",
        metavar="N",
        type=jobs,
        help="items in parallel, each on one thread; with --ray chunks of items in parallel [default: one per core]",
    )
    add("--times", action="store_true", help="add a column wall_s, the seconds of each run")
    add("--html", metavar="FILE.html", type=pathlib.Path, help="write a page that plots each measure over each parameter")
    add(
        "--record-failed",
        metavar="DIR",
        type=pathlib.Path,
        help="for each item that fails, write a file to reproduce it into this folder",
    )
    add(
        "--check-invariants",
        action="store_true",
        help="check after every tick, independently and slowly, that no two agents hold the same cell",
    )
    add(
        "--merge",
        metavar="FILE",
        nargs="+",
        type=pathlib.Path,
        help="join finished tables of shards, instead of running scenarios",
    )
    add("-q", "--quiet", action="store_true", help="no progress, and no summary")
    add(
        "--memory-max",
        metavar="SIZE",
        type=size,
        help="refuse inputs that could need more memory, as bytes or 512MiB, 4GiB; with --ray on each node [default: free memory]",
    )
    add(
        "--ray",
        metavar="auto|ADDRESS",
        help="run the items on the Ray cluster at this address; auto for the cluster of this machine",
    )
    return commands


def jobs(text: str) -> int:
    with contextlib.suppress(ValueError):
        if 1 <= int(text) <= 1024:
            return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1024, found {text}")


def size(text: str) -> int:
    try:
        return parse_bytes(text)
    except WheelbaseError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main(words: Sequence[str]) -> int:
    """Runs the command; gives its exit status."""
    commands = parser()
    try:
        args = commands.parse_args(words)
        usage(commands, args)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else BAD_INPUT
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        table = merged(args) if args.merge else swept(args)
        return end(args, table)
    except KeyboardInterrupt:
        return INTERRUPTED
    except WheelbaseError as error:
        say(f"error: {error}")
        return {RowsDifferError: NEGATIVE, BrokenError: BROKEN}.get(type(error), BAD_INPUT)


def usage(commands: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Ends the program if flags do not go together."""
    if args.merge:
        for name in MERGE_EXCLUDES:
            if getattr(args, name):
                commands.error(f"--merge cannot be used with {name if name == 'scenarios' else flag(name)}")
    elif not args.scenarios or args.seeds is None:
        commands.error("expected a SCENARIO and --seeds, or --merge")


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def swept(args: argparse.Namespace) -> Table:
    measures = [name for names in args.measure or [] for name in names.split(",")]
    prepared = PreparedSweep(
        args.scenarios,
        args.seeds,
        measures=measures,
        set=args.set,
        shard=args.shard,
        times=args.times,
        check_invariants=args.check_invariants,
        memory_max=args.memory_max,
        prefix="--",
    )
    begun = _sweep.Begun(prepared, args.out, resume=args.resume, html=args.html, prefix="--")
    if args.resume and not args.quiet:
        say(begun.kept)
    progress = None if args.quiet or not sys.stderr.isatty() else Progress(begun.file)
    try:
        begun.run(
            jobs=args.jobs or 0,
            record_failed=args.record_failed,
            memory_max=args.memory_max,
            ray=args.ray,
            progress=progress,
            warn=lambda text: say(f"warning: {text}"),
        )
    except KeyboardInterrupt:
        if begun.interrupted:
            say(begun.interrupted)
        raise
    finally:
        if progress is not None:
            progress.clear()
    return begun.finish()


def merged(args: argparse.Namespace) -> Table:
    outputs = _sweep.outputs(args.out, args.html, "--")
    table = Table.merge(args.merge, outputs, sys.orig_argv)
    table.write(_sweep.table_of(args.out))
    _sweep.write_other(table, args.out)
    return table


def end(args: argparse.Namespace, table: Table) -> int:
    """Writes the page, and says what the table holds."""
    unwritten = None
    if args.html is not None:
        try:
            table.write_page(args.html)
        except WheelbaseError as error:
            unwritten = error
    text, warning = table.summary(args.out)
    if not args.quiet:
        say(text)
    if warning is not None:
        say(warning)
    if unwritten is not None:
        raise unwritten
    return DONE if warning is None else NEGATIVE


class Progress:
    """A line on the terminal: how many items are done, and the time left."""

    def __init__(self, file: Any) -> None:
        self.file, self.begun, self.shown = file, time.monotonic(), 0.0

    def __call__(self, done: int, all: int) -> None:
        now = time.monotonic()
        if now - self.shown < 0.2:
            return
        self.shown = now
        left = int((now - self.begun) / done * (all - done)) if done else 0
        failed = f", {self.file.failed} failed" if self.file.failed else ""
        line = f"{done} of {all} items{failed}, {left // 60}:{left % 60:02} left"
        with contextlib.suppress(OSError):
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.shown:
            with contextlib.suppress(OSError):
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
