"""compact: days older than the window become entries of MEMORY.md, and nothing of them is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from agentws.changes import Move, Write
from agentws.errors import AgentwsError, UsageError
from agentws.formats import layout, origin
from agentws.formats.text import names
from agentws.operations.compact import exclusive, inputs, journal, mode, nearby_days, parts, retention
from agentws.operations.compact import summarizer as summarizing
from agentws.planning.compact import decision, digest, fold
from agentws.planning.compact.decision import Room
from agentws.planning.notes import vocabulary
from agentws.planning.tokens import counters
from agentws.storage.disk import clock
from agentws.storage.system import vocabulary as tables
from agentws.storage.workspace import marks, provenance, record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from agentws.changes import ChangeSet
    from agentws.operations.compact.inputs import Found
    from agentws.planning.compact.choice import Choice
    from agentws.planning.notes.document import File
    from agentws.ports import Verbs
    from agentws.storage.workspace.stores import Stores

    Progress = Callable[[str, int, int], None]

BEGAN, FINISHED = "compaction.began", "compaction.finished"


class Wishes(NamedTuple):
    """The options of a run; None for what the manifest, or the user's settings, say."""

    before: str | None
    budget: int | None
    tokenizer: str | None
    summarizer: str | None
    settings: str | None


class Compacted:
    """The result of a run, or of a dry run.

    `days` are the paths of the days that were folded and where each is now, empty where it stayed; `moved` other files
    that the rules of retention moved, and days that were folded before days moved; `deleted` those that the rules
    deleted. `skipped` are files that cannot be folded or moved, each with its reason: they stay. `choice` is what
    became of the sentences in this `mode`, `memory` the text of MEMORY.md before and now, `tokens` its size by
    `counter`; `page` and `page_tokens` are those of the digest. `budget` is for its section and the digest together.
    `journal` says what became of its segments, `checkpoints` are the paths of those that their rules keep no longer.
    `must_agree`: it is the first run here, and nobody has agreed to it yet; nothing was changed.
    """

    __slots__ = (
        "budget", "changes", "checkpoints", "choice", "counter", "days", "deleted", "dry_run", "journal", "memory",
        "mode", "moved", "must_agree", "notices", "page", "page_tokens", "run", "skipped", "tokens",
    )  # fmt: skip

    def __init__(self, run: str, changes: ChangeSet, choice: Choice, *, dry_run: bool) -> None:
        self.run = run
        self.changes = changes
        self.choice = choice
        self.dry_run = dry_run
        self.must_agree = False
        self.days: Sequence[tuple[str, str]] = ()
        self.moved: Sequence[tuple[str, str]] = ()
        self.deleted: Sequence[str] = ()
        self.skipped: Sequence[tuple[str, str]] = ()
        self.memory = self.page = ("", "")
        self.tokens = self.page_tokens = (0, 0)
        self.budget = 0
        self.counter = self.mode = ""
        self.journal = journal.JournalCompacted()
        self.checkpoints: Sequence[str] = ()
        self.notices: list[str] = []

    def follow(self, first: Compacted) -> None:
        """Tell of the run before this one too; of what it did not keep this one alone tells."""
        self.choice = parts.chosen(first.choice, self.choice)
        self.changes = parts.changed(first.changes, self.changes)
        self.days, self.moved = [*first.days, *self.days], [*first.moved, *self.moved]
        self.deleted = [*first.deleted, *self.deleted]
        self.memory, self.page = (first.memory[0], self.memory[1]), (first.page[0], self.page[1])
        self.tokens = (first.tokens[0], self.tokens[1])
        self.page_tokens = (first.page_tokens[0], self.page_tokens[1])


def compact(
    stores: Stores,
    *,
    before: str | None = None,
    budget: int | None = None,
    tokenizer: str | None = None,
    summarizer: str | None = None,
    settings: str | None = None,
    agreed: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Compacted:
    """Fold every day that is older than `before` (`14d`, a date), within `budget` tokens of what it writes.

    `summarizer` is the command line of a program that then answers the brief of `curate`, `builtin` for none; without
    it, what the user's own `settings` file (a path) names. Its answer is checked; where it fails nothing changes.
    More than parts.MOST_BYTES of logs are folded in several runs, each whole by itself, the oldest days first.
    The first run in a workspace whose days stay where they are changes nothing until `agreed`. ChangedUnderneathError
    where MEMORY.md or a day was edited meanwhile, LockHeldError where another run is at it: nothing is changed then.
    """
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    words = Wishes(before, budget, tokenizer, summarizer, settings)
    if dry_run:
        done = _every(stores, words, agreed=agreed, dry_run=True, progress=progress)
        done.journal = journal.compact(stores, dry_run=True)
        done.checkpoints = _checkpoints(stores, dry_run=True)
    else:
        try:
            with exclusive.alone(stores, "compact"):
                stores.notices = _expire(stores)
                done = _every(stores, words, agreed=agreed, dry_run=False, progress=progress)
                if not done.must_agree:
                    done.journal = journal.compact(stores, dry_run=False)
                    done.checkpoints = _checkpoints(stores, dry_run=False)
        except Exception as error:  # a bug too: what fails every night must be loud, whatever it is
            marks.add_failure(stores.files, marks.COMPACTION, f"{stores.clock.now():%Y-%m-%d %H:%M}: {error}")
            raise
        if not done.must_agree:
            marks.clear_failures(stores.files, marks.COMPACTION)
            stores.notices += summarizing.ask(stores, summarizer, settings)
    done.notices = list(dict.fromkeys(stores.notices))
    return done


def _expire(stores: Stores) -> list[str]:
    """Record which approvals expired, for the rules of retention; the notices so far, and those of that."""
    verbs: Verbs = stores  # type: ignore[assignment]
    said = stores.notices
    return [*said, *verbs.expire_approvals()]  # another verb begins with none


def _checkpoints(stores: Stores, *, dry_run: bool) -> list[str]:
    if not stores.files.exists(layout.CHECKPOINTS):
        return []
    from agentws.operations.compact import checkpoints  # most workspaces have none

    return checkpoints.prune(stores, dry_run=dry_run)


def _every(stores: Stores, wishes: Wishes, *, agreed: bool, dry_run: bool, progress: Progress | None) -> Compacted:
    """One run, or as many as a long history needs; where nothing is changed yet, the first of them."""
    ends = parts.ends(stores, _first_kept(stores, wishes.before))
    count = len(ends)
    if progress is not None:
        progress("runs", 0, count)
    done = _run(stores, wishes, before=ends[0], agreed=agreed, dry_run=dry_run)
    if dry_run or done.must_agree:
        ends = ends[:1]
    for number, before in enumerate(ends[1:], 1):
        if progress is not None:
            progress("runs", number, count)
        earlier = done
        earlier.choice = replace(earlier.choice, dropped=())  # that would hold all its days
        done = _run(stores, wishes, before=before, agreed=agreed, dry_run=False)
        done.follow(earlier)
    if count > 1:
        stores.notices.append(parts.told(count, ends[0], is_done=len(ends) == count))
    stores.notices += _told(done.choice)
    if progress is not None:
        progress("runs", count, count)
    return done


def _run(stores: Stores, wishes: Wishes, *, before: str, agreed: bool, dry_run: bool) -> Compacted:
    now = stores.clock.now()
    today = now.date().isoformat()
    found = retention.into(stores, inputs.read(stores, before=before), today)
    counter = counters.counter(wishes.tokenizer or stores.manifest.setting("boot.tokenizer"), tables.open_o200k)
    run = _name(now, found.sidecar.runs)
    room = _room(stores, wishes.budget)
    chosen = mode.of(stores, found)
    choice = decision.choose(
        found.folder,
        found.section,
        found.sidecar,
        room=room,
        counter=counter,
        mode=chosen,
        besides=nearby_days.days(stores, found.folder),
        private_tags=stores.manifest.setting("boot.private_tags"),
        unmarked=_unmarked(stores, found),
        words=vocabulary.extended(stores.manifest.vocabulary),
    )
    asks = found.is_first and not stores.manifest.setting("compaction.archive") and not agreed
    _, said = summarizing.wanted(stores, wishes.summarizer, wishes.settings)
    stores.notices += said
    found.folder = fold.without(found.folder, choice.held)
    if not digest.is_ours(found.folder.page.text):
        stores.notices.append(
            f"{digest.PATH} was not written by agentws, so agentws writes no digest. Rename that file."
        )
    changes = fold.fold(found.folder, choice, found.sidecar, run=run, today=today)
    done = Compacted(run, changes, choice, dry_run=dry_run)
    done.days = [(one.path, found.folder.archive.get(one.path, "")) for _, one in found.folder.days]
    done.moved = [(one.path, to) for _, one, to in found.folder.shelved]
    done.deleted = [one.path for _, one in found.folder.expired]
    done.skipped = found.skipped
    stores.notices += [f"{path} is unchanged: {why}." for path, why in found.skipped]
    done.budget, done.counter, done.mode = room.both, counter.name, chosen
    done.memory, done.page = _text(found.folder.memory, changes), _text(found.folder.page, changes)
    done.tokens = (counters.tokens(counter, done.memory[0]), counters.tokens(counter, done.memory[1]))
    done.page_tokens = (counters.tokens(counter, done.page[0]), counters.tokens(counter, done.page[1]))
    done.must_agree = asks and bool(changes.changes)
    if changes.changes and not dry_run and not done.must_agree:
        _apply(stores, done)
    return done


def _unmarked(stores: Stores, found: Found) -> dict[str, str]:
    """The sources of entries that earlier versions made of what came from outside, and did not mark."""
    made = (found.sidecar.made.get(one.digest) for one in found.section.entries if not origin.of_line(one.text))
    return provenance.unmarked(stores.files, [one for one in made if one is not None])


def _apply(stores: Stores, done: Compacted) -> None:
    told = {"run": done.run, "days": len(done.days), "first": done.days[0][0] if done.days else ""}
    before = {change.path: change.expects for change in done.changes.changes if change.path == layout.MEMORY}
    _, notices = record.record(stores, [record.Happening(BEGAN, {"v": 1, **told, "before": before})])
    stores.notices += notices
    stores.apply(done.changes, run=done.run)
    stores.notices += _edited_on_the_way(stores, done.changes)
    counts = {"new": len(done.choice.new), "gone": len(done.choice.gone), "tokens": done.tokens[1]}
    finished = record.Happening(FINISHED, {"v": 1, **told, **counts})
    stores.notices += exclusive.told(stores, "The logs were compacted", finished)


def _edited_on_the_way(stores: Stores, changes: ChangeSet) -> list[str]:
    """What is not where it went to as it was when it was folded: no lock holds an editor off."""
    moved = {change.to: change.expects for change in changes.changes if isinstance(change, Move)}
    edited = [path for path, expected in moved.items() if _now(stores, path) != expected]
    return [
        f"{path}: edited while it was moved. The edit is kept; agentws compact --verify lists it." for path in edited
    ]


def _now(stores: Stores, path: str) -> str:
    try:
        return stores.files.digest(path)
    except AgentwsError:
        return ""  # --verify says why


def _name(now: datetime, runs: Collection[str]) -> str:
    """The name of a run: the second it began in, with a number where another one began in it too."""
    name = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    number = next(number for number in count(1) if _numbered(name, number) not in runs)
    return _numbered(name, number)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}.{number}"


def _first_kept(stores: Stores, before: str | None) -> str:
    """The first day (ISO) that is too young to be folded."""
    text = before or stores.manifest.setting("compaction.before")
    try:
        return clock.moment(text, now=stores.clock.now()).date().isoformat()
    except UsageError as error:
        if before:
            raise
        raise UsageError(f"{layout.MANIFEST}: compaction.before: {error.message}", hint=error.hint) from error


def _room(stores: Stores, budget: int | None) -> Room:
    """The tokens that the section of MEMORY.md may have, and those of it and the digest together."""
    wanted = budget if budget is not None else int(stores.manifest.setting("compaction.budget"))
    if wanted < 0 or (budget is not None and wanted == 0):
        raise UsageError(
            f"--budget must be at least 1, not {wanted}.",
            hint="--budget limits the section of MEMORY.md and the digest together.",
        )
    return Room(both=wanted) if wanted else Room()


def _told(choice: Choice) -> list[str]:
    """What a person should know of a choice."""
    if not choice.held:
        return []
    paths = sorted(choice.held)
    verb, each = ("were not compacted", "each") if len(paths) > 1 else ("was not compacted", "that log")
    said = f"an open item of {each} is not in {digest.PATH}. Close the item: agentws done, or agentws drop."
    return [f"{names.some(paths)} {verb}: {said}"]


def _text(file: File, changes: ChangeSet) -> tuple[str, str]:
    """A document before and after the changes."""
    after = file.text
    for one in changes.changes:
        if one.path == file.path:
            after = one.data.decode("utf-8", "surrogateescape") if isinstance(one, Write) else ""
    return file.text, after
