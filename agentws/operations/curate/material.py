"""What a curation starts from: MEMORY.md, how its entries were made, the logs, what waits, and the last brief."""

from __future__ import annotations

from contextlib import contextmanager

from agentws.changes import ABSENT
from agentws.errors import AgentwsError, DamagedError, DiskError, MissingFileError
from agentws.formats import digest, document, layout, managed, origin, proposals, sources, superseded
from agentws.planning import tokens
from agentws.planning.compaction import candidates as pool
from agentws.planning.compaction import withheld
from agentws.planning.curation import candidates, checks
from agentws.planning.curation.change import Folder
from agentws.planning.document import File
from agentws.planning.notes import ledger, reading, vocabulary
from agentws.storage import held, local, lock
from agentws.storage import vocabulary as _tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.formats.entry_rows import Made
    from agentws.planning.curation.candidates import Candidate
    from agentws.planning.notes.entry import Entry
    from agentws.ports import TokenCounter
    from agentws.storage.files import Files
    from agentws.storage.stores import Stores

MOST_DAYS = 120
"""So many logs are looked through, the newest."""
MOST_CHARS = 1 << 21
"""So much of them is looked through: of a log that is longer, its beginning, where its headings are known."""
LOCK = "curation"
_LOCK_TIMEOUT_S = 5.0
_EMPTY_MEMORY = b"# Memory\n"


@contextmanager
def alone(stores: Stores, what: str) -> Iterator[None]:
    """Hold off other curations, and begin with a workspace that no killed verb has left half done."""
    local.prepare(stores.files)
    with lock.Lock(stores.files, LOCK, timeout_s=_LOCK_TIMEOUT_S, note=what):
        stores.settle()
        yield


class _Text:
    """A log as it was read: its `path` as it is named, its `day`, its `body`, which begins at `first_line`."""

    __slots__ = ("body", "day", "first_line", "path")

    def __init__(self, path: str, day: str, body: str, first_line: int) -> None:
        self.path = path
        self.day = day
        self.body = body
        self.first_line = first_line


class Material:
    """What stands there: the documents (`folder`), what is known of entries (`sidecar`), the managed `section`."""

    __slots__ = ("_hidden", "_stores", "_texts", "counter", "folder", "heading", "places", "section", "sidecar")

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._texts: list[_Text] | None = None
        self._hidden: withheld.Secrets | None = None
        self.places: dict[str, str] = {}
        """Where days are that were archived, by the path that they had; known once `days` were read."""
        files = stores.files
        memory = _file(files, layout.MEMORY)
        if b"\0" in memory.data:
            raise DamagedError(
                f"{layout.MEMORY}: not UTF-8, so nothing can be changed in it.", hint="Save it as UTF-8."
            )
        if memory.digest == ABSENT:
            memory = File(memory.path, _EMPTY_MEMORY, ABSENT)
        sidecar = _file(files, sources.PATH)
        self.folder = Folder(memory, sidecar, _file(files, superseded.PATH), _file(files, proposals.PATH))
        self.sidecar = sources.decode(sidecar.text)
        self.heading: str = stores.manifest.setting("compaction.section")
        self.section = managed.read(memory.text, self.heading)
        self.counter: TokenCounter = tokens.counter(stores.manifest.setting("boot.tokenizer"), _tables.open_o200k)

    @property
    def size(self) -> int:
        """The tokens of the section."""
        return checks.size(self.folder.memory.text, self.heading, self.counter)

    @property
    def rows(self) -> dict[str, Made]:
        """How the entries were made that are not a person's; what left and stands there again, somebody wrote."""
        return {entry: row for entry, row in self.sidecar.made.items() if row.is_current}

    def opened(self, ref: str) -> str:
        """A reference to a line by the path where its day is now."""
        path, colon, line = ref.rpartition(":")
        return f"{self.places.get(path, path)}{colon}{line}"

    def memory(self) -> list[Entry]:
        """The entries of MEMORY.md, all of it."""
        return reading.read(self.folder.memory.text, path=layout.MEMORY, words=self.words())

    def theirs(self) -> list[Entry]:
        """What MEMORY.md says outside of the managed section, as far as a brief may show it."""
        start, end = self.section.start, self.section.end
        outside = [one for one in self.memory() if not start < one.line <= end]
        return [one for one in outside if not (self.is_withheld(one) or _is_heard(one))]

    def own(self) -> list[str]:
        """The texts of the agent's own files."""
        return [_file(self._stores.files, path).text for path in layout.AGENT_FILES]

    def days(self) -> list[list[Entry]]:
        """The entries of the newest logs, also of archived ones; each by the path that its day had."""
        words = self.words()
        return [
            reading.read(one.body, path=one.path, day=one.day, words=words, first_line=one.first_line)
            for one in self.texts()
        ]

    def texts(self) -> list[_Text]:
        """The newest logs as they were read, once."""
        if self._texts is None:
            files = held.over(self._stores.files)
            try:
                self._texts = list(self._read(files))
            finally:
                held.let_go(files)
        return self._texts

    def _read(self, files: Files) -> Iterator[_Text]:
        newest = sorted(_logs(files), reverse=True)[:MOST_DAYS]
        months = {sources.month_path(day) for day, path, _ in newest if path.startswith(layout.ARCHIVE)}
        known = sources.Sidecar()
        for path in months:
            sources.decode(_file(files, path).text, known)
        before = {row.to: row.path for row in known.every() if len(known.places(row.path)) == 1}
        live = {path for _, path, _ in newest}
        room = MOST_CHARS
        for day, path, _ in newest:
            named = before.get(path, path)
            named = path if named in live else named
            self.places[named] = path
            one = self._text(files, path, day, named)
            if one is None:
                continue
            if len(one.body) > room:
                one.body = beginning(one.body, room)
                last = one.first_line + one.body.count("\n") - 1
                self._stores.notices.append(f"{path}: too long to look through. Left out: what is behind line {last}.")
            room -= len(one.body)
            yield one

    def _text(self, files: Files, path: str, day: str, named: str) -> _Text | None:
        try:
            read = document.decode(files.read(path), where=path)
        except DiskError:
            raise
        except AgentwsError as error:
            self._stores.notices.append(error.message)
            return None
        return _Text(named, day, read.body, read.body_line)

    @property
    def private_tags(self) -> tuple[str, ...]:
        """What hides a line from everybody but its owner."""
        tags = self._stores.manifest.setting("boot.private_tags")
        return ("private", *(tag.lstrip("#").casefold() for tag in tags))

    @property
    def hidden(self) -> withheld.Secrets:
        """The values that some line calls a secret."""
        if self._hidden is None:
            self._hidden = withheld.Secrets([self.folder.memory.text, *(one.body for one in self.texts())])
        return self._hidden

    def is_withheld(self, entry: Entry) -> bool:
        """Return whether an entry is private, or tells a secret: no brief shows it, and none enters."""
        return withheld.is_withheld(entry, self.private_tags, self.hidden)

    def says_withheld(self, text: str, heading: str = "") -> bool:
        """The same, of what stands in MEMORY.md or waits for it."""
        title = f"## {heading}\n\n" if heading else ""
        return any(map(self.is_withheld, reading.read(f"{title}- {text}\n", path="", words=self.words())))

    def shown(self, days: list[list[Entry]]) -> list[list[Entry]]:
        """Those entries of the logs that a brief may show."""
        return [[one for one in entries if not self.is_withheld(one)] for entries in days]

    def candidates(self, days: list[list[Entry]]) -> list[Candidate]:
        """What may enter, the best first."""
        memory = self.memory()
        known = ledger.of([*days, memory], today=self._stores.here().day)
        rows = [row for one in self.section.entries if (row := self.sidecar.made.get(one.digest))]
        gone = [row for row in self.sidecar.made.values() if not row.is_current]
        told = {(one.path, at) for row in (*rows, *gone) for one in row.sources for at in range(one.line, one.end + 1)}
        waiting = proposals.proposals(self.folder.proposed.text)
        secret = {f"{one.path}:{one.line}" for entries in days for one in entries if self.is_withheld(one)}
        found = pool.of(reversed(days), private_tags=self.private_tags, hidden=self.hidden, words=self.words())
        made = candidates.of(
            found,
            memory,
            over=[*known.over, *known.outdated()],
            told=told,
            proposed=[one for one in waiting if not (secret & {*one.sources} or self.says_withheld(one.text))],
            declined=self.sidecar.declined,
            left={row.entry: row.until for row in gone},
            words=self.words(),
        )
        for one in made:
            one.below = "" if one.below and self.says_withheld(one.below) else one.below
            one.holds = ("", "") if one.holds[0] and self.says_withheld(one.holds[0]) else one.holds
        return made

    @property
    def proposed(self) -> set[str]:
        """The digests of what waits: a run has written down where it is from, and nobody has decided on it yet."""
        return {one.digest for one in proposals.proposals(self.folder.proposed.text)}

    def words(self) -> vocabulary.Vocabulary:
        """The words of headings and markers, the workspace's own too."""
        return vocabulary.extended(self._stores.manifest.vocabulary)


def _is_heard(entry: Entry) -> bool:
    """Return whether an entry, or a heading above it, comes from outside: then it is nobody's own line."""
    return bool(entry.src) or any(map(origin.within, entry.headings))


def beginning(text: str, most: int) -> str:
    """Return the whole lines that a text begins with, at most so many characters."""
    return text if len(text) <= most else text[: text.rfind("\n", 0, most) + 1]


def _file(files: Files, path: str) -> File:
    """A file as it is, empty where there is none."""
    try:
        data = files.read(path)
    except MissingFileError:
        return File(path, b"", ABSENT)
    return File(path, data, digest.of(data))


def _logs(files: Files) -> Iterator[tuple[str, str, str]]:
    """(day, path, name) of each log, archived ones too."""
    folders = [layout.DAYS]
    if any(name == "archive" and kind == "folder" for name, kind in files.names(layout.DAYS)):
        years = [name for name, kind in files.names(layout.ARCHIVE) if kind == "folder" and name.isdecimal()]
        folders += [f"{layout.ARCHIVE}/{year}" for year in years]
    for folder in folders:
        for name in files.listing(folder):
            day = layout.day_of(name)
            if day is not None:
                yield day, f"{folder}/{name}", name
