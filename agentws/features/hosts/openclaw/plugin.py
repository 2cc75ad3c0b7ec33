"""Files of the OpenClaw plugin: it reports events to `hook openclaw EVENT`, and passes the replies to the agent.

OpenClaw (2026.9) runs plugins inside its gateway, so the command is called from there. Some events are internal ones of
OpenClaw (`agent:bootstrap`), the others hooks for plugins; `calls` reads the payloads.
"""

from __future__ import annotations

from agentws.features.hosts import javascript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "agentws"
MARK = "// agentws plugin for OpenClaw"
"""The beginning of the module's first line, which shows that the plugin is agentws's."""
MANIFEST, PACKAGE, MODULE = "openclaw.plugin.json", "package.json", "index.js"
EVENTS = (
    "agent:bootstrap",
    "message:received",
    "before_prompt_build",
    "before_tool_call",
    "after_tool_call",
    "subagent_ended",
    "agent_end",
    "before_compaction",
    "after_compaction",
    "session_end",
    "gateway:pre-restart",
    "gateway:shutdown",
)
_VERSION = "2.0.0"
"""The version of what OpenClaw loads of agentws: the earlier hook was the first."""
_INSTALLED = "written by `agentws install openclaw`. `agentws uninstall openclaw` removes it."
_ABOUT = "Starts the agent with the context of its workspace, and records its work there"


def files(command: Sequence[str], launcher: Sequence[str] = (), *, by: str = _INSTALLED) -> dict[str, str]:
    """Return the OpenClaw plugin's files; its module calls `command` and the event, by the `launcher` if that exists.

    A command with no workspace serves each agent whose own folder is one; `by` says who wrote the plugin.
    """
    manifest = {
        "id": NAME,
        "name": NAME,
        "description": _ABOUT,
        "version": _VERSION,
        "activation": {"onStartup": True},
        "configSchema": {"type": "object", "additionalProperties": False, "properties": {}},
    }
    package = {
        "name": NAME,
        "version": _VERSION,
        "description": _ABOUT,
        "type": "module",
        "openclaw": {"extensions": [f"./{MODULE}"]},
    }
    import json

    source = javascript.shipped("openclaw/plugin.js").replace("@MARK@", MARK).replace("@BY@", by)
    return {
        MANIFEST: json.dumps(manifest, indent=2) + "\n",
        PACKAGE: json.dumps(package, indent=2) + "\n",
        MODULE: javascript.wired_to(command, launcher, source),
    }


def is_ours(name: str, text: str) -> bool:
    """Return whether this is a file of the OpenClaw plugin of agentws, of any version."""
    if name == MODULE:
        return text.startswith(MARK)
    import json

    try:
        decoded = json.loads(text)
    except ValueError:
        return False
    return isinstance(decoded, dict) and decoded.get("id", decoded.get("name")) == NAME
