"""Source of the OpenCode plugin: it reports events to `hook opencode EVENT`, and passes the replies to the model.

OpenCode (1.18) has no hooks that are commands, so JavaScript calls the command. The names of the events are agentws's
own; `calls` reads the payloads.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.hosts import javascript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MARK = "// agentws plugin for OpenCode"
"""The beginning of the plugin's first line, which shows that the file is agentws's."""
_ALLOWED = "const ALLOWED = "


def text(command: Sequence[str], launcher: Sequence[str] = (), allowed: Sequence[str] = ()) -> str:
    """Return the OpenCode plugin's source: it calls `command` and the event, by the `launcher` if that exists.

    A shell command that begins with one of the `allowed` commands runs without asking.
    """
    source = (
        javascript.shipped("opencode/plugin.js")
        .replace("@MARK@", MARK)
        .replace("@ALLOWED@", plainjson.dumps(list(allowed)))
    )
    return javascript.wired_to(command, launcher, source)


def allowed(source: str) -> list[str]:
    """Return the commands that an OpenCode plugin of agentws allows, none if they cannot be read."""
    line = source.partition(f"\n{_ALLOWED}")[2].partition("\n")[0]
    try:
        decoded = plainjson.loads(line) if line else []
    except ValueError:
        return []
    return [item for item in decoded if isinstance(item, str)] if isinstance(decoded, list) else []
