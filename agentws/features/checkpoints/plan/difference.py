"""The difference between the states of two checkpoints: the changed places, each with its values. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agentws.core import Result
from agentws.core.formats.json import plainjson, values

ADDED, REMOVED, CHANGED = "added", "removed", "changed"


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Result):
    """A place at which two states differ, such as `items[3].price`, with its values `before` and `after`.

    `kind` is ADDED, REMOVED or CHANGED; a missing value is None.
    """

    place: str
    kind: str
    before: Any
    after: Any

    def plain(self) -> dict[str, object]:
        """Return the difference as a JSON object."""
        before = {} if self.kind == ADDED else {"before": self.before}
        after = {} if self.kind == REMOVED else {"after": self.after}
        return {"place": self.place, "kind": self.kind, **before, **after}


def between(before: Any, after: Any) -> list[Difference]:
    """Return the differences of two plain states, in the order of the first one; lists are compared by index."""
    return list(_between(before, after, ""))


def _between(before: Any, after: Any, place: str) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            inner = values.inside(place, key) if place else values.inside("", key).removeprefix(".")
            yield from _at_key(before, after, key, inner, is_before=key in before, is_after=key in after)
    elif isinstance(before, list) and isinstance(after, list):
        for number in range(max(len(before), len(after))):
            inner = f"{place}[{number}]"
            yield from _at_key(
                before, after, number, inner, is_before=number < len(before), is_after=number < len(after)
            )
    elif not _same(before, after):
        yield Difference(place or "state", CHANGED, before, after)


def _at_key(before: Any, after: Any, key: Any, place: str, *, is_before: bool, is_after: bool) -> Iterator[Difference]:
    if is_before and is_after:
        yield from _between(before[key], after[key], place)
    elif is_before:
        yield Difference(place, REMOVED, before[key], None)
    else:
        yield Difference(place, ADDED, None, after[key])


def _same(before: Any, after: Any) -> bool:
    """Return whether two values are the same JSON: `1` is neither `true` nor `1.0`."""
    return plainjson.dumps(before) == plainjson.dumps(after)
