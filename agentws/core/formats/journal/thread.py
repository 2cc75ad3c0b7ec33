"""Threads of a host, its tool calls that belong together; calls whose result is never reported; fates of processes.

A thread is a session, or an agent within it. Most hosts report nothing about a call that was refused or interrupted;
its thread's next turn ends it. If a host reports the interruption, its calls stay in flight: they may still run. A
session is only said to have crashed if its process is known to be gone. Specified in docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import REFUSED, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from agentws.core.formats.journal.event import Body

    Call = tuple[str, str]

    """Writer and call id, by which an action is known."""

    Process = tuple[int, int | None]

    """The id of a process and when it began, in clock ticks since the machine's start."""


UNREPORTED = "refused, interrupted or still running; the host reported no result"
REPEATED = "unknown; an identical call was made after a warning"
"""The text of the result that ends a call in flight when it is repeated; nothing else is known of it."""
MAY_RUN = "interrupted by the user; may still run or have run"
USABLE = "approved, not done yet"
_APPROVALS, _STAGES = "approval.", ("asked", "decided", "used", "expired")
STOPPED = event.HOST_STOPPED
"""The agent has done its turn, or an agent within it its work."""
INTERRUPTED = event.HOST_INTERRUPTED
"""The user has interrupted the agent; what it was running may run on."""
AGENT, AGENT_TYPE = "agent", "agent_type"
"""Keys of a body: the id and the kind of the agent within the session."""
EVERY = None
"""Stands for the threads of a session, all of them."""
TURNS = (event.NOTE, STOPPED, event.ENDED)
HOSTED, _FROM_TOOL = "agent:", "tool:"


class Thread:
    """A thread of a host: its `session`, the `agent` within it (empty for the main one), and the `host`."""

    __slots__ = ("agent", "host", "session")

    def __init__(self, session: str, agent: str | None, host: str) -> None:
        self.session = session
        self.agent = agent
        self.host = host

    def takes(self, turn: Thread) -> bool:
        """Return whether a turn belongs to this thread."""
        if self.session != turn.session or turn.host not in (self.host, event.USER):
            return False
        return turn.agent is EVERY or turn.agent == self.agent


def of_action(session: str | None, src: str, agent: object) -> Thread | None:
    """Return the thread of an action, or of an interruption, from its fields; None for one that no host reports."""
    if not session or not src.startswith(HOSTED):
        return None
    return Thread(session, agent if isinstance(agent, str) else "", src.removeprefix(HOSTED))


def of_turn(kind: str, session: str | None, src: str, agent: object) -> Thread | None:
    """Return the thread whose turn an event with these fields is: a prompt, an answer or an end; else None."""
    if not session or kind not in TURNS:
        return None
    within = agent if isinstance(agent, str) else ""
    if kind == event.NOTE and src == event.USER:
        return Thread(session, within, event.USER)
    if src.startswith(HOSTED):
        return Thread(session, EVERY if kind == event.ENDED else within, src.removeprefix(HOSTED))
    if kind == event.NOTE and src.startswith(_FROM_TOOL):  # a prompt that the host made itself
        return Thread(session, within, src.removeprefix(_FROM_TOOL))
    return None


def interrupted_in(entry: Event) -> Thread | None:
    """Return the thread that an event says was interrupted, None for any other event."""
    return thread_of(entry) if entry.kind == INTERRUPTED else None


def thread_of(entry: Event) -> Thread | None:
    """Return the thread of an action, or of an interruption."""
    return of_action(entry.session, entry.src, (entry.body or {}).get(AGENT))


def turn_of(entry: Event) -> Thread | None:
    """Return the thread whose turn an event is, None for any other event."""
    body = entry.body or {}
    if entry.kind not in TURNS or is_broken_off(entry.kind, body):
        return None
    return of_turn(entry.kind, entry.session, entry.src, body.get(AGENT))


def is_answer(entry: Event) -> bool:
    """Return whether an event is the answer of the agent itself, or the end of its turn without words."""
    is_hosted = entry.kind in (event.NOTE, STOPPED) and entry.src.startswith(HOSTED)
    return is_hosted and not (entry.body or {}).get(AGENT)


def is_broken_off(kind: str, body: Mapping[str, object]) -> bool:
    """Return whether an event says that a thread's session crashed: the fate of its open calls is unknown."""
    return kind == event.ENDED and body.get("outcome") == CRASHED


def unreported(events: Iterable[Event]) -> set[Call]:
    """Return the calls of actions whose thread took another turn before their result (events: oldest first)."""
    open_: dict[Call, Thread] = {}
    result: set[Call] = set()
    for entry in events:
        call = (entry.writer, entry.call or "")
        if entry.kind == event.ACTION:
            result.discard(call)
            if thread := thread_of(entry):
                open_[call] = thread
        elif entry.kind in event.ENDS:
            open_.pop(call, None)
            result.discard(call)
        elif turn := turn_of(entry) or interrupted_in(entry):
            over = [each for each, thread in open_.items() if thread.takes(turn)]
            result.update(over if entry.kind != INTERRUPTED else ())
            for each in over:
                del open_[each]
    return result


def is_refused(end: Event) -> bool:
    """Return whether the host reported a thread's call as refused."""
    return (end.body or {}).get(REFUSED) is True


def is_unknown(end: Event) -> bool:
    """Return whether a result only says that the call was repeated, so that its own outcome is unknown."""
    return end.kind == event.RESULT and (end.body or {}).get("text") == REPEATED


def answered(events: Iterable[Event], moment: datetime) -> dict[Call, str]:
    """Return the refused calls whose request a person approved, each with its request, empty once that was used."""
    bodies: dict[str, dict[str, Body]] = {}
    refused: dict[Call, str] = {}
    for entry in events:
        body = entry.body or {}
        if entry.kind.startswith(_APPROVALS) and isinstance(body.get("id"), str):
            bodies.setdefault(entry.kind, {})[body["id"]] = body
        elif entry.call and is_refused(entry) and isinstance(body.get(event.REQUEST), str):
            refused[entry.writer, entry.call] = body[event.REQUEST]
    asked, decided, used, expired = (bodies.get(f"{_APPROVALS}{name}", {}) for name in _STAGES)
    approved = {id for id, body in decided.items() if body.get("verdict") == "approved" and "edited" not in body}
    usable = {id for id in approved if id in asked and id not in expired and _lasts(asked[id], moment)}
    return {call: "" if id in used else id for call, id in refused.items() if id in used or id in usable}


def _lasts(asked: Body, moment: datetime) -> bool:
    try:
        return not asked.get("expires") or moment < moment.fromisoformat(asked["expires"])
    except (ValueError, TypeError):
        return False


RUNNING, CRASHED, UNKNOWN = "running", "crashed", "unknown"
_FACTS = ("host", "boot", "namespace", "process", "started", "outer")


class ThisMachine(Record):
    """This machine's facts for judging a process: host name, boot id, and visible processes.

    `namespace` tells the processes of one container from those of another. `lives` says of a recorded process whether
    it still runs; a missing one or None is unknown.
    """

    host: str
    boot: str | None
    namespace: int | None
    lives: Mapping[Process, bool | None]


def fate_of(facts: Body, machine: ThisMachine) -> tuple[str, str]:
    """Return the fate of a session without an end, from its process, and why: RUNNING, CRASHED or UNKNOWN."""
    host = facts.get("host")
    if not host or host != machine.host:
        return (
            UNKNOWN,
            f"the session started on another machine, {host}" if host else "it is unknown where the session started",
        )
    if facts.get("boot") and machine.boot and facts["boot"] != machine.boot:
        return CRASHED, "the machine has rebooted since"
    if facts.get("namespace", machine.namespace) not in (
        machine.namespace,
        None,
    ):  # other process ids
        return UNKNOWN, "the session started in another container of this machine, or before this container restarted"
    return _by_process(facts, machine)


def _by_process(facts: Body, machine: ThisMachine) -> tuple[str, str]:
    process, outer = _process(facts), _process(_outer(facts))
    if process is None:
        return UNKNOWN, "the process of the session was not recorded"
    lives = machine.lives.get(process)
    if lives:
        return RUNNING, f"process {process[0]} is running"
    if lives is None:
        return UNKNOWN, f"process {process[0]} may belong to another program by now"
    if outer is None or machine.lives.get(outer) is False:
        return CRASHED, f"process {process[0]} exited"
    return UNKNOWN, f"the parent process {outer[0]} may still be running"


def _outer(body: Body) -> Body:
    outer = body.get("outer")
    return outer if isinstance(outer, dict) else {}


def _process(body: Body) -> Process | None:
    pid, started = body.get("process"), body.get("started")
    if type(pid) is not int or pid <= 0:
        return None
    return pid, started if type(started) is int else None


def processes(facts: Body) -> list[Process]:
    """Return the processes that decide a session's fate, on the machine where it began."""
    return [pair for pair in (_process(facts), _process(_outer(facts))) if pair]


def process_facts(body: Body) -> Body:
    """Return the fields of a `session.started` body that decide the session's fate."""
    return {key: body[key] for key in _FACTS if key in body}
