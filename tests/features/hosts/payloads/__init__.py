"""What each host says to its hooks, as it was captured or as its own documents have it; the ids are made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentws import features
from agentws.features.hosts import call

HOSTS = ("claude-code", "codex", "gemini", "qwen", "copilot", "droid", "opencode", "openclaw", "pi")


def of(host: str) -> dict[str, dict[str, Any]]:
    """Each event of the host with what it says."""
    found: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / f"{host}.json").read_text(encoding="utf-8"))
    return found


def pairs() -> list[tuple[str, str]]:
    """Each event of each host."""
    return [(host, event) for host in HOSTS for event in of(host)]


def event(host: str, *what: str) -> str:
    """The last event of the host at which one of these words of `call` happens."""
    read = features.host_module(host, "calls").read
    return [name for name, fields in of(host).items() if read(name, fields).what in what][-1]


def before_a_tool(host: str) -> str:
    """The event of the host at which a tool is about to run."""
    return event(host, call.ACTION, call.GATE)
