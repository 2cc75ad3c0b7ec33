"""Remove forgotten text from rows of JSON: such a row becomes an empty line. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats.json import plainjson
from agentws.features.forget.plan.strike import HIT, Struck, StruckLine

if TYPE_CHECKING:
    from agentws.features.forget.plan.wanted import Wanted


def struck(data: bytes, wanted: Wanted) -> Struck:
    """Return a file of rows after forgetting, with the lines that become empty."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    gone = []
    for at, line in enumerate(lines):
        if line.strip() and _holds(line, wanted):
            gone.append(StruckLine(at + 1, line.strip(), HIT))
            lines[at] = ""
    return Struck("\n".join(lines).encode("utf-8", "surrogateescape"), gone)


def _holds(line: str, wanted: Wanted) -> bool:
    try:
        return wanted.is_in_value(plainjson.loads(line))
    except (ValueError, RecursionError):
        return wanted.is_in(line)
