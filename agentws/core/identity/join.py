"""The join of an installation that begins to write: as a new writer, or after an older copy was restored.

Loaded only if needed. Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.core.formats.journal import chain, event, segment
from agentws.core.identity import pins, writers
from agentws.core.installation import host_info, installation, stale_copy
from agentws.core.journal import head, read, stamp, tail
from agentws.core.journal.entry import PendingEvent
from agentws.core.journal.sealing import writer_join
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.installation.installation import Installation, Mark
    from agentws.core.installation.stale_copy import RecordedChange
    from agentws.core.installation.state_dir import State
    from agentws.core.journal.append import Appender
    from agentws.core.journal.head import Head

NEW, STALE = installation.NEW, installation.STALE
_MAKES = "init"
"""The verb that makes a workspace: if it ran here, nobody was here before."""
_MOST_BESIDE = 64
_NEAR_BYTES = 1 << 16
_US = 1_000_000


def register(files: Files, agent: str, state: State, now_us: int) -> Installation:
    """Make this installation join as a new writer; its record lists the other writers found."""
    others = writers.all_of(files)
    at = stamp.text(now_us)
    more: dict[str, Any] = {"since": at}
    if not is_first(files):
        beside = {other.writer: {"seq": other.seq, "hash": other.hash} for other in others[-_MOST_BESIDE:]}
        more |= {installation.JOINS: NEW, installation.BESIDE: beside}
    else:
        more[installation.ADMITTED] = installation.FIRST
    own = installation.ensure(files, agent, state, second=lambda: now_us // _US, more=more)
    pins.ensure(files, own.folder, at=at)
    from agentws.core.identity import pinned_writers  # each boot looks here, few begin

    return pinned_writers.ensure(files, own, at=at)


def continue_as_new_writer(
    files: Files, own: Installation, missing: Mark | RecordedChange, now_us: int
) -> Installation:
    """Make this installation join as another writer: this copy lacks events or changes of the present one.

    The lost event or change is kept in its record, in case it is restored.
    """
    at = stamp.text(now_us)
    lost = {"writer": own.writer, **missing.plain(), "noticed": at}
    more = {
        "since": at,
        installation.JOINS: STALE,
        installation.LOST: [*known_lost(files, own), lost][-_MOST_BESIDE:],
        installation.COPIED: stale_copy.has_come_along(files, own.folder),
    }
    renewed = installation.renew(files, own, second=now_us // _US, more=more)
    stale_copy.keep(files, own.folder, lambda: at)  # from here on that is what it knows
    return renewed


def known_lost(files: Files, own: Installation) -> list[dict[str, Any]]:
    """Return the losses for the record of the next writer: those known, and the events that others have replaced."""
    known = installation.told_lost(own)
    anew = [{"writer": mark.writer, **mark.plain()} for mark in replaced(files, own) if mark.writer == own.writer]
    return [*known, *anew]


def forget_back(files: Files, own: Installation) -> None:
    """Remove lost changes that are present again from the record of this installation, which joined."""
    records, missing = installation.told_lost(own), stale_copy.missing(files, own)
    still = [fields for fields in records if stale_copy.of(fields) is None or fields in missing]
    if len(still) < len(records):
        installation.note(files, own, **{installation.LOST: still or None})


def has_begun(files: Files, own: Installation) -> bool:
    """Return whether `identity/` and the journal hold what `begin` writes; True also if the journal is unreadable."""
    try:
        is_known = writer_join.is_told(files, own.writer) and (files.exists(layout.SIGNERS) or not _has_key(own))
        return _has_events(files, own) and is_known
    except (AgentwsError, ValueError):
        return True


def _has_key(own: Installation) -> bool:
    from agentws.core.installation import keys

    return keys.mode(own.folder) is not None


def _has_events(files: Files, own: Installation) -> bool:
    return read.last_seq(files, own.writer) > (own.record.get(installation.JOINS) in (NEW, STALE))


def begin(files: Files, own: Installation, state: State, journal: Appender, now_us: int) -> None:
    """Register a writer in `identity/` and begin its journal, durably; its first event names the writers that it joins.

    A kill may have interrupted this before: the journal comes last. History is to record `identity/` afterwards.
    """
    if _has_events(files, own):
        _make_known(files, own, now_us)  # somebody has taken it away
        return
    # Its name is durable before anything rests on it.
    installation.ensure(files, own.agent, state, second=lambda: now_us // _US)
    why = own.record.get(installation.JOINS)
    if why not in (NEW, STALE):
        _make_known(files, own, now_us)
        earlier = _earlier(files, own)
        if not earlier:
            journal.append([])
            return
        # Another installation was first by a moment.
        fields = {installation.JOINS: NEW, installation.BESIDE: writers.heads(earlier), installation.ADMITTED: None}
        own, why = installation.note(files, own, **fields), NEW
    if why == NEW and not own.record.get(installation.ADMITTED):
        # Before its journal is there: killed in between, it begins once more.
        from agentws.core.identity import arrival

        if arrival.redeem(files, own, at=stamp.text(now_us)):
            own = installation.note(files, own, **{installation.ADMITTED: installation.VOUCHED})
    _make_known(files, own, now_us)
    ((name, salt),) = stamp.named(now_us)
    body = _joining(files, own, str(why))
    journal.append([PendingEvent(event.JOINED, body, id=name, at=stamp.text(now_us), salt=salt)], begins=True)


def _earlier(files: Files, current: Installation) -> list[writers.Other]:
    """Return the other installations, if one of them was registered before this one."""
    writer_lines = writers.lines(files)
    own = {current.writer, *installation.former(current)}
    return writers.all_of(files, but=own) if writer_lines and writer_lines[0].writer not in own else []


def _make_known(files: Files, own: Installation, now_us: int) -> None:
    """Add the writer to `identity/`, which a clone brings along even without a journal.

    If the writer has no key, or `identity/` cannot be written, the first seal does this, and reports errors.
    """
    from agentws.core.installation import keys

    try:
        key = keys.ensure(own.folder, comment=own.writer, socket=own.socket)
    except AgentwsError:
        key = None
    try:
        writer_join.join(files, own.writer, key.public if key else "", at=stamp.text(now_us))
        writer_join.finish(files)
    except AgentwsError:
        return


def admit(files: Files, own: Installation | None) -> bool:
    """Return whether this installation may join if a vouch is required; the reason is saved in its record."""
    if own is None:
        return is_first(files)
    if not is_one(own):
        proof = installation.FIRST  # it was here before anybody else
    else:
        from agentws.core.identity import vouch

        if not vouch.is_vouched(files, own):
            return False
        proof = installation.VOUCHED
    installation.note(files, own, **{installation.ADMITTED: proof})
    return True


def is_first(files: Files) -> bool:
    """Return whether an installation joins as the first writer: the workspace was made here and nobody has written."""
    return not writers.all_of(files) and local_dir.began_with(files, _MAKES)


def is_one(own: Installation) -> bool:
    """Return whether this installation, or one that it continues, joined writers that were here before."""
    why = own.record.get(installation.JOINS)
    return why == NEW or (why == STALE and installation.BESIDE in own.record)


def give_up(files: Files, own: Installation, names: Collection[str]) -> None:
    """Accept the journals of these writers of this installation as complete: what they lack at the end is lost."""
    seal = head.newest_seal(own.folder)
    if seal is not None and seal[0] in names and read.last_seq(files, seal[0]) < seal[1]:
        head.forget_seal(own)
    for name in names:
        agreed(files, own.agent, name, own.secret)
    records = installation.told_lost(own)
    left = [fields for fields in records if not (fields.get("writer") in names and _is_cut_off(files, fields))]
    if len(left) < len(records):
        installation.note(files, own, **{installation.LOST: left or None})


def _is_cut_off(files: Files, fields: dict[str, Any]) -> bool:
    """Return whether a lost event was behind the present end of its journal."""
    seq = fields.get("seq")
    return isinstance(seq, int) and read.last_seq(files, str(fields["writer"])) < seq


def agreed(files: Files, agent: str, writer: str, secret: bytes | None) -> None:
    """Accept the rest of a writer's journal as complete: a person has agreed that the missing events are lost.

    Only if the rest is undamaged: what this machine remembers is needed to show damage.
    """
    try:
        numbers = read.newest(files, writer, 1)
        if not numbers:
            head.forget(files, writer)
            return
        end, size, _ = tail.walk(files, agent, writer, numbers[-1], None)
        if end.offset == size > 0:
            head.write(files, end, secret)
    except (AgentwsError, ValueError):
        return


def holds(files: Files, mark: Mark) -> bool:
    """Return whether this copy of the workspace has the event of a writer's mark."""
    try:
        return read.find(files, mark.writer, mark.seq).hash == mark.hash
    except (AgentwsError, ValueError):
        return False


def replaced(files: Files, own: Installation) -> list[Mark]:
    """Return this installation's events that another event has replaced: their journal was rebuilt."""
    if read.is_as_left(files, own):
        return []
    mark, seal = installation.mark(own), head.newest_seal(own.folder)
    marks = [*installation.lost(own), *([mark] if mark else []), *([installation.Mark(*seal)] if seal else [])]
    return [event_mark for event_mark in marks if _is_replaced(files, event_mark)]


def _is_replaced(files: Files, mark: Mark) -> bool:
    try:
        return read.find(files, mark.writer, mark.seq).hash != mark.hash
    except (AgentwsError, ValueError):
        return False


def is_older(files: Files, own: Installation, mark: Mark, hint: Head | None) -> bool:
    """Return whether a writer joins again: its journal is sound, but ends before the mark or differs from its writes.

    A damaged journal is not an older copy, nor is a missing one that `.agentws/` still remembers: appending or
    verifying reports the damage. If `.agentws/` remembers nothing either, all of the folder went back together, as when
    a backup is restored. `journal verify` reports a lost seal.
    """
    try:
        if _is_near(files, mark, hint):
            return False
        numbers = read.segments(files, mark.writer)
        if not numbers:
            return hint is None
        end, size, _ = tail.walk(files, own.agent, mark.writer, numbers[-1], None)
        if end.seq < mark.seq:
            return end.offset == size > 0
        return _goes_another_way(files, own, mark, numbers)
    except (AgentwsError, ValueError):
        return False


def _goes_another_way(files: Files, own: Installation, mark: Mark, numbers: list[int]) -> bool:
    """Return whether a sound segment has another event at the mark's number."""
    # Among the segments that were there a moment ago: one that others just begin holds nothing yet.
    for number in reversed(numbers):
        if not 0 < read.first_seq(files, mark.writer, number) <= mark.seq:
            continue
        ours = b'{"agentws":1,"seq":%d,' % mark.seq
        there = [line for _, line in read.lines(files, mark.writer, number) if line.startswith(ours)]
        if not there or chain.hash_of(there[0]) == mark.hash:
            return False
        end, size, _ = tail.walk(files, own.agent, mark.writer, number, None)
        return end.offset == size
    return False


def _is_near(files: Files, mark: Mark, hint: Head | None) -> bool:
    """Return whether the marked line is shortly before the known end: another process has just appended."""
    if hint is None or hint.seq < mark.seq:
        return False
    data = files.piece(segment.path(mark.writer, hint.segment), max(0, hint.offset - _NEAR_BYTES), _NEAR_BYTES)
    at = data.find(b'{"agentws":1,"seq":%d,' % mark.seq)
    line, newline, _ = data[at:].partition(b"\n") if at >= 0 else (b"", b"", b"")
    return bool(newline) and chain.hash_of(line) == mark.hash


def _joining(files: Files, own: Installation, why: str) -> event.Body:
    body: event.Body = {"v": event.VERSION, "text": "a new writer begins", "host": host_info.name()}
    if why == NEW:
        return body | {"after": own.record.get(installation.BESIDE, {}), "reason": "a new installation"}
    from agentws.core.journal import walk  # a writer joins once: no start of a boot pays for it

    records = installation.told_lost(own)
    if not records:  # it came back before this journal could begin
        body["after"] = {old: walk.last_good(files, own.agent, old) for old in installation.former(own)[-1:]}
        return body | {"reason": "this copy was incomplete and is complete again"}
    lost = records[-1]
    old = lost["writer"]
    body["after"] = {old: walk.last_good(files, own.agent, old)}
    what = f"{old}:{lost['seq']}, which was written" if "seq" in lost else f"what `{lost['verb']}` wrote {lost['at']}"
    return body | {"reason": f"this copy lacks {what} before"}
