"""The freshness of MEMORY.md entries about a file: whether that file is unchanged, has changed (drifted), or is gone.

A file is read only if its size or times are new; digests are kept in this user's cache, and computed again if lost. No
link is followed, and nothing outside of the workspace is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentws.core import Record
from agentws.core.disk import read_trace
from agentws.core.disk.files import OWN, UNSEEN, Files
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import entry_rows, sources
from agentws.core.formats.documents.entry_rows import About
from agentws.core.formats.json import plainjson
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, UsageError

FRESH, DRIFTED, GONE = "fresh", "drifted", "gone"
HINT = "Name a regular file inside the workspace."
LIMIT_BYTES = 8 << 20
"""The largest file that an entry may be about; a file that has grown beyond it has changed."""
_MOST_READ_BYTES = 4 * LIMIT_BYTES
"""How much is read in one check: the state of the remaining files is unknown until the next one."""
_CACHED = "freshness"
_ABOUT, _VALUE, _DIGITS = '"about":[', '":"', 64


class Tie(Record):
    """The file that a MEMORY.md entry is about: its `path`, and its freshness `state`: FRESH, DRIFTED or GONE."""

    path: str
    state: str

    @property
    def is_doubtful(self) -> bool:
        """Return whether the entry's file is not fresh: it has changed or is gone."""
        return self.state in (DRIFTED, GONE)


def about(files: Files, path: str) -> About:
    """Return the file at a RelPath with its digest, to judge an entry's freshness later; UsageError if unsuitable."""
    try:
        known = digest.of(files.stamped(path, LIMIT_BYTES)) if files.size(path) <= LIMIT_BYTES else ""
    except AgentwsError as error:
        raise UsageError(error.message, hint=HINT) from error
    if not path.isprintable():
        raise UsageError(f"The path {path!r} contains unprintable characters.", hint="Rename the file.")
    if layout.usual(path) in (layout.MEMORY, layout.SOURCES) or path.partition("/")[0] in OWN:
        raise UsageError(
            f"{path} changes with every entry, so no entry can describe it.",
            hint="Name the file that the entry describes.",
        )
    if not known:
        raise UsageError(f"{path} is larger than {LIMIT_BYTES >> 20} MB.", hint="Name a smaller file.")
    return entry_rows.About(path, known)


def of(stores: Stores) -> dict[str, Tie]:
    """Return the freshness (a Tie) of each entry about a file, by the entry's digest. Unreadable ones are left out.

    Entries that are known to have left MEMORY.md are left out too.
    """
    files = stores.files
    stamp = files.stamps([sources.PATH])[0]
    if stamp in ("", UNSEEN):
        return {}
    kept = stores.cache.get(_CACHED) or ["", {}, {}]
    rows: dict[str, list[str]] = kept[1] if kept[0] == stamp else _rows(files)
    paths = sorted({path for path, _ in rows.values()})
    held = _held(files, paths, kept[2])
    if len(held) < len(paths) and isinstance(files, read_trace.Watched):
        files.is_whole = False  # the next look knows more, though no file has changed
    settled = {path: row for path, row in held.items() if read_trace.is_settled(row[0])}
    now = [stamp if read_trace.is_settled(stamp) else "", rows, settled]
    if now != kept:
        stores.cache.put(_CACHED, now, made_by=[__file__])
    return {entry: Tie(path, _state(held.get(path), known)) for entry, (path, known) in rows.items()}


def _state(held: Sequence[str] | None, known: str) -> str:
    if held is None:
        return ""
    return GONE if not held[0] else FRESH if held[1] == known else DRIFTED


def _rows(files: Files) -> dict[str, list[str]]:
    """Return the path and the digest that each entry is tied to, from its newest row."""
    try:
        text = files.stamped(sources.PATH).decode("utf-8", "surrogateescape")
    except AgentwsError:
        return {}
    rows: dict[str, list[str]] = {}
    for line in text.split("\n") if _ABOUT in text else ():
        # Most rows tie nothing: those are read only where they take the place of one that did.
        if _ABOUT in line or (rows and line.partition(_VALUE)[2][:_DIGITS] in rows):
            _take(line, rows)
    return rows


def _take(line: str, digests: dict[str, list[str]]) -> None:
    try:
        row = plainjson.loads(line)
        decoded = entry_rows.decode(row) if "entry" in row or "stated" in row else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return
    if decoded is not None:
        digests.pop(decoded.entry, None)
        if decoded.about is not None and decoded.is_current:
            digests[decoded.entry] = [decoded.about.path, decoded.about.digest]


def _held(files: Files, paths: Sequence[str], kept: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the stamp and the digest of each file, both empty for a missing file; unknown files are left out."""
    held: dict[str, list[str]] = {}
    room = _MOST_READ_BYTES
    for path, stamp in zip(paths, files.stamps(paths) if paths else (), strict=True):
        if stamp == UNSEEN:
            continue
        size = int(stamp.partition(" ")[0]) if stamp else 0
        if kept.get(path, [""])[0] == stamp:
            held[path] = kept[path] if stamp else ["", ""]
        elif not stamp or size > LIMIT_BYTES:
            held[path] = [stamp, ""]
        elif size <= room:
            room -= size
            try:
                held[path] = [stamp, digest.of(files.stamped(path, LIMIT_BYTES))]
            except AgentwsError:
                continue
    return held
