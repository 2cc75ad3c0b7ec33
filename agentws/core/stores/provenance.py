"""The lines that a memory was made of: where they are now, what has become of them, and whose words they are."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import sources
from agentws.core.markdown import outside
from agentws.core.text import origin
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.documents.sources import Made, Sidecar, Source, Stated

AS_IT_WAS, EDITED, FORGOTTEN, GONE = "as it was", "edited since", "forgotten since", "gone"


class EntrySource:
    """Lines of a log that a memory was made of.

    The `path` then, where it is `now`, and what has become of them (`state`); `src` is whose words the lines are by
    their marks now, `unknown` without any.
    """

    __slots__ = ("day", "end", "line", "now", "path", "src", "state", "text")

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
    """The lines that an entry was made of. `known` learns of the months that their days are of."""
    found = []
    for source in made.sources:
        learn(files, source.path, known)
        places = known.places(source.path)
        moved = [folded.to for folded in places if folded.to]
        now, data = _found(files, source, [*moved, source.path, *sources.once(source.path)])
        text, state = _state(data, source)
        day = (places[0].day if places else "") or layout.day_of(source.path.rpartition("/")[2]) or ""
        src = of_lines(data or b"", source.line, source.end)
        found.append(EntrySource(source, now=now, day=day, text=text, state=state, src=src))
    return found


def unmarked(files: Files, made: Iterable[Made]) -> dict[str, str]:
    """The sources from outside of entries of which it was never written down, by digest: as their lines say now."""
    known = sources.Sidecar()
    found = {one.entry: origin.lowest(each.src for each in of(files, one, known)) for one in made if not one.src}
    return {entry: src for entry, src in found.items() if origin.is_outside(src)}


def of_lines(data: bytes, line: int, end: int) -> str:
    """Return the origin of the lines `line` to `end` (1-based) of a file, by their marks."""
    if b"(via " not in data:
        return origin.UNKNOWN
    found = outside.stretches(data.decode("utf-8", "surrogateescape"), in_code=True)
    return origin.lowest([origin.UNKNOWN, *(one.src for one in found if one.start < end and line <= one.end)])


def learn(files: Files, path: str, known: Sidecar) -> None:
    """Read what compaction wrote down about the month of a day."""
    day = layout.day_of(path.rpartition("/")[2])
    if day is not None and path not in known.folded:
        sources.decode(text_of(files, sources.month_path(day)), known)


def place(files: Files, path: str, known: Sidecar) -> str:
    """Return where the file that had this path is: an archived log is in the archive. `known` learns of its month."""
    if files.exists(path):
        return path
    learn(files, path, known)
    return next((row.to for row in known.places(path) if row.to), path)


def text_of(files: Files, path: str) -> str:
    """The text of a file, empty where there is none."""
    try:
        return files.read(path).decode("utf-8", "surrogateescape")
    except MissingFileError:
        return ""


def _found(files: Files, source: sources.Source, places: Sequence[str]) -> tuple[str, bytes | None]:
    """(where a source is now, what stands in that file).

    A day that was written anew after it moved has moved too: of its places the one that still says it counts, else the
    newest.
    """
    found = [(now, _read(files, now)) for now in places]
    return next((each for each in found if _state(each[1], source)[1] == AS_IT_WAS), found[0])


def _read(files: Files, path: str) -> bytes | None:
    try:
        return files.read(path)
    except AgentwsError:
        return None


def _state(data: bytes | None, source: sources.Source) -> tuple[str, str]:
    """(the lines of a source in a file, what has become of them)."""
    if data is None:
        return "", GONE
    text = b"\n".join(data.split(b"\n")[source.line - 1 : source.end]).decode("utf-8", "surrogateescape")
    if not text.strip():
        return "", FORGOTTEN
    is_same = sources.of_lines(data, source.line, source.end) == source.digest
    return text.replace("\r", ""), AS_IT_WAS if is_same else EDITED
