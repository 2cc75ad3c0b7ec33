"""JavaScript shared by the plugins for OpenCode, OpenClaw and Pi: embeds the command, calls it, reads it back."""

from __future__ import annotations

import os

from agentws.core.hosts import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE = "\nconst COMMAND = "
_LAUNCHER = "\nconst LAUNCHER = "
_ALLOWED = "\nconst ALLOWED = "


def shipped(path: str) -> str:
    """Return the JavaScript file that is shipped at `path` below this folder."""
    with open(f"{os.path.dirname(__file__)}/{path}", encoding="utf-8") as file:
        return file.read()


def wired_to(command: Sequence[str], launcher: Sequence[str], source: str) -> str:
    """Return the plugin's source with the command in it, and with `call(event, payload, workspace)`, which runs it.

    `attempt` does that too, and rests after failures. `workspace` replaces the one in the command. The source imports
    `existsSync` and `spawn`, and sets its time limits in `SECONDS` and `USUAL_SECONDS`. If the files of the `launcher`
    exist, its words replace the first word of the command.
    """
    import json

    # Any JSON is JavaScript too.
    words = f"{_BEFORE.lstrip()}{json.dumps(list(command))}{_LAUNCHER}{json.dumps(list(launcher))}"
    return source.replace("@CALL@", f"{words}\n{shipped('call.js').strip()}")


def wired(source: str, host: str) -> plan.Wired | None:
    """Return the script, workspace and launcher that `wired_to` put into a plugin's source, None if missing."""
    connection = plan.of_words([*_words(source, _BEFORE), "EVENT"], host)
    if connection is not None:
        connection.launcher = plan.launcher_of(_words(source, _LAUNCHER))
    return connection


def listed(source: str) -> list[str]:
    """Return the commands that a plugin of agentws allows, none if they cannot be read."""
    return _words(source, _ALLOWED)


def _words(source: str, before: str) -> list[str]:
    import json

    _, _, rest = source.partition(before)
    try:
        words = json.loads(rest.partition("\n")[0])
    except ValueError:
        return []
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
