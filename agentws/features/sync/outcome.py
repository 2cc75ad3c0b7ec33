"""The results of sync and sync join, as callers get them, and the counts of what was moved in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from agentws.core.formats import layout
from agentws.core.formats.identity import writer as writers
from agentws.core.formats.journal import segment
from agentws.core.formats.travel import conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Tree = Mapping[str, str]
    Read = Callable[[str], bytes]

_QUIET = (f"{layout.JOURNAL}/", f"{layout.ARCHIVE}/", "identity/", f"{conflict.FOLDER}/")
"""Paths not listed as changed files: counted as events, or derived from other files."""
_ENTRY = b"- "


@dataclass(frozen=True, slots=True)
class Moved:
    """The changes that a sync moved in one direction: counts of `entries`, `tasks`, `events`, and other `files`.

    `hosts` are the machines that wrote the events, `paths` all changed files.
    """

    entries: int = 0
    tasks: int = 0
    events: int = 0
    files: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


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
    entries, tasks, files = 0, 0, []
    for path in paths:
        if path.startswith(f"{layout.TASKS}/"):
            tasks += 1
        elif path.startswith(f"{layout.DAYS}/") and path.endswith(".md") and not path.startswith(_QUIET):
            entries += _entries(before, after, path, read)
        elif not path.startswith(_QUIET) and not path.endswith(".jsonl"):
            files.append(path)
    old, new = heads(before, read), heads(after, read)
    grown = {writer: seq - old.get(writer, 0) for writer, seq in new.items() if seq > old.get(writer, 0)}
    hosts = _hosts(after, read) if grown else {}
    names = tuple(dict.fromkeys(hosts.get(writer) or writer for writer in grown))
    return Moved(entries, tasks, sum(grown.values()), tuple(files), names, tuple(paths))


def _hosts(tree: Tree, read: Read) -> dict[str, str]:
    """Return the host name of each writer."""
    told = read(tree[layout.WRITERS]).decode("utf-8", "replace") if layout.WRITERS in tree else ""
    return {line.writer: line.host for line in writers.lines(told)}


def more(one: Moved, other: Moved) -> Moved:
    """Return the sum of two counts of moved entries, tasks, events and files."""
    return Moved(
        one.entries + other.entries,
        one.tasks + other.tasks,
        one.events + other.events,
        tuple(dict.fromkeys((*one.files, *other.files))),
        tuple(dict.fromkeys((*one.hosts, *other.hosts))),
        tuple(dict.fromkeys((*one.paths, *other.paths))),
    )


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


def _entries(before: Tree, after: Tree, path: str, read: Read) -> int:
    """Return how many entries a daily log gained; if it gained none, how many it lost."""
    old, new = (_bullets(read(tree[path])) if path in tree else Counter() for tree in (before, after))
    return sum((new - old).values()) or sum((old - new).values())


def _bullets(content: bytes) -> Counter[bytes]:
    return Counter(line for line in content.split(b"\n") if line.startswith(_ENTRY))


def _last(content: bytes) -> int:
    lines = content.rstrip(b"\n").rpartition(b"\n")[2]
    try:
        return segment.seq_of(lines)
    except ValueError:
        return 0
