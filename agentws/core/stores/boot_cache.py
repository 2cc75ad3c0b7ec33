"""Answers that are remembered with the trace of what was read for them, and given again while that trace holds (ADR 9).

An answer depends on the question, on the day and the zone, on what the workspace was opened with, and on what was read.
The first three make the key of its entry; the last is read again each time. So a remembered answer is always the one
that would be made anew.
"""

from __future__ import annotations

import sys

from agentws.core.disk import read_trace
from agentws.core.disk.system import vocabulary
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.local_time import LocalTime
    from agentws.core.stores.stores import Stores


def key(stores: Stores, question: list[object], here: LocalTime) -> str:
    """The name of the entry for an answer to `question`, of plain values, at a moment of this day."""
    opened = [stores.root, stores.adopted, stores.manifest_digest, stores.odd, stores.environment.as_of]
    day = [here.day, here.offset_s, here.zone]
    return "answer-" + digest.quick(plainjson.dumps([question, opened, day]).encode())


def find(stores: Stores, name: str) -> Any:
    """The answer under this key, None where there is none that still holds."""
    kept = stores.cache.get(name)
    if kept is None:
        return None
    steps, answer = kept
    return answer if read_trace.holds(stores.root, steps) else None


def keep(stores: Stores, name: str, answer: object, watched: read_trace.Watched) -> None:
    """Remember an answer for which `watched` was asked."""
    if watched.is_whole:
        stores.cache.put(name, [watched.steps, answer], made_by=[*_program(), vocabulary.PATH, vocabulary.WORDS_PATH])


def _program() -> list[str]:
    """The files of agentws that are loaded: an answer is theirs as much as the workspace's."""
    ours = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "agentws"]
    return sorted(file for module in ours if (file := getattr(module, "__file__", None)))
