"""An index in memory of a log of rows, for the adapters that store rows."""

from __future__ import annotations

import asyncio
import threading
from abc import ABCMeta, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from agentws.errors import ChangedUnderneathError
from agentws.features.data import rows_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentws.features.data.row_log import RowLog

Row = dict[str, object]
P = ParamSpec("P")
T = TypeVar("T")


class RowIndex(metaclass=ABCMeta):
    """The index in memory of a log of rows, which follows what other processes add.

    Subclasses define what they remember of a row (`index`) and how they forget all rows (`reset`). Take `lock` before
    the log's own lock.
    """

    def __init__(self, log: RowLog) -> None:
        self.log = log
        self.lock = threading.RLock()
        self.generation, self.end = -1, 0
        self.reset()

    @abstractmethod
    def reset(self) -> None:
        """Forget all rows: the file was replaced."""

    @abstractmethod
    def index(self, offset: int, row: Row) -> None:
        """Remember a row."""

    def first(self, generation: int) -> int:
        """Return the offset of the first row to index."""
        return 0

    @staticmethod
    def parse(line: bytes) -> Row | None:
        """Return what `index` needs of a line; None for an invalid line."""
        return rows_file.decoded(line)

    def catch_up(self) -> None:
        """Read the rows that were added since. The caller holds `lock`."""
        while True:
            generation = self.log.generation
            if generation != self.generation:
                self.reset()
                self.generation, self.end = generation, -1
            try:
                if self.end < 0:
                    self.end = self.first(generation)
                rows, end = self.log.since(self.end, generation=generation, parse=self.parse)
            except ChangedUnderneathError:
                continue
            self.generation = -1  # if a row cannot be indexed, the next call reads all rows
            for offset, row in rows:
                self.index(offset, row)
            self.generation, self.end = generation, end
            return

    def read(self, function: Callable[[], T], *, is_current: bool = False) -> T:
        """Call a function that reads the index, and rows at its offsets; returns its result.

        With `is_current`, rows that other processes have added since the last call may be missing.
        """
        while True:
            with self.lock:
                if not is_current:
                    self.catch_up()
                try:
                    return function()
                except ChangedUnderneathError:
                    is_current = False

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Exclude all other threads and processes, with the index up to date: for a check and an `add`."""
        with self.lock, self.log.locked():
            self.catch_up()
            yield

    def add(self, *rows: Row) -> list[int]:
        """Append rows, all or none, durably, and index them; returns their offsets. The caller is in `changing`."""
        offsets = self.log.append(*rows)
        for offset, row in zip(offsets, rows, strict=True):
            self.index(offset, row)
        if self.log.generation == self.generation:
            self.end = self.log.size
        return offsets


async def in_thread(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function that writes in a thread; returns its result. A cancelled caller waits for its end too."""
    task = asyncio.ensure_future(asyncio.to_thread(function, *arguments, **named))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()
