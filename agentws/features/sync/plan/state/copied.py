"""The base of daily logs where the newest state in common is not here: after an older copy was restored, or remotes
were renewed. Pure.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from agentws.core.formats import layout
from agentws.features.sync.plan.state import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.features.sync.plan.plan import Blobs, Tree


def logs(
    base: Tree, ours: Tree, theirs: Tree, blobs: Blobs, is_forgotten: Callable[[bytes], bool] | None = None
) -> dict[str, bytes]:
    """Return daily logs of the base, with the lines that ours has added and the other side has of the same day too.

    Both would count as written twice, though one machine wrote them once. With `is_forgotten`, lines of ours that were
    forgotten here are added too: the other side has removed them.
    """
    made: dict[str, bytes] = {}
    for day in sorted(
        {_day(path) for path, oid in ours.items() if oid not in (base.get(path), theirs.get(path))} - {""}
    ):
        before = _words(base, day, blobs)
        common = _words(ours, day, blobs) & _words(theirs, day, blobs)
        left = common - before
        both = [path for path in ours if _day(path) == day and path in theirs]
        for path in both:  # where both sides have a line at one path, so has the base
            lines = left & (_in(ours, path, blobs) & _in(theirs, path, blobs)) - _in(base, path, blobs)
            left -= lines
            if lines:
                made[path] = _with(path, blobs.bytes_of(base.get(path)), [*lines.elements()], ours, blobs)
        if is_forgotten is not None:
            new = _words(ours, day, blobs) - before - common
            left += Counter({each: n for each, n in new.items() if any(map(is_forgotten, each.split(b"\n")))})
        if left:
            path = min((path for path in base if _day(path) == day), default=f"{layout.DAYS}/{day}.md")
            text = made.get(path, blobs.bytes_of(base.get(path)))
            made[path] = _with(path, text, [*left.elements()], ours if path in ours else theirs, blobs)
    return made


def _with(path: str, text: bytes, lines: list[bytes], side: Tree, blobs: Blobs) -> bytes:
    """Return the text of the base with these lines, in the order of a side that has only added lines."""
    after = blobs.bytes_of(side.get(path))
    gone, added = late.compared(text, after)
    left = Counter(lines)
    own = []
    for passage in added:
        own += [] if left[passage[2]] else [passage]
        left[passage[2]] -= left[passage[2]] > 0
    if gone or left.total():
        return late.added_to(path, text, [(0, 0, words) for words in lines])
    made = after.split(b"\n")
    for start, end, _ in reversed(own):
        del made[start:end]
    return b"\n".join(made)


def _in(tree: Tree, path: str, blobs: Blobs) -> Counter[bytes]:
    return Counter(words for *_, words in late.passages(blobs.bytes_of(tree.get(path))))


def _words(tree: Tree, day: str, blobs: Blobs) -> Counter[bytes]:
    """Return how often each passage stands in the logs of a day, archived or not."""
    oids = (oid for path, oid in tree.items() if _day(path) == day)
    return Counter(words for oid in oids for *_, words in late.passages(blobs.bytes_of(oid)))


def _day(path: str) -> str:
    """Return the day of a daily log, empty for another file."""
    name = path.rpartition("/")[2]
    is_log = path.startswith(f"{layout.DAYS}/") and name.endswith(".md") and layout.is_day(name[:10])
    return name[:10] if is_log else ""
