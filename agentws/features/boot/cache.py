"""A cache of answers such as boot's, each valid while the trace of the files read for it holds (ADR 9).

An answer depends on the question, on day and zone, on how the workspace was opened, and on the files that were read.
The first three are the key of the entry; the files are checked each time. So a cached answer equals a new one.
"""

from __future__ import annotations

from agentws.core.disk import cache, read_trace
from agentws.core.disk.system import vocabulary
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.local_time import LocalTime
    from agentws.core.stores.stores import Stores


def key(stores: Stores, question: list[object], local: LocalTime) -> str:
    """Return the cache key for boot's answer to `question` (plain values) at a time of this day."""
    opened = [stores.root, stores.adopted, stores.manifest_digest, stores.odd, stores.environment.as_of]
    day = [local.day, local.offset_s, local.zone]
    return "answer-" + digest.quick(plainjson.dumps([question, opened, day]).encode())


def find(stores: Stores, name: str) -> Any:
    """Return the cached answer under this key, None if there is none or its trace no longer holds."""
    kept = stores.cache.get(name)
    if kept is None:
        return None
    steps, answer = kept
    return answer if read_trace.holds(stores.root, steps) else None


def keep(stores: Stores, name: str, answer: object, watched: read_trace.Watched) -> None:
    """Save an answer such as boot's in the cache, with the trace of `watched`."""
    if watched.is_whole:
        made_by = [*cache.program("agentws."), vocabulary.PATH, vocabulary.WORDS_PATH]
        stores.cache.put(name, [watched.steps, answer], made_by=made_by)
