"""Follows one task through all of its names in history, and skips other tasks that had one of them.

Renaming changes the title in the file, so its content does not show the move: the names in `was` do.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import task
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.features.history.access import Opened
    from agentws.features.history.plan.point_in_time import State

    Tree = Mapping[str, str]

_FOLDER = f"{layout.TASKS}/"
_MOST = 8
"""Where a state took away or brought so many tasks that there are more pairs, their names are not compared."""


class Touched:
    """A state that changed a file under some of its names: (name → content id) `before` and `after`.

    Names that did not exist are left out; `parent` is the id of the state before. `moves` maps a task's old name and
    its new name to the pair of both.
    """

    __slots__ = ("after", "before", "moves", "parent", "state")

    def __init__(self, state: State, parent: str, before: dict[str, str], after: dict[str, str]) -> None:
        self.state = state
        self.parent = parent
        self.before = before
        self.after = after
        self.moves: dict[str, tuple[str, str]] = {}


def is_task(path: str) -> bool:
    """Return True for the path of a task."""
    return path.startswith(_FOLDER) and path.endswith(".md") and path.count("/") == 1


def move(opened: Opened, path: str, before: Tree, after: Tree) -> tuple[str, str] | None:
    """Return a task's names before and after a state, if one of them is `path`; None if it was not renamed.

    `before` and `after` are the trees of the state before and of this one.
    """
    if not is_task(path) or (path in before) == (path in after):
        return None
    gone = [name for name in before if name not in after]
    come = [name for name in after if name not in before]
    pairs = [(old, new) for old in gone for new in come if path in (old, new)]
    nothing = opened.past.content_id(b"")
    same = [(old, new) for old, new in pairs if before[old] == after[new] != nothing]
    tasks = [(old, new) for old, new in pairs if is_task(old) and is_task(new)]
    if same or len(tasks) > _MOST:
        return next(iter(same), None)
    contents = opened.past.read([id for old, new in tasks for id in (before[old], after[new])])
    read = ((pair, contents.get(before[pair[0]]), contents.get(after[pair[1]])) for pair in tasks)
    return next((pair for pair, then, now in read if _is_renamed(pair, then, now)), None)


def _is_renamed(pair: tuple[str, str], then: bytes | None, now: bytes | None) -> bool:
    """Return whether one of two tasks is the other one renamed, by their lists of earlier names."""
    (old, new), was_then, was_now = pair, _was(pair[0], then), _was(pair[1], now)
    return was_now == {*was_then, _slug(old)} or was_then == {*was_now, _slug(new)}


def _was(path: str, data: bytes | None) -> set[str]:
    try:
        return set(task.decode(data or b"", slug=_slug(path), where=path).was)
    except AgentwsError:
        return set()


def _slug(path: str) -> str:
    return path.removeprefix(_FOLDER).removesuffix(".md")


def of_one(touched: Sequence[Touched], path: str, *, is_there: bool) -> list[tuple[Touched, str, str]]:
    """Return (state, name before, name after), newest first, of the one task that `path` names; empty if missing.

    That is the task which exists now, else the last one of that name, whatever its later names.
    """
    here = path if is_there else _latest(touched, path)
    found = []
    for one in touched:
        moved = one.moves.get(here)
        if moved is not None and moved[0] == here:
            break  # it gave the name away here: what stands before this is another's
        if moved is not None:
            found.append((one, *moved))
            here = moved[0]
        elif one.before.get(here) != one.after.get(here):
            found.append((one, here if one.before.get(here) else "", here if one.after.get(here) else ""))
    return found


def _latest(touched: Sequence[Touched], path: str) -> str:
    """Return the present name of the last task called `path`, after all these states."""
    last = next((number for number, one in enumerate(touched) if one.before.get(path) != one.after.get(path)), 0)
    here = path
    for one in reversed(touched[: last + 1]):
        moved = one.moves.get(here)
        here = moved[1] if moved is not None and moved[0] == here else here
    return here
