"""The agent that was here before its manifest was lost: what history and the journal still know of it.

A workspace whose manifest is made anew must not become another agent (P9).
"""

from __future__ import annotations

from agentws.core.formats import layout, manifest
from agentws.core.formats.journal import segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.core.states import versions
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

_FIRST_BYTES = 1 << 16


def manifest_of(files: Files) -> bytes:
    """The manifest as history had it last; empty where it has none that can be read."""
    try:
        past = versions.open_past_blindly(files)
        ids = (
            past.contents_of([(id, layout.MANIFEST) for (id, *_), _ in past.touching([layout.MANIFEST])])
            if past
            else []
        )
        newest = next(filter(None, ids), "")
        data = past.read([newest])[newest] if past and newest else b""
        return data if data and manifest.decode(data, where=layout.MANIFEST).agent_id else b""
    except AgentwsError:
        return b""  # whoever makes a manifest goes on without


def agent_of(files: Files) -> str:
    """The id of the agent whose journal is here; empty where there is none, or several that disagree."""
    found = agents_of(files)
    return found.pop() if len(found) == 1 else ""


def agents_of(files: Files) -> set[str]:
    """The ids of the agents that the journals here were begun for."""
    return {agent for name in read.writers(files) if (agent := _agent(files, name))}


def _agent(files: Files, writer: str) -> str:
    """The agent that the newest segment of a writer was opened for."""
    try:
        for number in read.newest_first(files, writer):
            line = read.beginning(files, segment.path(writer, number), _FIRST_BYTES).partition(b"\n")[0]
            told = plainjson.loads(line)["body"]["agent"]
            if isinstance(told, str) and told:
                return told
    except (AgentwsError, ValueError, KeyError, TypeError):
        return ""
    return ""
