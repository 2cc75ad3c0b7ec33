"""Which stores hold vectors of this workspace: what a search looks at first, and what forgetting has to reach.

A file of JSON in the cache folder. One that cannot be read says that there are none.
"""

from __future__ import annotations

import os

from agentws.core.disk import cache
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Held = tuple[str, str]
    """(store, embedder): where vectors are kept, as the settings name it, and what made them."""

NAME = "search.vectors.json"


def read(folder: str | None) -> list[Held]:
    """Return where vectors are kept, the newest last."""
    if folder is None:
        return []
    try:
        with open(f"{folder}/{NAME}", "rb") as file:
            told = plainjson.loads(file.read(1 << 16))
        return [(str(store), str(embedder)) for store, embedder in told]
    except (OSError, ValueError, TypeError, RecursionError):
        return []


def add(folder: str, held: Held) -> None:
    """Say that vectors are kept there, before any are."""
    known = read(folder)
    if known[-1:] != [held]:
        write(folder, [*(one for one in known if one != held), held])


def write(folder: str, held: Sequence[Held]) -> None:
    """Say that these are all."""
    if held:
        cache.write_file(folder, NAME, plainjson.dumps([list(one) for one in held]).encode())
    elif os.path.exists(f"{folder}/{NAME}"):
        os.unlink(f"{folder}/{NAME}")
