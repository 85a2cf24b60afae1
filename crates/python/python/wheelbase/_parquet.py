"""Tables as Parquet files, by pyarrow."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._errors import ArgumentError, WheelbaseError


def pyarrow() -> Any:
    """The package."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ArgumentError(
            f'a table .parquet is written by pyarrow: {error}; `pip install pyarrow` installs it'
        ) from None
    return pyarrow


def write(
    columns: Sequence[str], batches: Callable[[], Iterable[list[dict[str, Any]]]], out: pathlib.Path
) -> None:
    """Writes rows to a file, which takes its place when it is whole. They are read twice, so that all need never be in memory
    together: the type of a column fits all its values."""
    pa = pyarrow()
    kinds: dict[str, set[type]] = {name: set() for name in columns}
    least, most = dict.fromkeys(columns, 0), dict.fromkeys(columns, 0)
    for rows in batches():
        for name in columns:
            cells = [row[name] for row in rows]
            kinds[name].update(map(type, cells))
            whole = [cell for cell in cells if type(cell) is int]
            least[name], most[name] = min([least[name], *whole]), max([most[name], *whole])

    def type_of(name: str) -> Any:
        kind = kinds[name] - {type(None)}
        if kind == {bool}:
            return pa.bool_()
        if kind == {int} and most[name] < 2**63:
            return pa.int64()
        if kind == {int} and least[name] >= 0:
            return pa.uint64()
        if kind in ({float}, {int, float}):
            return pa.float64()
        return pa.string()

    schema = pa.schema([(name, type_of(name)) for name in columns])

    def cell_of(cell: Any, kind: Any) -> Any:
        # As in the CSV: an empty cell is null, and values of several types are the letters of each.
        if cell is None or cell == "":
            return None
        if kind != pa.string() or isinstance(cell, str):
            return cell
        return str(cell).lower() if isinstance(cell, bool) else str(cell)

    part = out.with_name(out.name + ".part")
    try:
        with pa.parquet.ParquetWriter(part, schema) as writer:
            for rows in batches():
                arrays = [
                    pa.array([cell_of(row[field.name], field.type) for row in rows], field.type)
                    for field in schema
                ]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        os.replace(part, out)
    except OSError as error:
        raise WheelbaseError(f"{out}: cannot be written: {error}") from None
