"""The review by a person, one proposal at a time, and its decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats import layout, origin
from agentws.formats.documents import managed
from agentws.operations.curate import answer, material, referents
from agentws.planning.curate import checks, operations
from agentws.planning.curate.brief import opened
from agentws.planning.curate.operations import Operation
from agentws.planning.curate.pairs import Line, Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.operations.curate.answer import Curated
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
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    here = material.Material(stores)
    found: list[Proposed] = []
    for one in here.section.entries:
        row = here.rows.get(one.digest)
        src = origin.within(one.text) or (row.src if row else "")
        if row and (one.kind == managed.HEARD or origin.is_outside(src or origin.UNKNOWN)):
            why = f"from outside ({src})"
            found.append(Proposed(_without_origin(one.text), row.kind or "fact", why, entry=one.digest))
    lines = Lines(Line(f"{layout.MEMORY}:{one.line}", one.said) for one in here.own_lines(()))
    offered = here.candidates()[:MOST]
    refs = [ref for one in offered for ref in one.refs]
    known, _ = referents.of(stores, refs, here)
    for each in offered:
        quoted = [(opened(ref, here.places), known[ref].src, known[ref].fault or known[ref].text) for ref in each.refs]
        why = f"{'the owner, ' if each.is_owners else ''}{each.day or 'proposed earlier'}"
        near = lines.near(each.text)
        found.append(Proposed(each.text, each.kind or "fact", why, sorted(each.digests), quoted, near))
    return Review(found, stores.notices)


def decide(stores: Stores, decided: Sequence[Proposed], *, dry_run: bool = False) -> Curated:
    """Apply what a person decided, as one change; what they did not want is not offered again."""
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    if dry_run:
        return _decide(stores, decided, dry_run=True)
    with material.alone(stores, "curate --review"):
        return _decide(stores, decided, dry_run=False)


def _decide(stores: Stores, decided: Sequence[Proposed], *, dry_run: bool) -> Curated:
    here = material.Material(stores)
    numbers = {at: one.entry for at, one in enumerate(decided, 1) if one.entry}
    wanted = [_operation(at, one) for at, one in enumerate(decided, 1) if one.decision]
    found = [one for one in wanted if one is not None]
    known, _ = referents.of(stores, [ref for one in found for ref in one.sources], here)
    standing = checks.Standing(
        document=here.folder.memory.text,
        heading=here.heading,
        numbers=numbers,
        rows=here.rows,
        evidence=known,
        counter=here.counter,
        is_hidden=here.hidden.stand_in,
        is_person=True,
    )
    checked = checks.check(found, standing)
    taken = {step.operation.line for step in checked.steps}
    for step in checked.steps:
        if step.operation.verb == operations.UPDATE:  # it is no longer merely heard
            step.title = managed.KINDS.get(step.kind, managed.KINDS["fact"])
    if any(step.operation.verb == operations.UPDATE for step in checked.steps):
        checked.document = checks.rewritten(here.folder.memory.text, checked.steps, here.heading)
    declined = [one.digests for one in decided if one.decision == NO and one.digests]
    over = [one.digests for at, one in enumerate(decided, 1) if at in taken and one.edited and one.digests]
    return answer.apply(stores, here, checked, declined, by=answer.PERSON, dry_run=dry_run, over=over)


def _operation(at: int, one: Proposed) -> Operation | None:
    """The operation that a decision stands for; None where nothing is to be changed."""
    if one.decision == NO and not one.entry:
        return None
    text = one.edited or one.text
    if one.decision == NO:
        return Operation(operations.RETIRE, at, text, numbers=(at,), state=operations.STATES[2])
    return Operation(
        operations.UPDATE if one.entry else operations.ADD,
        at,
        text,
        " ".join(text.split()),
        numbers=(at,) if one.entry else (),
        kind=one.kind,
        sources=tuple(ref for ref, _, _ in one.sources)[: operations.MOST_SOURCES],
        is_edited=bool(one.edited),
    )


def _without_origin(text: str) -> str:
    before, mark, behind = text.rpartition(" (via ")
    return before if mark and behind.endswith(")") else text
