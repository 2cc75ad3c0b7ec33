"""Ports: protocols with several answers for clock, vectors, tokens (tests/contracts/)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from agentws.core.formats.journal.event import Event


class Clock(Protocol):
    """The time: the system's, or one that was fixed for a replay or a test."""

    def now(self) -> datetime:
        """Return the present moment in the workspace's time zone."""


class Observer(Protocol):
    """A receiver of events: a log, a console, a metrics system."""

    def on_event(self, event: Event) -> None:
        """Handle an event that is durable. An exception becomes a notice; the event is unaffected."""


class TokenCounter(Protocol):
    """Counts the tokens of a text, in whole `units`.

    A text's units never exceed the sum of its parts', where it is cut at line starts that begin with neither `/`
    nor an empty line; elsewhere they may by a few.
    """

    name: str
    exact: bool
    """Return True if the count is a tokenizer's own."""
    trust: str
    """Precision of a count: `exact`, `a bound`, `a declared bound`, `an estimate`."""
    units_per_token: int

    def units(self, text: str) -> int:
        """Return the units of `text`; tokens are units / units_per_token, rounded up."""


VectorRecord = tuple[str, Any, Mapping[str, str]]
"""A vector to keep: its key (32 hexadecimal digits), its numbers, what it is of: `source`, `time`, `context`."""


class Embedder(Protocol):
    """Computes vectors of texts: a model that ships in a package, an endpoint, a command of the user's."""

    name: str
    """Source of the vectors: only those of one source are compared."""

    def embed(self, texts: Sequence[str]) -> Sequence[Any]:
        """Return a vector for each text, in order, all of one size; AgentwsError if that fails."""


class VectorStore(Protocol):
    """Stores vectors by the keys of their texts, and finds the nearest by cosine, from -1 to 1."""

    def keys(self) -> set[str]:
        """Return the keys of all vectors."""

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Add vectors, durably; those of known keys may be skipped."""

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors, nearest first."""

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity of each of these keys that is known."""

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata of each of these keys that is known: source, time, context."""

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these, unrecoverably as far as possible; return how many were removed."""

    def destroy(self) -> None:
        """Remove all vectors."""

    def close(self) -> None:
        """Close the store."""
