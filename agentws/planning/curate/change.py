"""The ChangeSet of an answer: MEMORY.md, the sources of its entries, and what left it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.changes import ChangeSet, Remove
from agentws.formats import origin
from agentws.formats.documents import entry_rows, managed, proposals, sources, superseded
from agentws.planning.curate import operations

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from agentws.changes import Change
    from agentws.formats.documents.entry_rows import About, KnownEntry
    from agentws.formats.documents.managed import ManagedEntry
    from agentws.planning.curate.checks import Checked, Step
    from agentws.planning.notes.document import File

_VERBS = {operations.UPDATE: sources.SUPERSEDED, operations.MERGE: sources.SUPERSEDED}


@dataclass(frozen=True, slots=True)
class Folder:
    """The documents that an answer may change, as they were read."""

    memory: File
    sidecar: File
    superseded: File
    proposed: File


def changes(
    found: Folder,
    checked: Checked,
    known: Mapping[str, KnownEntry],
    *,
    ties: Mapping[str, About],
    declined: Collection[str],
    today: str,
    at: str,
    by: str,
) -> ChangeSet:
    """Return the changes of an answer; `declined` are digests of candidates that are not offered again.

    `ties` are the files that confirmed entries are about, as they are now.

    What leaves is written down first, then where what comes is from; MEMORY.md is replaced last.
    """
    made: list[Change] = []
    gone = [superseded.line(entry.text, _why(step, today)) for step in checked.steps for entry in _leaving(step)]
    if gone:
        made += found.superseded.becomes(superseded.with_lines(found.superseded.text, gone, today))
    rows = [row for step in checked.steps for row in _rows(step, known, ties, today, at)]
    if declined:
        rows.append(sources.Declined(tuple(sorted(declined)), at=at, by=by))
    if rows:
        made += found.sidecar.becomes(sources.joined(found.sidecar.text, rows))
    if found.proposed.data:
        made += _proposed(found, checked, declined)
    made += found.memory.becomes(checked.document)
    return ChangeSet("curate", tuple(made))


def _proposed(found: Folder, checked: Checked, declined: Collection[str]) -> list[Change]:
    """The document of proposals of earlier versions, without those that need no decision any more.

    Those are of words that come or were declined, or of a line that was taken up. It goes with its last one.
    """
    come = [step for step in checked.steps if step.text]
    lines = {f"{line.path}:{line.line}" for step in come for source in step.sources for line in source.lines}
    waiting = proposals.proposals(found.proposed.text)
    over = {*declined, *(managed.of_text(step.text) for step in come)}
    over |= {proposal.digest for proposal in waiting if lines & {*proposal.sources}}
    left = proposals.without(found.proposed.text, over)
    is_over = proposals.is_empty(left)
    return [Remove(found.proposed.path, expects=found.proposed.digest)] if is_over else found.proposed.becomes(left)


def _leaving(step: Step) -> list[ManagedEntry]:
    """The entries that a step takes out; none whose words stand there afterwards."""
    comes = managed.of_text(step.text) if step.text else ""
    return [entry for entry in step.gone if entry.digest != comes]


def _rows(
    step: Step, known: Mapping[str, KnownEntry], ties: Mapping[str, About], today: str, at: str
) -> list[sources.Row]:
    rows: list[sources.Row] = []
    for entry in step.confirms:
        old = known[entry.digest]
        days = tuple(sorted({*old.confirmed, today})[-entry_rows.MOST_CONFIRMED :])
        about = ties.get(entry.digest, old.about)
        if days == old.confirmed and about is old.about:
            continue  # said today already
        rows.append(_changed(old, confirmed=days, about=about, state=sources.CURRENT))
    comes = managed.of_text(step.text) if step.text else ""
    for entry in _leaving(step):
        state = _VERBS.get(step.operation.verb, step.operation.state)
        reason = step.operation.text if step.operation.verb == operations.RETIRE else ""
        rows.append(_changed(known[entry.digest], state=state, reason=reason, until=today, by=comes))
        rows.append(sources.Left(entry.digest, entry.text, kind=entry.kind, run=""))
    return [*rows, _come(step, comes, [known[entry.digest] for entry in step.gone], today, at)] if comes else rows


def _changed(row: KnownEntry, **keys: object) -> sources.Row:
    """The row with these keys; it belongs to no run of compaction any more."""
    changed = row.with_keys(**keys, **({"run": ""} if isinstance(row, sources.Made) else {}))
    assert isinstance(changed, sources.Made | sources.Stated)
    return changed


def _come(step: Step, digest: str, replaced: Sequence[KnownEntry], today: str, at: str) -> sources.Row:
    """The row of what comes. What a person wrote, or took up from outside, is theirs, and both sources stay."""
    lines = {(line.path, line.line): line for row in replaced for line in row.sources}
    lines |= {(line.path, line.line): line for source in step.sources for line in source.lines}
    days = sorted({*step.days}) or [today]
    keys: dict[str, Any] = {
        "kind": step.kind,
        "first": days[0],
        "confirmed": sorted({*days, today}),  # its author says today that it holds
        "about": next((row.about for row in replaced if row.about), None),
    }
    srcs = [src or origin.UNKNOWN for src in (*(one.src for one in step.sources), *(row.src for row in replaced))]
    heard = [src for src in (origin.within(entry.text) for entry in step.gone) if src] + [
        src for src in srcs if origin.is_outside(src)
    ]
    if step.src != origin.USER or not (heard or step.operation.is_edited):
        return sources.Made(
            digest, [*lines.values()], day=days[-1], run="", src=step.src, state=sources.CURRENT, **keys
        )
    # The words that it took the place of stand among those that left.
    refs = (*step.operation.sources, *(f"{path}:{line}" for path, line in lines), superseded.PATH)
    before = origin.lowest(heard or srcs)
    return sources.Stated(digest, refs[0], before, at=at, sources=[*lines.values()], src=origin.USER, **keys)


def _why(step: Step, today: str) -> str:
    if step.text:
        return superseded.replaced_by(step.text, today)
    one = step.operation
    return f"({one.state}: {one.text})" if one.text else f"({one.state})"
