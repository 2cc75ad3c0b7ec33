"""What a hook says, as one value for all hosts: what happened in which session, with which words. Pure.

Each host's own format is read in its folder (`calls.py`). All of this runs at every call of a tool: it imports little.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    Fields = Mapping[str, Any]
    Done = tuple[str, str, str, bool | None]
    """A call of a tool that is over: the tool, the call, what the agent is told of it, and whether that is an error:
    None for no mark.
    """

    class Host(Protocol):
        """The module `calls` of a host.

        Fields:
            END_S: the seconds that the end of a session may take.
            TAKES: the events at which it takes a text for the agent.
            BOOTS_LATER: the events after which a boot waits for the next prompt.
            ASKS: the events at which the agent is about to stop and can be told to go on, with a text that says
                with what.
            ASKS_LATER: whether that text comes with the next prompt, since the host knows no way to go on at once.
            HEADLESS: what names its program in a command line, then the words of a run that ends with one answer.
            TAKES_ALL: whether its settings, as install writes them, make it take a text of any size at a start.
            DAEMON: whether its process serves several sessions and goes on when nobody works in one.
            IN_FULL: whether its agent is always told the absolute path of our command.
            SCRIPTED: a variable, and how its value begins where a program reads what the agent answers; empty where the
                host does not tell.
        """

        END_S: float
        TAKES: frozenset[str]
        BOOTS_LATER: frozenset[str]
        ASKS: frozenset[str]
        ASKS_LATER: bool
        HEADLESS: tuple[str, ...]
        TAKES_ALL: bool
        DAEMON: bool
        IN_FULL: bool
        SCRIPTED: tuple[str, str]

        def read(self, event: str, fields: Fields) -> Call:
            """Return this event as a call; `fields` is the object from standard input."""

        def tell(self, event: str, text: str) -> str:
            """Return the standard output for this event; `text` is for the agent, empty for nothing."""

        def decide(self, event: str, do: str, says: str) -> str:
            """Return the standard output that lets a tool run or not; empty where the host cannot be told so."""


NOTHING = "nothing"
"""An event that is not recorded."""
STARTED, ENDED = "started", "ended"
PROMPT, REPLY = "prompt", "reply"
STOPPING = "stopping"
"""The agent is about to stop; what it said is told by another event, or not at all."""
STOPPED = "stopped"
"""An agent within the agent has done its work."""
ACTION, RESULT, ERROR = "action", "result", "error"
GATE = "gate"
"""A tool is about to run in a session of which nothing is recorded."""
BATCH = "batch"
"""Several calls of tools are over, each with what the agent is told of it: also those that were refused, unmarked."""
COMPACTING, COMPACTED = "compacting", "compacted"

DENY, ALLOW, CONFIRM = "deny", "allow", "ask"
"""What a host is told of a call of a tool: it must not run; it may, without asking; the host is to ask."""

NEUTRAL = "{}\n"
"""What every host reads as: go on."""


class Call:
    """A call of a hook: `what` happened, a word of this module, in `session`, empty where the host did not say.

    `text` is what the user, the agent or an error says. `tool` is called with `input` and gave `output`; `call` ties
    the two together, empty where the host names none. `source` is why the session began, ended or was compacted;
    `folder` is where the host stands; `audience` is who hears what the agent says, as boot calls it; `channel` and
    `sender` are where a prompt of a shared session comes from and who wrote it, where the host says so. `is_typed` is
    False for a prompt that a program made: by what the host marks so at its beginning, never by its words. `goes_on`
    where a hook has had the agent go on already at this end of a turn. `agent` is the id of the agent within the
    session that does this, of the kind `agent_type`; empty for the session's own. `calls` are the rows (tool, call,
    what the agent is told, whether the host marks that as an error) of a batch. `notices` are what tools say before the
    text of a prompt.
    """

    __slots__ = (
        "agent", "agent_type", "audience", "call", "calls", "channel", "folder", "goes_on", "input", "is_refused",
        "is_typed", "notices", "output", "sender", "session", "source", "text", "tool", "what",
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


def _word(value: object) -> str:
    """The text, or nothing: a hook is never a reason to fail."""
    return value if isinstance(value, str) else ""


def going_on(text: str) -> str:
    """Return the answer that makes a host go on with the turn, with this text."""
    from agentws.core.formats.json import plainjson

    return plainjson.dumps({"decision": "block", "reason": text}) + "\n"


def decided(event: str, do: str, says: str) -> str:
    """Return the answer of Claude Code's family before a tool runs."""
    from agentws.core.formats.json import plainjson

    said = {"hookEventName": event, "permissionDecision": do, "permissionDecisionReason": says}
    return plainjson.dumps({"hookSpecificOutput": said}) + "\n"


def within(fields: Fields, *names: str) -> Any:
    """Return the value at this path through objects within objects, None where it ends before."""
    found: Any = fields
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found
