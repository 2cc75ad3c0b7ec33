"""Applies the answer to a curation brief, or a person's decisions in a review, as one change of MEMORY.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentws.changes import ChangeSet
from agentws.core.disk.system.user_programs import TIMEOUT_S, Command
from agentws.core.formats.documents import managed, sources
from agentws.core.formats.documents.entry_rows import About
from agentws.core.formats.secrets import secrets
from agentws.core.stores import freshness, record, seals
from agentws.core.stores.stores import Stores
from agentws.core.text import origin
from agentws.errors import AgentwsError, TooLargeError, UsageError
from agentws.features.memory.curate import curation, referents
from agentws.features.memory.curate.brief import Material, curating, made
from agentws.features.memory.curate.plan import checks, operations
from agentws.features.memory.curate.plan.brief import Line, Lines
from agentws.features.memory.curate.plan.operations import Operation

AGENT, PERSON, SUMMARIZER = "agent", sources.PERSON, "summarizer"
MOST_CHARS = 1 << 18
_ORDER = """\
You are the author of an agent's long-term memory. Below is a brief. Answer only with operations, one per line, as
its last section says: no introduction, no remarks.

"""
_MOST_PROPOSED = 50
"""The most candidates in one review."""
YES, NO = "y", "n"
_MOST_NAMED, _MOST_NAMED_CHARS = 3, 80


@dataclass(slots=True)
class Curated:
    """The result of an answer to a curation brief, or its dry run: operations `applied` and `refused`, each with why.

    `declined` counts the candidates of the brief that will not be offered again; `tokens` is the size of the section
    before and now. `left` are the texts of removed entries, by the line of the operation.
    """

    applied: Sequence[Operation]
    refused: Sequence[tuple[Operation, str]]
    left: Mapping[int, list[str]]
    changes: ChangeSet
    dry_run: bool
    declined: int
    tokens: tuple[int, int]
    notices: list[str] = field(default_factory=list)


def curate(stores: Stores, answer: str, *, dry_run: bool = False, by: str = AGENT) -> Curated:
    """Apply the operations of an answer to a curation brief: valid ones as one change, others are refused with why.

    `by` is whose answer it is: AGENT or SUMMARIZER. UsageError if it holds no operation; ChangedUnderneathError if a
    file was edited at that moment.
    """
    if len(answer) > MOST_CHARS:
        raise TooLargeError(f"The answer exceeds {MOST_CHARS:,} characters.", hint="Split the answer into several.")
    parsed = operations.parse(answer)
    if not parsed:
        raise UsageError("The answer contains no operation.", hint="See the brief: agentws curate")
    name = operations.brief_of(answer)
    with curating(stores, "curate --apply", is_alone=not dry_run) as material:
        numbers = curation.read(stores.files)
        for operation in parsed if name and name not in numbers.shown else ():
            if operation.numbers and not operation.fault:  # numbers of another machine may mean other entries
                operation.fault = f"unknown brief {name}; for a new one: agentws curate"
        known = referents.of(stores, parsed, material)
        checked = checks.check(parsed, material.standing(numbers.of, known))
        # Candidates that were declined before are recorded already: this is the same answer again.
        before = {*material.sidecar.declined, *material.sidecar.made}
        before -= {proposal.digest for proposal in material.proposed}
        refused = [operation for operation, _ in checked.refused]
        # Candidates that a refused operation names are offered again; with an invalid source, any may be meant.
        is_any = any(known[ref].fault for operation in refused for ref in operation.sources)
        named = [*refused, *(step.operation for step in checked.steps)]
        taken = {digest for operation in named for digest in referents.digests(operation, known)}
        offered = numbers.waiting(name) if checked.steps and not is_any else []
        left_out = [digests for digests in offered if taken.isdisjoint(digests) and not {*digests} <= before]
        done = apply(stores, material, checked, left_out, by=by, dry_run=dry_run)
        if not dry_run and (checked.steps or done.declined):
            numbers.answered(stores.here().day, name)
            try:
                curation.keep(stores.files, numbers)
            except AgentwsError as error:
                done.notices.append(f"The answer was applied, but the next brief will not know of it: {error.message}")
    return done


def ask(stores: Stores, command: str, *, timeout_s: float = TIMEOUT_S, summarizer: Command | None = None) -> list[str]:
    """Send a curation brief to a summarizer program, and apply the valid operations of its answer; return notices.

    It is asked only if there are candidates, and its answer is checked like any author's. A failure is a notice, and
    leaves MEMORY.md as it is. `summarizer` replaces the program of the command line.
    """
    summarizer = summarizer or Command(command, timeout_s=timeout_s)
    try:
        with curating(stores, "curate") as material:
            shown = made(stores, material)
        if not shown.candidates:
            return []
        answer = summarizer.summarize(_ORDER + secrets.hide(shown.text)[0])
        if answer.failure:
            return [f"The summarizer failed: {answer.failure}. MEMORY.md is unchanged."]
        if not operations.parse(answer.text):
            return ["The summarizer gave no answer. MEMORY.md is unchanged."]
        done = curate(stores, answer.text, by=SUMMARIZER)
    except AgentwsError as error:
        return [f"The summarizer changed nothing: {error.message}"]
    notices = []
    if count := sum(operation.verb != operations.NONE for operation in done.applied):
        notices.append(f"Summarizer operations applied: {count}. To undo all: agentws undo")
    if done.refused:
        named = "; ".join(f"“{step.raw[:_MOST_NAMED_CHARS]}”: {why}" for step, why in done.refused[:_MOST_NAMED])
        more = f"; and {len(done.refused) - _MOST_NAMED} more" if len(done.refused) > _MOST_NAMED else ""
        notices.append(f"Summarizer operations refused: {len(done.refused)}. {named}{more}.")
    return notices


def apply(
    stores: Stores,
    material: Material,
    checked: operations.Checked,
    declined: Sequence[Sequence[str]],
    *,
    by: str,
    dry_run: bool,
    over: Sequence[Sequence[str]] = (),
    rejected: Sequence[str] = (),
) -> Curated:
    """Apply an answer's checked operations as one change; candidates that are `declined` or `over` are not repeated.

    `rejected` are the texts that a person declined.
    """
    ties: dict[str, About] = {}
    for entry in (entry for step in checked.steps for entry in step.confirms):
        about = material.rows[entry.digest].about
        try:
            ties |= {entry.digest: freshness.about(stores.files, about.path)} if about is not None else {}
        except UsageError:  # the file is gone
            continue
    changes = operations.changes(
        material.folder,
        checked,
        material.rows,
        ties=ties,
        declined={digest for digests in (*declined, *over) for digest in digests},
        today=stores.here().day,
        at=stores.now_text(),
        by=by,
    )
    done = Curated(
        applied=sorted((step.operation for step in checked.steps), key=lambda operation: operation.line),
        refused=checked.refused,
        left={step.operation.line: [entry.text for entry in step.gone] for step in checked.steps if step.gone},
        changes=changes,
        dry_run=dry_run,
        declined=len(declined),
        tokens=(material.size(), material.size(checked.document)),
    )
    if changes.changes and not dry_run:
        if new := [*operations.kept_out(checked.steps, rejected)]:
            from agentws.core.stores import kept_out  # seldom

            kept_out.add(stores, new)
        stores.apply(changes)
        counts = {"applied": len(done.applied), "refused": len(done.refused), "declined": done.declined}
        text = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing"
        curated = record.Happening("memory.curated", {"v": 1, "text": text, **counts})
        stores.notices += seals.recorded(stores, "The answer was applied", curated)
    done.notices += dict.fromkeys(stores.notices)
    return done


@dataclass(slots=True)
class Proposed:
    """A candidate for MEMORY.md on which a person decides in a review.

    Fields:
        text, kind: what MEMORY.md would say. why: what speaks for it.
        digests: by which it is recognised once it was declined.
        sources: the references to where it was said, each with whose words these are and what they say.
        near: lines of MEMORY.md on the same subject, each with its name and its day.
        entry: the digest of the entry under `Heard, not verified` that it would replace; empty for a new one.
        decision: YES, NO, or empty: later.
        edited: the text in the person's own words; empty if they left it.
    """

    text: str
    kind: str
    why: str
    digests: Sequence[str] = ()
    sources: Sequence[tuple[str, str, str]] = ()
    near: Sequence[Line] = ()
    entry: str = ""
    decision: str = ""
    edited: str = ""


@dataclass(slots=True)
class Review:
    """The candidates that a review of MEMORY.md has `proposed`, and notices."""

    proposed: list[Proposed]
    notices: Sequence[str]


def review(stores: Stores, *, dry_run: bool = False) -> Review:
    """Return what a person has to decide about MEMORY.md: candidates, unverified entries from outside.

    Writes nothing, except that a change that was killed is repaired first (not with `dry_run`): else a review that is
    repeated would lack the candidates of the killed one.
    """
    if not dry_run:
        stores.settle()
    proposed: list[Proposed] = []
    with curating(stores, "curate --review", is_alone=False) as material:
        for entry in material.section.entries:
            row = material.rows.get(entry.digest)
            src = origin.within(entry.text) or (row.src if row else "")
            if row and (entry.kind == managed.HEARD or origin.is_outside(src or origin.UNKNOWN)):
                text = entry.text.removesuffix(origin.ending(origin.of_line(entry.text)))
                proposed.append(Proposed(text, row.kind or "fact", f"from outside ({src})", entry=entry.digest))
        lines = Lines(material.own_lines())
        offered = material.candidates()[:_MOST_PROPOSED]
        steps = [Operation("", sources=tuple(candidate.refs)) for candidate in offered]
        known = referents.of(stores, steps, material)
        for candidate in offered:
            proposed.append(
                Proposed(
                    candidate.text,
                    candidate.kind or "fact",
                    f"{'the owner, ' if candidate.is_owners else ''}{candidate.day or 'proposed earlier'}",
                    sorted(candidate.digests),
                    [(ref, known[ref].src, known[ref].fault or known[ref].text) for ref in candidate.refs],
                    lines.near(candidate.text),
                )
            )
    return Review(proposed, stores.notices)


def decide(stores: Stores, decided: Sequence[Proposed], *, dry_run: bool = False) -> Curated:
    """Apply a person's decisions in a review of MEMORY.md as one change; declined candidates are not offered again."""
    stores.environment.check_person("agentws curate --review", "decide what a review offers")
    numbered = [*enumerate(decided, 1)]
    wanted = [
        _operation(at, proposed)
        for at, proposed in numbered
        if proposed.decision == YES or (proposed.decision and proposed.entry)
    ]
    with curating(stores, "curate --review", is_alone=not dry_run) as material:
        known = referents.of(stores, wanted, material)
        numbers = {at: proposed.entry for at, proposed in numbered if proposed.entry}
        checked = checks.check(wanted, material.standing(numbers, known, is_person=True))
        taken = {step.operation.line for step in checked.steps}
        declined = [proposed.digests for proposed in decided if proposed.decision == NO and proposed.digests]
        over = [proposed.digests for at, proposed in numbered if at in taken and proposed.edited and proposed.digests]
        over += [sorted(candidate.digests) for candidate in material.rejected()]
        rejected = [proposed.text for proposed in decided if proposed.decision == NO]
        return apply(stores, material, checked, declined, by=PERSON, dry_run=dry_run, over=over, rejected=rejected)


def _operation(at: int, proposed: Proposed) -> Operation:
    """Return the operation that carries out a person's decision."""
    text = proposed.edited or proposed.text
    if proposed.decision == NO:
        return Operation(operations.RETIRE, at, text, numbers=(at,), state=operations.STATES[2])
    return Operation(
        operations.UPDATE if proposed.entry else operations.ADD,
        at,
        text,
        " ".join(text.split()),
        numbers=(at,) if proposed.entry else (),
        kind=proposed.kind,
        sources=tuple(ref for ref, _, _ in proposed.sources)[: operations.MOST_SOURCES],
        is_edited=bool(proposed.edited),
    )
