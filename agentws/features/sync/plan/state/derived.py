"""Remove entries that compaction derived on one side from lines that the other side removed meanwhile. Pure.

Otherwise text forgotten on one machine would come back in the words that compaction wrote on another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agentws.core.formats import layout, manifest
from agentws.core.formats.documents import managed, proposals, sources
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError
from agentws.features.memory.compact.plan import digest as page
from agentws.features.sync.plan.merged import REMOVAL, Conflict
from agentws.features.sync.plan.plan import Blobs, Value

Files = dict[str, Value]


_KEYS = ("entry", "left", "waits")
_MADE = (b"- ", b"{")
"""The beginnings of lines that compaction made."""
_BELOW = (b" ", b"\t")


def emptied(data: bytes) -> bytes:
    """Return a file that compaction made without its derived lines, as on a side that removed the file."""
    return b"".join(line for line in data.splitlines(keepends=True) if not line.startswith((*_MADE, *_BELOW)))


def settled(path: str, data: bytes) -> bytes | None:
    """Return a file that compaction made, a digest without empty sections; None if no derived line is left."""
    if not any(line.startswith(_MADE) for line in data.splitlines()):
        return None
    text = data.decode("utf-8", "surrogateescape")
    return page.rewritten(text).encode("utf-8", "surrogateescape") if path == page.PATH else data


def entries(text: str) -> set[str]:
    """Return the digests of the derived entries that have a row in the sidecar memory/sources.jsonl."""
    return {name for _, name in _rows(text)}


def asks(conflict: Conflict, gone: Collection[str], heading: str) -> bool:
    """Return whether a person has to decide a conflict: not about dropped entries or the whole managed section."""
    texts = [content for content in (conflict.ours, conflict.theirs) if isinstance(content, str)]
    if gone and any(managed.digests(text) & {*gone} for text in texts):
        return False
    titles = [text.partition("\n")[0] for text in texts if text.startswith("#")]
    return conflict.what != REMOVAL or not any(title.lstrip("# ").rstrip() == heading for title in titles)


def drop(result: Files, gone: Collection[str], blobs: Blobs) -> None:
    """Remove the derived entries with these digests from every document and record."""
    known = _text(result, sources.PATH, blobs)
    texts = {
        str(decoded.get("text", ""))
        for line, name in _rows(known)
        if name in gone and (decoded := plainjson.loads(line))
    }
    rows = {line for line, name in _rows(known) if name in gone}
    _put(result, sources.PATH, "\n".join(line for line in known.split("\n") if line not in rows), known)
    path = layout.spelt(layout.MEMORY, result)
    memory = _text(result, path, blobs)
    _put(result, path, managed.rewritten(memory, heading=heading(result, blobs), leaving=gone), memory)
    digest = _text(result, page.PATH, blobs)
    if page.is_ours(digest):
        _put(result, page.PATH, page.rewritten(digest, leaving=gone), digest)
    proposed = _text(result, proposals.PATH, blobs)
    left = proposals.without(proposed, gone)
    _put(result, proposals.PATH, "" if proposals.is_empty(left) else left, proposed)
    replaced = _text(result, sources.SUPERSEDED_PATH, blobs)
    begins = tuple(sources.superseded_beginning(text) for text in texts if text)
    kept = [line for line in replaced.split("\n") if not (begins and line.startswith(begins))]
    _put(result, sources.SUPERSEDED_PATH, "\n".join(kept), replaced)


def _rows(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sidecar line about an entry, and the digest of the entry."""
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                decoded = plainjson.loads(line)
            except ValueError:
                continue
            name = next((decoded[key] for key in _KEYS if key in decoded), None)
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
    """Return the title of the section of MEMORY.md with derived entries, by the merged manifest."""
    try:
        known = manifest.decode(blobs.bytes_of(result.get(layout.MANIFEST)), where=layout.MANIFEST)
        return str(known.setting("compaction.section"))
    except AgentwsError:
        return managed.HEADING
