"""forget: what somebody wants forgotten is found in documents and journals, shown, and taken out for good."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from itertools import islice
from typing import TYPE_CHECKING

from agentws.changes import Write
from agentws.core.disk import content, local_dir
from agentws.core.disk.files import DOCUMENT_LIMIT_BYTES
from agentws.core.disk.inspect import scan
from agentws.core.formats import digest, layout
from agentws.core.installation import installation, stale_copy
from agentws.core.journal import stamp
from agentws.core.journal.sealing import leftovers
from agentws.core.states import grep_history
from agentws.core.stores import purges, record, scrub, seals
from agentws.errors import AgentwsError, ChangedUnderneathError, UsageError
from agentws.features.forget import documents, events
from agentws.features.forget.elsewhere import InBackups, git_remotes, renew_mirrors, words
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.wanted import Wanted
from agentws.features.search.store import database

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from agentws.changes import ChangeSet
    from agentws.core.ports import Verbs
    from agentws.core.states.grep_history import Past
    from agentws.core.stores.stores import Stores
    from agentws.features.copies.backup.store.copies import HeldCopies
    from agentws.features.forget.events import Said
    from agentws.features.forget.plan.strike import StruckLine


KIND = "forgotten"
_IMPORTANCE = 7
_MOST_REASON = 1_000


@dataclass(slots=True)
class Forgotten:
    """The result of forget, or of a dry run.

    `lines` are (path, line) of documents and records, `events` those of the journal, `copies` the files of this machine
    that keep old words and lose them too. `changed` are (path, digest before, digest after). `left` and `history` say
    what keeps it all the same, `elsewhere` and `not_looked_for` in words; `unread` is what could not be looked at.
    `backups` are the backups that hold it, or from which it was taken, where these were to be changed (`reaches`);
    `mirrors` says which mirrors hold it.
    `known` names all that was found, for who agrees to it.
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
    elsewhere: Sequence[str] = ()
    not_looked_for: Sequence[str] = ()
    unread: Sequence[str] = ()
    changed: Sequence[tuple[str, str, str]] = ()
    cursor: str = ""
    notices: list[str] = field(default_factory=list)
    backups: Sequence[HeldCopies] = ()
    mirrors: Sequence[str] = ()
    reaches: bool = False

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
        """Return whether mirrors hold it, or backups may that were to be changed and could not be looked at."""
        return self.reaches and bool(self.mirrors or any(one.absent for one in self.backups))

    @property
    def _in_backups(self) -> int:
        """How many backups hold it, where these are to be changed, and can be."""
        return sum(len(one.names) for one in self.backups if one.clears) if self.reaches else 0

    @property
    def is_left(self) -> bool:
        """Return whether this workspace still holds it, but for past states in git, and somebody else has to act; of
        backups, where these were to be changed.
        """
        here = any(one.holds for one in self.left) or any(event.line.waiting for event in self.events)
        there = bool(self.mirrors) or any(one.is_held for one in self.backups)
        return here or (self.reaches and there)

    @property
    def counted(self) -> str:
        """Return the number of matches, in words."""
        parts = []
        if self.lines:
            parts.append(f"{_many(len(self.lines), 'line')} of {_many(len({path for path, _ in self.lines}), 'file')}")
        if self.events:
            parts.append(f"the text of {_many(len(self.events), 'event')} in the journal")
        if self.copies:
            parts.append(f"{_many(len(self.copies), 'old version')} on this machine")
        return ", ".join(parts) or "nothing"

    @property
    def planned(self) -> str:
        """Return the number of matches, those in backups too, in words."""
        parts = [self.counted] if self.is_here else []
        parts += [f"copies in {_many(self._in_backups, 'backup')}"] if self._in_backups else []
        parts += ["copies in mirrors"] if self.reaches and self.mirrors else []
        away = sum(bool(one.absent) for one in self.backups) if self.reaches else 0
        parts += [f"what {_many(away, 'destination')} may hold that cannot be reached now"] if away else []
        return ", ".join(parts)

    @property
    def known(self) -> str:
        """A digest of all that was found."""
        found = [
            f"{path}:{one.line} {digest.of(one.text.encode('utf-8', 'surrogateescape'))}" for path, one in self.lines
        ]
        found += [event.line.cursor for event in self.events]
        found += [f"{one.to} {name}" for one in self.backups if self.reaches for name in one.names]
        return digest.of("\n".join([*found, *self.copies]).encode("utf-8", "surrogateescape"))


def forget(
    stores: Stores,
    *,
    matching: Sequence[str] = (),
    subjects: Sequence[str] = (),
    reason: str = "",
    dry_run: bool = False,
    known: str | None = None,
    copies: bool = False,
) -> Forgotten:
    """Take out every line, entry and body that holds one of these texts, or names one of these subjects.

    Lines become empty, so that other lines keep their numbers. Nothing of this can be taken back. `known` is what an
    earlier dry run found (its `known`): ChangedUnderneathError, and nothing changed, where there is more or less now.
    With `copies` it goes from backups too, where these can be changed; one that cannot be reached is remembered.
    UsageError for a text that is too short, or a reason that says what is to be forgotten.
    """
    wanted = Wanted(matching=matching, subjects=subjects)
    _check(reason, wanted)
    if not dry_run:
        stores.check_writable()
        stores.settle()
        from agentws.core.states import received  # a dry run does without

        received.sweep(stores.files)
    run = stores.clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = documents.find(stores, wanted, run=run, dry_run=dry_run)
    said = events.find(stores, wanted, {(path, one.line) for path, one in found.lines})
    states = _in_checkpoints(stores, wanted, found, said)
    beside, unread = leftovers.holding(stores.files, said.blobs, _is_in(wanted))
    said.unread += unread
    old = [*_copies(stores, _is_in(wanted)), *beside]
    done = Forgotten(run, reason, dry_run, found.lines, said.events, old, found.changes, reaches=copies)
    done.left = _here(stores, wanted, found, said)
    in_backups = InBackups(stores, wanted)
    done.backups = in_backups.look(reaches=copies)
    if known is not None and known != done.known:
        raise ChangedUnderneathError(
            "Files changed after the matches were listed; nothing was forgotten.",
            hint="Re-run the same command to list the matches again.",
        )
    if not dry_run and done.is_here:
        _carry_out(stores, wanted, done)
        if states:
            from agentws.features.forget import checkpoints

            checkpoints.remove(stores, states, wanted)
        leftovers.forget(stores.files, beside, lambda data: strike.blanked(data, wanted))
    if not dry_run and copies:
        done.backups = in_backups.clear(reason, run=run)
        done.notices += [*in_backups.notices, *(renew_mirrors(stores) if not done.is_here else ())]
    done.mirrors = list(in_backups.mirrors())
    if not dry_run:
        _clear_cache(stores, done.notices)
    unread = [*found.unread, *said.unread]
    done.unread = unread
    done.notices += [*stores.notices, *unread, *events.steps_again(said), *_large(found), *_unseen(stores, found)]
    done.history = _history(stores, wanted, done.notices)
    told = words(done.backups, reaches=copies, dry_run=dry_run)
    done.elsewhere = (*told, *done.mirrors, *git_remotes(done.history), *_ELSEWHERE)
    done.not_looked_for = _NOT_LOOKED_FOR
    return done


def _check(reason: str, wanted: Wanted) -> None:
    if len(reason) > _MOST_REASON:
        raise UsageError(f"--reason must have at most {_MOST_REASON:,} characters.")
    if wanted.is_in(reason):
        raise UsageError(
            "--reason contains the text to forget, and would be recorded.", hint="Word the reason differently."
        )


def _in_checkpoints(
    stores: Stores, wanted: Wanted, found: documents.DocumentMatches, said: events.EventMatches
) -> list[tuple[str, str]]:
    """The checkpoints that hold it (task, id), each noted in `found`."""
    if not stores.files.exists(layout.CHECKPOINTS):
        return []
    from agentws.features.forget import checkpoints

    states = checkpoints.find(stores, wanted, said.unread)
    found.lines += checkpoints.lines(states)
    return states


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
    agent, own = stores.manifest.agent_id, stores.environment.state
    from agentws.core.installation import remotes  # a dry run needs none of it
    from agentws.features.memory.curate import curation
    from agentws.features.search import recall_marks

    synced = remotes.forgotten(stores.files, agent, own, at=stores.now_text(), lines=_going(stores, done))
    done.notices += [f"The remotes still hold it ({', '.join(synced)}): agentws sync"] if synced else []
    if done.changes.changes:
        stores.apply(done.changes)
    changes = scrub.unfinished(stores.files)
    done.changed = [(change["path"], change["before"], change["after"]) for change in changes]
    recorded, notices = record.record(stores, [record.Happening(KIND, _body(wanted, done))])
    done.cursor = recorded[0].cursor or ""
    if done.events:
        notices += purges.forget(stores, [event.line for event in done.events], reason=done.reason or KIND)
    scrub.scrub(stores.files, _is_in(wanted), lambda data: strike.blanked(data, wanted))
    curation.forget(stores.files)
    recall_marks.forget(stores.files)
    for state in _states(stores):
        if stale_copy.names(state, _is_in(wanted)):
            stale_copy.forget(state, _is_in(wanted))
    done.notices += [*notices, *seals.quietly(stores), *renew_mirrors(stores)]


def _going(stores: Stores, done: Forgotten) -> Iterator[bytes]:
    """The lines of documents that go."""
    for change in done.changes.changes:
        if isinstance(change, Write) and change.path.endswith(".md"):
            after = {line.strip() for line in change.data.split(b"\n")}
            before = (line.strip() for line in stores.files.read(change.path).split(b"\n"))
            yield from (line for line in before if line and line not in after)


def _clear_cache(stores: Stores, notices: list[str]) -> None:
    """Let nothing of it stay in what was remembered, nor in the index of search, of lines that went long ago either."""
    stores.kept = None  # a search may have left the index open
    try:
        _forget_vectors(stores, notices)
        stores.cache.clear()
        stores.cache.forget_backups()
        _sweep()
        database.forget(stores.cache.folder)
    except OSError as error:
        notices.append(
            f"The cache of this machine was not cleared: {error}. Delete this folder yourself: {stores.cache.folder}"
        )


def _sweep() -> None:
    """Remove what killed restores and drills have left in the folder for temporary files."""
    from agentws.features.copies.migrate.store import temporary  # seldom

    temporary.sweep()


def _forget_vectors(stores: Stores, notices: list[str]) -> None:
    verbs: Verbs = stores  # type: ignore[assignment]
    said = stores.notices
    notices += verbs.forget_vectors()
    stores.notices = said  # another verb begins with none


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
        "events": [event.line.cursor for event in done.events],
    }


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"


_MOST_NAMED = 8
_MOST_BYTES = 8 << 20
"""Of larger files no lines are named."""
_LOCK = ".lock"
"""What a lock says of its holder is written anew by the next one."""
_NOT_OURS = (f"{layout.JOURNAL}/", f"{local_dir.UNDO}/", f"{local_dir.QUARANTINE}/")
_KEPT = (local_dir.CHANGES, local_dir.RECEIVED_TASKS, *scrub.LEFT)
"""What is looked through otherwise, or names tasks that are named themselves."""
_NO_DOCUMENT = "not a document: edit this file yourself"
_ELSEWHERE = (
    "Backups, clones and other machines keep their copies: forget the text there too.",
    "Agent programs keep their own records, perhaps also of this command.",
)


_NOT_LOOKED_FOR = ("Not searched: compressed, encrypted or base64 data, images, sound, office files, other spellings.",)


@dataclass(frozen=True, slots=True)
class Remainder:
    """A `place` to look at, and why; `holds` tells that it keeps what was to be forgotten."""

    place: str
    why: str
    holds: bool = True


def _here(
    stores: Stores, wanted: Wanted, found: documents.DocumentMatches, said: events.EventMatches
) -> list[Remainder]:
    """What this workspace keeps of it, and what to look at by hand. What was not searched is noted in `found`."""
    seen = scan.look(stores.files)
    found.unread += [
        f"Not searched: {path} is not a regular file."
        for path, one in sorted(seen.entries.items())
        if one.kind == scan.OTHER and layout.is_document(path)
    ]
    if seen.cut:
        found.unsearched.append("There are too many files: some that are not documents were not searched.")
    left = [
        Remainder(path, "the file name contains the text: rename the file and correct all references")
        for path in _names(wanted, seen)
    ]
    left += [Remainder(path, "too large to be changed: split the file") for path, holds in found.large.items() if holds]
    left += _others(stores, wanted, seen, found.looked)
    left += [Remainder(cursor, what) for cursor, what in said.kept]
    left += [
        Remainder(f"{path}:{line}", "a heading was removed here: check the text below", holds=False)
        for path, line in found.headings
    ]
    left += [
        Remainder(f"{layout.MEMORY}:{line}", "this entry came from a removed line: check the entry", holds=False)
        for line in found.derived
    ]
    return left


def _large(found: documents.DocumentMatches) -> list[str]:
    """The documents that cannot be changed, in words."""
    return [f"{path}: larger than {DOCUMENT_LIMIT_BYTES >> 20} MiB: searched, but not changed." for path in found.large]


def _unseen(stores: Stores, found: documents.DocumentMatches) -> list[str]:
    """What was not looked at, in words."""
    ours = {path.partition("/")[0] for path in found.looked}
    names = [
        name
        for name, kind in stores.files.names()
        if kind == "folder" and not name.startswith(".") and name not in ours and not _is_ours(name)
    ]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    told = ", ".join(f"{name}/" for name in names[:_MOST_NAMED])
    others = [f"Not searched, because agentws does not use these folders: {told}{more}."] if names else []
    return [*found.unsearched, *others]


def _history(stores: Stores, wanted: Wanted, notices: list[str]) -> Past | None:
    """The past states in git that hold it; None where there is no git repository, or none holds it."""
    if not stores.files.exists(local_dir.FOLDER):
        return None
    try:
        scratch = f"{stores.root}/{local_dir.FOLDER}"
        past = grep_history.holding(stores.root, scratch, lambda data: strike.holds(data, wanted))
    except (AgentwsError, OSError) as error:
        notices.append(f"Past states in git were not searched: {error}")
        return None
    if past is not None and past.unread:
        notices.append(f"{past.unread:,} files of past states in git are too large or too many to search.")
    return past if past is not None and past.commits else None


def _is_ours(name: str) -> bool:
    return name in (layout.JOURNAL, layout.CONFLICTS, layout.CHECKPOINTS) or layout.is_document(f"{name}/x.md")


def _names(wanted: Wanted, seen: scan.Look) -> list[str]:
    return [path for path, one in sorted(seen.entries.items()) if wanted.is_in(one.name) and not _is_kept(path)]


def _is_kept(path: str) -> bool:
    return path.startswith(_NOT_OURS) or path in _KEPT or path.endswith(_LOCK)


def _others(stores: Stores, wanted: Wanted, seen: scan.Look, looked: Collection[str]) -> Iterator[Remainder]:
    """The lines of other files that hold it."""
    for path, one in sorted(seen.entries.items()):
        if one.kind != scan.FILE or path in looked or _is_kept(path):
            continue
        try:
            held = any(strike.holds(piece, wanted) for piece in content.pieces(stores.files, path))
            lines = _lines(stores.files.read(path), wanted) if held and one.size_bytes <= _MOST_BYTES else []
        except AgentwsError:
            continue  # it went away meanwhile
        yield from [Remainder(f"{path}:{line}", _NO_DOCUMENT) for line in lines] or [
            Remainder(path, _NO_DOCUMENT)
        ] * held


def _lines(data: bytes, wanted: Wanted) -> list[int]:
    """The numbers of the first lines that hold it."""
    lines = enumerate(data.decode("utf-8", "replace").split("\n"), 1)
    return list(islice((number for number, line in lines if wanted.is_in(line)), _MOST_NAMED))
