"""The results of sync and sync join, as callers get them, and the counts of what was moved in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from agentws.core.formats import layout
from agentws.core.formats.identity import writer as writers
from agentws.core.formats.journal import segment
from agentws.core.formats.travel import conflict

Tree = Mapping[str, str]
Read = Callable[[str], bytes]


_QUIET = (f"{layout.JOURNAL}/", f"{layout.ARCHIVE}/", "identity/", f"{conflict.FOLDER}/")
"""Paths not listed as changed files: counted as events, or derived from other files."""
_ENTRY = b"- "


@dataclass(frozen=True, slots=True)
class Removed:
    """Removals of a sync: counts of `entries` and `tasks`, and other `files`, without archived ones."""

    entries: int = 0
    tasks: int = 0
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """The changes that a sync moved in one direction: counts of `entries`, `tasks`, `events`, and other `files`.

    These are new or changed; what went is in `removed`. `hosts` are the machines that wrote the events, `paths` all
    changed files.
    """

    entries: int = 0
    tasks: int = 0
    events: int = 0
    files: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    removed: Removed = Removed()


Count = TypeVar("Count", Moved, Removed)


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of a sync with one remote: what came `inward`, what went `outward`, the ids of new `conflicts`.

    `waiting` is how many conflicts wait for a decision in all; `skipped` are files that do not travel, `skipped_count`
    of them. `failed` says why the sync failed, with a `hint`. `made`: the remote was empty before.
    `parted` counts events of this machine under whose numbers the remote has others: they stay here, and a new journal
    has begun (0 afterwards).
    """

    remote: str
    commit: str = ""
    inward: Moved = Moved()
    outward: Moved = Moved()
    conflicts: tuple[str, ...] = ()
    waiting: int = 0
    skipped: tuple[str, ...] = ()
    skipped_count: int = 0
    made: bool = False
    parted: int = 0
    renewed: bool = False
    failed: str = ""
    hint: str = ""
    dry_run: bool = False
    notices: list[str] = field(default_factory=list)

    @property
    def is_still(self) -> bool:
        """Return whether the sync moved nothing in either direction."""
        return not (self.inward.paths or self.outward.paths or self.made or self.renewed)


@dataclass(frozen=True, slots=True)
class Joined:
    """The result of sync join: the agent's `name`, the new folder (`root`), its `writer` with its public `key` (empty
    where nothing can sign), and what was fetched.
    """

    root: str
    name: str
    agent: str
    remote: str
    writer: str
    files: int
    events: int
    mode: str
    pushed: bool
    key: str = ""
    notices: list[str] = field(default_factory=list)


def moved(before: Tree, after: Tree, read: Read) -> Moved:
    """Return the entries, tasks, events and files that changed from `before` to `after`; `read` gives a blob."""
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    entries, gone = _entries(paths, before, after, read)
    tasks: dict[bool, int] = {True: 0, False: 0}
    files: dict[bool, list[str]] = {True: [], False: []}
    stays = {path.rpartition("/")[2] for path in paths if path in after}  # perhaps in an archive
    for path in paths:
        is_there = path in after
        if path.startswith(f"{layout.TASKS}/"):
            tasks[is_there] += is_there or path.rpartition("/")[2] not in stays
        elif not path.startswith(_QUIET) and not path.endswith(".jsonl") and not _is_log(path):
            files[is_there].append(path)
    old, new = heads(before, read), heads(after, read)
    grown = {writer: seq - old.get(writer, 0) for writer, seq in new.items() if seq > old.get(writer, 0)}
    text = read(after[layout.WRITERS]).decode("utf-8", "replace") if grown and layout.WRITERS in after else ""
    hosts = {line.writer: line.host for line in writers.lines(text)}
    names = tuple(dict.fromkeys(hosts.get(writer) or writer for writer in grown))
    removed = Removed(gone, tasks[False], tuple(files[False]))
    return Moved(entries, tasks[True], sum(grown.values()), tuple(files[True]), names, tuple(paths), removed)


def more(first: Count, other: Count) -> Count:
    """Return the sum of two counts of what was moved or removed: numbers are added, names are joined."""
    sums: dict[str, Any] = {}
    for each in fields(first):
        left: Any = getattr(first, each.name)
        right: Any = getattr(other, each.name)
        if isinstance(left, tuple):
            sums[each.name] = tuple(dict.fromkeys((*left, *right)))
        else:
            sums[each.name] = left + right if isinstance(left, int) else more(left, right)
    return replace(first, **sums)


def heads(tree: Tree, read: Read) -> dict[str, int]:
    """Return the number of the newest journal event of each writer in a state."""
    newest: dict[str, tuple[int, str]] = {}
    for path, blob in tree.items():
        top, _, rest = path.partition("/")
        writer, _, name = rest.partition("/")
        number = segment.number_of(name) if top == layout.JOURNAL else None
        if number is not None and number > newest.get(writer, (0, ""))[0]:
            newest[writer] = number, blob
    return {writer: _last(read(blob)) for writer, (_, blob) in newest.items()}


def _is_log(path: str) -> bool:
    return path.startswith(f"{layout.DAYS}/") and path.endswith(".md")


def _entries(paths: Sequence[str], before: Tree, after: Tree, read: Read) -> tuple[int, int]:
    """Return how many entries of the daily logs are new or changed, and how many went; archived ones stay."""
    days: dict[str, tuple[list[bytes], list[bytes]]] = {}
    for path in filter(_is_log, paths):
        sides = days.setdefault(path.rpartition("/")[2], ([], []))
        for tree, bullets in zip((before, after), sides, strict=True):
            lines = read(tree[path]).split(b"\n") if path in tree else ()
            bullets.extend(line for line in lines if line.startswith(_ENTRY))
    spans = [_compared(old, new) for old, new in days.values()]
    return sum(added for added, _ in spans), sum(gone for _, gone in spans)


def _compared(old: list[bytes], new: list[bytes]) -> tuple[int, int]:
    if new[: len(old)] == old:
        return len(new) - len(old), 0
    from agentws.features.sync.plan.state import late  # seldom: lines are mostly added at the end

    parts = [*late.differences(old, new)]
    return sum(end - at for *_, at, end in parts), sum(max(0, to - of - end + at) for of, to, at, end in parts)


def _last(content: bytes) -> int:
    try:
        return segment.seq_of(content.rstrip(b"\n").rpartition(b"\n")[2])
    except ValueError:
        return 0
