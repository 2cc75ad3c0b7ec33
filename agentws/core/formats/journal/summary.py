"""One-line summaries of events, for lists and tables."""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.text import origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGEST = 120
_MARK = "…"
_GIVEN = (
    *("command", "cmd", "pattern", "query", "url", "file_path", "filePath", "path", "notebook_path", "absolute_path"),
    *("target_file", "description", "prompt", "skill"),
)
"""Keys of a tool's input, the most telling first, as hosts name them."""
_GAVE = ("stdout", "output", "stderr", "error", "content", "text", "message", "result", "status")
"""Keys of a tool's output, the most telling first."""
_FILED = ("filePath", "file_path", "file", "structuredPatch")
"""Keys with the content of a file, which is too long for a line."""
_DONE = "ok"
_OF_HANDOFF = {"path", "session", "follows"}
"""Keys of the body of an undone handoff."""
_STRUCTURAL = ("v", "call", "tool", "task", "importance", "blob", "size")
"""Keys of a body that say where it belongs, not what it says."""


def of(body: Mapping[str, Any] | None, *, longest: int = LONGEST) -> str:
    """Return a summary of an event's body, cut at `longest` characters: the tool, then its text or content."""
    if body is None:
        return "(purged)"
    tool = body.get("tool")
    words = [tool] if isinstance(tool, str) else []
    content = text(body)
    if content:
        words.append(content)
    return cut(" ".join(words), longest)


def text(body: Mapping[str, Any]) -> str:
    """Return the words of an event's body for its summary: its text, else its input or output, else all of it."""
    if is_of_approval(body):
        id = body["id"]
        proof = f" ({body['proof']})" if body.get("verdict") == "approved" and body.get("proof") else ""
        edited = ", another action" if "edited" in body else ""
        verdict = f"{body['verdict']}{edited}{proof}" if body.get("verdict") else ""
        label = " · ".join(word for word in (verdict, body.get("text")) if isinstance(word, str) and word)
        return f"{id}: {label}" if label else id
    for name, tell in (("text", _words), ("input", given), ("output", gave)):
        if body.get(name) is not None:
            return tell(body[name]) or shown(body[name])
    if is_blob(body):
        return f"({body['size']:,} bytes)"
    if isinstance(reason := body.get("reason"), str) and "digest" in body:
        return f"{body.get('writer')}:{body.get('seq')}: {reason}"
    if "signature" in body and "hash" in body:
        return f"up to event {body.get('seq')}"
    if isinstance(host := body.get("host"), str) and ("boot" in body or "number" in body):
        return f"on {host}"
    rest = {key: value for key, value in body.items() if key not in _STRUCTURAL}
    if isinstance(days := body.get("days"), int) and "run" in body:
        new = body.get("new")
        entries = f", {new} new entr{'y' if new == 1 else 'ies'}" if isinstance(new, int) else ""
        since = f", from {first} on" if isinstance(first := body.get("first"), str) and first else ""
        return f"{days} day{'s' * (days != 1)}{since}{entries}"
    if isinstance(path := rest.get("path"), str) and rest.keys() <= _OF_HANDOFF:
        return path
    return shown(rest) if rest else ""


def is_of_approval(body: Mapping[str, Any]) -> bool:
    """Return whether the event to summarize is about an approval request, which `id` names in its body."""
    return isinstance(body.get("id"), str) and "action_digest" in body


def is_blob(body: Mapping[str, Any]) -> bool:
    """Return whether the complete body of the event to summarize is in a blob, which `blob` names."""
    name, size = body.get("blob"), body.get("size")
    named = isinstance(name, str) and len(name) == 64 and not name.strip("0123456789abcdef")
    return named and type(size) is int


def shown(value: object) -> str:
    """Return a JSON value of an event for its summary: a text as it is, a single entry by itself, else compact JSON."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else plainjson.dumps(value, separators=(",", ":"))


def given(value: object) -> str:
    """Summarize a tool's input: the command, the path or whatever says most; empty without any."""
    if isinstance(value, dict):
        named = (_words(value.get(name)) for name in _GIVEN)
        return next(filter(None, named), "") or _only(value)
    return _words(value)


def gave(value: object) -> str:
    """Summarize a tool's output or error in words; empty without any."""
    if isinstance(value, list):
        return _content(value)
    if not isinstance(value, dict):
        return _words(value)
    if any(name in value for name in _FILED):
        return _DONE
    contents = (_content(value.get(name)) for name in _GAVE)
    return next(filter(None, contents), "") or _only(value) or (_DONE if any(name in value for name in _GAVE) else "")


def brief(words: str, most: int) -> str:
    """Return an event's words in one line if they fit, else their first and last line: the last shows the outcome."""
    lines = [line for line in map(str.strip, words.split("\n")) if line]
    if len(" ".join(lines)) <= most or len(lines) < 2 or len(lines[0]) > most // 2:
        return " ".join(lines)
    return f"{lines[0]} … {lines[-1]}"


def _words(value: object) -> str:
    """A text, or the texts of a command in parts; empty for anything else."""
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return " ".join(value)
    return value if isinstance(value, str) and value.strip() else ""


def _only(value: dict[str, object]) -> str:
    """The text of an object that holds nothing else."""
    return _words(next(iter(value.values()))) if len(value) == 1 else ""


def _content(value: object) -> str:
    """Return a text, or the texts of a model message's blocks."""
    if not isinstance(value, list):
        return _words(value)
    texts = [item.get("text") for item in value if isinstance(item, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def cut(words: str, longest: int = LONGEST) -> str:
    """Return a summary on one line, cut if too long; the origin of its words is kept."""
    # What is cut off anyway is not looked at: a body may have megabytes.
    line = " ".join(words[: longest * 4].split())
    if len(line) <= longest:
        return line
    ending = origin.ending(origin.within(words))
    return line[: max(0, longest - 1 - len(ending))].rstrip() + _MARK + ending
