"""The files that a session wrote, by its calls of tools that went well. Pure.

A tool writes files if a word of its name says so (`Write`, `str_replace_editor`, `apply_patch`) and its input does not
only view them. A patch in the form of Codex names its files in its text.
"""

from __future__ import annotations

from agentws.formats.journal import event, thread
from agentws.formats.text.lazy import Pattern
from agentws.planning.events import replay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.formats.journal.event import Event

_WRITING = frozenset(
    ("write", "edit", "multiedit", "create", "patch", "replace", "insert", "append", "save", "update", "move", "rename",
     "delete", "remove")
)  # fmt: skip
_READING = ("view", "read", "list")
"""Values of `command` with which a tool that may write only reads."""
_WORD = Pattern(r"[A-Z]?[a-z]+")
_PATCHED = Pattern(r"^\*\*\* (?:Add|Update|Delete) File: (\S.*)$", "MULTILINE")
_PATCH = "*** Begin Patch"
_MOST_PATCH = 8192


def of(events: Sequence[Event]) -> list[str]:
    """Return the paths that calls among these events wrote, the newest first, each once."""
    went_well = {
        one.call for one in events if one.call and one.kind == event.RESULT and not thread.is_refused(one)
    }  # fmt: skip
    actions = [one for one in events if one.kind == event.ACTION and one.call in went_well]
    return list(dict.fromkeys(path for one in reversed(actions) for path in _paths(one)))


def _paths(action: Event) -> Iterator[str]:
    body = action.body or {}
    tool, given = body.get("tool"), body.get("input")
    yield from _patched(given)
    words = {word.lower() for word in _WORD.findall(tool)} if isinstance(tool, str) else set()
    if not _WRITING.isdisjoint(words) and not (isinstance(given, dict) and given.get("command") in _READING):
        yield from replay.named_files(given)


def _patched(given: object) -> Iterator[str]:
    """The paths in the text of a patch, which may stand in a list of words or as the only text of an input."""
    texts = list(given.values()) if isinstance(given, dict) else [given]
    texts += [word for text in texts if isinstance(text, list) for word in text]
    for text in texts:
        if isinstance(text, str) and _PATCH in text:
            yield from _PATCHED.findall(text[:_MOST_PATCH])
