"""What one side made of lines that the other side took out meanwhile: it goes with them. Pure.

Else what was forgotten on one machine would come back in the words that compaction wrote on another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats import layout, manifest
from agentws.core.formats.documents import managed, proposals, sources, superseded
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError
from agentws.features.memory.compact.plan import digest as page
from agentws.features.sync.plan.merged import REMOVAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentws.features.sync.plan.merged import Conflict
    from agentws.features.sync.plan.plan import Blobs, Value

    Files = dict[str, Value]

_KEYS = ("entry", "left", "waits")
_MADE = (b"- ", b"{")
"""How a line begins that compaction made."""
_BELOW = (b" ", b"\t")


def emptied(data: bytes) -> bytes:
    """Return what is left of such a file where a side took it away, and with it all of its lines."""
    return b"".join(line for line in data.splitlines(keepends=True) if not line.startswith((*_MADE, *_BELOW)))


def settled(path: str, data: bytes) -> bytes | None:
    """Return such a file without titles that nothing stands below; None where it has no line left."""
    if not any(line.startswith(_MADE) for line in data.splitlines()):
        return None
    text = data.decode("utf-8", "surrogateescape")
    return page.rewritten(text).encode("utf-8", "surrogateescape") if path == page.PATH else data


def entries(text: str) -> set[str]:
    """Return the digests of all entries of which a sidecar says where they came from."""
    return {name for _, name in _rows(text)}


def asks(conflict: Conflict, gone: Collection[str], heading: str) -> bool:
    """Return whether a conflict is one for people: not of entries that went, nor of all that compaction keeps."""
    texts = [one for one in (conflict.ours, conflict.theirs) if isinstance(one, str)]
    if gone and any(managed.digests(text) & {*gone} for text in texts):
        return False
    titles = [text.partition("\n")[0] for text in texts if text.startswith("#")]
    return conflict.what != REMOVAL or not any(title.lstrip("# ").rstrip() == heading for title in titles)


def drop(result: Files, gone: Collection[str], blobs: Blobs) -> None:
    """Take the entries with these digests out of every document and record."""
    known = _text(result, sources.PATH, blobs)
    texts = {
        str(told.get("text", "")) for line, name in _rows(known) if name in gone and (told := plainjson.loads(line))
    }
    rows = {line for line, name in _rows(known) if name in gone}
    _put(result, sources.PATH, "\n".join(line for line in known.split("\n") if line not in rows), known)
    memory = _text(result, layout.MEMORY, blobs)
    _put(result, layout.MEMORY, managed.rewritten(memory, heading=heading(result, blobs), leaving=gone), memory)
    digest = _text(result, page.PATH, blobs)
    if page.is_ours(digest):
        _put(result, page.PATH, page.rewritten(digest, leaving=gone), digest)
    proposed = _text(result, proposals.PATH, blobs)
    left = proposals.without(proposed, gone)
    _put(result, proposals.PATH, "" if proposals.is_empty(left) else left, proposed)
    replaced = _text(result, superseded.PATH, blobs)
    begins = tuple(superseded.begins(text) for text in texts if text)
    kept = [line for line in replaced.split("\n") if not (begins and line.startswith(begins))]
    _put(result, superseded.PATH, "\n".join(kept), replaced)


def _rows(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line about an entry, and the digest of that."""
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                told = plainjson.loads(line)
            except (ValueError, RecursionError):
                continue
            name = next((told[key] for key in _KEYS if key in told), None)
            if isinstance(name, str):
                yield line, name


def _text(result: Files, path: str, blobs: Blobs) -> str:
    return blobs.bytes_of(result.get(path)).decode("utf-8", "surrogateescape")


def _put(result: Files, path: str, text: str, before: str) -> None:
    if text == before:
        return
    if text:
        result[path] = text.encode("utf-8", "surrogateescape")
    else:
        del result[path]


def heading(result: Files, blobs: Blobs) -> str:
    """Return the title of the section of MEMORY.md that compaction keeps."""
    try:
        known = manifest.decode(blobs.bytes_of(result.get(layout.MANIFEST)), where=layout.MANIFEST)
        return str(known.setting("compaction.section"))
    except AgentwsError:
        return managed.HEADING
