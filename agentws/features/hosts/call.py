"""`Call`: one hook event of any host as a value: what happened, in which session, with which text. Pure.

The `calls.py` in a host's folder reads that host's own format. This module runs at each tool call: it imports little.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    Fields = Mapping[str, Any]
    Done = tuple[str, str, str, bool]
    """A finished tool call: tool, call id, the result shown to the agent, whether it is an error or was refused."""

    class Host(Protocol):
        """The contents of a host's `calls` module; it may leave out the fields that `with_defaults` adds.

        Fields:
            END_S: the seconds that a hook may take at an interruption, and at the end of a session.
            TAKES: the events whose reply may hold a text for the agent.
            BOOTS_LATER: the events after which the next prompt brings a boot.
            ASKS: the events at which the agent is about to stop, and a reply with a text can make it continue.
            ASKS_LATER: whether that text comes with the next prompt, because the host cannot continue at once.
            HEADLESS: the program's name in a command line, then the words of a run that ends after one answer.
            RESUMES: the sources of a start after which a conversation with the same id still has its earlier boot.
            TAKES_ALL: whether the host, with the settings that install writes, accepts a text of any size at a start.
            DAEMON: whether the host's process serves several sessions and runs on when nobody works in one.
            IN_FULL: whether the agent is always given the absolute path of the command `agentws`.
            SCRIPTED: a variable, and how its value begins if a program reads the agent's answers; empty if the host
                does not tell.
            WAITS: the events of prompts and answers whose message has all that is recorded of them, so that the hook
                file may write it.
            READS: the tools that change nothing, so that a call whose result is unknown may be repeated.
        """

        END_S: float
        TAKES: frozenset[str]
        BOOTS_LATER: frozenset[str]
        ASKS: frozenset[str]
        ASKS_LATER: bool
        HEADLESS: tuple[str, ...]
        RESUMES: frozenset[str]
        TAKES_ALL: bool
        DAEMON: bool
        IN_FULL: bool
        SCRIPTED: tuple[str, str]
        WAITS: tuple[str, ...]
        READS: frozenset[str]

        def read(self, event: str, fields: Fields) -> Call:
            """Read an event of this host into a `Call`; `fields` is the object from standard input."""

        def tell(self, event: str, text: str) -> str:
            """Put `text`, empty for none, into this host's reply to the event; return the hook's standard output."""

        def decide(self, event: str, do: str, says: str) -> str:
            """Put a decision on a tool call into this host's reply; return the standard output, empty without one."""


# Each of these fields names an ability or an exception of a few hosts, so for most hosts it is empty or False.
_USUAL = {
    "BOOTS_LATER": frozenset(), "ASKS_LATER": False, "RESUMES": frozenset(), "TAKES_ALL": False, "DAEMON": False,
    "IN_FULL": False, "SCRIPTED": ("", ""), "WAITS": (),
}  # fmt: skip


def with_defaults(host: Host) -> Host:
    """Return a host's `calls` module; the fields that it leaves out are as most hosts have them."""
    for name, value in _USUAL.items():
        vars(host).setdefault(name, value)
    return host


NOTHING = "nothing"
"""An event that is not recorded."""
STARTED, ENDED = "started", "ended"
PROMPT, REPLY = "prompt", "reply"
STOPPING = "stopping"
"""The agent is about to stop; its answer comes with another event, or not at all."""
STOPPED = "stopped"
"""A subagent has finished."""
INTERRUPTED = "interrupted"
"""The user has interrupted the agent; a command that it was running may run on."""
ACTION, RESULT, ERROR = "action", "result", "error"
FAILED = "failed"
"""The model's service has ended the turn: a limit was reached, the prompt was too long."""
GATE = "gate"
"""A tool is about to run in a session that is not recorded."""
BATCH = "batch"
"""Several tool calls have finished, each with the result shown to the agent; refused calls are among them."""
COMPACTING, COMPACTED = "compacting", "compacted"

DENY, ALLOW, CONFIRM = "deny", "allow", "ask"
"""The decisions on a tool call: it must not run; it may run without asking; the host asks its user."""

NEUTRAL = "{}\n"
"""The reply that makes every host continue."""


class Call:
    """A hook event of any host: `what` happened (a constant of this module) in `session`, empty if the host names none.

    `text` is what the user, the agent or an error says, and at an end why the model's service ended the last turn.
    `tool` is called with `input` and gave `output`; `call` is the id that joins the two, empty if the host has none.
    `source` is why the session began, ended or was compacted; `folder` is the host's working directory; `audience` is
    who hears what the agent says, as in boot; `channel` and `sender` say where a prompt of a shared session comes from
    and who wrote it, if the host does. `is_typed` is False for a prompt that a program made, known by the host's mark
    at its beginning, never by its wording; `is_refused` is True for a refused tool call. `goes_on`: a hook has already
    made the agent continue at this end of a turn. `agent` is the id of the subagent that does this, of the kind
    `agent_type`; empty for the session's own agent. `calls` are the `Done` rows of a batch. `notices` are messages of
    programs that precede the text of a prompt. `finished` reads such rows from the transcript of a host that reports
    refused calls nowhere else, None for other hosts.
    """

    __slots__ = (
        "agent", "agent_type", "audience", "call", "calls", "channel", "finished", "folder", "goes_on", "input",
        "is_refused", "is_typed", "notices", "output", "sender", "session", "source", "text", "tool", "what",
    )  # fmt: skip

    def __init__(
        self,
        what: str,
        *,
        session: object = "",
        text: object = "",
        tool: object = "",
        input: object = None,
        output: object = None,
        call: object = "",
        source: object = "",
        folder: object = "",
        is_shared: bool = False,
        channel: object = "",
        sender: object = "",
        goes_on: object = False,
        is_typed: bool = True,
        is_refused: bool = False,
        agent: object = "",
        agent_type: object = "",
        calls: Sequence[Done] = (),
        notices: Sequence[str] = (),
        finished: Callable[[], Sequence[Done]] | None = None,
    ) -> None:
        self.what = what
        self.session = _word(session)
        self.text = _word(text)
        self.tool = _word(tool)
        self.input = input
        self.output = output
        self.call = _word(call)
        self.source = _word(source)
        self.folder = _word(folder)
        self.audience = "shared" if is_shared else "main"
        self.channel = _word(channel)
        self.sender = _word(sender)
        self.goes_on = goes_on is not False
        self.is_typed = is_typed
        self.is_refused = is_refused
        self.agent = _word(agent)
        self.agent_type = _word(agent_type)
        self.calls = calls
        self.notices = notices
        self.finished = finished


def _word(value: object) -> str:
    """Return the value if it is a text, else an empty text: a hook must not fail because of its input."""
    return value if isinstance(value, str) else ""


def failure(fields: Fields) -> str:
    """Return why the model's service has failed, as Claude Code and Qwen Code report it: its kind, and the details."""
    error = (fields.get("error"), fields.get("error_details") or fields.get("last_assistant_message"))
    return ": ".join(word for word in error if isinstance(word, str) and word)


def going_on(text: str) -> str:
    """Return the hook reply that makes a host continue the turn, with this text for the agent."""
    from agentws.core.formats.json import plainjson

    return plainjson.dumps({"decision": "block", "reason": text}) + "\n"


def decided(event: str, do: str, says: str) -> str:
    """Return the hook reply to a tool call in Claude Code's format, which several hosts read."""
    from agentws.core.formats.json import plainjson

    decision = {"hookEventName": event, "permissionDecision": do, "permissionDecisionReason": says}
    return plainjson.dumps({"hookSpecificOutput": decision}) + "\n"


def within(fields: object, *names: str) -> Any:
    """Return the value at the path `names` through nested objects, None if the path ends before."""
    result: Any = fields
    for name in names:
        result = result.get(name) if isinstance(result, dict) else None
    return result
