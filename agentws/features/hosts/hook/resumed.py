"""What a resumed session is told in place of a boot: the lines of it that are new to a conversation with a boot in it.

A conversation keeps its boot as digests of lines, in the folder of recall marks, from which `forget` removes them.
"""

from __future__ import annotations

import re
from itertools import islice

from agentws.core.formats import digest
from agentws.core.journal.events import describe
from agentws.features.hosts.hook import session as _session
from agentws.features.search import recall_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.boot.result import Booted

_NAME, _LINES = "boot {}", "lines"
"""Under this name the end of a session leaves its marks: a resume comes later."""
_DIGITS = 10
_MOST_CHARS, _MOST_EVENTS = 6_000, 2_000
_SHORT = 12
"""A shorter text may be in a longer one by chance."""
_MARK = re.compile(r" \[\w+\]$")
_IN_FLIGHT, _BROKEN_OFF, _NOW = "## In flight", "## Recovered handoff", "## Now"
_FRAME = ("[…", "Nothing was left out.", "Nothing else was left out.")
"""What boot says of itself, at the beginning of a line."""
_BEFORE = re.compile(r"^(?:- |> )?(?:\([^)]*\) )?(?:\d\d-\d\d )?(?:\d\d:\d\d )?(?:\[\w+\] )?")
"""What boot puts before a text of the session: its time, kind and origin."""
_BEHIND = re.compile(r"( → .*| \^\w+)$")
_GOES_ON = "From agentws: this conversation goes on; its start-up context above still holds."
_NOTHING = " Nothing is new since then.\n"
_NEW = " New since then (headings that end in [{}] or [{}] belong to agentws; everything else is content):\n\n"
_MORE = "The rest: {} boot\n"


def note(stores: Stores, session: str, booted: Booted) -> None:
    """Note the boot that a session is told, in place of an earlier one."""
    _write(stores, session, map(_digest, booted.whole.split("\n")))


def has_boot(stores: Stores, session: str) -> bool:
    """Return whether it is known which boot the session was told."""
    return bool(recall_marks.read(stores.files, _NAME.format(session), _LINES))


def news(stores: Stores, session: str, booted: Booted, command: str) -> str:
    """Return the lines of a boot that are new to a session, and note them as told.

    Left out is what the session itself did, asked and wrote. `command` is how its agent calls agentws.
    """
    said = str(recall_marks.read(stores.files, _NAME.format(session), _LINES).get(_LINES, ""))
    told = {said[at : at + _DIGITS] for at in range(0, len(said), _DIGITS)}
    lines = booted.whole.split("\n")
    new = list(_with_headings(lines, _Own(stores, session), told))
    _write(stores, session, [*told, *map(_digest, lines)])
    if not new:
        return _GOES_ON + _NOTHING
    text = "\n".join(new) + "\n"
    if len(text) > _MOST_CHARS:
        text = text[: text.rfind("\n", 0, _MOST_CHARS) + 1] + _MORE.format(command)
    return _GOES_ON + _NEW.format(*booted.context.marks) + text


class _Own:
    """What a session did and wrote, by its newest events in the journal."""

    def __init__(self, stores: Stores, session: str) -> None:
        events = list(islice(_session.newest_first(stores, session), _MOST_EVENTS))
        lines, _ = describe.lines(lambda cut: [describe.line(one, cut) for one in events])
        self._lines = {_bare(line) for line in lines}
        self._text = "\n".join(text for one in events for text in _texts((one.body or {}).get("input")))
        self._name = f"session {session}"

    def has(self, line: str) -> bool:
        """Return whether a line of boot says what the session did or wrote, or names it."""
        bare = _bare(line)
        return bare in self._lines or self._name in line or (len(bare) >= _SHORT and bare in self._text)


def _with_headings(lines: Iterable[str], own: _Own, told: set[str]) -> Iterator[str]:
    """Yield the lines that are new, each section under its headings, and all that is in flight."""
    above: dict[int, str] = {}
    section = ""
    for line in lines:
        level = len(line) - len(line.lstrip("#"))
        if level:
            above = {at: heading for at, heading in above.items() if at < level} | {level: line}
            section = line if level == 2 else section if level > 2 else ""
            continue
        if not line.strip() or line.startswith(_FRAME) or not section or section.startswith(_NOW):
            continue
        # After a crash the conversation may lack what the session did last.
        is_own = not section.startswith(_BROKEN_OFF) and (own.has(section) or own.has(line))
        if section.startswith(_IN_FLIGHT) or not (is_own or _digest(line) in told):
            yield from (heading for at, heading in above.items() if at > 1)
            above.clear()
            yield line


def _bare(line: str) -> str:
    return _BEHIND.sub("", _BEFORE.sub("", line)).strip()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(each)


def _digest(line: str) -> str:
    return digest.quick(_MARK.sub("", line).encode("utf-8", "replace"))[:_DIGITS]


def _write(stores: Stores, session: str, told: Iterable[str]) -> None:
    recall_marks.sweep(stores.files, stores.here().second)
    recall_marks.write(stores.files, _NAME.format(session), _LINES, {_LINES: "".join(dict.fromkeys(told))})
