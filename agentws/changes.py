"""What is to be changed, as a plain value: made by pure code, applied by core/disk/change/transaction.py alone.

Digests are SHA-256 in hexadecimal of a file's whole content. `ABSENT` stands for a file that is not there.
"""

from agentws.core.formats.digest import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ABSENT", "Change", "ChangeSet", "Move", "Remove", "Write"]


class Write:
    """Put `data` in place of the file's whole content, if its digest is still `expects`."""

    __slots__ = ("data", "expects", "path")

    def __init__(self, path: str, data: bytes, *, expects: str) -> None:
        self.path = path
        self.data = data
        self.expects = expects


class Move:
    """Move the file to `to`, where nothing may stand, if its digest is still `expects`."""

    __slots__ = ("expects", "path", "to")

    def __init__(self, path: str, to: str, *, expects: str) -> None:
        self.path = path
        self.to = to
        self.expects = expects


class Remove:
    """Remove the file, if its digest is still `expects`."""

    __slots__ = ("expects", "path")

    def __init__(self, path: str, *, expects: str) -> None:
        self.path = path
        self.expects = expects


Change = Write | Move | Remove


class ChangeSet:
    """Changes that belong together under one verb; order is the order of application."""

    __slots__ = ("changes", "verb")

    def __init__(self, verb: str, changes: "tuple[Change, ...]" = ()) -> None:
        self.verb = verb
        self.changes = changes

    def __repr__(self) -> str:
        return f"ChangeSet({self.verb!r}, {[change.path for change in self.changes]})"

    def at(self, real: "Callable[[str], str]") -> "ChangeSet":
        """Return these changes with each file at the path that `real` returns for it."""

        def placed(each: Change) -> Change:
            if isinstance(each, Write):
                return Write(real(each.path), each.data, expects=each.expects)
            if isinstance(each, Move):
                return Move(real(each.path), real(each.to), expects=each.expects)
            return Remove(real(each.path), expects=each.expects)

        return ChangeSet(self.verb, tuple(map(placed, self.changes)))

    @property
    def paths(self) -> tuple[str, ...]:
        """Each path that the set touches, sorted, without repeats."""
        touched = {change.path for change in self.changes}
        touched.update(change.to for change in self.changes if isinstance(change, Move))
        return tuple(sorted(touched))
