"""Items of an import: turns of sessions, memories, and unreadable parts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from agentws.core.formats.secrets import secrets

MOST_MEMORY_CHARS = 64 * 1024
"""A longer memory is a document, and part of the rest."""
TOO_LONG = f"longer than {MOST_MEMORY_CHARS >> 10} KiB"
UNREADABLE = "cannot be read"
"""The beginning of the reason of what a disk or an archive did not give."""
_EARLIEST_YEAR, _LATEST_YEAR = 1990, 9998
"""Other times are unknown: at the last hours of 9999 some zone has no day."""
_MS, _US = 1e11, 1e14
"""A number of seconds since 1970 that is larger counts milliseconds, a still larger one microseconds."""
_MOST_CHARS = 20_000
"""The most characters of a message that are looked at: the entry has its beginning."""
_FILE_KEYS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_WRITES = ("write", "edit", "replace", "patch", "notebook")

_EXIT = re.compile(r"(?:[Ee]xit(?:ed with)? [Cc]ode|exit_code\"?):? *([1-9]\d*)")
_EDGE_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Memory:
    """A text that a program remembered: its `id` there and its time `at` (ISO 8601), both empty if unknown.

    `day` is its local day, if only that is known, and `origin` what it had before, if that was outside. `occurrence`
    is its number among equal ones of its source, from 1.
    """

    text: str
    id: str = ""
    at: str = ""
    day: str = ""
    origin: str = ""
    occurrence: int = 1


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of a log: text, local `day`, `time` (empty: unknown); `origin` and `occurrence` as in Memory."""

    text: str
    day: str
    time: str
    origin: str = ""
    occurrence: int = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """A request of a session and what came of it: `id` and `session` in their program, `at` (ISO 8601, empty: unknown).

    `asked` is the request, `done` the last answer; `files` were written, `failed` are calls with an error. `title` is
    the session's. `until` (ISO 8601) is the time of the last message if the session may go on after it, else empty.
    """

    id: str
    session: str
    at: str
    asked: str
    done: str
    files: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    title: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Rest:
    """Something that is not imported: its place in the source, and the reason."""

    where: str
    reason: str


Item = Memory | Turn | Line | Rest


@dataclass(slots=True)
class Turns:
    """Makes the turns of a session from its messages, in their order; `count` is how many, `latest` their last time."""

    session: str
    title: str = ""
    count: int = 0
    latest: object = ""
    _id: str = ""
    _at: str = ""
    _asked: str = ""
    _done: str = ""
    _files: dict[str, None] = field(default_factory=dict)
    _failed: list[str] = field(default_factory=list)
    _calls: dict[str, str] = field(default_factory=dict)

    def go_on(self, session: object) -> Iterator[Turn]:
        """Set the session of what follows; yield the last turn of the one before. An empty name changes nothing."""
        if session and str(session) != self.session:
            yield from self.end()
            self.session = str(session)

    def ask(self, text: str, *, at: object, id: object = "") -> Iterator[Turn]:
        """Begin a turn with a request; yield the turn before it. An empty request begins none."""
        if text.strip():
            yield from self.end()
            self._id, self._at, self._asked = str(id or ""), stamp(at), text[:_MOST_CHARS]

    def answer(self, text: str, *, at: object = "") -> None:
        """Note an answer; the last one of a turn counts."""
        if text.strip():
            self._done = text[:_MOST_CHARS]
            self._at = self._at or stamp(at)

    def call(self, id: object, tool: object, given: object) -> None:
        """Note a tool call with its input."""
        content = given if isinstance(given, dict) else {}
        path = next((content[key] for key in _FILE_KEYS if isinstance(content.get(key), str)), "")
        if path and any(word in str(tool).lower() for word in _WRITES):
            self._files[path[:_MOST_CHARS]] = None
        words = next((value for value in content.values() if isinstance(value, str) and value.strip()), "")
        self._calls[str(id)] = f"{tool} {words[:_MOST_CHARS]}".strip()

    def fail(self, id: object, message: str, *, call: str = "a call") -> None:
        """Note that a call failed, with its message; `call` names one that was not noted."""
        lines = message.strip()[:_MOST_CHARS].splitlines()
        words = (self._calls.get(str(id), call), lines[0] if lines else "")
        # Masked before they are joined: a quotation mark in the message would hide a secret of the call.
        self._failed.append(": ".join(secrets.hide(each)[0] for each in words if each))

    def end(self) -> Iterator[Turn]:
        """Yield the last turn of the session."""
        if self._asked or self._done:
            self.count += 1
            files, failed = tuple(self._files), tuple(self._failed)
            yield Turn(self._id, self.session, self._at, self._asked, self._done, files, failed, self.title)
        self._id = self._at = self._asked = self._done = ""
        self._files, self._failed, self._calls = {}, [], {}

    def last(self) -> Iterator[Turn]:
        """Yield the last turn of a file that its program may go on to write."""
        yield from (replace(turn, until=stamp(self.latest)) for turn in self.end())


def stamp(at: object) -> str:
    """Return a time (ISO 8601, or seconds, milliseconds or microseconds since 1970) in UTC; empty for any other."""
    try:
        if isinstance(at, int | float) and not isinstance(at, bool):
            seconds = at / 1e6 if at > _US else at / 1e3 if at > _MS else at
            moment = datetime.fromtimestamp(seconds, UTC)
        elif isinstance(at, str) and at.strip():
            moment = datetime.fromisoformat(at.strip())
            moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.isoformat() if _EARLIEST_YEAR <= moment.year <= _LATEST_YEAR else ""


def texts(content: object, *kinds: str) -> str:
    """Return the text of a message: a string, or the parts of these kinds in a list (without kinds: any with text)."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    names = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            names.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            is_wanted = part.get("type") in kinds if kinds else not part.get("thought")
            names += [part["text"]] if is_wanted else []
    return "\n".join(names)


def has_failed(output: str) -> bool:
    """Return whether the output of a shell tool names an exit code other than 0 near its beginning or end."""
    return any(_EXIT.search(part) for part in (output[:_EDGE_CHARS], output[-_EDGE_CHARS:]))


def is_inside(folder: object, project: str) -> bool:
    """Return whether a folder is that of a project, or below it."""
    return isinstance(folder, str) and f"{folder}/".startswith(f"{project}/")


def parts(content: object) -> list[Mapping[str, object]]:
    """Return the parts of a message that are objects."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
