"""Names in an archive, and how two copies of the same segment relate."""

from __future__ import annotations

import re
from enum import StrEnum

from agentws.core.formats import layout
from agentws.core.formats.journal import chain, segment

_PATH = re.compile(rf"{layout.JOURNAL}/[0-9a-f]{{16}}/(?:packed/[0-9]{{6,}}\.jsonl\.gz|blobs/[0-9a-f]{{64}})")


class Relation(StrEnum):
    """How the local copy of a segment relates to the archived one."""

    EQUAL = "equal"
    PURGED_LOCALLY = "purged locally"
    """The local copy lacks content that was purged since, and is otherwise equal."""
    PURGED_THERE = "purged there"
    """The archived copy lacks content that the local one still has."""
    DIFFERENT = "different"


def is_ours(path: str) -> bool:
    """Return whether a path within an agent's archive is one that `fleet archive` writes: a segment or a blob."""
    return _PATH.fullmatch(path) is not None


def is_segment(path: str) -> bool:
    """Return whether a path within an archive is that of a segment."""
    return path.endswith(segment.GZ)


def relation(local: bytes, archived: bytes) -> Relation:
    """Return how the lines of a local segment relate to the archived ones: purges shorten lines, and nothing else may.

    A purge in both directions counts as different.
    """
    if local == archived:
        return Relation.EQUAL
    ours, theirs = local.split(b"\n"), archived.split(b"\n")
    if len(ours) != len(theirs):
        return Relation.DIFFERENT
    differing = [(own, other) for own, other in zip(ours, theirs, strict=True) if own != other]
    if any(_header(own) != _header(other) for own, other in differing):
        return Relation.DIFFERENT
    if all(_is_purged(own) for own, _ in differing):
        return Relation.PURGED_LOCALLY
    if all(_is_purged(other) for _, other in differing):
        return Relation.PURGED_THERE
    return Relation.DIFFERENT


def _header(line: bytes) -> bytes:
    return line.partition(chain.SPLIT)[0]


def _is_purged(line: bytes) -> bool:
    return chain.was_purged(line) and chain.is_whole(line)
