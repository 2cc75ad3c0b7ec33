"""Judges whether the process of a session still runs, from its `session.started` event. Pure.

A session is only said to have crashed if its process is known to be gone. Specified in docs/format/journal.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.formats.journal.event import Body

    Process = tuple[int, int | None]
    """The id of a process and when it began, in clock ticks since the machine's start."""

RUNNING, CRASHED, UNKNOWN = "running", "crashed", "unknown"
_FACTS = ("host", "boot", "namespace", "process", "started", "outer")


class ThisMachine:
    """This machine's facts for judging a process: host name, boot id, and visible processes.

    `namespace` tells the processes of one container from those of another. `lives` says of a recorded process whether
    it still runs; a missing one or None is unknown.
    """

    __slots__ = ("boot", "host", "lives", "namespace")

    def __init__(
        self, host: str, boot: str | None, namespace: int | None, lives: Mapping[Process, bool | None]
    ) -> None:
        self.host = host
        self.boot = boot
        self.namespace = namespace
        self.lives = lives


def of(facts: Body, machine: ThisMachine) -> tuple[str, str]:
    """Return the fate of a session without an end, from its process, and why: RUNNING, CRASHED or UNKNOWN."""
    host = facts.get("host")
    if not host or host != machine.host:
        return (
            UNKNOWN,
            f"the session started on another machine, {host}" if host else "it is unknown where the session started",
        )
    if facts.get("boot") and machine.boot and facts["boot"] != machine.boot:
        return CRASHED, "the machine has rebooted since"
    if not _seen(facts, machine):
        return UNKNOWN, "the session started in another container of this machine, or before this container restarted"
    return _by_process(facts, machine)


def _seen(facts: Body, machine: ThisMachine) -> bool:
    """Return whether process ids mean the same here as where the session began."""
    return facts.get("namespace", machine.namespace) in (machine.namespace, None)


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


def facts(body: Body) -> Body:
    """Return the fields of a `session.started` body that decide the session's fate."""
    return {key: body[key] for key in _FACTS if key in body}
