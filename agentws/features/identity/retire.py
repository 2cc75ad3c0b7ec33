"""identity retire and revive: make the agent read-only on all machines, and let it write again."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.disk import lock, tombstone
from agentws.core.formats.identity import tombstone as _tombstone
from agentws.core.identity import admission
from agentws.core.identity.write_access import WriteAccess
from agentws.core.installation import host_info
from agentws.core.stores import facts, record, seals
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import REQUIRE, Stores
from agentws.errors import MayNotWriteError
from agentws.features.identity import write_access

RETIRED, REVIVED = "writer.retired", "writer.revived"


class Rested(Result):
    """The result of retire or revive: the write access `before`; and whether anything was `changed`."""

    __slots__ = ("before", "changed", "dry_run", "notices")

    def __init__(self, before: WriteAccess, *, dry_run: bool) -> None:
        self.before = before
        self.dry_run = dry_run
        self.changed = False
        self.notices: list[str] = []


def retire(stores: Stores, *, reason: str = "", dry_run: bool = False) -> Rested:
    """Retire the agent: no more writing, here at once, elsewhere after a sync. Reading still works.

    MayNotWriteError if it may not write here already.
    """
    stores.check_writable()
    done = Rested(write_access.of(stores)[1], dry_run=dry_run)
    if dry_run:
        return done
    body = {"text": f"retired: {reason}".rstrip(": "), "reason": reason, "host": host_info.name()}
    _, notices = record.record(stores, [Happening(RETIRED, body)])
    done.notices += [*notices, *seals.quietly(stores)]
    retirement = _tombstone.Retirement(
        at=stores.now_text(), by=stores.appender().writer, host=host_info.name(), reason=reason
    )
    with lock.Lock(stores.files, lock.APPEND):
        tombstone.retire(stores.files, retirement)
    return _finished(stores, done, "retire")


def revive(stores: Stores, *, dry_run: bool = False) -> Rested:
    """Let the agent write here again if it was retired or moved away; else change nothing.

    MayNotWriteError if the workspace requires a vouch for this installation and there is none; and during a migration,
    which has to be aborted, so that the copy that was sent cannot begin to write as well.
    """
    stores.check_adopted()
    known, before = write_access.of(stores)
    if known.leaving:
        way_out = "Only if the other place is lost for good: agentws identity takeover"
        raise MayNotWriteError(before.said, hint=f"{before.remedy}. {way_out}")
    done = Rested(before, dry_run=dry_run)
    if facts.moved(stores.files) is None and facts.retired(stores.files) is None:
        return done
    if stores.manifest.setting("identity.mode") == REQUIRE:
        admission.require(*stores.machine, stores.now_text)
    if dry_run:
        return done
    with lock.Lock(stores.files, lock.APPEND):
        stone = tombstone.read(stores.files)
        tombstone.take_back(stores.files)
        tombstone.revive(stores.files)
    body = {
        "text": "writes again",
        "from": done.before.kind,
        "to": stone.to if stone else None,
        "host": host_info.name(),
    }
    _, notices = record.record(stores, [Happening(REVIVED, body)])
    done.notices += notices
    return _finished(stores, done, "revive")


def _finished(stores: Stores, done: Rested, verb: str) -> Rested:
    write_access.put_into_history(stores, verb)
    done.changed = True
    done.notices += stores.notices
    return done
