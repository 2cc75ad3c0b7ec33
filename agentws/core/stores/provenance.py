"""The provenance of memory entries: the log lines they were made of, where these are now, and whose words they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentws.changes import ABSENT
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import sources
from agentws.core.formats.documents.sources import Made, Sidecar, Source, Stated
from agentws.core.markdown import conflict, outside
from agentws.core.notes.document import File
from agentws.core.text import origin, utf8
from agentws.errors import AgentwsError, DamagedError, MissingFileError

AS_IT_WAS, EDITED, FORGOTTEN, GONE = "as it was", "edited since", "forgotten since", "gone"


class EntrySource:
    """The provenance of a memory entry: the log lines from which it was made.

    `path` is the file then, `now` the file today, and `state` whether the lines were edited, forgotten or are gone;
    `src` is their origin by their present marks, `unknown` without any.
    """

    def __init__(self, source: Source, *, now: str, day: str, text: str, state: str, src: str) -> None:
        self.path = source.path
        self.now = now
        self.line = source.line
        self.end = source.end
        self.day = day
        self.text = text
        self.state = state
        self.src = src


def of(files: Files, made: Made | Stated, known: Sidecar) -> list[EntrySource]:
    """Return the provenance of an entry: its log lines. `known` is extended by the months of their days."""
    entry_sources = []
    for source in made.sources:
        learn(files, source.path, known)
        places = known.places(source.path)
        moved = [folded.to for folded in places if folded.to]
        now, data = _present_copy(files, source, [*moved, source.path, *sources.once(source.path)])
        text, state = _state(data, source)
        day = (places[0].day if places else "") or layout.day_of(source.path.rpartition("/")[2]) or ""
        src = of_lines(data or b"", source.line, source.end)
        entry_sources.append(EntrySource(source, now=now, day=day, text=text, state=state, src=src))
    return entry_sources


def unmarked(files: Files, made: Iterable[Made]) -> dict[str, str]:
    """Return the outside provenance of entries without a recorded one, by entry digest, from their lines today."""
    known = sources.Sidecar()
    texts = {row.entry: origin.lowest(each.src for each in of(files, row, known)) for row in made if not row.src}
    return {entry: src for entry, src in texts.items() if origin.is_outside(src)}


def of_lines(data: bytes, line: int, end: int) -> str:
    """Return the provenance of the lines `line` to `end` (1-based) of a file: their origin by their marks."""
    if b"(via " not in data:
        return origin.UNKNOWN
    stretches = outside.outside_lines(data.decode("utf-8", "surrogateescape"), in_code=True)
    return origin.lowest(
        [origin.UNKNOWN, *(stretch.src for stretch in stretches if stretch.start < end and line <= stretch.end)]
    )


def learn(files: Files, path: str, known: Sidecar) -> None:
    """Read the provenance that compaction recorded about the month of a day into `known`."""
    day = layout.day_of(path.rpartition("/")[2])
    if day is not None and path not in known.folded:
        sources.decode(text_of(files, sources.month_path(day)), known)


def place(files: Files, path: str, known: Sidecar) -> str:
    """Return where the file of a memory's provenance is now, perhaps in the archive. `known` gets its month."""
    if files.exists(path):
        return files.real(path)
    from agentws.core.disk import named  # seldom

    if files.exists(on_disk := named.path(files, path)):
        return on_disk
    learn(files, path, known)
    return next((row.to for row in known.places(path) if row.to), path)


def file_of(files: Files, path: str) -> File:
    """Return a document as a `File`, empty if it is missing."""
    try:
        data = files.read(path)
    except MissingFileError:
        return File(path, b"", ABSENT)
    return File(path, data, digest.of(data))


def memory_of(files: Files) -> File:
    """Return MEMORY.md, with its title if it is missing; DamagedError if it is not UTF-8 or has an open conflict."""
    file = file_of(files, layout.MEMORY)
    utf8.check_file(file.path, file.data)
    conflict.check(file.path, file.text)
    if b"\0" in file.data:
        raise DamagedError(
            f"{file.path}: not UTF-8, so agentws cannot change the file.", hint="Save the file as UTF-8 and re-run."
        )
    return File(file.path, b"# Memory\n", ABSENT) if file.digest == ABSENT else file


def text_of(files: Files, path: str) -> str:
    """Return the text of the file that is a memory's provenance, empty if it is missing."""
    try:
        return files.read(path).decode("utf-8", "surrogateescape")
    except MissingFileError:
        return ""


def _present_copy(files: Files, source: sources.Source, places: Sequence[str]) -> tuple[str, bytes | None]:
    """Return (present path of a source, content of that file).

    A day that was written again after its log was archived has several places: the one with the lines counts, else the
    newest.
    """
    pairs = [(now, _read(files, now)) for now in places]
    return next((each for each in pairs if _state(each[1], source)[1] == AS_IT_WAS), pairs[0])


def _read(files: Files, path: str) -> bytes | None:
    try:
        return files.read(path)
    except AgentwsError:
        return None


def _state(data: bytes | None, source: sources.Source) -> tuple[str, str]:
    """Return (the lines of a source in a file, whether they are unchanged, edited, forgotten or gone)."""
    if data is None:
        return "", GONE
    text = b"\n".join(data.split(b"\n")[source.line - 1 : source.end]).decode("utf-8", "surrogateescape")
    if not text.strip():
        return "", FORGOTTEN
    is_same = sources.of_lines(data, source.line, source.end) == source.digest
    return text.replace("\r", ""), AS_IT_WAS if is_same else EDITED
