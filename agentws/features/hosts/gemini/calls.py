"""Gemini CLI's hook calls (0.6x): its events as `Call` values, and the JSON replies that it accepts. Pure.

No hook reports a call that the user refused: if the session ends next, its result is unknown.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.formats.json.plainjson import plain
from agentws.features.hosts import call
from agentws.features.hosts.call import Call
from agentws.features.hosts.family.speech import by_content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Fields

END_S = 8.0  # it waits as long as the hook's timeout in its settings
TAKES = frozenset(("SessionStart", "BeforeAgent"))
BOOTS_LATER = frozenset(("PreCompress",))  # it reports a compression only beforehand
ASKS = frozenset(("AfterAgent",))  # the answer stays; the reason is the next prompt (tried with 0.61)
HEADLESS = ("gemini", "-p", "--prompt")
WAITS = ("BeforeAgent", "AfterAgent")
READS = frozenset(("read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search"))

_EVENTS = {
    "SessionStart": call.STARTED,
    "BeforeAgent": call.PROMPT,
    "AfterAgent": call.REPLY,
    "BeforeTool": call.ACTION,
    "AfterTool": call.RESULT,
    "PreCompress": call.COMPACTING,
    "SessionEnd": call.ENDED,
}
_WORDS = {call.PROMPT: "prompt", call.REPLY: "prompt_response"}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}
_ASKED_FOR, _SHELL = "manual", "run_shell_command"
_CONTEXT, _CONTEXT_END = "<hook_context>", "</hook_context>"


def read(event: str, fields: Fields) -> Call:
    """Return Gemini CLI's event as a `Call`; `fields` is the object from standard input."""
    what = _EVENTS.get(event, call.NOTHING)
    error = call.within(fields, "tool_response", "error")
    if what == call.RESULT and error:
        what = call.ERROR
    # Before each request Gemini CLI looks whether to compress, and does not report the outcome.
    if what == call.COMPACTING and fields.get("trigger") != _ASKED_FOR:
        what = call.NOTHING
    return Call(
        what,
        session=fields.get("session_id"),
        text=_error(error) if what == call.ERROR else _without_context(fields.get(_WORDS.get(what, ""))),
        tool=fields.get("tool_name"),
        input=fields.get("tool_input"),
        output=_gave(fields) if what == call.RESULT else None,
        call=by_content("gemini", fields) if what in (call.ACTION, call.RESULT, call.ERROR) else "",
        source=fields.get(_REASONS.get(what, "trigger")),
        folder=fields.get("cwd"),
        goes_on=fields.get("stop_hook_active"),
    )


def _gave(fields: Fields) -> object:
    """Return the result of a tool without what Gemini CLI puts around it."""
    from agentws.features.hosts.family import shell_result

    result = shell_result.without_context(call.within(fields, "tool_response", "llmContent"))
    return shell_result.without_fields(result) if fields.get("tool_name") == _SHELL else result


def _without_context(text: object) -> object:
    """Return the text without the context that hooks put before it; a prompt on the command line begins with it."""
    if not isinstance(text, str) or not text.startswith(_CONTEXT):
        return text
    return text.partition(_CONTEXT_END)[2].lstrip("\n") if _CONTEXT_END in text else text


def _error(error: object) -> object:
    message = call.within(error, "message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else plainjson.dumps(plain(error))


def tell(event: str, text: str) -> str:
    """Return a hook's standard output for Gemini CLI; `text` is for the agent, empty for none."""
    if text and event in ASKS:
        return call.going_on(text)
    if not text or event not in TAKES:
        return call.NEUTRAL
    return plainjson.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) + "\n"


def decide(event: str, do: str, says: str) -> str:
    """Return a hook's standard output that makes Gemini CLI deny a tool call; empty to let its settings decide."""
    return plainjson.dumps({"decision": "deny", "reason": says}) + "\n" if do == call.DENY else ""
