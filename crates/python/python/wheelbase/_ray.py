"""Items of a sweep on the workers of a Ray cluster.

The driver reads the files and writes the table; workers run chunks of items, from memory. A worker that is lost, alone or with
its node, gives no row: the driver gives its chunk to others. An item that fails by itself is a row, and is not run again.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import logging
import math
import os
import pathlib
import platform
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ._errors import ArgumentError, BrokenError
from ._native import PreparedSweep, TableFile, __version__

#: Seconds that a chunk should take, and after which a worker begins no further item of it.
CHUNK_SECONDS = 10.0
CHUNK_SECONDS_MAX = 20.0

#: Most items of a chunk, and how many times as large as the last one the next may be.
CHUNK_ITEMS_MAX = 10_000
CHUNK_GROWTH = 4

#: Chunks in progress per processor: one runs, and one waits for it.
CHUNKS_PER_CPU = 2

#: Times that an item alone may end its worker, or that nodes may be lost under it, before it is given up.
CRASHES_MAX = 4
NODE_LOSSES_MAX = 16

#: Most chunks together that may be asked for.
JOBS_MAX = 1024

#: Seconds between two looks at the size of the cluster, and without processors before that is said.
RESOURCES_INTERVAL = 2.0
IDLE_SECONDS = 20.0

#: Seconds for a cluster to answer.
CONNECT_SECONDS = 10.0


def import_ray() -> Any:
    """The package."""
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise ArgumentError(
            f'`ray`: the package is missing: {error}; `pip install ray` installs it'
        ) from None
    return ray


def check_reachable(address: str) -> None:
    """Raises an `OSError` if nothing answers at HOST:PORT: Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()


def run_chunk(
    version: str, job: Sequence[Any], items: Sequence[int], records: bool
) -> tuple[list[bytes], dict[str, bytes], float]:
    """On a worker: the rows of the first items of a chunk, as many as its time allows, the files that `record_failed` would
    have written, and the seconds it took. `version` is that of the driver, and stays the first argument for ever."""
    if version != __version__:
        raise ArgumentError(
            f"the node {platform.node()} has wheelbase {__version__}, the driver wheelbase {version}: expected the same"
            " release on all nodes"
        )
    prepared = _prepared(job[0])
    begun = time.monotonic()
    rows: list[bytes] = []
    files: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() if records else contextlib.nullcontext() as folder:
        for item in items:
            rows.append(prepared.run([item], folder))
            if time.monotonic() - begun > CHUNK_SECONDS_MAX:
                break
        if folder is not None:
            files = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
    return rows, files, time.monotonic() - begun


@functools.lru_cache(maxsize=1)
def _prepared(files: Any) -> PreparedSweep:
    """The sweep whose files the driver has put, made ready once a worker."""
    ray = import_ray()
    sweep, contents, memory_max = ray.get(files)
    here = ray.get_runtime_context().get_node_id()
    cpus = (node["Resources"].get("CPU", 1) for node in ray.nodes() if node["NodeID"] == here)
    return PreparedSweep.of_files(sweep, contents, memory_max, max(1, int(next(cpus, 1))))


def run_on_ray(
    prepared: PreparedSweep,
    file: TableFile,
    items: Sequence[int],
    address: str,
    *,
    jobs: int = 0,
    record_failed: Any = None,
    memory_max: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    warn: Callable[[str], Any],
) -> None:
    """Runs items on the cluster at an address of `ray.init`, or on the cluster that this process is connected to, and adds their
    rows to the table as each chunk ends. `jobs`: chunks together, 0 for as many as the cluster has room for."""
    if not 0 <= jobs <= JOBS_MAX:
        raise ArgumentError(f"`jobs` is {jobs}, expected 0 to {JOBS_MAX}")
    ray = import_ray()
    connects = not ray.is_initialized()
    if connects:
        on_termination = signal.getsignal(signal.SIGTERM)
        try:
            check_reachable(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:
            raise ArgumentError(f"`ray` is {address!r}: no cluster can be reached there: {error}") from None
        # Ray has put its own in its place.
        if threading.current_thread() is threading.main_thread() and on_termination is not None:
            signal.signal(signal.SIGTERM, on_termination)
    try:
        _Chunks(ray, prepared, file, items, jobs, record_failed, memory_max, warn, leaves=connects).run(progress)
    finally:
        if connects:
            ray.shutdown()


class _Chunks:
    """The chunks of a sweep: waiting to run, and in progress."""

    def __init__(
        self,
        ray: Any,
        prepared: PreparedSweep,
        file: TableFile,
        items: Sequence[int],
        jobs: int,
        record_failed: Any,
        memory_max: int | None,
        warn: Callable[[str], Any],
        *,
        leaves: bool,
    ) -> None:
        self.ray, self.prepared, self.file, self.jobs, self.warn = ray, prepared, file, jobs, warn
        #: Whether the process leaves the cluster when the sweep ends, however it ends.
        self.leaves = leaves
        self.record_failed = None if record_failed is None else pathlib.Path(record_failed)
        self.files = ray.put((prepared.sweep(), prepared.files(), memory_max))
        # Lost workers are not replaced by Ray, which would run an item that ends its worker for ever.
        self.task = ray.remote(num_cpus=1, max_retries=0)(run_chunk)
        #: Items that no chunk has yet, and chunks to be run once more.
        self.todo = collections.deque(items)
        self.again: collections.deque[list[int]] = collections.deque()
        self.under_way: dict[Any, list[int]] = {}
        self.seconds_of_item: float | None = None
        self.last_len = 1
        self.crashes: collections.Counter[int] = collections.Counter()
        self.node_losses: collections.Counter[int] = collections.Counter()
        self.given_up: list[tuple[int, str]] = []
        self.cpus, self.looked, self.had_cpus = 0, -math.inf, time.monotonic()

    def run(self, progress: Callable[[int, int], Any] | None) -> None:
        done, all = 0, len(self.todo)
        try:
            while self.todo or self.again or self.under_way:
                self.begin_chunks()
                if not self.under_way:
                    time.sleep(0.1)
                    continue
                ready, _ = self.ray.wait(list(self.under_way), timeout=RESOURCES_INTERVAL)
                for ref in ready:
                    done += self.end_chunk(ref, self.under_way.pop(ref))
                    if progress is not None:
                        progress(done, all)
        except BaseException:
            # A process that leaves the cluster takes its chunks with it. Cancelled by force they may end it: Ray 2.60 fails a
            # internal check if a chunk ends at that moment.
            for ref in () if self.leaves else self.under_way:
                with contextlib.suppress(Exception):
                    self.ray.cancel(ref)
            raise
        if self.given_up:
            items = "; ".join(f"{self.prepared.label(item)}: {why}" for item, why in sorted(self.given_up)[:3])
            raise BrokenError(
                f"{len(self.given_up)} items ended the process of their worker again and again, and have no row: {items}."
                " All others have theirs, and resuming the sweep tries these again"
            )

    def begin_chunks(self) -> None:
        """Begins as many chunks as there is room for."""
        now = time.monotonic()
        if now - self.looked > RESOURCES_INTERVAL:
            self.cpus = int(self.ray.cluster_resources().get("CPU", 0))
            self.looked = now
            if self.cpus:
                self.had_cpus = now
            elif now - self.had_cpus > IDLE_SECONDS:
                self.had_cpus = math.inf
                self.warn("the Ray cluster has no processors; the sweep waits for a node, and Ctrl-C ends it")
        room = (self.jobs or CHUNKS_PER_CPU * self.cpus) - len(self.under_way)
        while room > 0 and (self.again or self.todo):
            if self.again:
                chunk = self.again.popleft()
            else:
                chunk = [self.todo.popleft() for _ in range(self.next_len())]
            self.under_way[self.task.remote(__version__, [self.files], chunk, self.record_failed is not None)] = chunk
            room -= 1

    def next_len(self) -> int:
        """Items of the next chunk: as many as take its time; fewer at the end, so that all workers end together."""
        if self.seconds_of_item is None:
            return 1
        of_time = CHUNK_SECONDS / max(self.seconds_of_item, 1e-6)
        of_end = math.ceil(len(self.todo) / (CHUNKS_PER_CPU * max(1, self.cpus)))
        return max(1, min(int(of_time), CHUNK_GROWTH * self.last_len, of_end, CHUNK_ITEMS_MAX))

    def end_chunk(self, ref: Any, chunk: list[int]) -> int:
        """Adds the rows of a chunk; says how many they are. What has none yet is run again."""
        errors = self.ray.exceptions
        try:
            rows, files, seconds = self.ray.get(ref)
        except errors.RayTaskError as error:
            raise self.of_worker(error) from None
        except (errors.TaskUnschedulableError, errors.RuntimeEnvSetupError) as error:
            raise ArgumentError(f"`ray`: no worker can be had: {error}") from None
        except errors.RayError as error:
            self.lose(chunk, error)
            return 0
        added = sum(self.file.add(row) for row in rows)
        if self.record_failed is not None:
            for name, content in files.items():
                self.record_failed.mkdir(parents=True, exist_ok=True)
                part = self.record_failed / f"{name}.part"
                part.write_bytes(content)
                os.replace(part, self.record_failed / name)
        of_item = seconds / len(rows)
        before = self.seconds_of_item
        self.seconds_of_item = of_item if before is None else (before + of_item) / 2
        self.last_len = len(rows)
        self.todo.extendleft(reversed(chunk[len(rows) :]))
        return added

    def lose(self, chunk: list[int], error: Exception) -> None:
        """Has the items of a chunk whose worker is lost run again, in halves: so the item that ends its worker is found."""
        if len(chunk) > 1:
            middle = len(chunk) // 2
            self.again.extend([chunk[:middle], chunk[middle:]])
            return
        crashed = isinstance(error, (self.ray.exceptions.WorkerCrashedError, self.ray.exceptions.OutOfMemoryError))
        counts, most = (self.crashes, CRASHES_MAX) if crashed else (self.node_losses, NODE_LOSSES_MAX)
        counts[chunk[0]] += 1
        if counts[chunk[0]] < most:
            self.again.append(chunk)
        else:
            self.given_up.append((chunk[0], str(error).strip().partition("\n")[0]))

    def of_worker(self, error: Any) -> Exception:
        """The exception of a worker, as it was raised there."""
        if "No module named 'wheelbase" in str(error):
            return ArgumentError(
                f"`ray`: a node has no package wheelbase: expected wheelbase {__version__}, as here, on all nodes"
            )
        cause = getattr(error, "cause", None)
        return cause if isinstance(cause, Exception) else error
