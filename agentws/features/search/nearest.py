"""The units nearest to a question by the vectors of their texts: in the index, or among scanned units."""

from __future__ import annotations

from heapq import nlargest

from agentws.features.search.plan import similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from agentws.core.disk.cache import Cache
    from agentws.core.ports import VectorStore
    from agentws.features.search.plan.unit import Unit
    from agentws.features.search.store.index import Index
    from agentws.features.search.vectors.places import Places

_MOST_COPIES = 2
"""How many units with the same text are returned: the newest."""


def places(index: Index, cache: Cache) -> Places:
    """Return the vector keys of the units of an index, for the search of the nearest ones."""
    from agentws.features.search.vectors import places as _places

    def keys(first: int, behind: int) -> Iterator[tuple[int, str]]:
        rows = index.texts(first, behind)
        return ((number, similarity.key(text)) for number, form, text in rows if similarity.has_vector(form, text))

    return _places.of(cache, index.files(), keys)


def in_index(known: Places, vector: Any, store: VectorStore, allowed: set[int] | None) -> list[int]:
    """Return the numbers of the nearest units of an index, the nearest first; only `allowed` ones (None: all)."""
    if allowed is None:
        near = dict(store.nearest(vector, similarity.NEAREST))
        return _nearest_units(near, known.of(near.keys()))
    own = known.among(allowed)
    return _nearest_units(store.similarities(vector, set(own.values())), own.items())


def among(units: Iterable[Unit], vector: Any, store: VectorStore) -> list[int]:
    """Return the numbers of the nearest of these units, the nearest first, without an index."""
    own = {unit.id: similarity.key(unit.text) for unit in units if similarity.has_vector(unit.form, unit.text)}
    return _nearest_units(store.similarities(vector, set(own.values())), own.items())


def _nearest_units(near: Mapping[str, float], numbers: Iterable[tuple[int, str]]) -> list[int]:
    """Return the numbers of the units with the nearest keys, the nearest first."""
    best = nlargest(similarity.NEAREST, near, key=lambda key: (near[key], key))
    numbers_by_key: dict[str, list[int]] = {key: [] for key in best}
    for number, key in numbers:
        if key in numbers_by_key:
            numbers_by_key[key].append(number)
    return [number for key in best for number in sorted(numbers_by_key[key])[-_MOST_COPIES:]]
