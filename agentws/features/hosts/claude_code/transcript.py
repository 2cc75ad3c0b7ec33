"""Claude Code's transcript of a session (2.1): how its last turn ended, its tool calls and their results. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.hosts.call import Done, Fields

PLACE = "projects/*/{}.jsonl"
_TURNS = ("user", "assistant")
_FAILED = "isApiErrorMessage"
_HOOKED = ("Bash", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "WebFetch", "WebSearch")
"""The tools that surely have hooks, beside those of MCP servers."""
_REFUSED = (
    "This command requires approval", "Claude requested permissions to", "Permission to use", "Permission for this",
)  # fmt: skip
"""How the result of a call begins that never ran, for lack of a permission. `The user doesn't want to …` is not among
these: 2.1.332 also writes it for a command that Escape broke off.
"""


def failure(lines: Sequence[Fields]) -> str:
    """Return why the model's service ended the last turn, empty if it did not."""
    last = next((line for line in reversed(lines) if line.get("type") in _TURNS), {})
    if last.get(_FAILED) is not True:
        return ""
    texts = [part.get("text") for part in _parts(last)]
    return "\n".join(text for text in texts if isinstance(text, str)) or str(last.get("error") or "unknown")


def calls(lines: Sequence[Fields]) -> Iterator[tuple[str, str]]:
    """Yield the id and the time of each call of a tool with hooks, the oldest first."""
    for line in lines:
        for part in _parts(line) if line.get("type") == "assistant" and not line.get("isSidechain") else ():
            name, tool = part.get("id"), str(part.get("name"))
            is_call = part.get("type") == "tool_use" and isinstance(name, str)
            if is_call and (tool in _HOOKED or tool.startswith("mcp__")):
                yield str(name), str(line.get("timestamp"))


def results(lines: Sequence[Fields]) -> list[Done]:
    """Return the calls that succeeded or surely were refused."""
    tools: dict[str, str] = {}
    done: list[Done] = []
    for part in (part for line in lines for part in _parts(line)):
        name, ended = part.get("id"), part.get("tool_use_id")
        if part.get("type") == "tool_use" and isinstance(name, str):
            tools[name] = str(part.get("name"))
        elif part.get("type") == "tool_result" and isinstance(ended, str) and ended in tools:
            answer, is_error = text_of(part.get("content")), part.get("is_error") is True
            if not is_error or answer.startswith(_REFUSED):
                done.append((tools[ended], ended, answer, is_error))
    return done


def text_of(value: object) -> str:
    """Return the result of a call as the agent gets it: one text, or several joined."""
    if isinstance(value, list):
        texts = [item.get("text") for item in value if isinstance(item, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""


def _parts(line: Fields) -> list[Fields]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
