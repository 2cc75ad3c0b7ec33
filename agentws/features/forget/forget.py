"""forget: find texts and names in documents and journals, list the matches, and remove them for good."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING

from agentws import features
from agentws.changes import ChangeSet, Write
from agentws.core.disk import local_dir
from agentws.core.formats import digest
from agentws.core.installation import stale_copy
from agentws.core.journal import stamp
from agentws.core.journal.sealing import leftovers
from agentws.core.stores import marks, purges, record, scrub
from agentws.core.text.names import many
from agentws.errors import ChangedUnderneathError, NeedsYouError, UsageError
from agentws.features.forget import documents, events, kept_out, remainders
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.strike import HIT, StruckLine
from agentws.features.forget.plan.wanted import Wanted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from agentws.core.states.grep_history import Past
    from agentws.core.stores.purges import PurgedEvent
    from agentws.core.stores.stores import Stores
    from agentws.core.stores.traces import HeldCopies, Place, Traces
    from agentws.features.forget.events import Said
    from agentws.features.forget.remainders import Remainder

KIND = "forgotten"
_IMPORTANCE = 7
_MOST_REASON = 1_000
_REACH = "To remove them there too: re-run with --copies."
_WOULD = "They are removed there, too."
_AGAIN = "Re-run the command with --copies when they can be reached."


@dataclass(slots=True)
class Forgotten:
    """The result of forget, or of a dry run.

    `lines` are the matching (path, line) of documents and records, `events` those of the journal, `copies` the old
    versions on this machine that match. `changed` are (path, digest before, digest after). `left` and `history` are
    the places that still match, `elsewhere` and `not_looked_for` say more in words; `unread` could not be searched.
    `rewrite` is the command that takes the files with matches out of git history.
    `backups` are those that hold matches, or held them before they were changed (`reaches`).
    `known` identifies the set of matches that a person has agreed to remove. `interrupted`: an earlier run was killed
    before its end. `kept_out` are the ids of the entries that keep the text out from now on, `broad` the texts of one
    word among those that would be kept out.
    """

    run: str
    reason: str
    dry_run: bool
    lines: Sequence[tuple[str, StruckLine]]
    events: Sequence[Said]
    copies: Sequence[str]
    changes: ChangeSet
    left: Sequence[Remainder] = ()
    history: Past | None = None
    rewrite: str = ""
    elsewhere: Sequence[str] = ()
    not_looked_for: Sequence[str] = ()
    unread: Sequence[str] = ()
    changed: Sequence[tuple[str, str, str]] = ()
    cursor: str = ""
    notices: list[str] = field(default_factory=list)
    backups: Sequence[HeldCopies] = ()
    reaches: bool = False
    interrupted: bool = False
    kept_out: Sequence[str] = ()
    broad: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to forget."""
        return not (self.is_here or self._in_backups or self._is_open)

    @property
    def is_here(self) -> bool:
        """Return whether there is something to forget in this workspace."""
        return bool(self.lines or self.events or self.copies)

    @property
    def _is_open(self) -> bool:
        """Return whether, with `reaches`, some backups could not be reached."""
        return self.reaches and any(backup.absent for backup in self.backups)

    @property
    def _in_backups(self) -> int:
        """Return the number of backups with matches that are to be changed and can be."""
        return sum(len(backup.names) for backup in self.backups if backup.clears) if self.reaches else 0

    @property
    def is_left(self) -> bool:
        """Return whether forget leaves matches that a person must act on.

        These are in this workspace, except past states in git, and with `reaches` also in backups.
        """
        return self._remains or (self.reaches and any(backup.is_held for backup in self.backups))

    @property
    def would_leave(self) -> bool:
        """Return whether the run that a dry run lists would leave matches (`is_left`)."""
        held = any(backup.is_held and (backup.absent or backup.stays or backup.left) for backup in self.backups)
        return self._remains or (self.reaches and held)

    @property
    def _remains(self) -> bool:
        return any(remainder.holds for remainder in self.left) or any(event.line.waiting for event in self.events)

    @property
    def counted(self) -> str:
        """Return the number of matches to forget in this workspace, in words."""
        parts = []
        if self.lines:
            parts.append(f"{many(len(self.lines), 'line')} of {many(len({path for path, _ in self.lines}), 'file')}")
        if self.events:
            parts.append(f"the text of {many(len(self.events), 'event')} in the journal")
        if self.copies:
            parts.append(f"{many(len(self.copies), 'old version')} on this machine")
        return ", ".join(parts) or "nothing"

    @property
    def planned(self) -> str:
        """Return the number of matches to forget in this workspace and backups, in words."""
        parts = [self.counted] if self.is_here else []
        parts += [f"copies in {many(self._in_backups, 'backup')}"] if self._in_backups else []
        away = sum(bool(backup.absent) for backup in self.backups) if self.reaches else 0
        parts += [f"what {many(away, 'destination')} may hold that cannot be reached now"] if away else []
        return ", ".join(parts)

    @property
    def known(self) -> str:
        """Return a digest of all matches to forget."""
        names = [
            f"{path}:{struck_line.line} {digest.of(struck_line.text.encode('utf-8', 'surrogateescape'))}"
            for path, struck_line in self.lines
        ]
        names += [event.line.cursor for event in self.events]
        names += [f"{backup.to} {name}" for backup in self.backups if self.reaches for name in backup.names]
        return digest.of("\n".join([*names, *self.copies]).encode("utf-8", "surrogateescape"))


def forget(
    stores: Stores,
    *,
    matching: str | Sequence[str] = (),
    subjects: str | Sequence[str] = (),
    reason: str = "",
    dry_run: bool = False,
    known: str | None = None,
    copies: bool = False,
    trace: bool = True,
    confirm: bool = False,
) -> Forgotten:
    """Remove every line, entry and event body that contains one of these texts or names one of these subjects.

    The texts are kept out from then on (docs/format/kept-out.md), unless `trace` is False. A text of one word keeps out
    every line with that word: NeedsYouError, and nothing is changed, without `confirm`.

    Lines become empty, so that other lines keep their numbers. This cannot be undone. `known` is that of an earlier dry
    run: ChangedUnderneathError, and nothing is changed, if the matches differ now. With `copies` they are removed from
    backups too, if these can be changed; unreachable ones are recorded. UsageError for a text that is too short, or a
    reason that contains a text to forget.
    """
    wanted = Sought(matching=matching, subjects=subjects)
    _check(reason, wanted)
    if not dry_run:
        stores.check_writable()
        stores.settle()
        from agentws.core.states import private  # a dry run does without

        private.sweep(stores.files)
    run = stores.clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    document_matches = documents.find(stores, wanted, run=run, dry_run=dry_run)
    event_matches = events.find(
        stores, wanted, {(path, struck_line.line) for path, struck_line in document_matches.lines}
    )
    holding = [(feature, feature.find(event_matches.unread)) for feature in of(stores, wanted)]
    document_matches.lines += [(path, StruckLine(1, what, HIT)) for _, matches in holding for path, what in matches]
    # What can be found again goes last: a forgetting that is killed before that is finished by the next one.
    traces = [feature for feature, _ in sorted(holding, key=lambda pair: bool(pair[1]))]
    beside, unread = leftovers.holding(stores.files, event_matches.blobs, wanted.is_in_bytes)
    event_matches.unread += unread
    old = [*_copies(stores, wanted.is_in_bytes), *beside]
    done = Forgotten(
        run,
        reason,
        dry_run,
        document_matches.lines,
        event_matches.events,
        old,
        document_matches.changes,
        reaches=copies,
    )
    done.left = remainders.here(stores, wanted, document_matches, event_matches)
    done.backups = [held for feature in traces for held in feature.find_copies(reaches=copies)]
    done.interrupted = bool(marks.of(stores.files, local_dir.FORGETTING))
    if known is not None and known != done.known:
        raise ChangedUnderneathError(
            "Files changed after the matches were listed; nothing was forgotten.",
            hint="Re-run the same command to list the matches again.",
        )
    if trace and not done.is_empty:
        _keep_out(stores, wanted, done, confirm=confirm)
    if not dry_run and done.is_here:
        _carry_out(stores, wanted, done, traces)
        leftovers.forget(stores.files, beside, lambda data: strike.blanked(data, wanted))
    elif not dry_run and done.interrupted:  # all matches are gone, but not what follows their removal
        done.notices += _sealed(stores)
    if not dry_run and copies:
        cleared = [feature.clear_copies(reason, run=run) for feature in traces]
        done.backups = [held for copies_held, _ in cleared for held in copies_held]
        done.notices += [notice for _, notices in cleared for notice in notices]
    if not dry_run:
        _clear_cache(stores, traces, done.notices)
        marks.leave(stores.files, local_dir.FORGETTING, "")
    unread = [*document_matches.unread, *event_matches.unread]
    done.unread = unread
    done.notices += [*stores.notices, *unread, *events.steps_again(event_matches), *remainders.large(document_matches)]
    done.notices += remainders.unseen(stores, document_matches)
    done.history = remainders.history(stores, wanted, done.notices)
    done.rewrite = done.history.rewrite(stores.root) if done.history is not None else ""
    in_backups = _words(done.backups, reaches=copies, dry_run=dry_run)
    remotes = remainders.git_remotes(done.history)
    outside = [words for feature in traces for words in feature.left_elsewhere()]
    done.elsewhere = (*in_backups, *outside, *remotes, *remainders.ELSEWHERE)
    done.not_looked_for = remainders.NOT_LOOKED_FOR
    return done


def _keep_out(stores: Stores, wanted: Wanted, done: Forgotten, *, confirm: bool) -> None:
    """Keep the text out before anything is removed, so that a killed run that is repeated has done so."""
    done.broad = kept_out.broad(wanted)
    if not done.dry_run:
        if done.broad and not confirm:
            raise NeedsYouError(
                f"Every later line with the word {done.broad[0]!r} would be refused; nothing was forgotten.",
                hint="Forget a longer text. If a person agrees, pass confirm=True; trace=False leaves no entry.",
            )
        lines = [line.text for _, line in done.lines] + [event.text for event in done.events]
        done.kept_out = kept_out.keep_out(stores, wanted, lines)


def _check(reason: str, wanted: Wanted) -> None:
    if len(reason) > _MOST_REASON:
        raise UsageError(f"--reason must have at most {_MOST_REASON:,} characters.")
    if wanted.is_in(reason):
        raise UsageError(
            "--reason contains the text to forget, and would be recorded.", hint="Word the reason differently."
        )


def _copies(stores: Stores, is_wanted: scrub.IsWanted) -> list[str]:
    """Return this machine's undo, quarantine and change records that contain matches."""
    files = stores.files
    names = [*scrub.undo_files(files, is_wanted), *scrub.undo_records(files, is_wanted)]
    names += [*scrub.quarantined(files, is_wanted), *scrub.changes(files, is_wanted)]
    return names + [f"{state}/changed" for state in _states(stores) if stale_copy.names(state, is_wanted)]


def _states(stores: Stores) -> list[str]:
    """Return the absolute state folders of this installation, and of those that keep their state in the workspace."""
    own = stores.installation()
    beside = [f"{stores.root}/{local_dir.STATE}/{name}" for name, _ in stores.files.names(local_dir.STATE)]
    return [*dict.fromkeys([own.folder, *beside])] if own is not None else beside


def _carry_out(stores: Stores, wanted: Sought, done: Forgotten, traces: Sequence[Traces]) -> None:
    """Remove the matches: documents in one transaction, then the journal record, then events and other copies.

    After a kill, the same call finishes the work.
    """
    marks.leave(stores.files, local_dir.FORGETTING, done.run)
    going = list(_going(stores, done))
    done.notices += [notice for feature in traces for notice in feature.announce(going)]
    if done.changes.changes:
        stores.apply(done.changes)
    changes = scrub.unfinished(stores.files)
    done.changed = [(change["path"], change["before"], change["after"]) for change in changes]
    recorded, notices = record.record(stores, [record.Happening(KIND, _body(wanted, done))])
    done.cursor = recorded[0].cursor or ""
    if done.events:
        notices += purges.forget(stores, [event.line for event in done.events], reason=done.reason or KIND)
    scrub.scrub(stores.files, wanted.is_in_bytes, lambda data: strike.blanked(data, wanted))
    notices += [notice for feature in traces for notice in feature.remove()]
    for state in _states(stores):
        if stale_copy.names(state, wanted.is_in_bytes):
            stale_copy.forget(state, wanted.is_in_bytes)
    done.notices += [*notices, *_sealed(stores)]


def _going(stores: Stores, done: Forgotten) -> Iterator[bytes]:
    """Yield the lines that documents lose."""
    for change in done.changes.changes:
        if isinstance(change, Write) and change.path.endswith(".md"):
            after = {line.strip() for line in change.data.split(b"\n")}
            before = (line.strip() for line in stores.files.read(change.path).split(b"\n"))
            yield from (line for line in before if line and line not in after)


def _sealed(stores: Stores) -> list[str]:
    """Seal the journal; return notices."""
    from agentws.core.stores import seals  # a dry run does without

    return seals.quietly(stores)


def _clear_cache(stores: Stores, traces: Sequence[Traces], notices: list[str]) -> None:
    """Clear the caches and the search index of this machine; a failure becomes a notice."""
    stores.kept = None  # a search may have left the index open
    errors = []
    for feature in traces:
        try:
            feature.clear_cache(notices)
        except OSError as error:
            errors.append(error)
    try:
        stores.cache.clear()
    except OSError as error:
        errors.append(error)
    if errors:
        notices.append(
            f"The cache of this machine was not cleared: {errors[0]}. "
            f"Delete this folder yourself: {stores.cache.folder}"
        )


def _words(backups: Sequence[HeldCopies], *, reaches: bool, dry_run: bool) -> Iterator[str]:
    """Yield a sentence for each destination whose backups hold matches; `reaches`: they are to be changed."""
    for held in backups:
        yield from held.words(how=_REACH if not reaches else _WOULD if dry_run else _AGAIN if held.absent else "")


def _body(wanted: Wanted, done: Forgotten) -> dict[str, object]:
    """Return the body of the `forgotten` event: what was done to which files, without the forgotten text."""
    salt = stamp.salt()

    def sealed(text: str) -> str:
        return digest.of(f"{salt} {text.casefold()}".encode("utf-8", "surrogateescape"))

    def named(path: str) -> str:
        return f"sha256:{sealed(path)}" if wanted.is_in(path) else path

    return {
        "v": 1,
        "importance": _IMPORTANCE,
        "text": f"Forgot {done.counted}.",
        "reason": done.reason,
        "run": done.run,
        "salt": salt,
        "matching": [sealed(text) for text in wanted.matching],
        "subjects": [sealed(text) for text in wanted.subjects],
        "documents": [[named(path), before, after] for path, before, after in done.changed],
        "events": [event.line.cursor for event in done.events],
    }


class Sought(Wanted):
    """The sought texts, which are to be forgotten; implements the protocol in core/stores/traces.py."""

    __slots__ = ()

    def is_in_bytes(self, data: bytes) -> bool:
        """Return whether a file's content contains anything sought, to be forgotten."""
        return strike.holds(data, self)

    def documents(self, copy: Stores, *, run: str) -> tuple[list[Write], set[Place]]:
        """Return the changed documents of a copy, and the places (path, line) of the sought texts removed."""
        matches = documents.find(copy, self, run=run, dry_run=False)
        changes = [change for change in matches.changes.changes if isinstance(change, Write)]
        return changes, {(path, line.line) for path, line in matches.lines}

    def events(self, copy: Stores, places: Collection[Place], only: Collection[Place]) -> list[PurgedEvent]:
        """Return the events in some segments of a copy with sought texts, or that recalled these places."""
        return [event.line for event in events.find(copy, self, places, only=only).events]

    def whole_files(self, copy: Stores, held: Collection[str]) -> list[str]:
        """Return the files of a copy that features remove entirely, for the texts sought in it."""
        return [path for traces in of(copy, self) for path in traces.whole_files(held)]


def of(stores: Stores, sought: Sought) -> list[Traces]:
    """Return each feature's traces of the sought texts, if it keeps files in this workspace."""
    return [make(stores, sought) for make in features.each("forget", stores.files)]
