"""Resolves the references in an answer to a curation brief: lines of logs, entries by reference, events. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.formats.documents import document, managed, sources
from agentws.core.notes import reading, reference
from agentws.core.notes.entry import Entry
from agentws.core.stores import provenance, referent
from agentws.core.stores.stores import Stores
from agentws.core.text import origin
from agentws.errors import AgentwsError, DiskError
from agentws.features.memory.curate.brief import MOST_CHARS, Material, beginning
from agentws.features.memory.curate.plan import brief
from agentws.features.memory.curate.plan.evidence import Evidence
from agentws.features.memory.curate.plan.operations import Operation

_MOST_ALIKE = 3
_QUOTED = ">"


def of(stores: Stores, operations: Sequence[Operation], material: Material) -> dict[str, Evidence]:
    """Return the evidence at each reference that some operations name."""
    reader = _Reader(stores, material)
    known: dict[str, Evidence] = {}
    for ref in dict.fromkeys(ref for operation in operations for ref in operation.sources):
        try:
            known[ref] = reader.find(ref)
        except DiskError:
            raise
        except AgentwsError as error:
            known[ref] = Evidence(fault=error.message.removeprefix(f"{ref}: ").rstrip("."))
    return known


def digests(operation: Operation, known: Mapping[str, Evidence]) -> Iterator[str]:
    """Yield the digests of the candidates that an operation is about: of its text, and of what its sources say."""
    if operation.text:
        yield managed.of_text(operation.text)
    for ref in operation.sources:
        yield from known[ref].said


class _Reader:
    """Reads each referenced file once."""

    def __init__(self, stores: Stores, material: Material) -> None:
        self._stores = stores
        self._material = material
        self._files: dict[str, tuple[bytes, list[Entry]]] = {}

    def find(self, ref: str) -> Evidence:
        if reference.is_one(ref) and "-" not in ref:
            entries = [entry for entries in self._material.days for entry in entries if entry.day]
            matches = [entry for entry in entries if ref in (entry.ref, entry.longer_ref(len(ref)))]
            places = [f"{entry.path}:{entry.line}" for entry in matches[:_MOST_ALIKE]]
            if len(matches) > 1:
                return Evidence(fault=f"several entries have this reference: {', '.join(places)}")
            return self._line(places[0]) if places else Evidence(fault="no log entry has this reference")
        name = ref.rpartition(":")[0]
        if "." in name or "/" in name:
            return self._line(ref)
        event = referent.find(self._stores, ref)
        is_plain = origin.class_of(event.src) != origin.USER
        day = clock.day_in(self._stores.clock.now().tzinfo, event.at)
        return Evidence(event.text, src=event.src, day=day, said=_sentence_digests(event.text), is_plain=is_plain)

    def _line(self, ref: str) -> Evidence:
        path, line = referent.place(self._stores.root, ref)
        if path != layout.MEMORY and not _is_log(path) and not path.startswith(f"{layout.IMPORTED}/"):
            return Evidence(fault="a source must be a line of a log, MEMORY.md or memory/imported/, or an event")
        path = self._before(path)
        data, entries = self._read(path)
        referent.line_of(data, path, line)
        entry = next((entry for entry in entries if entry.line <= line <= entry.end_line), None)
        if entry is None:
            return Evidence(fault="no entry on that line (it is empty, a heading, or beyond the part that is read)")
        if self._material.is_private(entry):
            return Evidence(fault="the source is private or contains a secret")
        first, last = entry.line, entry.end_line
        src = origin.lowest([entry.src or origin.UNKNOWN, referent.source(data, path, first, last)])
        lines: Sequence[sources.Source] = [sources.Source(path, first, last, sources.of_lines(data, first, last))]
        made = self._material.sidecar.made.get(managed.of_text(entry.text.removeprefix("- ")))
        if path == layout.MEMORY and made is not None:
            src = origin.lowest([src, made.src or origin.UNKNOWN])
            lines = made.sources
        titles = [title for title in entry.headings if not origin.within(title)]
        # Quoted lines are somebody else's words.
        own = [row for row in entry.text.split("\n") if not row.lstrip().startswith(_QUOTED)]
        is_owners = origin.class_of(origin.marked(entry.first)) == origin.USER
        return Evidence(
            "\n".join([*titles, entry.head, *_above(entries, entry), *own]),
            src=src,
            day=entry.day,
            lines=lines,
            said=(managed.of_text(entry.body), *_sentence_digests(entry.body)),
            is_plain=path != layout.MEMORY and entry.kind not in managed.KINDS and not is_owners,
        )

    def _before(self, path: str) -> str:
        """Return the path that an archived day had, by which its lines are recorded."""
        if path.startswith(f"{layout.ARCHIVE}/"):
            sidecar = self._material.sidecar
            provenance.learn(self._stores.files, path, sidecar)
            had = {row.path for row in sidecar.every() if row.to == path}
            if len(had) == 1 and len(sidecar.places(before := had.pop())) == 1:
                return path if self._stores.files.exists(before) else before
        return path

    def _read(self, path: str) -> tuple[bytes, list[Entry]]:
        """Return the content of a day, also of an archived one, and its entries."""
        if path not in self._files:
            place = provenance.place(self._stores.files, path, self._material.sidecar)
            data = referent.read(self._stores.files, place)
            read, _ = document.lenient(data, where=place)
            body = beginning(read.body, MOST_CHARS)
            day = layout.day_of(path.rpartition("/")[2]) or ""
            words, first = self._material.words, read.body_line
            self._files[path] = data, reading.read(body, path=path, day=day, words=words, first_line=first)
        return self._files[path]


def _sentence_digests(text: str) -> tuple[str, ...]:
    return tuple(map(managed.of_text, brief.sentences(" ".join(text.split()))))


def _is_log(path: str) -> bool:
    """Return whether a path is that of a daily log, archived ones included."""
    folder, _, name = path.rpartition("/")
    above, _, year = folder.rpartition("/")
    is_place = folder == layout.DAYS or (above == layout.ARCHIVE and year.isdecimal())
    return is_place and layout.day_of(name) is not None


def _above(entries: Sequence[Entry], entry: Entry) -> Iterator[str]:
    """Return the first lines of the items around a nested one."""
    while entry.parent is not None:
        entry = entries[entry.parent]
        if not entry.src:  # an item from outside is no evidence for those below it
            yield entry.first
