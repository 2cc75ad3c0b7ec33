"""Checks the operations of an answer to a curation brief: which are applied, and why others are refused. Pure.

Only the content of the files counts: no operation is believed because of what it says of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.core.formats import layout
from agentws.core.formats.documents import managed
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import markdown
from agentws.core.notes import reading, similarity
from agentws.core.text import origin, sanitize
from agentws.core.tokens import counters
from agentws.features.memory.curate.plan import evidence as _evidence
from agentws.features.memory.curate.plan.operations import ADD, KEEP, MERGE, NONE, RETIRE, UPDATE, Checked, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from agentws.core.formats.documents.entry_rows import KnownEntry
    from agentws.core.ports import TokenCounter
    from agentws.features.memory.curate.plan.operations import Operation

LONGEST_CHARS = 300
_ORDER = (KEEP, RETIRE, MERGE, UPDATE, ADD, NONE)
"""Operations that free room come first."""
_LASTING = ("rule", "preference", "lesson")
"""Kinds that hold for every time: one line that the agent noted in passing does not make one."""
_NO_BEGINNING = (">", "|", "```", "~~~", "---", "[")


@dataclass(slots=True, kw_only=True)
class CheckContext:
    """The state against which the operations of an answer are checked.

    Fields:
        document: MEMORY.md as it is. heading: that of its managed section.
        numbers: the digests behind the numbers of the brief. rows: how entries were made, by digest.
        evidence: the content of each reference. is_small: whether a word is no name
        (features/memory/curate/plan/evidence.py).
        is_hidden: whether a text holds a value that some line calls a secret.
        counter: how tokens are counted.
        is_person: whether a person decides: they may accept text from outside, and text without a source.
    """

    document: str
    numbers: Mapping[int, str]
    rows: Mapping[str, KnownEntry]
    evidence: Mapping[str, _evidence.Evidence]
    counter: TokenCounter
    heading: str
    is_small: Callable[[str], bool]
    is_hidden: Callable[[str], bool]
    is_person: bool


def check(operations: Sequence[Operation], standing: CheckContext) -> Checked:
    """Return which operations may be applied together; each is checked after those that come before it."""
    checked = Checked(standing.document)
    entries = {entry.digest: entry for entry in entries_of(standing.document, standing.heading, standing.rows)}
    least = before = size(standing.document, standing.heading, standing.counter)
    changing: dict[int, int] = {}
    blocked: dict[int, int] = {}
    for operation in operations:
        if operation.fault:
            continue
        first = next((changing[number] for number in operation.numbers if number in changing), 0)
        if first:
            blocked[operation.line] = first
        else:
            changing |= dict.fromkeys(operation.numbers, operation.line)
    for operation in sorted(operations, key=lambda item: _ORDER.index(item.verb) if item.verb in _ORDER else -1):
        step = Step(operation)
        if operation.line in blocked:
            fault = f"line {blocked[operation.line]} already changes that entry"
        else:
            fault = operation.fault or _fault(step, entries, standing, checked.document)
        if not fault and (step.gone or step.text):
            document = rewritten(checked.document, [step], standing.heading)
            now = size(document, standing.heading, standing.counter)
            if now > max(managed.MOST_TOKENS, before):
                most = max(managed.MOST_TOKENS, least)
                fault = f"the section would have {now} tokens, more than {most}: retire or merge entries first"
            else:
                checked.document, before = document, now
        if fault:
            checked.refused.append((operation, fault))
        else:
            checked.steps.append(step)
    blocking = [(operation, fault) for operation, fault in checked.refused if operation.line in blocked.values()]
    if blocking:  # a refused line does not keep another one from its entry
        for operation, fault in blocking:
            operation.fault = fault
        return check(operations, standing)
    checked.refused.sort(key=lambda refused: refused[0].line)
    return checked


def entries_of(document: str, heading: str, rows: Collection[str]) -> list[managed.ManagedEntry]:
    """Return the entries an author decides on: those of the managed section, and others with one of these rows."""
    section = managed.read(document, heading).entries
    inside = {entry.digest for entry in section}
    return [*section, *managed.bullets(document, {*rows} - inside)]


def rewritten(document: str, steps: Sequence[Step], heading: str) -> str:
    """Return MEMORY.md after these steps; entries that no step names stay as they are."""
    inside = {managed_entry.digest for managed_entry in managed.read(document, heading).entries}
    for step in steps:
        others = {entry.digest: "" for entry in step.gone if entry.digest not in inside}
        if others and step.text and step.gone[0].digest in others:
            others[step.gone[0].digest] = step.text
        document = managed.with_bullets(document, others) if others else document
    comes = [step for step in steps if step.text and not (step.gone and step.gone[0].digest not in inside)]
    stays = [step for step in comes if step.gone and step.gone[0].kind == step.title]
    return managed.rewritten(
        document,
        heading=heading,
        leaving={entry.digest for step in steps for entry in step.gone},
        replacing={step.gone[0].digest: step.text for step in stays},
        joining=[(step.title, step.text) for step in comes if step not in stays],
        order=managed.ORDER,
    )


def size(document: str, heading: str, counter: TokenCounter) -> int:
    """Return the tokens of the managed section of MEMORY.md."""
    section = managed.read(document, heading)
    lines = document.split("\n")[section.start : section.end] if section.start >= 0 else []
    return counters.tokens(counter, "\n".join(lines))


def _fault(step: Step, entries: Mapping[str, managed.ManagedEntry], standing: CheckContext, document: str) -> str:
    """Fill in a step; return why its operation is refused, empty if it is not."""
    operation = step.operation
    named: list[managed.ManagedEntry] = []
    for number in operation.numbers:
        digest = standing.numbers.get(number)
        if digest is None:
            return f"no brief lists entry {number}; for a new brief: agentws curate"
        if digest not in entries:
            return f"entry {number} was edited or removed since the brief; for a new brief: agentws curate"
        named.append(entries[digest])
    if operation.verb == NONE:
        return ""
    if operation.verb == KEEP:
        step.confirms = [entry for entry in named if entry.digest in standing.rows]
        return ""
    if operation.verb == ADD:
        step.kind = operation.kind
        step.title = managed.KINDS[step.kind]
        if fault := _comes(step, standing, document):
            return fault
        # An unmarked line of one day, and not the owner's, is no rule.
        is_plain = step.kind in _LASTING and bool(step.sources) and all(source.is_plain for source in step.sources)
        if standing.is_person or not is_plain or len({source.day for source in step.sources}) > 1:
            return ""
        return f"one unmarked line does not make a {step.kind}: add a source of another day, or ADD [fact]"
    for number, entry in zip(operation.numbers, named, strict=True):
        if entry.digest not in standing.rows:
            return f"a person wrote entry {number}: only a person may change it"
    step.gone = named
    if operation.verb != RETIRE:
        return _change(step, standing, document)
    why = operation.text  # it is kept beside the entry, so it is checked; MEMORY.md may be its source
    fault = _take_sources(step, standing)
    if fault or not why:
        return fault
    return _unfit(why, standing) or _ungrounded(step, why, standing, layout.MEMORY)


def _change(step: Step, standing: CheckContext, document: str) -> str:
    """Fill in an UPDATE or MERGE, whose text replaces the named entries; return why it is refused, empty if not."""
    rows = [standing.rows[entry.digest] for entry in step.gone]
    step.title, step.kind = step.gone[0].kind, rows[0].kind
    step.days = [day for row in rows for day in (row.first, *row.confirmed) if day]
    if standing.is_person:  # a person's word verifies it
        step.title = managed.KINDS.get(step.kind, managed.KINDS["fact"])
        return _comes(step, standing, document)
    if step.operation.kind not in ("", step.kind):
        return f"the kind of an entry ({step.kind or 'none'}) cannot change: RETIRE the entry and ADD another"
    is_heard = any(origin.is_outside(row.src or origin.UNKNOWN) for row in rows)
    if is_heard or any(entry.kind == managed.HEARD or origin.within(entry.text) for entry in step.gone):
        # An answer never makes it the agent's own.
        return "the entry comes from outside: RETIRE it, or a person must accept it: agentws curate --review"
    if fault := _comes(step, standing, document):
        return fault
    # New words for an unverified entry are no more certain than the old ones.
    step.src = origin.lowest([step.src, *(row.src or origin.UNKNOWN for row in rows)])
    words = {*similarity.words(step.text)}
    for number, entry in zip(step.operation.numbers, step.gone, strict=True):
        if words.isdisjoint(similarity.words(entry.text)):  # probably a wrong number
            return f"the text is unrelated to entry {number}: RETIRE that entry and ADD the text"
    return ""


def _take_sources(step: Step, standing: CheckContext) -> str:
    for ref in step.operation.sources:
        source = standing.evidence.get(ref)
        fault = source.fault if source else "no such source"
        if source is None or fault:
            if standing.is_person:
                continue
            return f"{ref}: {fault}"
        if origin.is_outside(source.src) and not standing.is_person:
            return f"{ref} comes from outside ({source.src}): only a person may accept it: agentws curate --review"
        step.sources.append(source)
        step.days += [source.day] if source.day else []
    step.src = (
        origin.USER
        if standing.is_person
        else origin.lowest([origin.AGENT, *(evidence.src for evidence in step.sources)])
    )
    return ""


def _comes(step: Step, standing: CheckContext, document: str) -> str:
    step.text = step.operation.text
    fault = _take_sources(step, standing) or _unfit(step.text, standing) or _ungrounded(step, step.text, standing)
    if fault:
        return fault
    units = markdown.units(document)
    others = {managed.of_text(managed.without_day(unit.text[markdown.marker(unit.text) :])) for unit in units}
    others -= {managed.of_text(managed.without_day(entry.text)) for entry in step.gone}
    return "already in MEMORY.md" if managed.of_text(step.text) in others else ""


def _ungrounded(step: Step, text: str, standing: CheckContext, *more: str) -> str:
    """Return why a text is refused: a name in it is neither in its sources, nor in removed entries, nor in `more`."""
    if standing.is_person:
        return ""
    # The text may end in the day of a source, as compaction writes it.
    days = [managed.with_day("", day, today=year) for day in step.days for year in (day, "")]
    texts = [*(source.text for source in step.sources), *(entry.text for entry in step.gone), *more, *days]
    missing = _evidence.Grounds(texts, step.days, standing.is_small).missing(text)
    return f"no source mentions “{missing}”" if missing else ""


def _unfit(text: str, standing: CheckContext) -> str:
    """Return why a text is no plain entry: it would be invisible, or be read as a heading, a mark or another item."""
    if secrets.find(text) or secrets.has_placeholder(text) or standing.is_hidden(text):
        return "the text may contain a secret, or text that was forgotten"
    if sanitize.inert(text) != text or "\r" in text or "<!--" in text:
        return "the text contains invisible characters"
    if len(text) > LONGEST_CHARS:
        return f"the text exceeds {LONGEST_CHARS} characters"
    is_plain = not (text.startswith(_NO_BEGINNING) or markdown.heading_level(text) or markdown.marker(text))
    entries = reading.read(f"- {text}\n", path="")
    if not is_plain or len(entries) != 1 or not any(map(str.isalnum, text)):
        return "the text must be one plain sentence"
    entry = entries[0]
    is_marked = entry.src or entry.closes or entry.sure == "marked" or "(via " in text
    return "the text must not contain marks" if is_marked else ""
