"""The open items in the daily logs, in MEMORY.md, and those that features add. Read-only."""

from __future__ import annotations

from datetime import date, timedelta

from agentws.core.disk import cache, dir_cache, read_trace, task_heads
from agentws.core.disk.files import UNSEEN
from agentws.core.disk.system.shipped import WORDS_PATH
from agentws.core.formats import layout
from agentws.core.formats.documents import document
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import markdown
from agentws.core.notes import closure, item_rows, open_items, reading, reference, vocabulary
from agentws.core.notes.closure import Open, Row
from agentws.errors import AgentwsError, DiskError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.notes.entry import Entry
    from agentws.core.notes.item_rows import Row as Kept
    from agentws.core.notes.open_items import File, OpenItem
    from agentws.core.stores.stores import Stores

    Provider = Callable[["OpenItemsReader"], Iterable[Row]]
    """A function that returns a feature's open items, and adds the entries of its documents to the reader."""

_CACHED = "open-items"
_MANY = 16
"""Fewer files are read again: that costs less than the cache."""


def read(stores: Stores, providers: Iterable[Provider], *, whole: bool = False, archived: Sequence[str] = ()) -> Open:
    """Return all open items in the files of `stores`; those hidden from its audience are left out.

    `providers` are the functions of features that add open items. `archived` are paths of further logs. Unreadable
    files are notices; with `whole` a failing disk is an error, as it may hide an item.
    """
    open_item = Open()
    files = dir_cache.over(stores.files)
    try:
        reader = OpenItemsReader(stores, files, open_item, whole=whole)
        reader.notes(archived)
        added = [row for provider in providers for row in provider(reader)]
    finally:
        dir_cache.let_go(files)
    items = open_items.among(open_item.files, today=reader.today, words=reader.words)
    open_item.closed = items.closed
    listed = [_row(item, reader.today) for item in items.open]
    rows = [each for each in listed if each.form != closure.STEP]
    for row in added:
        steps = (each for each in listed if each.form == closure.STEP and each.path == row.path)
        rows += [row, *sorted(steps, key=lambda step: step.line)]
    entries = [entry for file in open_item.files for entry in file.entries]
    closed = {ref for entry in entries for ref in entry.closes}
    lengths = {max(len(ref), reference.SHORTEST) for ref in closed}
    asking = filter(item_rows.asks_from_outside, entries)
    open_item.outside = [_from_outside(each) for each in asking if closed.isdisjoint(map(each.longer_ref, lengths))]
    open_item.outside += [each for each in rows if each.src]
    own = (each for each in rows if not each.src)
    open_item.rows = sorted(own, key=lambda each: open_items.urgency(each.due, reader.today))
    return open_item


class OpenItemsReader:
    """Reads the files that may hold open items: the entries of `found`, by file."""

    def __init__(self, stores: Stores, files: Files, open_item: Open, *, whole: bool) -> None:
        self.stores = stores
        self.files = files
        self.found = open_item
        self.whole = whole
        self.today = stores.here().day
        self.words = vocabulary.extended(stores.manifest.vocabulary)

    def notes(self, archived: Sequence[str]) -> None:
        """Read the notes with open items: daily logs, those at the paths `archived`, MEMORY.md, the digest."""
        days: dict[str, str] = {}
        if folders := self.stores.manifest.setting("log.folders"):
            from agentws.core.disk import adopted_folders

            days |= {path: day for day, path in adopted_folders.daily_notes(self.files, folders)}
        logs = [f"{layout.DAYS}/{name}" for name in layout.daily_logs(self.listing(layout.DAYS))]
        days |= {path: day for path in logs if (day := _day(path)) is not None}
        days |= {layout.MEMORY: "", layout.DIGEST: ""}
        known = _Known(self.stores, self.files, [*days])
        for path, day in days.items():
            if (file := known.file(path, day)) is not None:
                self.found.files.append(file)
            elif self._read(path, day):
                known.add(path, self.found.files[-1])
        known.save()
        for path in archived:
            if (day := _day(path)) is not None:
                self._read(path, day)

    def _read(self, path: str, day: str) -> bool:
        """Add what counts in a file; return whether there is one without a notice."""
        notices = len(self.found.notices)
        if (read := self.load(path)) is None:
            return False
        self.entries(read, path, day)
        return len(self.found.notices) == notices

    def load(self, path: str) -> document.Document | None:
        """Return a document that may have open items, None for none; unreadable parts are notices."""
        try:
            data = self.files.read(path)
            if b"\0" in data[:4] or data.startswith((b"\xff\xfe", b"\xfe\xff")):
                from agentws.core.text import utf8  # seldom

                utf8.check_file(path, data)
            if b"<<<<<<<" in data:
                from agentws.core.markdown import conflict  # seldom

                conflict.check(path, data.decode("utf-8", "replace"))
            read, damage = document.lenient(data, where=path)
        except MissingFileError:
            return None
        except AgentwsError as error:
            self.cannot(error)
            return None
        if damage is not None:
            self.found.notices.append(damage.notice)  # its front matter is read as text
        return read

    def entries(self, read: document.Document, path: str, day: str = "") -> None:
        """Add a document's entries to those that may be open items."""
        entries = reading.read(read.body, path=path, day=day, words=self.words, first_line=read.body_line)
        if self.stores.shared is not None:
            _place(entries, self.stores.whole.files.read(path))
        self.found.files.append(item_rows.counting(entries))

    def markdown(self, folder: str) -> list[str]:
        """Return the paths of the documents in a folder that may have open items."""
        return [f"{folder}/{name}" for name in self.stores.own_documents(folder, self.listing(folder))]

    def listing(self, folder: str) -> list[str]:
        """Return the names in a folder that may have open items."""
        names = self.files.listing(folder)
        if not names:
            self._leave_out(self.files.in_place_of(folder))
        return names

    def cannot(self, error: AgentwsError) -> None:
        """Record that a file with possible open items cannot be read."""
        if self.whole and isinstance(error, DiskError):
            raise error
        self._leave_out([error.notice])

    def _leave_out(self, notices: list[str]) -> None:
        self.found.notices += notices
        self.found.unread += notices


class _Known:
    """Cached open items of unchanged files, in this user's cache; lost rows are computed again.

    Files with a secret have no row, and few files none at all. A shared audience sees parts of files: it has no rows.
    """

    def __init__(self, stores: Stores, files: Files, paths: Sequence[str]) -> None:
        self._cache = stores.cache
        self._words = [[*pair] for pair in stores.manifest.vocabulary.items()]
        self._stamps: dict[str, str] = {}
        self._rows: dict[str, tuple[str, Kept]] = {}
        self._new: dict[str, tuple[str, Kept]] = {}
        if len(paths) >= _MANY and isinstance(files, dir_cache.Held):
            words, rows = self._cache.get(_CACHED) or (None, {})
            self._rows = rows if words == self._words else {}
            self._stamps = dict(zip(paths, files.stamps(paths), strict=True))

    def file(self, path: str, day: str) -> File | None:
        """Return what counts in a file, None if it must be read."""
        stamp, row = self._rows.get(path, ("", ()))
        return item_rows.file(row, path, day) if stamp and stamp == self._stamps[path] else None

    def add(self, path: str, file: File) -> None:
        """Add a row for a file that was read after its stamp was."""
        stamp = self._stamps.get(path, "")
        if stamp and stamp != UNSEEN and read_trace.is_settled(stamp) and not secrets.find(item_rows.text(file)):
            self._new[path] = stamp, item_rows.row(file)

    def save(self) -> None:
        """Save the rows if many are new: reading few files again costs less."""
        if len(self._new) < _MANY:
            self._cache.use(_CACHED)
            return
        rows = {path: row for path, row in self._rows.items() if path in self._stamps}
        self._cache.put(_CACHED, [self._words, rows | self._new], made_by=[*cache.program("agentws.core."), WORDS_PATH])


def _day(path: str) -> str | None:
    return layout.day_of(path.rpartition("/")[2])


def _place(entries: list[Entry], data: bytes) -> None:
    """Set the line numbers of entries to those in the whole file, if only a part was visible."""
    lines = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    at = 0
    for entry in entries:
        if entry.first in lines[at:]:
            at = lines.index(entry.first, at) + 1
            entry.line = at


def _row(item: OpenItem, today: str) -> Row:
    entry = item.entry
    made = Row(item.ref, _text(entry), entry.path, entry.line, form=_form(entry), state=item.state)
    made.since, made.last = item.since, item.last
    made.days = len({each.day for each in item.said})
    made.due, made.is_late = item.due, item.is_overdue
    earliest = (date.fromisoformat(today) - timedelta(closure.STALE_DAYS)).isoformat()
    made.is_stale = bool(item.last) and item.last < earliest
    made.tags = entry.tags
    made.said = list(item.said)
    if made.form == closure.STEP:
        made.slug = task_heads.slug(entry.path)
    else:
        made.heading = item.heading
    return made


def _text(entry: Entry) -> str:
    """Return the text of an entry; one of punctuation alone as it is written."""
    text = entry.body.strip()
    if any(map(str.isalnum, text)) and text[0] != "^":
        return text
    return entry.first[markdown.marker(entry.first) :].strip()


def _form(entry: Entry) -> str:
    if entry.path.startswith(f"{layout.TASKS}/"):
        return closure.STEP
    return closure.BOX if closure.can_be_ticked(entry) else closure.LINE


def _from_outside(entry: Entry) -> Row:
    made = Row(entry.ref, _text(entry), entry.path, entry.line)
    made.since = made.last = entry.day
    made.src = entry.src
    made.said = [entry]
    return made
