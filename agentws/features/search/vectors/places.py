"""Places of the vectors, cached: which unit has which vector key; and the units nearest to a question by vectors."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping
from heapq import nlargest
from typing import Any

import numpy as np

from agentws.core.disk.cache import Cache
from agentws.core.ports import VectorStore
from agentws.features.search.plan import similarity
from agentws.features.search.plan.unit import Unit
from agentws.features.search.store.index import Index

_NAME = "vector-places"
_MADE_BY = ("features/search/plan/similarity.py", "core/markdown/markdown.py")
_KEY = "S16"


class Places:
    """The numbers and vector keys of all units of the index that have a vector, or will get one."""

    def __init__(self, numbers: Any, keys: Any) -> None:
        self.numbers = numbers
        self.keys = keys

    def of(self, keys: Collection[str]) -> list[tuple[int, str]]:
        """Return (number, key) of the units with one of these vector keys."""
        wanted = np.array([bytes.fromhex(key) for key in keys], _KEY)
        positions = np.flatnonzero(np.isin(self.keys, wanted)) if len(wanted) else ()
        return [(int(self.numbers[at]), _hex(self.keys[at])) for at in positions]

    def among(self, numbers: Collection[int]) -> dict[int, str]:
        """Return the vector keys of the units with these numbers."""
        wanted = np.fromiter(numbers, "i8", len(numbers))
        result = np.flatnonzero(np.isin(self.numbers, wanted))
        return {int(self.numbers[at]): _hex(self.keys[at]) for at in result}


def places(index: Index, cache: Cache) -> Places:
    """Return the vector keys of the units of an index, for the search of the nearest ones; cached by file."""
    cached = cache.get(_NAME)
    known: dict[str, list[Any]] = cached if isinstance(cached, dict) else {}
    files = index.files()
    rows_by_path: dict[str, list[Any]] = {}
    numbers, every = [], []
    changed = len(known) != len(files)
    for path, state in files.items():
        kept = known.get(path)
        if kept is None or kept[:3] != [state.digest, state.first, state.units]:
            rows = [
                (at, similarity.key(text))
                for at, form, text in index.texts(state.first, state.behind)
                if similarity.has_vector(form, text)
            ]
            kept = [state.digest, state.first, state.units, [at for at, _ in rows], "".join(key for _, key in rows)]
            changed = True
        rows_by_path[path] = kept
        numbers += kept[3]
        every.append(kept[4])
    if changed:
        base = (sys.modules["agentws"].__file__ or "").removesuffix("__init__.py")
        cache.put(_NAME, rows_by_path, made_by=[base + path for path in _MADE_BY])
    return Places(np.array(numbers, "i8"), np.frombuffer(bytes.fromhex("".join(every)), _KEY))


def _hex(key: bytes) -> str:
    return bytes(key).ljust(16, b"\0").hex()


_MOST_COPIES = 2
"""How many units with the same text are returned: the newest."""


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
