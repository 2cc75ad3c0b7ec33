"""forget: what somebody wants forgotten is found in documents and journals, shown, and taken out for good."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING

from agentws.errors import ChangedUnderneathError, UsageError
from agentws.formats import digest
from agentws.operations.forget import documents, events, remainder
from agentws.planning.forget import strike
from agentws.planning.forget.wanted import Wanted
from agentws.storage.disk import local_dir
from agentws.storage.installation import installation, stale_copy
from agentws.storage.journal import stamp
from agentws.storage.workspace import curation, purges, record, scrub, seals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.changes import ChangeSet
    from agentws.operations.forget.events import Said
    from agentws.operations.forget.remainder import Left
    from agentws.planning.forget.strike import Line
    from agentws.storage.git.grep_history import Past
    from agentws.storage.workspace.stores import Stores

KIND = "forgotten"
_IMPORTANCE = 7
_MOST_REASON = 1_000


@dataclass(slots=True)
class Forgotten:
    """What was forgotten, or would be.

    `lines` are (path, line) of documents and records, `events` those of the journal, `copies` the files of this machine
    that keep old words and lose them too. `changed` are (path, digest before, digest after). `left` and `history` say
    what keeps it all the same, `elsewhere` and `not_looked_for` in words; `unread` is what could not be looked at.
    `known` names all that was found, for who agrees to it.
    """

    run: str
    reason: str
    dry_run: bool
    lines: Sequence[tuple[str, Line]]
    events: Sequence[Said]
    copies: Sequence[str]
    changes: ChangeSet
    left: Sequence[Left] = ()
    history: Past | None = None
    elsewhere: Sequence[str] = ()
    not_looked_for: Sequence[str] = ()
    unread: Sequence[str] = ()
    changed: Sequence[tuple[str, str, str]] = ()
    cursor: str = ""
    notices: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True where there is nothing to forget."""
        return not (self.lines or self.events or self.copies)

    @property
    def is_left(self) -> bool:
        """True where this workspace still holds it, but for past states in git, and somebody else has to act."""
        return any(one.holds for one in self.left) or any(one.line.waiting for one in self.events)

    @property
    def counted(self) -> str:
        """How much was found, in words."""
        parts = []
        if self.lines:
            parts.append(f"{_many(len(self.lines), 'line')} of {_many(len({path for path, _ in self.lines}), 'file')}")
        if self.events:
            parts.append(f"what {_many(len(self.events), 'event')} of the journal said")
        if self.copies:
            parts.append(f"{_many(len(self.copies), 'old file')} of this machine")
        return ", ".join(parts) or "nothing"

    @property
    def known(self) -> str:
        """A digest of all that was found."""
        found = [
            f"{path}:{one.line} {digest.of(one.text.encode('utf-8', 'surrogateescape'))}" for path, one in self.lines
        ]
        found += [one.line.cursor for one in self.events]
        return digest.of("\n".join([*found, *self.copies]).encode("utf-8", "surrogateescape"))


def forget(
    stores: Stores,
    *,
    matching: Sequence[str] = (),
    subjects: Sequence[str] = (),
    reason: str = "",
    dry_run: bool = False,
    known: str | None = None,
) -> Forgotten:
    """Take out every line, entry and body that holds one of these texts, or names one of these subjects.

    Lines become empty, so that other lines keep their numbers. Nothing of this can be taken back. `known` is what an
    earlier dry run found (its `known`): ChangedUnderneathError, and nothing changed, where there is more or less now.
    UsageError for a text that is too short, or a reason that says what is to be forgotten.
    """
    wanted = Wanted(matching=matching, subjects=subjects)
    _check(reason, wanted)
    if not dry_run:
        stores.check_writable()
        stores.settle()
    run = stores.clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    found, said = documents.find(stores, wanted, run=run, dry_run=dry_run), events.find(stores, wanted)
    copies = _copies(stores, _is_in(wanted))
    done = Forgotten(run, reason, dry_run, found.lines, said.events, copies, found.changes)
    done.left = remainder.here(stores, wanted, found, said)
    if known is not None and known != done.known:
        raise ChangedUnderneathError(
            "What is there changed since it was shown; nothing was forgotten.", hint="Look again, and agree to that."
        )
    if not dry_run and not done.is_empty:
        _carry_out(stores, wanted, done)
    unread = [*found.unread, *said.unread]
    done.unread = unread
    done.notices += [*stores.notices, *unread, *remainder.large(found), *remainder.unseen(stores, found)]
    done.history = remainder.history(stores, wanted, done.notices)
    done.elsewhere, done.not_looked_for = remainder.ELSEWHERE, remainder.NOT_LOOKED_FOR
    return done


def _check(reason: str, wanted: Wanted) -> None:
    if len(reason) > _MOST_REASON:
        raise UsageError(f"A reason has {_MOST_REASON:,} characters at most.")
    if wanted.is_in(reason):
        raise UsageError(
            "The reason says what is to be forgotten, and it would be recorded.", hint="Say it in other words."
        )


def _copies(stores: Stores, is_wanted: scrub.IsWanted) -> list[str]:
    """What this machine keeps of it besides documents and journals."""
    files = stores.files
    found = [*scrub.undo_files(files, is_wanted), *scrub.undo_records(files, is_wanted)]
    found += [*scrub.quarantined(files, is_wanted), *scrub.changes(files, is_wanted)]
    return found + [f"{state}/changed" for state in _states(stores) if stale_copy.names(state, is_wanted)]


def _states(stores: Stores) -> list[str]:
    """The folders (absolute) of the state of this installation, and of all that have it in the workspace."""
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    beside = [f"{stores.root}/{local_dir.STATE}/{name}" for name, _ in stores.files.names(local_dir.STATE)]
    return [*dict.fromkeys([here.folder, *beside])] if here is not None else beside


def _is_in(wanted: Wanted) -> scrub.IsWanted:
    return lambda data: strike.holds(data, wanted)


def _carry_out(stores: Stores, wanted: Wanted, done: Forgotten) -> None:
    """Documents first, in one transaction; then the record of it; then what cannot be done at one stroke.

    Killed anywhere, it is finished by doing it again: what is left is found again.
    """
    if done.changes.changes:
        stores.apply(done.changes)
    changes = scrub.unfinished(stores.files)
    done.changed = [(change["path"], change["before"], change["after"]) for change in changes]
    recorded, notices = record.record(stores, [record.Happening(KIND, _body(wanted, done))])
    done.cursor = recorded[0].cursor or ""
    if done.events:
        notices += purges.forget(stores, [one.line for one in done.events], reason=done.reason or KIND)
    scrub.scrub(stores.files, _is_in(wanted), lambda data: strike.blanked(data, wanted))
    curation.forget(stores.files)
    for state in _states(stores):
        if stale_copy.names(state, _is_in(wanted)):
            stale_copy.forget(state, _is_in(wanted))
    try:
        stores.cache.clear()
    except OSError as error:
        notices.append(f"The cache of this machine still holds it: {error}. Remove it: {stores.cache.folder}")
    done.notices += [*notices, *seals.quietly(stores)]


def _body(wanted: Wanted, done: Forgotten) -> dict[str, object]:
    """What the journal is told: what was done and to which files, but not what was forgotten."""
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
        "events": [one.line.cursor for one in done.events],
    }


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"
