"""The answer of MEMORY.md's author: checked, and what holds applied as one change."""

from __future__ import annotations

from agentws.errors import AgentwsError, TooLargeError, UsageError
from agentws.formats.documents import sources
from agentws.operations.curate import material, referents
from agentws.planning.curate import change, checks, evidence, operations
from agentws.storage.workspace import curation, freshness, record, seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.changes import ChangeSet
    from agentws.formats.documents.entry_rows import About
    from agentws.operations.curate.material import Material
    from agentws.planning.curate.checks import Checked, Step
    from agentws.planning.curate.evidence import Evidence
    from agentws.planning.curate.operations import Operation
    from agentws.storage.workspace.stores import Stores

AGENT, PERSON, SUMMARIZER = "agent", sources.PERSON, "summarizer"
MOST_CHARS = 1 << 18


class Curated:
    """The result of an answer, or of a dry run: operations `applied` and `refused`, each with why, MEMORY.md's size.

    `declined` counts the candidates of the brief that are not offered again; `tokens` is the size of the section
    before and now. By the line of an operation, `left` are the texts of entries that left.
    """

    __slots__ = ("applied", "changes", "declined", "dry_run", "left", "notices", "refused", "tokens")

    def __init__(self, checked: Checked, changes: ChangeSet, *, dry_run: bool) -> None:
        self.applied: Sequence[Operation] = sorted((step.operation for step in checked.steps), key=lambda one: one.line)
        self.refused = list(checked.refused)
        self.left = {step.operation.line: [one.text for one in step.gone] for step in checked.steps if step.gone}
        self.changes = changes
        self.dry_run = dry_run
        self.declined = 0
        self.tokens = (0, 0)
        self.notices: list[str] = []


def curate(stores: Stores, answer: str, *, dry_run: bool = False, by: str = AGENT) -> Curated:
    """Apply the operations of an answer to a brief: those that hold as one change; the others are told with a reason.

    `by` is whose answer it is: AGENT or SUMMARIZER.

    UsageError where it holds no operation; ChangedUnderneathError where a file was edited at that moment.
    """
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    if len(answer) > MOST_CHARS:
        raise TooLargeError(f"The answer exceeds {MOST_CHARS:,} characters.", hint="Split the answer into several.")
    found = operations.parse(answer)
    if not found:
        raise UsageError("The answer contains no operation.", hint="See the brief: agentws curate")
    name = operations.brief_of(answer)
    if dry_run:
        return _apply(stores, found, name, by, dry_run=True)
    with material.alone(stores, "curate --apply"):
        return _apply(stores, found, name, by, dry_run=False)


def _apply(stores: Stores, found: Sequence[Operation], name: str, by: str, *, dry_run: bool) -> Curated:
    here = material.Material(stores)
    numbers = curation.read(stores.files)
    if name and name not in numbers.shown:  # of another machine, where a number is that of another entry, or too old
        for one in found:
            one.fault = one.fault or (f"unknown brief {name}; for a new one: agentws curate" if one.numbers else "")
    known, texts = referents.of(stores, [ref for one in found for ref in one.sources], here)
    checked = _checked(here, found, numbers, known, texts)
    before = {*here.sidecar.declined, *here.sidecar.made} - here.proposed
    left_out = _declined(numbers.waiting(name), checked, known, before)
    done = apply(stores, here, checked, left_out, by=by, dry_run=dry_run)
    if not dry_run and (checked.steps or done.declined):
        _remember(stores, numbers, name, done)
    return done


def _remember(stores: Stores, numbers: curation.Numbers, name: str, done: Curated) -> None:
    numbers.answered(stores.here().day, name)
    try:
        curation.keep(stores.files, numbers)
    except AgentwsError as error:
        done.notices.append(f"The answer was applied, but the next brief will not know of it: {error.message}")


def _checked(
    here: Material,
    found: Sequence[Operation],
    numbers: curation.Numbers,
    known: Mapping[str, Evidence],
    texts: Sequence[str],
) -> Checked:
    standing = checks.Standing(
        document=here.folder.memory.text,
        heading=here.heading,
        numbers=numbers.of,
        rows=here.rows,
        evidence=known,
        counter=here.counter,
        is_hidden=here.hidden.stand_in,
        small=evidence.plain_words([here.folder.memory.text, *texts]),
    )
    checked = checks.check(found, standing)
    if not any(why.startswith(checks.UNSAID) for _, why in checked.refused):
        return checked
    # A sentence may begin with a word that is no name: that is seen in all notes, which takes longer.
    standing.small = evidence.plain_words([one.text for entries in here.days for one in entries] + here.own())
    return checks.check(found, standing)


def _declined(
    offered: Sequence[list[str]], checked: Checked, known: Mapping[str, Evidence], before: Collection[str]
) -> list[list[str]]:
    """The candidates of the brief that the answer does not name; none where nothing of it could be used.

    Those that were declined `before` are written down already: this is the same answer again. What a refused operation
    names is offered again. Where it names a source that is none, that may be any of them.
    """
    refused = [one for one, _ in checked.refused]
    if not checked.steps or any(known[ref].fault for one in refused for ref in one.sources):
        return []
    taken = {each for step in checked.steps for each in referents.digests(step.operation, known)}
    taken |= {each for one in refused for each in referents.digests(one, known)}
    return [one for one in offered if not taken.intersection(one) and not set(one) <= {*before}]


def apply(
    stores: Stores,
    here: Material,
    checked: Checked,
    declined: Sequence[Sequence[str]],
    *,
    by: str,
    dry_run: bool,
    over: Sequence[Sequence[str]] = (),
) -> Curated:
    """Apply what was checked as one change; neither what was `declined` nor what is `over` is offered again."""
    for step in checked.steps:
        step.ties = _renewed(stores, here, step)
    made = change.changes(
        here.folder,
        checked,
        here.rows,
        declined={each for one in (*declined, *over) for each in one},
        today=stores.here().day,
        at=stores.now_text(),
        by=by,
    )
    done = Curated(checked, made, dry_run=dry_run)
    done.declined = len(declined)
    done.tokens = (here.size, checks.size(checked.document, here.heading, here.counter))
    if made.changes and not dry_run:
        stores.apply(made)
        stores.notices += _told(stores, done)
    done.notices += dict.fromkeys(stores.notices)
    return done


def _renewed(stores: Stores, here: Material, step: Step) -> dict[str, About]:
    """What confirmed entries are about, as it is now; nothing of a file that is gone."""
    found = {}
    for entry in step.confirms:
        known = here.rows[entry.digest].about
        try:
            if known is not None:
                found[entry.digest] = freshness.about(stores.files, known.path)
        except UsageError:
            continue
    return found


def _told(stores: Stores, done: Curated) -> list[str]:
    """Record what was done; a journal that refuses it is a notice, for the files are changed and safe."""
    counts = {"applied": len(done.applied), "refused": len(done.refused), "declined": done.declined}
    text = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing"
    try:
        _, notices = record.record(stores, [record.Happening("memory.curated", {"v": 1, "text": text, **counts})])
    except AgentwsError as error:
        return [f"The answer was applied, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
    return [*notices, *seals.quietly(stores)]
