"""The origin of handoffs: not written here if no known writer's event names them, and they came after first contact.

Closed segments do not change, so what was found in them is kept in the cache.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.json import plainjson
from agentws.core.installation import stale_copy
from agentws.core.journal import read
from agentws.core.stores import writer_trust
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.installation.installation import Installation
    from agentws.core.stores.stores import Stores

_ENTRY = "handoffs"
_KIND = b'"kind":"handoff.'
_TELLS = (b'"kind":"handoff.written"', b'"kind":"handoff.closed"', b'"kind":"handoff.accepted"')
_FOREIGN = "not written here: "
_MOST_PATHS = 400
_SEAL_BYTES = 300


def unwritten(stores: Stores, paths: Collection[str]) -> set[str]:
    """Return the handoffs (RelPaths) of an origin elsewhere: not written here; empty if nothing is known yet."""
    stores = stores.whole  # as it was written, whatever of it may be heard
    own = writer_trust.reachable(stores) if paths else None
    if own is None:
        return set()
    names = _named_paths(stores)
    left = set(paths) - names
    foreign = {path for path in left if _FOREIGN + path in names}
    return foreign | _not_found(stores.files, own, left - foreign) if left else left


def unrecorded(stores: Stores, paths: Collection[str]) -> set[str]:
    """Return the handoffs that this machine has just written and whose event is missing: the verb was killed."""
    own = writer_trust.reachable(stores.whole) if paths else None
    just = _just_written(own) if own is not None else {}
    left = set(paths).intersection(just)
    left -= _named_paths(stores.whole) if left else set()
    # Another installation may have written the note in this folder, and recorded it as a writer not known here.
    for writer in read.writers(stores.whole.files) if left else ():
        left -= _of_writer(stores.whole.files, writer, None)[0]
    return {path for path in left if _is_as(stores.files, path, {just[path]})}


def _just_written(own: Installation) -> dict[str, str | None]:
    """Return the digests of the files that the newest changes of this machine wrote, by path."""
    changed = stale_copy.read(own.folder)
    return {leftover.path: leftover.digest for leftover in changed.left} if changed is not None else {}


def _not_found(files: Files, own: Installation, left: set[str]) -> set[str]:
    """Return the handoffs that were not as they are at first contact, and that this machine has not just written."""
    from agentws.core.identity import pinned_writers

    pins = pinned_writers.read(own.folder)
    if pins is None:
        return set()
    just = _just_written(own)
    return {path for path in left if not _is_as(files, path, {pins.handoffs.get(path), just.get(path)})}


def _is_as(files: Files, path: str, known: set[str | None]) -> bool:
    try:
        return known != {None} and digest.of(files.read(path)) in known
    except AgentwsError:
        return False


def _named_paths(stores: Stores) -> set[str]:
    """The paths that events of known writers name as handoffs; with _FOREIGN before those of others that are closed."""
    remembered = stores.cache.get(_ENTRY)
    before: dict[str, Any] = remembered if isinstance(remembered, dict) else {}
    kept: dict[str, Any] = {}
    result: set[str] = set()
    for writer in writer_trust.known(stores):
        names, kept[writer] = _of_writer(stores.files, writer, before.get(writer))
        result |= names
    if kept != before:
        stores.cache.put(_ENTRY, kept, made_by=[__file__])
    return result


def _of_writer(files: Files, writer: str, before: list[Any] | None) -> tuple[set[str], list[Any]]:
    """Return the handoff paths in a writer's events, and what to cache: those of its closed segments."""
    until, seal, remembered = before or [0, "", []]
    if until and _seal(files, writer, until) != seal:
        until, remembered = 0, []
    closed, newest = list(remembered), set()
    numbers = read.later(files, writer, until)
    for number in numbers:
        paths = [path for block in _blocks(files, writer, number) for path in _paths(block)]
        if number == numbers[-1]:
            newest = set(paths)
        else:
            until, closed = number, [*closed, *paths][-_MOST_PATHS:]
    return {*closed, *newest}, [until, _seal(files, writer, until), closed]


def _blocks(files: Files, writer: str, number: int) -> Iterator[bytes]:
    """The complete lines of a segment, asked for as boot does: so its answer has a trace of them (ADR 9), and one."""
    data, size = read.part(files, segment.path(writer, number), read.MOST_BYTES, from_end=True)
    if size > len(data):
        yield from (block for _, block in read.blocks(files, writer, number))
    else:
        yield data[: data.rfind(b"\n") + 1]


def _paths(block: bytes) -> Iterator[str]:
    at = block.find(_KIND)
    while at >= 0:
        start, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
        path = _path(block[start:end])
        if path:
            yield path
        at = block.find(_KIND, end) if end >= 0 else -1


def _path(line: bytes) -> str:
    """Return the handoff path in a journal line; empty without one, or if the line is damaged.

    With _FOREIGN before it for a foreign handoff that somebody read and closed.
    """
    if not any(word in line.partition(chain.SPLIT)[0] for word in _TELLS) or not chain.is_whole(line):
        return ""
    try:
        body = plainjson.loads(line)["body"]
        path = body["path"]
        is_foreign = body.get("unwritten") is True
    except (AttributeError, ValueError, KeyError, TypeError):
        return ""
    if not isinstance(path, str):
        return ""
    return _FOREIGN + path if is_foreign else path


def _seal(files: Files, writer: str, until: int) -> str:
    """Return a digest for all segments up to this one: of the next one's first line, which holds their last hash."""
    try:
        return digest.quick(read.beginning(files, segment.path(writer, until + 1), _SEAL_BYTES)) if until else ""
    except AgentwsError:
        return ""
