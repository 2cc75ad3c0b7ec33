"""The targets of an answer's references: lines of logs, entries by their reference, events. Reads only."""

from __future__ import annotations

from agentws.errors import AgentwsError, DiskError
from agentws.formats import layout, origin
from agentws.formats.documents import document, managed, sources
from agentws.operations.curate import logs
from agentws.planning.curate import candidates
from agentws.planning.curate.evidence import Evidence
from agentws.planning.notes import reading, reference
from agentws.storage.workspace import provenance, referent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentws.operations.curate.material import Material
    from agentws.planning.curate.operations import Operation
    from agentws.planning.notes.entry import Entry
    from agentws.storage.workspace.stores import Stores

_MOST_ALIKE = 3
_QUOTED = ">"


class _Reader:
    """Reads each file that is named once; `texts` are those that were read."""

    def __init__(self, stores: Stores, here: Material) -> None:
        self.stores = stores
        self.here = here
        self.texts: dict[str, str] = {}
        self.data: dict[str, bytes] = {}
        self._entries: dict[str, list[Entry]] = {}

    def find(self, ref: str) -> Evidence:
        try:
            if reference.is_one(ref) and "-" not in ref:
                return self._by_reference(ref)
            name = ref.rpartition(":")[0]
            return self._line(ref) if "." in name or "/" in name else self._event(ref)
        except DiskError:
            raise
        except AgentwsError as error:
            return Evidence(fault=error.message.removeprefix(f"{ref}: ").rstrip("."))

    def _by_reference(self, ref: str) -> Evidence:
        found = [one for entries in self.here.days for one in entries if ref in (one.ref, one.longer_ref(len(ref)))]
        found = [one for one in found if one.day]
        if not found:
            return Evidence(fault="no log entry has this reference")
        if len(found) > 1:
            places = ", ".join(f"{one.path}:{one.line}" for one in found[:_MOST_ALIKE])
            return Evidence(fault=f"several entries have this reference: {places}")
        return self._line(f"{found[0].path}:{found[0].line}")

    def _line(self, ref: str) -> Evidence:
        path, line = referent.place(self.stores.root, ref)
        if path != layout.MEMORY and not _is_log(path):
            return Evidence(fault="a source must be a log line, a MEMORY.md line or an event")
        path = self._before(path)
        now = self._now(path)
        entries = self._read(path, now)
        referent.line_of(self.data[path], path, line)
        at = next((at for at, one in enumerate(entries) if one.line <= line <= one.end_line), None)
        if at is None:
            return Evidence(fault="no entry on that line (it is empty, a heading, or beyond the part that is read)")
        one = entries[at]
        if self.here.is_private(one):
            return Evidence(fault="the source is private or contains a secret")
        src = origin.lowest([one.src or origin.UNKNOWN, referent.source(self.data[path], path, one.line, one.end_line)])
        lines = [
            sources.Source(path, one.line, one.end_line, sources.of_lines(self.data[path], one.line, one.end_line))
        ]
        if path == layout.MEMORY:
            made = self.here.sidecar.made.get(managed.of_text(one.text.removeprefix("- ")))
            src = origin.lowest([src, (made and made.src) or origin.UNKNOWN])
            lines = list(made.sources) if made else lines
        titles = [title for title in one.headings if not origin.within(title)]
        said = "\n".join([*titles, one.head, *_above(entries, one), _own(one.text)])
        found = Evidence(said, src=src, day=one.day, lines=lines)
        said_in = candidates.sentences(" ".join(one.body.split()))
        found.said = tuple(map(managed.of_text, (one.body, *said_in)))
        is_owners = origin.class_of(origin.marked(one.first)) == origin.USER
        found.is_plain = path != layout.MEMORY and one.kind not in managed.KINDS and not is_owners
        return found

    def _before(self, path: str) -> str:
        """The path that an archived day had: by that one its lines are known."""
        if path.startswith(f"{layout.ARCHIVE}/"):
            provenance.learn(self.stores.files, path, self.here.sidecar)
            had = {one.path for one in self.here.sidecar.every() if one.to == path}
            if len(had) == 1 and len(self.here.sidecar.places(before := had.pop())) == 1:
                return path if self.stores.files.exists(before) else before
        return path

    def _now(self, path: str) -> str:
        """Where a day is that compaction may have moved."""
        if self.stores.files.exists(path):
            return path
        provenance.learn(self.stores.files, path, self.here.sidecar)
        return next((one.to for one in self.here.sidecar.places(path) if one.to), path)

    def _read(self, path: str, now: str) -> list[Entry]:
        if path not in self._entries:
            data = referent.read(self.stores.files, now)
            read, _ = document.lenient(data, where=now)
            body = logs.beginning(read.body, logs.MOST_CHARS)
            self.data[path] = data
            self.texts[path] = body
            day = layout.day_of(path.rpartition("/")[2]) or ""
            self._entries[path] = reading.read(
                body, path=path, day=day, words=self.here.words, first_line=read.body_line
            )
        return self._entries[path]

    def _event(self, ref: str) -> Evidence:
        found = referent.find(self.stores, ref)
        said = tuple(managed.of_text(each) for each in candidates.sentences(" ".join(found.text.split())))
        is_plain = origin.class_of(found.src) != origin.USER
        return Evidence(found.text, src=found.src, lines=found.lines, said=said, is_plain=is_plain)


def of(stores: Stores, refs: Sequence[str], here: Material) -> tuple[dict[str, Evidence], list[str]]:
    """(what each reference names, the texts of the files that were read for it)."""
    reader = _Reader(stores, here)
    found = {ref: reader.find(ref) for ref in dict.fromkeys(refs)}
    return found, list(reader.texts.values())


def digests(one: Operation, known: Mapping[str, Evidence]) -> Iterator[str]:
    """The digests by which a candidate is known that an operation names: of its text, and of what its sources say."""
    if one.text:
        yield managed.of_text(one.text)
    for ref in one.sources:
        yield from known[ref].said


def _is_log(path: str) -> bool:
    """Return whether a path is that of a daily log, also of an archived one: nothing else there is a source."""
    folder, _, name = path.rpartition("/")
    above, _, year = folder.rpartition("/")
    is_place = folder == layout.DAYS or (above == layout.ARCHIVE and year.isdecimal())
    return is_place and layout.day_of(name) is not None


def _above(entries: Sequence[Entry], one: Entry) -> Iterator[str]:
    """The first lines of the items around a nested one."""
    while one.parent is not None:
        one = entries[one.parent]
        if not one.src:  # what comes from outside says nothing for what stands below it
            yield one.first


def _own(text: str) -> str:
    """A text without what it quotes: those are somebody else's words."""
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(_QUOTED))
