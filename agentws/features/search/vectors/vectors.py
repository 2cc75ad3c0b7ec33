"""The vectors of a workspace, opened for a search: how near units are to a question, and which are nearest."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from agentws.core.disk import cache
from agentws.core.disk.cache import Cache
from agentws.core.disk.system import user_programs, user_settings
from agentws.core.environment import Environment
from agentws.core.formats.json import plainjson
from agentws.core.ports import Embedder, VectorStore
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.search.filters import Filter
from agentws.features.search.plan import similarity
from agentws.features.search.plan.unit import Unit
from agentws.features.search.vectors import choice


class Corpus(Protocol):
    """The corpus of the search: the index, or a scan."""

    def nearest(self, vector: Any, store: VectorStore, among: Filter | None, cache: Cache) -> list[int]:
        """Return the numbers of the units nearest to a vector, the nearest first."""

    def units(self, numbers: list[int]) -> list[Unit]:
        """Return the units with these numbers; missing ones are left out."""


Held = tuple[str, str]
"""(store, embedder): the vector store as the settings name it, and the name of the embedder."""


REFRESH = "agentws index refresh --vectors"
_QUESTION_S = 20.0
_BATCH_S = 300.0
_MOST_ANSWERED = 1 << 28


class Vectors:
    """The vector store of a workspace, with the embedder for questions."""

    def __init__(self, stores: Stores, embedder: Embedder, store: VectorStore) -> None:
        self._stores = stores
        self._embedder = embedder
        self._store = store

    def near(
        self, question: str, corpus: Corpus, units: Sequence[Unit], among: Filter | None
    ) -> tuple[list[Unit], dict[int, float]]:
        """Return `units` and the units nearest to the question, and the similarity of all of these by number.

        If no vector can be made of the question, there are no similarities, and a notice says so.
        """
        try:
            (vector,) = self._embedder.embed([similarity.text(question)])
            nearest = corpus.nearest(vector, self._store, among, self._stores.cache)
        except AgentwsError as error:
            _say(self._stores, f"Searched without vectors: {error.message}")
            return [*units], {}
        known = {unit.id for unit in units}
        added = corpus.units([number for number in nearest if number not in known])
        # The places from the index may be outdated: the key of the text itself counts.
        keys = {unit.id: similarity.key(unit.text) for unit in (*units, *added)}
        similarities = self._store.similarities(vector, set(keys.values()))
        similar = {number: similarities[key] for number, key in keys.items() if key in similarities}
        return [*units, *(unit for unit in added if unit.id in similar)], similar

    def close(self) -> None:
        """Close the vector store."""
        self._store.close()


def opened(stores: Stores) -> Vectors | None:
    """Return the vectors of a workspace; None if none were made, if they are off, or cannot be read."""
    folder = stores.whole.cache.folder
    try:
        settings = read_settings(stores.environment) if read(folder) else {}
        name = made_by(stores, settings)
        if folder is None or not name:
            return None
        store = choice.store(settings["store"], name, folder)
        return Vectors(stores, embedder(settings, timeout_s=_QUESTION_S), store)
    except AgentwsError as error:
        hint = f" Run: {error.hint}" if error.hint else ""
        _say(stores, f"Searched without vectors: {error.message}{hint}")
        return None


def made_by(stores: Stores, settings: Mapping[str, str]) -> str:
    """Return the name of the embedder in these settings; empty if it made no vectors of the workspace, or is off."""
    held = read(stores.whole.cache.folder)
    name = choice.embedder_name(settings) if held and settings["embedder"] != choice.OFF else ""
    if name and (settings["store"], name) not in held:
        _say(stores, f"Searched without vectors: none are made by {name}. Run: {REFRESH}")
        return ""
    return name


def embedder(settings: Mapping[str, str], *, timeout_s: float = _BATCH_S) -> Embedder:
    """Return the embedder of the vector settings, which runs a command as a summarizer is run."""
    return choice.embedder(
        settings,
        lambda line: user_programs.Command(line, timeout_s=timeout_s, most_bytes=_MOST_ANSWERED).summarize,
        timeout_s=timeout_s,
    )


def read_settings(environment: Environment) -> dict[str, str]:
    """Return the vector settings of the user, empty for built-in choices; a workspace has none."""
    vectors = user_settings.read(environment.config).vectors
    return {key: "" if value == choice.BUILTIN else value for key, value in vectors.items()}


def _say(stores: Stores, text: str) -> None:
    if text not in stores.notices:
        stores.notices.append(text)


NAME = "search.vectors.json"


def read(folder: str | None) -> list[Held]:
    """Return the stores in the marker file, the newest last."""
    if folder is None:
        return []
    try:
        with open(f"{folder}/{NAME}", "rb") as file:
            decoded = plainjson.loads(file.read(1 << 16))
        return [(str(store), str(embedder)) for store, embedder in decoded]
    except (OSError, ValueError, TypeError, RecursionError):
        return []


def add(folder: str, held: Held) -> None:
    """Add a store to the marker file, before it gets any vectors."""
    known = read(folder)
    if known[-1:] != [held]:
        write(folder, [*(pair for pair in known if pair != held), held])


def write(folder: str, held: Sequence[Held]) -> None:
    """Write the marker file with these stores; remove it if there are none."""
    if held:
        cache.write_file(folder, NAME, plainjson.dumps([list(pair) for pair in held]).encode())
    elif os.path.exists(f"{folder}/{NAME}"):
        os.unlink(f"{folder}/{NAME}")
