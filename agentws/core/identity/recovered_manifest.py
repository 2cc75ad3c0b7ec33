"""The former agent of a workspace that lost its manifest, found in history and in the journal.

A workspace with a new manifest must not become another agent (P9).
"""

from __future__ import annotations

from agentws.core.disk.files import Files
from agentws.core.formats import layout, manifest
from agentws.core.formats.journal import segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.core.states import versions
from agentws.errors import AgentwsError

_FIRST_BYTES = 1 << 16


def manifest_of(files: Files) -> bytes:
    """Return the former manifest: the last readable one in history; empty for none."""
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
        return b""  # a new manifest is made without it


def agent_of(files: Files) -> str:
    """Return the id of the former agent, to which the journals belong; empty for none, or for several."""
    names = agents_of(files)
    return names.pop() if len(names) == 1 else ""


def agents_of(files: Files) -> set[str]:
    """Return the ids of the former agents for which the journals were begun."""
    return {agent for name in read.writers(files) if (agent := _agent(files, name))}


def _agent(files: Files, writer: str) -> str:
    """Return the agent id in the first line of a writer's newest readable segment."""
    try:
        for number in read.newest_first(files, writer):
            line = read.beginning(files, segment.path(writer, number), _FIRST_BYTES).partition(b"\n")[0]
            agent = plainjson.loads(line)["body"]["agent"]
            if isinstance(agent, str) and agent:
                return agent
    except (AgentwsError, ValueError, KeyError, TypeError):
        return ""
    return ""
