"""Sweeps: what the function `sweep` and the command `python -m wheelbase sweep` share."""

from __future__ import annotations

import contextlib
import pathlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ._errors import WheelbaseError
from ._native import PreparedSweep, Table, TableFile


def sweep(
    scenarios: Any,
    seeds: Any,
    *,
    out: Any,
    measures: str | Sequence[str] | None = None,
    set: Mapping[str, Any] | None = None,
    resume: bool = False,
    shard: str | None = None,
    jobs: int = 0,
    times: bool = False,
    check_invariants: bool = False,
    record_failed: Any = None,
    memory_max: int | None = None,
    ray: str | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> list[dict[str, Any]]:
    """Runs scenarios over seeds and values of keys, writes the table, and gives its rows; see the types."""
    prepared = PreparedSweep(
        scenarios,
        seeds,
        measures=measures,
        set=set,
        shard=shard,
        times=times,
        check_invariants=check_invariants,
        memory_max=memory_max,
    )
    begun = Begun(prepared, out, resume=resume)
    begun.run(jobs=jobs, record_failed=record_failed, memory_max=memory_max, ray=ray, progress=progress)
    return [row for rows in batches(begun.finish()) for row in rows]


class Begun:
    """A sweep whose table is open. `prefix` stands before the names of arguments in errors."""

    def __init__(
        self, prepared: PreparedSweep, out: Any, *, resume: bool, html: Any = None, prefix: str = ""
    ) -> None:
        self.out = pathlib.Path(out)
        self.table = table_of(self.out)
        prepared.refuse_clashes(outputs(self.out, html, prefix))
        self.prepared = prepared
        self.file = TableFile(self.table, prepared, resume)
        #: The items to run.
        self.items = self.file.items_left()
        #: The message about the rows that were kept.
        self.kept = self.file.kept_text(len(self.items))
        #: The message of an interrupted sweep, once it is interrupted.
        self.interrupted = ""

    def run(
        self,
        *,
        jobs: int = 0,
        record_failed: Any = None,
        memory_max: int | None = None,
        ray: str | None = None,
        progress: Callable[[int, int], Any] | None = None,
        warn: Callable[[str], Any] = warnings.warn,
    ) -> None:
        """Runs the items that are left. Whatever ends it early, their rows are kept."""
        try:
            if ray is None:
                self.file.run(self.items, jobs=jobs, record_failed=record_failed, progress=progress)
            else:
                from ._ray import run_on_ray

                run_on_ray(
                    self.prepared,
                    self.file,
                    self.items,
                    ray,
                    jobs=jobs,
                    record_failed=record_failed,
                    memory_max=memory_max,
                    progress=progress,
                    warn=warn,
                )
        except BaseException:
            with contextlib.suppress(WheelbaseError):
                self.interrupted = self.file.interrupted_text()
                self.file.pause()
            raise

    def finish(self) -> Table:
        """Writes the whole table and its manifest."""
        table = self.file.finish(sys.orig_argv)
        write_other(table, self.out)
        return table


def batches(table: Table) -> Iterator[list[dict[str, Any]]]:
    """The rows of a table in order, some thousand at a time."""
    first: int | None = 0
    while first is not None:
        rows, first = table.rows(first)
        yield rows


def table_of(out: pathlib.Path) -> pathlib.Path:
    """The table that is written: a Parquet file is made of the JSON lines beside it, which have the types of all values. Raises
    if there is no pyarrow for that."""
    if out.suffix != ".parquet":
        return out
    from . import _parquet

    _parquet.pyarrow()
    return out.with_suffix(".jsonl")


def outputs(out: pathlib.Path, html: Any, prefix: str) -> list[tuple[str, pathlib.Path]]:
    """The outputs with the names of their arguments, to be compared with each other."""
    all = [(f"{prefix}out", out)]
    if table_of(out) != out:
        all.append((f"{prefix}out", table_of(out)))
    if html is not None:
        all.append((f"{prefix}html", pathlib.Path(html)))
    return all


def write_other(table: Table, out: pathlib.Path) -> None:
    """Writes the Parquet file, if one is asked for."""
    if out.suffix == ".parquet":
        from . import _parquet

        _parquet.write(table.columns(), lambda: batches(table), out)
