"""journal renew: continues in a new journal beside a damaged one."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core import Result
from agentws.core.disk import local_dir, lock
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.identity import admission, join
from agentws.core.installation import installation
from agentws.core.installation.installation import Installation
from agentws.core.journal import end, read, walk
from agentws.core.journal.sealing import verify
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.errors import DamagedError, UsageError

_OLDER = "an older copy of it was restored"


@dataclass(slots=True, repr=False)
class Renewed(Result):
    """The result of a renewal: this installation's new `writer`, the one `before`, and its last valid event `seq`."""

    writer: str
    before: str
    seq: object
    damage: str
    notices: list[str]


def renew(stores: Stores, *, reason: str = "") -> Renewed:
    """Begin a new journal for this installation; the damaged one is unchanged and can still be read.

    Events that an older copy of the workspace lacks are given up: NeedsYouError if an agent calls, which may have
    removed them. UsageError if the journal is neither damaged nor older than what this installation wrote. An
    interrupted renewal is completed by the next one.
    """
    stores.check_writable()
    agent = stores.manifest.agent_id
    own = stores.installation()
    if own is None:
        raise UsageError(
            "This installation has written nothing yet: nothing to renew.", hint="Its first event begins a new journal."
        )
    missing = admission.missing_event(stores.files, own)
    lost = [mark.writer for mark in installation.lost(own) if not join.holds(stores.files, mark)]
    if missing is not None or lost:
        stores.environment.check_person("agentws journal renew", "give up events that this machine had on disk")
    if missing is not None:
        before, damage = own.writer, _OLDER
        own = join.continue_as_new_writer(stores.files, own, missing, stores.moment_us())
    elif damage := _damage(stores.files, own):
        before = own.writer
        # A journal that was rebuilt stays quoted until a person takes over.
        more = {installation.LOST: known} if (known := join.known_lost(stores.files, own)) else None
        own = installation.renew(stores.files, own, second=stores.here().second, more=more)
    elif lost:
        before, damage = lost[-1], _OLDER
    else:
        before, damage = _unfinished(stores.files, own), "its renewal was interrupted"
    head = walk.last_good(stores.files, agent, before)
    renewed = _joined(stores, own, before, head, damage, reason or damage)
    if not stores.environment.is_agent:  # what an agent may have cut off stays a finding of `verify`
        join.give_up(stores.files, own, [*lost, before])
    return renewed


def _joined(
    stores: Stores, own: Installation, before: str, head: dict[str, object], damage: str, reason: str
) -> Renewed:
    stores.close_journal()
    happening = Happening(event.JOINED, {"v": event.VERSION, "after": {before: head}, "reason": reason})
    _, notices = record.record(stores, [happening])
    return Renewed(own.writer, before, seq=head["seq"], damage=damage, notices=[*stores.notices, *notices])


def _damage(files: Files, own: Installation) -> str:
    """Return what is wrong with this installation's journal, empty for nothing."""
    local_dir.prepare(files)
    try:
        with lock.Lock(files, lock.APPEND):
            end.find(files, own.agent, own.writer, None, secret=own.secret)
    except DamagedError as error:
        return error.message
    ours = f"{layout.JOURNAL}/{own.writer}/"
    journal_findings = verify.verify(files, own.agent, own).findings
    return next(
        (
            f"{journal_finding.path}:{journal_finding.line}: {journal_finding.what}"
            for journal_finding in journal_findings
            if journal_finding.path.startswith(ours)
        ),
        "",
    )


def _unfinished(files: Files, own: Installation) -> str:
    """Return the former writer whose renewal was interrupted before the new journal recorded it.

    UsageError if it is missing: nothing is to be renewed.
    """
    former = installation.former(own)
    if not former or former[-1] == own.writer or _is_told(files, own, former[-1]):
        raise UsageError(
            "The journal of this installation is intact: nothing to renew.",
            hint="Check: agentws journal verify",
        )
    return former[-1]


def _is_told(files: Files, own: Installation, before: str) -> bool:
    words = (b'"kind":"%s"' % event.JOINED.encode(), before.encode())
    if read.segments(files, own.writer)[:1] > [1]:
        return True  # so long ago that its beginning was retired
    # The event is at the beginning of the new journal, so in its first segment.
    for number in read.segments(files, own.writer)[:1]:
        for _, line in read.lines(files, own.writer, number):
            if all(word in line for word in words):
                return True
    return False
