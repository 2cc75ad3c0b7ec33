"""Ready-made observers of events: for stdlib logging, JSON lines files, and a terminal.

`Workspace.observe` takes them, and anything else with a method `on_event(event)`.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from agentws.core.formats.json import plainjson
from agentws.core.text.sanitize import one_line

if TYPE_CHECKING:
    from typing import TextIO

    from rich.console import Console

    from agentws.core.formats.journal.event import Event

_LEVELS = {"error": logging.ERROR, "thought": logging.DEBUG, "segment.opened": logging.DEBUG, "seal": logging.DEBUG}
_STYLES = {"error": "red", "decision": "bold", "action": "cyan", "result": "green", "thought": "dim"}
_MOST_CHARS = 200


class LoggingObserver:
    """Logs each event to a stdlib logger: errors at ERROR, thoughts at DEBUG, all others at INFO.

    A record has the event as its attribute `event`, for handlers that want more than the line.
    """

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger("agentws.events")

    def on_event(self, event: Event) -> None:
        """Log the event."""
        self._logger.log(_LEVELS.get(event.kind, logging.INFO), "%s", line(event), extra={"event": event})


class JsonLinesObserver:
    """Writes each event as one JSON object a line (the fields of `journal list --json`) to a text stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def on_event(self, event: Event) -> None:
        """Write the event, and flush."""
        self._stream.write(plainjson.dumps(event.plain(), separators=(",", ":")) + "\n")
        self._stream.flush()


class ConsoleObserver:
    """Prints each event on a Rich console (standard error by default), one line each."""

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console

        self._console = console or Console(file=sys.stderr)

    def on_event(self, event: Event) -> None:
        """Print the event."""
        # Words of tools are not markup, and links in them are not to be clicked.
        self._console.print(line(event), style=_STYLES.get(event.kind), markup=False, highlight=False, emoji=False)


def line(event: Event) -> str:
    """Return the event on one inert line: its time (UTC), kind, tool and the beginning of its text."""
    body = event.body or {}
    messages = [str(body[key]) for key in ("tool", "text") if body.get(key)]
    messages += [plainjson.dumps(body[key]) for key in ("input", "output") if body.get(key) is not None]
    words = one_line(" ".join((event.at[11:19], event.kind, *messages)))
    return words if len(words) <= _MOST_CHARS else words[: _MOST_CHARS - 1] + "…"
