"""What the vector stores of other programs have in common: they are asked for some vectors at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from agentws.core.ports import VectorRecord, VectorStore
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers

HINT = "agentws config --user vectors.store"


class Batched(VectorStore):
    """A vector store that adds, reads and removes at most AT_ONCE vectors in one call; a subclass makes these calls.

    A store with a `_folder` on this machine is rewritten when vectors are removed: its program keeps deleted rows.
    """

    AT_ONCE = 256
    _folder: str | None = None

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Add vectors to the store, or replace those with the same keys."""
        for some in self._some(vectors):
            self._put(some)

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity to `vector` of the vectors with these keys, without keys that are not held."""
        return numbers.similarities(vector, {key: row for key, row, _ in self._read(keys)})

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata that is held for these keys: source, time and headings."""
        return {key: fields for key, _, fields in self._read(keys)}

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these and return how many."""
        known = self.keys()
        gone = sorted(known - set(keys))
        if gone and self._folder is not None:
            stays = list(self._read(known - set(gone)))
            self.destroy()
            self.put(stays)
            return len(gone)
        for some in self._some(gone):
            self._remove(some)
        return len(gone)

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _some(self, every: Iterable[Any]) -> Iterator[Any]:
        rest = iter(every)
        while some := list(islice(rest, self.AT_ONCE)):
            yield some

    def _read(self, keys: Collection[str]) -> Iterator[VectorRecord]:
        """Yield (key, vector, metadata) of these keys, without those that are not held."""
        for some in self._some(keys):
            yield from self._got(some)

    def _put(self, some: Sequence[VectorRecord]) -> None:
        raise NotImplementedError

    def _got(self, some: Sequence[str]) -> Iterable[VectorRecord]:
        raise NotImplementedError

    def _remove(self, some: Sequence[str]) -> None:
        raise NotImplementedError


def failed(program: str, error: Exception) -> OutsideProgramError:
    """Return the error for an exception of a store's client library."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return OutsideProgramError(f"{program}: {reason}", hint=HINT)
