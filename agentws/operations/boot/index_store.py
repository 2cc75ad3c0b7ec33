"""What earlier boots found in files that have not changed since: kept in this user's cache, not in the workspace."""

from __future__ import annotations

import os

from agentws.formats import plainjson
from agentws.planning.boot import index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.boot.index import Index
    from agentws.planning.request import Source
    from agentws.ports import TokenCounter
    from agentws.storage.stores import Stores

_ENTRY = "index"
_FOLDERS = ("formats", "planning/notes", "planning/boot")
"""The rooms of this package on which it depends what is read of a file."""


def opened(stores: Stores, counter: TokenCounter) -> Index:
    """The index of this workspace, empty where none is to be had."""
    salt = plainjson.dumps(stores.manifest.vocabulary)
    return index.Index(stores.cache.get(_ENTRY), salt=salt, counter=counter)


def keep(known: Index, stores: Stores, sources: Sequence[Source]) -> None:
    """Remember what is known now, where that is worth the writing."""
    files = known.worth_keeping(sources)
    if files is not None:
        stores.cache.put(_ENTRY, files, made_by=_program())


def _program() -> list[str]:
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folders = [os.path.join(package, folder) for folder in _FOLDERS]
    return [
        os.path.join(folder, name) for folder in folders for name in sorted(os.listdir(folder)) if name.endswith(".py")
    ]
