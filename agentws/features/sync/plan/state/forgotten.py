"""Find the files in which a side forgot text since the base, by the `forgotten` events of its journals. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agentws.core.formats import digest, layout
from agentws.core.formats.journal import event, purge, segment
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError
from agentws.features.sync.plan.plan import Blobs, Tree
from agentws.features.sync.plan.state.segments import Copy

KIND = "forgotten"
_KIND = b'"kind":"%s"' % KIND.encode()
_SEALED = "sha256:"
_ARCHIVE = "/archive/"
"""Files may have been moved to an archive since, so these are compared by name."""
_ODD = (AgentwsError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Touched:
    """The `paths` in which text was forgotten, some as digests with these `salts`; `every`: any file, since unknown."""

    paths: frozenset[str] = frozenset()
    salts: frozenset[str] = frozenset()
    every: bool = False

    def holds(self, path: str) -> bool:
        """Return whether text may have been forgotten in the file at `path`."""
        digests = (digest.of(f"{salt} {path.casefold()}".encode("utf-8", "surrogateescape")) for salt in self.salts)
        names = {name.rpartition("/")[2] for name in self.paths if _ARCHIVE in name}
        is_told = path in self.paths or path.rpartition("/")[2] in names
        return self.every or is_told or any(f"{_SEALED}{name}" in self.paths for name in digests)


NOWHERE = Touched()
ANYWHERE = Touched(every=True)


def both(base: Tree, ours: Tree, theirs: Tree, blobs: Blobs) -> tuple[Touched, Touched]:
    """Return the files in which each side forgot text; any file on both sides if no journal records it."""
    try:
        touched = _touched(base, ours, blobs), _touched(base, theirs, blobs)
    except _ODD:
        return ANYWHERE, ANYWHERE
    return touched if touched != (NOWHERE, NOWHERE) else (ANYWHERE, ANYWHERE)


def _touched(base: Tree, side: Tree, blobs: Blobs) -> Touched:
    paths, salts = set[str](), set[str]()
    for body in _bodies(base, side, blobs):
        paths |= {str(item[0]) for item in body["documents"]}
        salts.add(str(body["salt"]))
    return Touched(frozenset(paths), frozenset(salts))


def _bodies(base: Tree, side: Tree, blobs: Blobs) -> Iterator[dict[str, Any]]:
    """Yield the bodies of the `forgotten` events that a side has and the base lacks."""
    changed = {path: place for path in side if (place := _segment(path)) and side[path] != base.get(path)}
    for writer, number in dict.fromkeys(changed.values()):
        before = {*_lines(base, writer, number, blobs)}
        for line in _lines(side, writer, number, blobs):
            if _KIND in line and segment.kind_of(line) == KIND and line not in before:
                name = purge.blob(line)
                if name:
                    yield plainjson.loads(blobs.bytes_of(side[segment.blob_path(writer, name)]))
                else:
                    yield event.decode(line, writer=writer).body or {}


def _lines(tree: Tree, writer: str, number: int, blobs: Blobs) -> list[bytes]:
    plain = segment.path(writer, number)
    copy = Copy(tree.get(plain), tree.get(segment.packed_path(plain)))
    return copy.lines(blobs).split(b"\n")[:-1] if copy != Copy() else []


def _segment(path: str) -> tuple[str, int] | None:
    """Return the writer and the number of the segment at a path, None for other paths."""
    folder, _, rest = path.partition("/")
    writer, _, name = rest.partition("/")
    number = segment.number_of(name) or segment.packed_number_of(name.rpartition("/")[2])
    return (writer, number) if folder == layout.JOURNAL and number else None
