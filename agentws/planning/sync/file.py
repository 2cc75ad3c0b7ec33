"""One file of two sides and of what both came from. Never raises, and writes no marks of conflict."""

from __future__ import annotations

from agentws.planning.sync.merged import FILE, REMOVAL, Conflict, Merged, weight

Content = bytes | None
"""A file's bytes, None where there is no such file."""


def merge(path: str, base: Content, ours: Content, theirs: Content) -> Merged:
    """Return the content that both sides lead to; which side is ours makes no difference to it."""
    if theirs in (ours, base):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    return whole(path, base, ours, theirs)


def whole(path: str, base: Content, ours: Content, theirs: Content) -> Merged:
    """Return one of the sides as it is, the other in a conflict: an edit stays where the other side removed."""
    stays = max(ours, theirs, key=weight)
    what = REMOVAL if ours is None or theirs is None else FILE
    return Merged(stays, (Conflict(path, what, "", base, ours, theirs),))
