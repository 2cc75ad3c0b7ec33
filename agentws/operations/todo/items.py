"""The open items: in the daily logs, in MEMORY.md, in tasks. Reads only."""

from __future__ import annotations

from collections import Counter

from agentws.errors import AgentwsError, DiskError, MissingFileError
from agentws.formats import layout, origin
from agentws.formats.documents import daily, document, fields, task
from agentws.formats.markdown import markdown, notes
from agentws.planning.notes import ledger, reading, reference, vocabulary
from agentws.planning.todo import closure, row
from agentws.planning.todo.row import OpenItem
from agentws.storage.disk import dir_cache, task_heads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.ledger import LedgerItem
    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

__all__ = ["Open", "OpenItem", "TodoList", "read", "todos"]


class Open:
    """The open items. `rows` are the agent's own, newest first, then its tasks; `outside` is what others wrote, which
    is no item of the agent's. `entries` are all that were read, by file; `over` are those that were open, each with
    the entry that closed it.
    """

    __slots__ = ("entries", "notices", "outside", "over", "rows")

    def __init__(self) -> None:
        self.rows: list[OpenItem] = []
        self.outside: list[OpenItem] = []
        self.notices: list[str] = []
        self.entries: list[list[Entry]] = []
        self.over: dict[Entry, Entry] = {}


class TodoList:
    """The `rows` of a list on a `day`, those from `outside`, how many more there are that are `stale`, and how many the
    limit has `left_out`; `is_stale` is the list of those.
    """

    __slots__ = ("day", "is_stale", "left_out", "notices", "outside", "rows", "stale")

    def __init__(self, rows: list[OpenItem], outside: list[OpenItem], *, day: str, stale: int, is_stale: bool) -> None:
        self.day = day
        self.rows = rows
        self.outside = outside
        self.stale = stale
        self.is_stale = is_stale
        self.left_out = 0
        self.notices: list[str] = []


def todos(stores: Stores, *, stale: bool = False, limit: int = 0) -> TodoList:
    """Return the open items that were mentioned lately; with `stale` those long without a word instead.

    What is overdue stands first, then what is due next, then the rest, the newest first. At most `limit`, 0: all.
    """
    found = read(stores)
    day = stores.here().day
    rows = row.by_due([one for one in found.rows if one.is_stale == stale], day)
    rest = 0 if stale else len(found.rows) - len(rows)
    listed = TodoList(rows, [] if stale else found.outside, day=day, stale=rest, is_stale=stale)
    listed.notices = [*stores.notices, *found.notices]
    if limit and len(rows) > limit:
        listed.left_out = len(rows) - limit
        del rows[limit:]
    return listed


def read(stores: Stores, *, whole: bool = False) -> Open:
    """Return all open items, as the files of `stores` tell it: what they do not tell an audience is left out.

    What cannot be read is a notice; with `whole` a failing disk is an error, for it may hide what is meant.
    """
    found = Open()
    files = dir_cache.over(stores.files)
    try:
        read = _Reader(stores, files, found, whole=whole)
        read.days()
        read.memory()
        read.tasks()
    finally:
        dir_cache.let_go(files)
    joined = ledger.of(read.entries, today=stores.here().day)
    found.entries, found.over = read.entries, joined.over
    rows = [*_as_listed([_row(item) for item in joined.open]), *read.found_tasks]
    _tell_apart(rows)
    found.rows = [one for one in rows if not one.src]
    closed = {ref for entries in read.entries for entry in entries for ref in entry.closes}
    found.outside = [one for one in map(_from_outside, _others(read.entries)) if one.ref not in closed]
    found.outside += [one for one in rows if one.src]
    return found


class _Reader:
    """Reads what may hold something open: `entries` by file, and the open tasks."""

    def __init__(self, stores: Stores, files: Files, found: Open, *, whole: bool) -> None:
        self.stores = stores
        self.files = files
        self.found = found
        self.whole = whole
        self.words = vocabulary.extended(stores.manifest.vocabulary)
        self.entries: list[list[Entry]] = []
        self.found_tasks: list[OpenItem] = []

    def days(self) -> None:
        names = self._listing(layout.DAYS)
        days = [(day, name) for name in names if (day := layout.day_of(name)) is not None]
        for day, name in sorted(days, reverse=True):
            self._read(f"{layout.DAYS}/{name}", day)

    def memory(self) -> None:
        self._read(layout.MEMORY)
        self._read(layout.DIGEST)

    def tasks(self) -> None:
        for name in self._listing(layout.TASKS):
            if name.endswith(".md"):
                self._task(f"{layout.TASKS}/{name}")

    def _task(self, path: str) -> None:
        try:
            data = task_heads.unless_over(self.files, path)
            if data is None:
                return
            read = document.decode(data, where=path)
        except AgentwsError as error:
            self._cannot(error)
            return
        one = task.Task(task_heads.slug(path), read)
        if one.is_over:
            return
        title = one.title.rpartition(" (via ")[0] if origin.of_line(one.title) else one.title
        found = OpenItem(reference.computed(path, "", ""), title, path, 1, form=row.TASK, state=one.status)
        found.slug, found.src = one.slug, one.src
        found.due = one.due[:10]
        found.is_late = bool(found.due) and found.due < self.stores.here().day
        found.since, found.last = one.created[:10], (one.updated or one.created)[:10]
        found.tags = tuple(fields.labels(read))
        self.found_tasks.append(found)
        if not one.src:
            self._entries(read, path)

    def _read(self, path: str, day: str = "") -> None:
        try:
            read = document.decode(self.files.read(path), where=path)
        except MissingFileError:
            return
        except AgentwsError as error:
            self._cannot(error)
            return
        self._entries(read, path, day)

    def _entries(self, read: document.Document, path: str, day: str = "") -> None:
        found = reading.read(read.body, path=path, day=day, words=self.words, first_line=read.body_line)
        if self.stores.shared is not None:
            _place(found, self.stores.whole.files.read(path))
        self.entries.append(found)

    def _cannot(self, error: AgentwsError) -> None:
        if self.whole and isinstance(error, DiskError):
            raise error
        self.found.notices.append(error.message)

    def _listing(self, folder: str) -> list[str]:
        try:
            return self.files.listing(folder)
        except MissingFileError:
            return []


def _as_listed(rows: list[OpenItem]) -> list[OpenItem]:
    """The rows with the boxes of each file in its order: steps are taken from the first."""
    boxes = [at for at, one in enumerate(rows) if one.form in (row.STEP, row.BOX)]
    paths = list(dict.fromkeys(rows[at].path for at in boxes))
    ordered = sorted((rows[at] for at in boxes), key=lambda one: (paths.index(one.path), one.line))
    for at, one in zip(boxes, ordered, strict=True):
        rows[at] = one
    return rows


def _place(entries: list[Entry], data: bytes) -> None:
    """Tell entries of a file that was read in part the lines at which they stand in the whole of it."""
    lines = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    at = 0
    for entry in entries:
        if entry.first in lines[at:]:
            at = lines.index(entry.first, at) + 1
            entry.line = at


def _row(item: LedgerItem) -> OpenItem:
    entry = item.entry
    made = OpenItem(item.ref, _text(entry), entry.path, entry.line, form=_form(entry), state=entry.state or "open")
    made.written = reference.written(entry.text)
    made.since, made.last, made.days = item.since or _said_on(entry), item.last, item.days
    made.due, made.is_late, made.is_stale = item.due, item.is_late, item.is_stale
    made.tags = entry.tags
    made.said = list(item.said)
    if made.form == row.STEP:
        made.slug = task_heads.slug(entry.path)
    return made


def _text(entry: Entry) -> str:
    """What an entry says; one that is made of signs alone as it stands."""
    said = entry.body.strip()
    if any(map(str.isalnum, said)) and said[0] != "^":
        return said
    return entry.first[markdown.marker(entry.first) :].strip()


def _said_on(entry: Entry) -> str:
    """The day that a line of MEMORY.md begins with, where it begins with one."""
    return entry.said[:10] if layout.is_day(entry.said[:10]) else ""


def _form(entry: Entry) -> str:
    if closure.can_be_ticked(entry):
        return row.STEP if entry.path.startswith(f"{layout.TASKS}/") else row.BOX
    return row.LINE


def _others(files: list[list[Entry]]) -> list[Entry]:
    """What others wrote as something to do: it says so itself, and is no item of the agent's."""
    return [entry for entries in files for entry in entries if entry.src and _says_open(entry)]


def _says_open(entry: Entry) -> bool:
    first = entry.first
    return notes.kind_in(first[:60]) == daily.TODO or notes.marked(first) is False


def _from_outside(entry: Entry) -> OpenItem:
    made = OpenItem(entry.ref, _text(entry), entry.path, entry.line)
    made.written = reference.written(entry.text)
    made.since = made.last = entry.day
    made.src = entry.src
    made.said = [entry]
    return made


def _tell_apart(rows: list[OpenItem]) -> None:
    """Lengthen the references of tasks that another row has, for they are never written; note which stay alike."""
    counts = Counter(one.ref for one in rows if one.form != row.TASK)
    for one in rows:
        length = len(one.ref)
        while one.form == row.TASK and one.ref in counts:
            length += 2
            one.ref = reference.computed(one.path, "", "", length=length)
    for one in rows:
        one.is_alike = counts[one.ref] > 1
