"""Claude Code's hook calls (2.1): its events as `Call` values, and the replies that it accepts.

`claude -p` reports no turn that the model's service ended: its transcript tells at the end. A text in JSON reaches the
model as additional context; before a compaction only plain text reaches the summarizer. Of a refused
call only PostToolBatch reports, without the refusal; so it is read from the transcript at the next prompt or stop.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.hosts import call
from agentws.features.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Done, Fields

END_S = 10.0  # the hook's timeout in its settings is longer
TAKES = frozenset(("SessionStart", "UserPromptSubmit", "PreCompact"))
ASKS = frozenset(("Stop",))
HEADLESS = ("claude", "-p", "--print")
RESUMES = frozenset(("resume",))
SCRIPTED = ("CLAUDE_CODE_ENTRYPOINT", "sdk")  # 2.1.329: `sdk-cli` for `claude -p`, `sdk-py` for its SDK, else `cli`
WAITS = ("UserPromptSubmit", "Stop")
READS = frozenset(("Read", "Glob", "Grep", "LS", "NotebookRead", "WebSearch", "TodoWrite", "ToolSearch"))

_PLAIN = "PreCompact"
_SHOWN = (_PLAIN, "PostCompact")
"""The events whose output Claude Code also shows to the person: nothing is printed but the summarizer's text."""
_DENIED = "PermissionDenied"
"""The only event that reports a refused tool call."""
_EVENTS = {
    "SessionStart": call.STARTED,
    "UserPromptSubmit": call.PROMPT,
    "PreToolUse": call.ACTION,
    "PostToolUse": call.RESULT,
    "PostToolUseFailure": call.ERROR,
    _DENIED: call.ERROR,
    "SubagentStop": call.STOPPED,
    "Stop": call.REPLY,
    "StopFailure": call.FAILED,
    "PreCompact": call.COMPACTING,
    "PostCompact": call.COMPACTED,
    "SessionEnd": call.ENDED,
}
_WORDS = {
    call.PROMPT: "prompt",
    call.REPLY: "last_assistant_message",
    call.STOPPED: "last_assistant_message",
    call.ERROR: "error",
    call.COMPACTED: "compact_summary",
}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}
_NOTICE = "<task-notification>"
_NOTICE_ENDS = "</task-notification>"
_PROGRAMS = (_NOTICE, "<local-command-stdout>", "<local-command-stderr>", "<system-reminder>")
"""The beginnings of prompts that Claude Code makes itself: a background task ended, or one of its commands printed."""
_OUTCOME = ("summary", "result")
"""The elements that are kept of a background task's notice, in this order."""


def read(event: str, fields: Fields) -> Call:
    """Return Claude Code's event as a `Call`; `fields` is the object from standard input."""
    what = call.NOTHING if _is_of_copilot(fields) else _EVENTS.get(event, call.NOTHING)
    text = fields.get("reason" if event == _DENIED else _WORDS.get(what, ""))
    if what == call.FAILED:
        text = call.failure(fields)
    calls: list[Done] = []
    if what == call.ENDED:
        from agentws.features.hosts.claude_code import transcript
        from agentws.features.hosts.family.transcript import newest

        lines = newest(fields.get("transcript_path"))
        text, calls = transcript.failure(lines), transcript.results(lines)
    notices: list[str] = []
    if what == call.PROMPT and isinstance(text, str) and text.lstrip().startswith(_NOTICE):
        notices, text = _parted(text)
    is_typed = not (what == call.PROMPT and isinstance(text, str) and text.lstrip().startswith(_PROGRAMS))
    if notices and not text:
        text, is_typed = notices.pop(), False
    return Call(
        what,
        session=fields.get("session_id"),
        text=text,
        tool=fields.get("tool_name"),
        input=fields.get("tool_input"),
        output=fields.get("tool_response"),
        call=fields.get("tool_use_id"),
        source=fields.get(_REASONS.get(what, "trigger")),
        folder=fields.get("cwd"),
        goes_on=fields.get("stop_hook_active"),
        is_typed=is_typed,
        is_refused=event == _DENIED,
        agent=fields.get("agent_id"),
        agent_type=fields.get("agent_type"),
        calls=calls,
        notices=notices,
        finished=lambda: _finished(fields.get("transcript_path")),
    )


def _finished(path: object) -> list[Done]:
    """Return the calls that succeeded or surely were refused, from the end of the transcript."""
    from agentws.features.hosts.claude_code import transcript
    from agentws.features.hosts.family.transcript import newest

    return transcript.results(newest(path))


def _is_of_copilot(fields: Fields) -> bool:
    """Return whether GitHub Copilot CLI (1.0) calls: it runs Claude Code's hooks too, and has hooks of its own.

    Its calls have a timestamp, which Claude Code's have not, and a transcript only if they give a stop reason.
    """
    return "timestamp" in fields and ("stop_reason" in fields or "transcript_path" not in fields)


def _parted(text: str) -> tuple[list[str], str]:
    """Return the texts of background tasks' notices, and what the user typed after the last one.

    A notice quotes text of others that may look like its end, so nothing before the last end counts as the user's.
    """
    message, ending, rest = text.rpartition(_NOTICE_ENDS)
    if not ending:
        return [text], ""
    pieces: list[str] = []
    for piece in message.split(_NOTICE_ENDS):
        if pieces and not piece.lstrip().startswith(_NOTICE):
            pieces[-1] += _NOTICE_ENDS + piece
        else:
            pieces.append(piece)
    return [_without_markup(f"{piece}{_NOTICE_ENDS}".strip()) for piece in pieces], rest.strip()


def _without_markup(text: str) -> str:
    """Return the text of a background task's notice without its markup; unchanged if the markup is broken."""
    parts = [_within(text, name) for name in _OUTCOME]
    return text if None in parts else "\n".join(filter(None, parts)) or text


def _within(text: str, name: str) -> str | None:
    """Return the text of an element, which may hold others of that name; empty without one, None if it is broken."""
    _, begins, inner = text.partition(f"<{name}>")
    words, ends, _ = inner.rpartition(f"</{name}>")
    return words.strip() if begins and ends else None if begins else ""


def tell(event: str, text: str) -> str:
    """Return a hook's standard output for Claude Code; `text` is for the agent, empty for none."""
    if event == _PLAIN:
        return text
    if not text:
        return "" if event in _SHOWN else call.NEUTRAL
    if event in ASKS:
        return call.going_on(text)
    return plainjson.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) + "\n"


def decide(event: str, do: str, says: str) -> str:
    """Return a hook's standard output that makes Claude Code allow a tool call, deny it, or ask the person."""
    return call.decided(event, do, says)
