"""Finds the file of a workspace that a name means, and its names in earlier states of history."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agentws.core.disk import named
from agentws.core.formats import layout
from agentws.core.formats.documents import sources, task
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, UsageError
from agentws.features.history.access import Opened
from agentws.features.history.plan.point_in_time import State

Tree = Mapping[str, str]


_MOST_NAMES = 6
_HINT = "Name a file in this workspace: MEMORY.md, memory/2026-11-20.md, or its whole path."


class Step:
    """A state in which a file changed: its name before and after, and the ids of its content.

    An empty name means that the file did not exist. `parent` is the id of the state before.
    """

    __slots__ = ("after", "after_id", "before", "before_id", "parent", "state")

    def __init__(self, state: State, parent: str, before: tuple[str, str], after: tuple[str, str]) -> None:
        self.state = state
        self.parent = parent
        self.before, self.before_id = before
        self.after, self.after_id = after


def meant(stores: Stores, file: str, near: str = "") -> str:
    """Return the RelPath that `file` means, relative to the folder `near` of the workspace, or to its root.

    An absolute path is accepted within the workspace. UsageError if it can be no file of the workspace.
    """
    paths = [path for path in _readings(stores, file, near) if path]
    if not paths:
        raise UsageError(f"{file!r} is not a file of this workspace.", hint=_HINT)
    named_paths = (named.path(stores.files, path) for path in paths)
    return next((path for path in named_paths if stores.files.exists(path)), paths[0])


def readings(stores: Stores, file: str, near: str = "") -> list[str]:
    """Return the RelPaths that `file` may mean, the likeliest first."""
    first = meant(stores, file, near)
    return list(dict.fromkeys([first, *filter(None, _readings(stores, file, near))]))


def _readings(stores: Stores, file: str, near: str) -> Iterator[str]:
    if file.startswith("/"):
        yield _within(file.removeprefix(f"{stores.root.rstrip('/')}/"))
        return
    yield _within(posixpath.join(near, file))
    yield _within(file)


def _within(path: str) -> str:
    """Return the normalised path, empty if it leaves the workspace or is invalid."""
    plain = posixpath.normpath(path) if path and not path.endswith("/") else ""
    is_one = plain and plain != "." and plain.isprintable() and not plain.startswith(("/", "../")) and plain != ".."
    return plain if is_one else ""


def steps(opened: Opened, path: str) -> list[Step]:
    """Return the states in which the file at `path` changed, newest first, under all of its names."""
    names = [path, *_folded(opened.stores, path)]
    while True:
        touched = _touched(opened, names)
        changes = [step for version in touched if (step := _step(version)) is not None]
        of_task = is_task(path)
        moved = _task_moves(opened, touched, names) if of_task else list(_moves(opened, changes))
        more = [name for name in moved if name not in names] if len(names) < _MOST_NAMES else []
        if not more:
            return _of_task(opened, touched, path) if of_task else changes
        names += more[:1]


def newest_steps(opened: Opened, path: str, most: int) -> tuple[list[Step], int]:
    """Return the newest `most` of the `steps`, and how many earlier ones there are.

    If there are many, those between these and the oldest are only counted, under this name, although one of them may
    have moved the file away and another one back.
    """
    names = [path, *_folded(opened.stores, path)]
    states, between = opened.past.touching_last(names, most) if not is_task(path) else ([], 0)
    if between:
        changes = [_step(touched) for touched in _touched_in(opened, names, states)]
        known = [step for step in changes if step is not None]
        if len(known) == len(changes) and not any(name not in names for name in _moves(opened, known)):
            return known[:-1], between + 1
    every = steps(opened, path)
    return every[:most], len(every[most:])


def _step(touched: Touched) -> Step | None:
    """Return the change of the file in a state, None if it is the same under all names."""
    names = dict.fromkeys((*touched.before, *touched.after))
    different = [name for name in names if touched.before.get(name, "") != touched.after.get(name, "")]
    step = Step(touched.state, touched.parent, _first(touched.before, different), _first(touched.after, different))
    return step if step.before or step.after else None


def _task_moves(opened: Opened, touched: Sequence[Touched], names: Sequence[str]) -> list[str]:
    """Return the names of renamed tasks in these states, and note the renames in them."""
    for version in touched:
        changed = [name for name in names if (name in version.before) != (name in version.after)]
        if not changed or not version.parent:
            continue
        before, after = opened.tree(version.parent), opened.tree(version.state.id)
        for name in changed:
            moved = move(opened, name, before, after)
            if moved is not None:
                version.moves |= dict.fromkeys(moved, moved)
    return [name for version in touched for moved in version.moves.values() for name in moved]


def _of_task(opened: Opened, touched: Sequence[Touched], path: str) -> list[Step]:
    is_there = opened.stores.files.exists(path) or path in opened.tree(opened.state(None).id)
    return [
        Step(
            version.state,
            version.parent,
            (before, version.before.get(before, "")),
            (after, version.after.get(after, "")),
        )
        for version, before, after in of_one(touched, path, is_there=is_there)
    ]


def having(opened: Opened, path: str) -> list[State]:
    """Return the states, newest first, that changed the file at `path` and whose content of it is in the repository."""
    changes = steps(opened, path)
    there = opened.past.present([step.after_id for step in changes])
    return [step.state for step in changes if step.after_id in there]


def names(opened: Opened, path: str) -> list[str]:
    """Return every known name of the file at `path`, `path` first."""
    changes = steps(opened, path)
    return list(dict.fromkeys([path, *(name for step in changes for name in (step.after, step.before) if name)]))


def _folded(stores: Stores, path: str) -> list[str]:
    """Return the archive path to which compaction moved a daily log, or the path it moved it from."""
    day = layout.day_of(path.rpartition("/")[2])
    if day is None:
        return []
    try:
        text = stores.files.read(sources.month_path(day)).decode("utf-8", "surrogateescape")
    except AgentwsError:
        return []
    moved = [(folded.path, folded.to) for folded in sources.decode(text).folded.values() if folded.to]
    return [new for old, new in moved if old == path] + [old for old, new in moved if new == path]


def _touched(opened: Opened, names: Sequence[str]) -> list[Touched]:
    return _touched_in(opened, names, opened.past.touching(names))


def _touched_in(
    opened: Opened, names: Sequence[str], states: Sequence[tuple[tuple[str, datetime, str], str]]
) -> list[Touched]:
    known = [(State(*fields), parent) for fields, parent in states]
    after = [(state.id, name) for state, _ in known for name in names]
    before = [(above, name) for _, above in known for name in names]
    contents = opened.past.contents_of([*after, *before])
    versions = []
    for number, (state, parent) in enumerate(known):
        start = number * len(names)
        own_ids = _known_ids(opened, state.id, names, contents[start:])
        parent_ids = _known_ids(opened, parent, names, contents[len(after) + start :])
        versions.append(Touched(state, parent, _there(parent_ids), _there(own_ids)))
    return versions


def _there(contents: dict[str, str]) -> dict[str, str]:
    return {name: id for name, id in contents.items() if id}


def _known_ids(opened: Opened, state: str, names: Sequence[str], contents: Sequence[str]) -> dict[str, str]:
    """Return (name → content id) in a state, also for content that the repository lacks."""
    result = dict(zip(names, contents, strict=False))
    if state and not any(result.values()):
        tree = opened.tree(state)
        result = {name: tree.get(name, "") for name in names}
    return result


def _first(contents: dict[str, str], names: Sequence[str]) -> tuple[str, str]:
    return next(((name, contents[name]) for name in names if name in contents), ("", ""))


def _moves(opened: Opened, changes: Sequence[Step]) -> Iterator[str]:
    """Yield other names of the file: a state removed one and added the same content under another."""
    nothing = opened.past.content_id(b"")
    for step in changes:
        content = step.after_id or step.before_id
        if (step.before and step.after) or not step.parent or content == nothing:
            continue
        new, old = opened.tree(step.state.id), opened.tree(step.parent)
        there, elsewhere = (old, new) if step.after else (new, old)
        yield from (name for name, id in there.items() if id == content and name not in elsewhere)


_FOLDER = f"{layout.TASKS}/"
_MOST = 8
"""Maximum pairs of removed and added tasks in a state whose names are compared."""


@dataclass(slots=True)
class Touched:
    """A state that changed a file under some of its names: (name → content id) `before` and `after`.

    Names that did not exist are left out; `parent` is the id of the state before. `moves` maps a task's old name and
    its new name to the pair of both.
    """

    state: State
    parent: str
    before: dict[str, str]
    after: dict[str, str]
    moves: dict[str, tuple[str, str]] = field(default_factory=dict)


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
    place = path if is_there else _latest(touched, path)
    result = []
    for version in touched:
        moved = version.moves.get(place)
        if moved is not None and moved[0] == place:
            break  # it gave the name away here: what stands before this is another's
        if moved is not None:
            result.append((version, *moved))
            place = moved[0]
        elif version.before.get(place) != version.after.get(place):
            result.append(
                (version, place if version.before.get(place) else "", place if version.after.get(place) else "")
            )
    return result


def _latest(touched: Sequence[Touched], path: str) -> str:
    """Return the present name of the last task called `path`, after all these states."""
    last = next(
        (number for number, version in enumerate(touched) if version.before.get(path) != version.after.get(path)), 0
    )
    result = path
    for version in reversed(touched[: last + 1]):
        moved = version.moves.get(result)
        result = moved[1] if moved is not None and moved[0] == result else result
    return result
