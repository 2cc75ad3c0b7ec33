"""The marker file that names the stores with vectors of this workspace, for `search` and for `forget`.

It is JSON in the cache folder. An unreadable marker counts as none.
"""

from __future__ import annotations

import os

from agentws.core.disk import cache
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Held = tuple[str, str]
    """(store, embedder): the vector store as the settings name it, and the name of the embedder."""

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
