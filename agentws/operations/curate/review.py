"""The review by a person, one proposal at a time, and its decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.formats.documents import managed
from agentws.operations.curate import answer, referents
from agentws.operations.curate.brief import curating
from agentws.planning.curate import checks
from agentws.planning.curate.brief import Lines, opened
from agentws.planning.curate.operations import ADD, MOST_SOURCES, RETIRE, STATES, UPDATE, Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.operations.curate.answer import Curated
    from agentws.planning.curate.brief import Line
    from agentws.storage.workspace.stores import Stores

MOST = 50
"""Proposals of one review."""
YES, NO = "y", "n"


@dataclass(slots=True)
class Proposed:
    """A proposal that a person decides about.

    Fields:
        text, kind: what MEMORY.md would say. why: what speaks for it.
        digests: by which it is known once it was declined.
        sources: the references of where it was said, each with whose words these are and what they say.
        near: lines of MEMORY.md that speak of the same, each with its name and its day.
        entry: the digest of the entry under `Heard, not verified` that it would replace; empty for what is new.
        decision: YES, NO, or empty: later.
        edited: the text in the person's own words; empty where they left it.
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
    """The `proposed` of a review, and what was odd on the way."""

    proposed: list[Proposed]
    notices: Sequence[str]


def review(stores: Stores) -> Review:
    """Return what waits for a person: proposals, candidates, and unverified entries from outside. Reads only."""
    proposed: list[Proposed] = []
    with curating(stores, "curate --review", is_alone=False) as material:
        for entry in material.section.entries:
            row = material.rows.get(entry.digest)
            src = origin.within(entry.text) or (row.src if row else "")
            if row and (entry.kind == managed.HEARD or origin.is_outside(src or origin.UNKNOWN)):
                text, kind = _without_origin(entry.text), row.kind or "fact"
                proposed.append(Proposed(text, kind, f"from outside ({src})", entry=entry.digest))
        lines = Lines(material.own_lines())
        offered = material.candidates()[:MOST]
        operations = [Operation("", sources=tuple(candidate.refs)) for candidate in offered]
        known = referents.of(stores, operations, material)
        for candidate in offered:
            evidence = [(ref, known[ref]) for ref in candidate.refs]
            proposed.append(
                Proposed(
                    candidate.text,
                    candidate.kind or "fact",
                    f"{'the owner, ' if candidate.is_owners else ''}{candidate.day or 'proposed earlier'}",
                    sorted(candidate.digests),
                    [(opened(ref, material.places), each.src, each.fault or each.text) for ref, each in evidence],
                    lines.near(candidate.text),
                )
            )
    return Review(proposed, stores.notices)


def decide(stores: Stores, decided: Sequence[Proposed], *, dry_run: bool = False) -> Curated:
    """Apply what a person decided, as one change; what they did not want is not offered again."""
    numbered = [*enumerate(decided, 1)]
    wanted = [_operation(at, one) for at, one in numbered if one.decision == YES or (one.decision and one.entry)]
    with curating(stores, "curate --review", is_alone=not dry_run) as material:
        known = referents.of(stores, wanted, material)
        numbers = {at: one.entry for at, one in numbered if one.entry}
        checked = checks.check(wanted, material.standing(numbers, known, is_person=True))
        lifted = [step for step in checked.steps if step.operation.verb == UPDATE]
        for step in lifted:  # it is no longer merely heard
            step.title = managed.KINDS.get(step.kind, managed.KINDS["fact"])
        if lifted:
            checked.document = checks.rewritten(material.folder.memory.text, checked.steps, material.heading)
        taken = {step.operation.line for step in checked.steps}
        declined = [one.digests for one in decided if one.decision == NO and one.digests]
        over = [one.digests for at, one in numbered if at in taken and one.edited and one.digests]
        return answer.apply(stores, material, checked, declined, by=answer.PERSON, dry_run=dry_run, over=over)


def _operation(at: int, one: Proposed) -> Operation:
    """The operation that a decision stands for."""
    text = one.edited or one.text
    if one.decision == NO:
        return Operation(RETIRE, at, text, numbers=(at,), state=STATES[2])
    return Operation(
        UPDATE if one.entry else ADD,
        at,
        text,
        " ".join(text.split()),
        numbers=(at,) if one.entry else (),
        kind=one.kind,
        sources=tuple(ref for ref, _, _ in one.sources)[:MOST_SOURCES],
        is_edited=bool(one.edited),
    )


def _without_origin(text: str) -> str:
    before, mark, behind = text.rpartition(" (via ")
    return before if mark and behind.endswith(")") else text
