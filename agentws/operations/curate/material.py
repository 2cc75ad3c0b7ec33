"""What a curation starts from: MEMORY.md, how its entries were made, the logs, what waits, and the last brief."""

from __future__ import annotations

from contextlib import contextmanager

from agentws.changes import ABSENT
from agentws.errors import AgentwsError, DamagedError, DiskError, MissingFileError
from agentws.formats import digest, document, layout, managed, sources, superseded
from agentws.planning import tokens
from agentws.planning.curation import candidates, checks, proposals
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
_LOCK = "curation"
_LOCK_TIMEOUT_S = 5.0
_EMPTY_MEMORY = b"# Memory\n"


@contextmanager
def alone(stores: Stores, what: str) -> Iterator[None]:
    """Hold off other curations, and begin with a workspace that no killed verb has left half done."""
    local.prepare(stores.files)
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note=what):
        stores.settle()
        yield


class Material:
    """What stands there: the documents (`folder`), what is known of entries (`sidecar`), the managed `section`."""

    __slots__ = ("_stores", "counter", "folder", "heading", "places", "section", "sidecar")

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
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

    def memory(self) -> list[Entry]:
        """The entries of MEMORY.md, all of it."""
        return reading.read(self.folder.memory.text, path=layout.MEMORY, words=self.words())

    def own(self) -> list[str]:
        """The texts of the agent's own files."""
        return [_file(self._stores.files, path).text for path in layout.AGENT_FILES]

    def days(self) -> list[list[Entry]]:
        """The entries of the newest logs, also of archived ones; each by the path that its day had."""
        files = held.over(self._stores.files)
        try:
            newest = sorted(_logs(files), reverse=True)[:MOST_DAYS]
            months = {sources.month_path(day) for day, path, _ in newest if path.startswith(layout.ARCHIVE)}
            known = sources.Sidecar()
            for path in months:
                sources.decode(_file(files, path).text, known)
            before = {row.to: row.path for row in known.every() if len(known.places(row.path)) == 1}
            live = {path for _, path, _ in newest}
            found = []
            for day, path, _ in newest:
                named = before.get(path, path)
                named = path if named in live else named
                self.places[named] = path
                found.append(self._day(files, path, day, named))
            return found
        finally:
            held.let_go(files)

    def _day(self, files: Files, path: str, day: str, named: str) -> list[Entry]:
        try:
            read = document.decode(files.read(path), where=path)
        except DiskError:
            raise
        except AgentwsError as error:
            self._stores.notices.append(error.message)
            return []
        return reading.read(read.body, path=named, day=day, words=self.words(), first_line=read.body_line)

    def candidates(self, days: list[list[Entry]]) -> list[Candidate]:
        """What may enter, the best first."""
        memory = self.memory()
        known = ledger.of([*days, memory], today=self._stores.here().day)
        rows = [row for one in self.section.entries if (row := self.sidecar.made.get(one.digest))]
        gone = [row for row in self.sidecar.made.values() if not row.is_current]
        told = {(one.path, at) for row in (*rows, *gone) for one in row.sources for at in range(one.line, one.end + 1)}
        return candidates.of(
            days,
            memory,
            over=[*known.over, *known.outdated()],
            told=told,
            proposed=proposals.proposals(self.folder.proposed.text),
            declined=self.sidecar.declined,
            left={row.entry: row.until for row in gone},
            words=self.words(),
        )

    def words(self) -> vocabulary.Vocabulary:
        """The words of headings and markers, the workspace's own too."""
        return vocabulary.extended(self._stores.manifest.vocabulary)


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
