"""The write access of an installation (same, new, stale, moved, retired), judged from facts, and its messages. Pure.

Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core import Record, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Met(Protocol):
        """A writer that this copy knows of: its `host` (may be empty), and whether it `wrote` events that are here.

        `at` is the moment of the newest, else the one in which the writer was made known.
        """

        @property
        def writer(self) -> str:
            """The writer's id."""

        @property
        def host(self) -> str:
            """The name of the writer's machine."""

        @property
        def at(self) -> str:
            """The time of the writer's newest event."""

        @property
        def wrote(self) -> bool:
            """Return whether this copy has an event of the writer beyond those that begin its journal."""


SAME, NEW, STALE, MOVED, RETIRED = "same", "new", "stale", "moved", "retired"
"""The kinds of write access: the installation that wrote here; new here; beside an older copy; moved away; retired."""

READY = "ready"
"""The step of a move whose agent waits in a repository to be taken. An unfinished move can be aborted."""

_UNVOUCHED = "To write here: agentws identity vouch, or agentws identity takeover"
_DIGITS = 8
_MOST_SHOWN = 40
"""Boot cuts a notice at 200 characters, and this one must not be cut."""


class Facts(Record):
    """The facts about an installation from which its write access is judged.

    `writer` is its writer id, None before its first write. `joins` says why it began beside others, `admitted` by what
    it was let in since. `moved` is (where to, when), `retired` (when, by whom), `leaving` the step of an unfinished
    move. `lost` are (writer, number) of its events that this copy lacks, `missing_changes` (verb, time) of such
    changes; `remade` are those that another event has replaced. `met` are the other writers, the newest last, `met_at`
    when that one wrote; `logged` is the time of a log line after their newest event, empty for none. `host` is the name
    of this machine. `synced` says that it syncs with the others.
    """

    writer: str | None
    joins: str = ""
    admitted: str = ""
    required: bool = False
    moved: tuple[str, str] | None = None
    retired: tuple[str, str] | None = None
    leaving: str = ""
    lost: Sequence[tuple[str, int]] = ()
    missing_changes: Sequence[tuple[str, str]] = ()
    remade: Sequence[tuple[str, int]] = ()
    met: Sequence[Met] = ()
    met_at: str = ""
    logged: str = ""
    host: str = ""
    synced: bool = False


class WriteAccess(Record, Result):
    """The write access of an installation: its `kind`, whether it `may_write`, and a message `said`, empty if usual.

    `remedy` says what to do about it.
    """

    kind: str
    said: str = ""
    remedy: str = ""
    may_write: bool = True


def judge(facts: Facts) -> WriteAccess:
    """Return the write access that follows from the facts."""
    if facts.moved is not None:
        return _leaving(*facts.moved, facts.leaving) if facts.leaving else _moved(*facts.moved)
    if facts.retired is not None:
        return _retired(*facts.retired)
    alone = not facts.met and not facts.required
    known = facts.admitted or alone or (facts.writer and facts.joins != NEW)
    if (facts.lost or facts.missing_changes) and (known or not facts.required):
        return _stale(facts)
    return WriteAccess(SAME) if known else _new(facts)


def when(at: str) -> str:
    """Return a time in messages about write access, to the minute, with "UTC" if it is not in the workspace's zone."""
    zone = " UTC" if at.endswith("Z") else ""
    return f"{at[:16].replace('T', ' ')}{zone}" if at else "at an unknown time"


def who(met: Met, host: str = "") -> str:
    """Return a writer's name in messages about write access: its machine, else its id; `host` is this machine."""
    if met.host and met.host == host:
        return "another installation on this machine"
    return met.host[:_MOST_SHOWN] or f"another installation ({met.writer[-_DIGITS:]})"


def _moved(to: str, at: str) -> WriteAccess:
    where = f"to {to[:_MOST_SHOWN]}, {when(at)}" if to else "(identity/moved.json says so, and cannot be read)"
    message = f"This agent has moved {where}: read-only here."
    return WriteAccess(
        MOVED, message, "Work there. Only if that place is lost: agentws identity revive", may_write=False
    )


def _leaving(to: str, at: str, step: str) -> WriteAccess:
    where = f"{to[:_MOST_SHOWN]}, {when(at)}"
    if step == READY:
        message = f"This agent was sent to {where} and waits there: read-only here."
        remedy = "Work in the new place. If nobody took it there: agentws migrate --abort"
    else:
        message = f"This agent is moving to {where}: read-only here until then."
        remedy = "Re-run the same agentws migrate, or cancel: agentws migrate --abort"
    return WriteAccess(MOVED, message, remedy, may_write=False)


def _retired(at: str, by: str) -> WriteAccess:
    details = (f" {when(at)}" if at else "") + (f" on {by[:_MOST_SHOWN]}" if by else "")
    message = f"This agent was retired{details}: read-only."
    return WriteAccess(RETIRED, message, "To resume writing: agentws identity revive", may_write=False)


def _stale(facts: Facts) -> WriteAccess:
    older = "This copy is older than the last write here"
    if facts.remade:
        writer, seq = facts.remade[-1]
        message = f"Different history: {writer[-_DIGITS:]}:{seq} was edited or rebuilt, or a clone of this machine"
        message += " wrote it. New events go into a new journal."
        return WriteAccess(STALE, message, "See agentws journal verify. To accept it: agentws identity takeover")
    if not facts.lost:
        verb, at = facts.missing_changes[-1]
        gap = f"what `{verb[:_MOST_SHOWN]}` wrote, {when(at)}"
        remedy = "Restore the newer files. If they are lost: agentws identity takeover"
    else:
        writer, seq = facts.lost[-1]
        gap = f"{writer[-_DIGITS:]}:{seq}. New events go into a new journal"
        # Documents that are older too are a backup's; a journal that is shorter alone may have been cut.
        older += "" if facts.missing_changes else ", or its journal was cut"
        remedy = "Restore the newer journal/. If lost: agentws identity takeover"
    return WriteAccess(STALE, f"{older}: it lacks {gap}.", remedy)


def _new(facts: Facts) -> WriteAccess:
    if not facts.met:
        return WriteAccess(NEW, "New copy: the previous writer is unknown.", _UNVOUCHED, may_write=False)
    last = facts.met[-1]
    wrote = f"{who(last, facts.host)} wrote last, {when(facts.met_at or last.at)}"
    is_synced = facts.synced and facts.writer and not facts.required
    if facts.logged and not is_synced:
        wrote = f"{who(last, facts.host)} has written before, and the log ends {facts.logged}"
    elif not last.wrote:
        wrote = f"{who(last, facts.host)} has written before, since {when(facts.met_at or last.at)}"
    message = f"New copy: {wrote}."
    if is_synced:
        remedy = f"On an earlier one: agentws identity vouch {facts.writer}. None left? agentws identity takeover"
        return WriteAccess(NEW, f"New machine: {wrote}.", remedy)
    if facts.required:
        return WriteAccess(NEW, message, _UNVOUCHED, may_write=False)
    return WriteAccess(NEW, message, "Only one may write. If the other has stopped: agentws identity takeover")
