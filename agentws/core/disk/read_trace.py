"""Traces of file reads: the questions asked of a workspace's files, and a digest of each answer.

Replayed later, a trace shows whether the answers are the same. Sizes and times of files are not enough: an edit can
keep both.
"""

from __future__ import annotations

import os
import time

from agentws.core.disk.dir_cache import Held
from agentws.core.disk.files import DOCUMENT_LIMIT_BYTES, UNSEEN, Files
from agentws.core.formats import digest
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Step = list[Any]


_SETTLED_NS = 100_000_000
"""A file changed longer ago gets another time with its next change: file system clocks tick slowly."""


class Watched(Files):
    """Files that trace every read: each question in `steps`; `is_whole` is False once a question cannot be recorded."""

    __slots__ = ("_files", "is_whole", "steps")

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self._files = Files(root)
        self.steps: list[Step] = []
        self.is_whole = True

    def part(self, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
        """Read as Files.part does, with the answer in the trace."""
        result: tuple[bytes, int] = self._noted("part", path, limit_bytes, from_end)
        return result

    def piece(self, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
        """Read as Files.piece does, with the answer in the trace."""
        data: bytes = self._noted("piece", path, offset_bytes, limit_bytes)
        return data

    def names(self, folder: str = "") -> list[tuple[str, str]]:
        """List as Files.names does, with the answer in the trace."""
        result: list[tuple[str, str]] = self._noted("names", folder)
        return result

    def unsorted(self, folder: str) -> list[str]:
        """List as Files.unsorted does, with the answer in the trace."""
        result: list[str] = self._noted("unsorted", folder)
        return result

    def exists(self, path: str) -> bool:
        """Ask as Files.exists does, with the answer in the trace."""
        return bool(self._noted("exists", path))

    def stamps(self, paths: Sequence[str]) -> list[str]:
        """Ask as Files.stamps does, traced. A file just changed may change again within one tick of its file system."""
        result: list[str] = self._noted("stamps", list(paths))
        self.is_whole = self.is_whole and all(map(is_settled, result))
        return result

    def stamped(self, path: str, limit_bytes: int = DOCUMENT_LIMIT_BYTES) -> bytes:
        """Read as Files.stamped does; the trace has the stamp, since rereading the file would cost much more."""
        return self._files.stamped(path, limit_bytes)

    def writable(self) -> bool:
        """Call Files.writable and record its answer in the trace."""
        return bool(self._noted("writable"))

    def open(self, path: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        """Open as Files.open does; reads through the descriptor are not traced."""
        self.is_whole = False
        return super().open(path, flags, mode)

    def _folder(self, names: list[str]) -> int:
        self.is_whole = False
        return super()._folder(names)

    def _noted(self, *question: object) -> Any:
        try:
            answer = _ask(self._files, question)
        except AgentwsError as error:
            self._note([*question, _of_error(error)])
            raise
        self._note([*question, _seal(question, answer)])
        return answer

    def _note(self, step: Step) -> None:
        if step not in self.steps:
            self.steps.append(step)


def is_settled(stamp: str) -> bool:
    """Return whether the next change of a traced file is certain to change its stamp (Files.stamps)."""
    return stamp in ("", UNSEEN) or abs(time.time_ns() - int(stamp.split()[2])) > _SETTLED_NS


def holds(root: str, steps: Sequence[Step]) -> bool:
    """Return whether a trace still holds: every question about the files beneath `root` has the same answer now."""
    files = Held(root)
    try:
        return all(_now(files, question) == seal for *question, seal in steps)
    finally:
        files.close()


def _now(files: Files, question: Sequence[Any]) -> object:
    try:
        return _seal(question, _ask(files, question))
    except AgentwsError as error:
        return _of_error(error)


def _ask(files: Files, question: Sequence[Any]) -> Any:
    word, *arguments = question
    if word == "part":
        path, limit_bytes, from_end = arguments
        return files.part(path, limit_bytes, from_end=from_end)
    return getattr(files, word)(*arguments)


def _seal(question: Sequence[Any], answer: Any) -> object:
    """Return what a trace holds for an answer: its digest, or a short answer itself."""
    word = question[0]
    if word == "part":
        content, size = answer
        return f"{size} {digest.quick(content)}"
    if word == "piece":
        return digest.quick(answer)
    if word == "stamps":
        return digest.quick("/".join(answer).encode())
    if word == "unsorted":
        return digest.quick("/".join(answer).encode("utf-8", "surrogateescape"))
    if word == "names":
        text = "/".join(f"{kind} {name}" for name, kind in answer)
        return digest.quick(text.encode("utf-8", "surrogateescape"))
    return answer


def _of_error(error: AgentwsError) -> str:
    return f"{type(error).__name__}: {error.message}"
