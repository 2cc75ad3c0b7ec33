"""agentws diff: changes in the documents since a recorded state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentws.core import Result
from agentws.core.formats.secrets import secrets
from agentws.core.states import versions
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.history import access, file_names
from agentws.features.history.access import Opened
from agentws.features.history.plan import point_in_time
from agentws.features.history.plan.point_in_time import Difference, State

ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"


class Differing(Result):
    """A document in a diff: its `path` now, `was` then, its `status`, lines added and removed, and the `patch`.

    `was` is empty for a new document; for a deleted one `path` is its former path.
    """

    __slots__ = ("added", "patch", "path", "removed", "status", "was")

    def __init__(self, was: str, path: str, difference: Difference) -> None:
        self.was = was
        self.path = path or was
        self.status = (CHANGED if was == path else MOVED) if was and path else ADDED if path else REMOVED
        self.added, self.removed = difference.added, difference.removed
        self.patch = point_in_time.patch(difference, before=was or None, after=path or None)


class Compared(Result):
    """The diff of the documents with the `state`: `differs`, sorted by path; `at` in the workspace's zone."""

    __slots__ = ("at", "differs", "notices", "state")

    def __init__(self, opened: Opened, state: State, differs: Sequence[Differing]) -> None:
        self.state = state
        self.at = opened.local(state)
        self.differs = differs
        self.notices: list[str] = []


def diff(
    stores: Stores, file: str | None = None, *, near: str = "", since: str | None = None, until: str | None = None
) -> Compared:
    """Return the diff of all documents, or of one, since the state `since` (a time or an id; default: the newest).

    `until` is the state to compare with, the present files by default.

    For a time before history begins it is the diff since its first state, with a notice.
    `file` and `near` as in `history`. MissingFileError if the file exists neither then nor now.
    """
    path = file_names.meant(stores, file, near) if file is not None else ""
    if path:
        access.refuse_other(path)
    opened = access.opened(stores, path)
    early: list[str] = []
    state = opened.state(since, notices=early)
    then = opened.tree(state.id)
    later = None if until is None else opened.tree(opened.state(until).id)
    paths = versions.paths(stores.files) if later is None else list(later)
    if file is not None:
        wanted = _names_of_file(opened, file_names.readings(stores, file, near), {*then, *paths}, state)
        then = {name: id for name, id in then.items() if name in wanted}
        paths = [name for name in paths if name in wanted]
    now, notices = (
        _now(opened, paths, then) if later is None else _later(opened, {path: later[path] for path in paths}, then)
    )
    notices += _lacking(opened, then, now)
    compared = Compared(opened, state, list(_differing(opened, then, now)))
    compared.notices = [*stores.notices, *early, *notices]
    return compared


def _names_of_file(opened: Opened, readings: Sequence[str], known: set[str], state: State) -> set[str]:
    """The names of the one file that is asked for, then and now."""
    path = next((reading for reading in readings if reading in known), readings[0])
    names = set(file_names.names(opened, path))
    if not names & known:
        raise MissingFileError(
            f"{path} does not exist, now or on {opened.shown(state)}.",
            hint=f"To list its states: agentws history {path}",
        )
    return names


def _now(opened: Opened, paths: Sequence[str], then: dict[str, str]) -> tuple[dict[str, bytes | None], list[str]]:
    """Return the current documents (path → content, None if unchanged since then), and notices."""
    contents: dict[str, bytes | None] = {}
    notices = []
    include = opened.stores.manifest.setting("history.include")
    for path in paths:
        try:
            data = opened.stores.files.read(path)
        except AgentwsError as error:
            notices.append(f"Not compared: {error.message}")
            then.pop(path, None)
            continue
        if path in then or path in include or not secrets.find(data.decode("utf-8", "replace")):
            contents[path] = None if opened.past.content_id(data) == then.get(path) else data
        else:
            notices.append(f"{path} is not in history: some of its lines look like secrets.")
    return contents, notices


def _later(opened: Opened, later: dict[str, str], then: dict[str, str]) -> tuple[dict[str, bytes | None], list[str]]:
    """Return the documents of a later state, as `_now` does."""
    changed = {path: id for path, id in later.items() if then.get(path) != id}
    contents = opened.past.read([*changed.values()])
    lost = [path for path, id in changed.items() if id not in contents]
    for path in lost:
        then.pop(path, None)
    notices = [f"Not compared: {path}: the git repository lacks that version." for path in lost]
    return {path: contents.get(changed.get(path, "")) for path in later if path not in lost}, notices


def _lacking(opened: Opened, then: dict[str, str], now: dict[str, bytes | None]) -> list[str]:
    """Takes out what cannot be compared, since the repository lacks it; notices that say so."""
    asked = {path: id for path, id in then.items() if now.get(path, b"") is not None}
    there = opened.past.present(list(asked.values()))
    lost = [path for path, id in asked.items() if id not in there]
    for path in lost:
        then.pop(path)
        now.pop(path, None)
    return [f"Not compared: {path}: the git repository lacks that version." for path in lost]


def _differing(opened: Opened, then: dict[str, str], now: dict[str, bytes | None]) -> Iterator[Differing]:
    new = {path: data for path, data in now.items() if data is not None and path not in then}
    gone = {path: id for path, id in then.items() if path not in now}
    changed = {path: data for path, data in now.items() if data is not None and path in then}
    moved = _moved(opened, gone, new)
    contents = opened.past.read([then[path] for path in (*gone, *changed)])
    differences = [Differing(path, path, Difference(contents[then[path]], data)) for path, data in changed.items()]
    differences += [Differing(was, path, Difference(b"", b"")) for was, path in moved.items()]
    differences += [
        Differing(path, "", Difference(contents[id], b"")) for path, id in gone.items() if path not in moved
    ]
    taken = set(moved.values())
    differences += [Differing("", path, Difference(b"", data)) for path, data in new.items() if path not in taken]
    yield from sorted(differences, key=lambda difference: difference.path)


def _moved(opened: Opened, gone: dict[str, str], new: dict[str, bytes]) -> dict[str, str]:
    """(path then → path now) of the documents that lie elsewhere, byte for byte."""
    by_content = {opened.past.content_id(data): path for path, data in new.items() if data}
    moved: dict[str, str] = {}
    for path, id in gone.items():
        if id in by_content:
            moved[path] = by_content.pop(id)
    return moved
