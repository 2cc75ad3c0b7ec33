"""journal purge: remove the bodies of events; that they existed, when, and of what kind, stays provable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC

from agentws.core import Result
from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.installation import backups, remotes
from agentws.core.journal import read
from agentws.core.states import repository
from agentws.core.stores import purges, seals
from agentws.core.stores.purges import PurgedEvent
from agentws.core.stores.stores import Stores
from agentws.core.stores.traces import HeldCopies
from agentws.core.text.names import some
from agentws.errors import UsageError

_MOST_REASON = 1_000
_REACH = "To remove the content there too: re-run with --copies."
_AGAIN = "Re-run the command with --copies when they can be reached."


@dataclass(slots=True, repr=False)
class Purged(Result):
    """The result of a purge, or of a dry run: one line per event, in the order given.

    `backups` are those that hold or held the bodies.
    """

    lines: list[PurgedEvent]
    reason: str
    dry_run: bool
    notices: list[str]
    backups: list[HeldCopies] = field(default_factory=list)


def purge(
    stores: Stores, cursors: Sequence[str], *, reason: str, dry_run: bool = False, copies: bool = False
) -> Purged:
    """Purge events: remove the bodies at these cursors (`WRITER:SEQ`), and record the reason in the journal.

    UsageError for an invalid cursor or an event that the journal needs, MissingFileError for an event that does not
    exist: then nothing is written. After a kill, the same call finishes the work. With `copies` the bodies are removed
    from backups too, if these can be changed; unreachable ones are recorded.
    """
    if not reason.strip() or len(reason) > _MOST_REASON:
        raise UsageError(
            f"--reason must have 1 to {_MOST_REASON:,} characters.", hint='--reason "a password was printed"'
        )
    if not cursors:
        raise UsageError("Name the events to purge.", hint="To find them: agentws journal list")
    places = dict.fromkeys(read.cursor(stores.files, each) for each in cursors)
    lines = [purges.named(stores, *place) for place in places]
    done = Purged(lines, reason, dry_run=dry_run, notices=list(stores.notices))
    if not dry_run:
        stores.check_writable()
        is_new = not all(line.already for line in lines)  # else the remotes were noted when it was
        synced = remotes.forgotten(*stores.machine, at=stores.now_text()) if is_new else []
        done.notices += [f"The remotes still hold it ({some(synced)}): agentws sync"] if synced else []
        done.notices += [*purges.forget(stores, lines, reason=reason), *_uncached(stores)]
        done.notices += seals.quietly(stores)  # what no seal covers orders nothing on other machines
    if backups.read(*stores.machine):
        done.backups = _in_backups(stores, done, copies=copies)
        how = _AGAIN if copies and not dry_run else _REACH
        done.notices += [words for backup in done.backups for words in backup.words(how=how)]
    done.notices += _elsewhere(stores, lines)
    return done


def _in_backups(stores: Stores, done: Purged, *, copies: bool) -> list[HeldCopies]:
    """Return the backups that hold the bodies; with `copies` remove them there, and record unreachable backups."""
    from agentws.features.copies.backup.store import due, erase

    search = erase.EventSearch(done.lines)
    if not copies or done.dry_run:
        return erase.look(stores, search, reaches=copies)
    run = stores.clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    eraser = erase.Eraser(stores, done.reason, run=run)
    result = erase.clear(eraser, search)
    eraser.notices += seals.quietly(stores)
    reached = {
        held_copies.to: not (held_copies.absent or (held_copies.stays and held_copies.names)) for held_copies in result
    }
    words = sorted(f"e {line.cursor}" for line in done.lines)
    done.notices += [*eraser.notices, *due.remember(stores, reached, words, run=run, verb=due.PURGE)]
    return result


def _uncached(stores: Stores) -> list[str]:
    """Clear this machine's caches, also those for backups; returns a notice on failure."""
    try:
        stores.cache.clear()  # what was read of events is read again
        stores.cache.forget_backups()
    except OSError as error:
        return [f"The cache was not cleared: {error}. Delete this folder yourself: {stores.cache.folder}"]
    return []


def _elsewhere(stores: Stores, lines: Sequence[PurgedEvent]) -> list[str]:
    """Return notices of other places that may hold the purged text: handoffs, quarantine and git history."""
    notices = []
    endings = tuple({handoff.path_for("", line.session).rpartition("/")[2] for line in lines if line.session})
    handoffs = [name for name, _ in stores.files.names(layout.HANDOFFS) if name.endswith(endings)]
    if handoffs:
        notices.append(
            f"The session's handoffs may quote it ({some(handoffs)}). To remove it: agentws forget --matching TEXT"
        )
    if stores.files.names(local_dir.QUARANTINE):
        notices.append(
            f"{local_dir.QUARANTINE} contains data saved after crashes. Check whether the purged text is in there, too."
        )
    if repository.find(stores.root) is not None and not stores.files.exists(f"{layout.JOURNAL}/.gitignore"):
        notices.append("If git tracks the journal, past states in git still contain the purged text.")
    return notices
