"""Operations of an author's answer, one a line, and what they change. Specified in docs/format/memory.md. Pure.

KEEP 3
ADD [lesson] Backups of the phone need the cable {memory/2026-11-20.md:14, t3fk}
UPDATE 7 Never touch production without Sam or Kim {memory/2026-11-18.md:9}
MERGE 3 9 -> SQLite for index and cache: one file, no server
RETIRE 2 superseded: the lease was signed {memory/2026-11-19.md:3}
NONE
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.changes import ChangeSet, Remove
from agentws.core.formats.documents import entry_rows, managed, proposals, sources
from agentws.core.formats.secrets import secrets
from agentws.core.text import origin
from agentws.features.memory.compact.plan.marked_lines import folded, lines_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from agentws.changes import Change
    from agentws.core.formats.documents.entry_rows import About, KnownEntry
    from agentws.core.formats.kept_out import Reason
    from agentws.core.notes.document import File
    from agentws.features.memory.curate.plan.evidence import Evidence

KEEP, ADD, UPDATE, MERGE, RETIRE, NONE = VERBS = ("KEEP", "ADD", "UPDATE", "MERGE", "RETIRE", "NONE")
STATES = ("superseded", "expired", "retired")
"""The reasons for which an entry is removed."""
MOST = 100
"""The most operations in one answer."""
MOST_SOURCES = 8
FORMS = (
    "KEEP N · ADD [kind] text {source} · UPDATE N text {source} · MERGE N M -> text · "
    "RETIRE N superseded: why {source} · NONE"
)
"""The allowed forms of an operation, as an error message lists them."""
_MOST_MERGED = 6
_MOST_SHOWN_CHARS = 200
_EMPHASIS = "*_`"
_FENCE = re.compile(r"(```|~~~)(.*[^`~])?$|[`~]+$")
_BEFORE = re.compile(r"((?:[-*+•]|\(*[0-9]+[.):]) )+")
"""A bullet, or the number of a line."""
_BRIEF = re.compile(r"BRIEF [*_`.]*([0-9a-f]{1,12})[*_`.]*", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,6}")
_AROUND_NUMBER = "#.:;+&" + _EMPHASIS
_KIND = re.compile(r"([*_`]{0,3})(?:\[([^\]]*)\]|\(([^)]*)\)|([^\[(:][^:]*):)(?:\1)?:?(?:\1)? *(?:: )?(.*)")
"""A kind in brackets or before a colon, with or without emphasis, and the text after it."""
_ARROW = re.compile(r"-->|->|=>|→")
_SOURCES = re.compile(r"\{([^{]*)\}[. *_`]*$")
_LINES = re.compile(r"(.+):([0-9]{1,9})-([0-9]{1,9})")
_QUOTES = {'"': '"', "“": "”", "`": "`"}
_STATE = re.compile(
    rf"[:(\[{{\-–— *_`]*({'|'.join(STATES)})[*_`]{{0,3}}[)\]]?[.,:;]?[*_`]{{0,3}}(?: [-–—]{{1,3}}(?= ))?(?: |$)", re.I
)
"""The reason for removal, and the signs between it and its explanation: a doubt (`retired? no`) does not match."""
_UNKNOWN, _NOT_ALONE = "not an operation", "NONE must be the only operation"


@dataclass(slots=True, eq=False)
class Operation:
    """One operation, a line of an answer to a curation brief.

    Fields:
        line: its number, 1-based. raw: the line, shortened, without secrets.
        verb: one of VERBS. numbers: the entries that it names, as the brief numbers them.
        kind: of ADD. text: what MEMORY.md will say; of RETIRE why. state: of RETIRE, one of STATES.
        sources: the references in braces.
        is_edited: whether a person wrote the text, in a review.
        fault: why it cannot be read; empty if it can.
    """

    verb: str
    line: int = 0
    raw: str = ""
    text: str = ""
    numbers: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    kind: str = ""
    state: str = ""
    fault: str = ""
    is_edited: bool = False

    def __post_init__(self) -> None:
        """Shorten the raw line, which is only shown."""
        self.raw = self.raw[:_MOST_SHOWN_CHARS]


def parse(answer: str) -> list[Operation]:
    """Return the operations of an answer, in order; those that cannot be read have a fault.

    The form is free if the meaning is plain: fences, bullets, numbers and emphasis around a line are ignored.
    """
    lines = [(number, _plain(line)) for number, line in enumerate(answer.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line and not _BRIEF.fullmatch(line)]
    parsed = [_operation(number, line) for number, line in lines[:MOST]]
    if len(lines) > MOST:
        number, line = lines[MOST]
        parsed.append(Operation("", number, line, fault=f"an answer may have at most {MOST} operations"))
    hidden = _hidden(answer)
    for operation in parsed:
        operation.raw = hidden.get(operation.line, operation.raw)
        if operation.verb == NONE and len(parsed) > 1:
            operation.fault = operation.fault or _NOT_ALONE
    unknown = next((operation for operation in parsed if operation.fault == _UNKNOWN), None)
    if unknown is not None:
        unknown.fault += f"; allowed: {FORMS}"
    return parsed


def brief_of(answer: str) -> str:
    """Return the name of the brief that an answer is to, as in `BRIEF 3f2a9c`; empty if it names none."""
    names = (_BRIEF.fullmatch(_plain(line)) for line in answer.split("\n"))
    return next((name[1].casefold() for name in names if name), "")


def _hidden(answer: str) -> dict[int, str]:
    """Return, by number, the text shown in place of each line that holds a secret or a part of it."""
    hidden: dict[int, str] = {}
    for secret in secrets.find(answer):
        first, more = 1 + answer.count("\n", 0, secret.start), answer.count("\n", secret.start, secret.end)
        mark = f"{secrets.PLACEHOLDER_OPEN}{secret.kind}›"
        hidden |= dict.fromkeys(range(first, first + more + 1), mark)
    return hidden


def _plain(line: str) -> str:
    """Return a line of an answer without bullet, numbering and emphasis around it or its verb; empty for a fence."""
    line = " ".join(line.lstrip("\ufeff").split())
    if _FENCE.match(line):
        return ""
    before = _BEFORE.match(line)
    line = line[before.end() :] if before else line
    inner = line.strip(_EMPHASIS)
    if inner and len(line) - len(line.lstrip(_EMPHASIS)) == len(line) - len(line.rstrip(_EMPHASIS)):
        line = line if line[0] in inner else inner
    verb, space, rest = line.partition(" ")
    return f"{verb.strip(_EMPHASIS).rstrip(':').rstrip(_EMPHASIS)}{space}{rest}"


def _operation(number: int, line: str) -> Operation:
    verb, _, rest = line.partition(" ")
    verb = verb.rstrip(".!").upper()
    operation = Operation(verb if verb in VERBS else "", number, line)
    operation.fault = _read(operation, rest.strip())
    if len(operation.sources) > MOST_SOURCES and operation.verb:
        operation.fault = operation.fault or f"more than {MOST_SOURCES} sources"
    return operation


def _read(made: Operation, rest: str) -> str:
    """Read the text after an operation's verb into it; return why that fails, empty if it does not."""
    no_text, no_number = "the text is missing", f"{made.verb} needs an entry number"
    match made.verb:
        case "NONE":
            return _NOT_ALONE if rest.strip(".") else ""
        case "KEEP":
            made.numbers, behind = _numbers(rest)
            return ("KEEP takes only numbers" if behind else "") if made.numbers else no_number
        case "ADD":
            made.kind, text = _kind(rest)
            _take(made, text)
            if not made.kind:
                return f"ADD needs a kind in brackets: {', '.join(managed.KINDS)}"
            return ("" if made.text else no_text) or ("" if made.sources else "the {source} is missing")
        case "UPDATE":
            number, _, text = rest.partition(" ")
            made.numbers, _ = _numbers(number)
            arrow = _ARROW.match(text)
            _take(made, text[arrow.end() if arrow else 0 :].strip())
            if len(made.numbers) != 1:
                return "UPDATE takes one number" if made.numbers else no_number
            return "" if made.text else no_text
        case "MERGE":
            arrow = _ARROW.search(rest)
            made.numbers, behind = _numbers(rest[: arrow.start()] if arrow else rest)
            _take(made, rest[arrow.end() :].strip() if arrow else "")
            if behind or not 2 <= len(set(made.numbers)) == len(made.numbers) <= _MOST_MERGED:
                return f"MERGE needs two to {_MOST_MERGED} different numbers, then -> and the text"
            return ("" if arrow else "MERGE needs -> before the text") or ("" if made.text else no_text)
        case "RETIRE":
            made.numbers, behind = _numbers(rest)
            why = _STATE.match(behind)
            made.state = why[1].casefold() if why else ""
            _take(made, behind[why.end() :] if why else "")
            if not (made.numbers and made.state):
                return f"RETIRE needs a reason: {', '.join(STATES)}" if made.numbers else no_number
            return "superseded needs a {source}" if made.state == STATES[0] and not made.sources else ""
    _take(made, rest)  # its sources show what it is about
    return _UNKNOWN


def _numbers(text: str) -> tuple[tuple[int, ...], str]:
    """Return (the numbers at the beginning of a text, the text after them)."""
    numbers: list[int] = []
    rest = text.strip()
    while rest:
        word, _, behind = rest.partition(" ")
        parts = [] if word.casefold() == "and" else [part.strip(_AROUND_NUMBER) for part in word.split(",")]
        if not all(_NUMBER.fullmatch(part) for part in parts if part):
            break
        numbers += [int(part) for part in parts if part]
        rest = behind.strip()
    return tuple(numbers), rest


def _kind(text: str) -> tuple[str, str]:
    """Return (the kind at the beginning of a text, or empty; the text after it)."""
    parts = _KIND.fullmatch(text)
    kind = (parts[2] or parts[3] or parts[4] or "").strip(f" {_EMPHASIS}").casefold() if parts else ""
    return (kind, parts[5]) if parts and kind in managed.KINDS else ("", text)


def _take(made: Operation, text: str) -> None:
    """Read the text of an operation, a kind in brackets before it, and the sources in braces at its end."""
    if made.verb in (UPDATE, MERGE) and text.lstrip(_EMPHASIS).startswith("["):
        made.kind, text = _kind(text)
    refs: list[str] = []
    while (braces := _SOURCES.search(text)) and braces[1].strip():
        text = text[: braces.start()]
        refs.insert(0, braces[1])
    made.sources = tuple(dict.fromkeys(_refs(" ".join(refs))))
    text = " ".join(text.split())
    closing = _QUOTES.get(text[:1], "")
    is_quoted = closing and text.endswith(closing) and closing not in text[1:-1]
    made.text = text[1:-1].strip() if is_quoted else text


def _refs(text: str) -> Iterator[str]:
    """Yield each line that references such as `a.md:14`, `a.md:14-16` and, after one, `16` alone, name."""
    path = ""
    for word in text.replace(",", " ").replace(";", " ").split():
        ref = word.strip(_EMPHASIS).lstrip("^")
        lines = _LINES.fullmatch(ref)
        if path and ref.isdecimal():
            yield f"{path}:{ref}"
        elif lines and 0 <= int(lines[3]) - int(lines[2]) < MOST_SOURCES:
            yield from (f"{lines[1]}:{line}" for line in range(int(lines[2]), int(lines[3]) + 1))
        elif ref:
            yield ref
        path = ref.rpartition(":")[0] or path


@dataclass(slots=True, eq=False)
class Step:
    """An operation that may be applied: the entries that it `confirms` or removes (`gone`), and the new text.

    `title` is the sub-heading of the new entry, `text` its words, empty for no new entry; `sources` are its lines,
    `src` is whose words they are, `days` when it was said.
    """

    operation: Operation
    confirms: list[managed.ManagedEntry] = field(default_factory=list)
    gone: list[managed.ManagedEntry] = field(default_factory=list)
    kind: str = ""
    title: str = ""
    text: str = ""
    sources: list[Evidence] = field(default_factory=list)
    src: str = origin.AGENT
    days: list[str] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """The digest of the new entry, empty for none."""
        return managed.of_text(self.text) if self.text else ""

    @property
    def leaving(self) -> list[managed.ManagedEntry]:
        """The entries that the step removes, without those whose words it adds again."""
        return [entry for entry in self.gone if entry.digest != self.digest]


@dataclass(slots=True)
class Checked:
    """Checked operations: the `steps` to apply, those `refused`, each with why, and MEMORY.md after the steps."""

    document: str
    steps: list[Step] = field(default_factory=list)
    refused: list[tuple[Operation, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Folder:
    """The documents that an answer to a curation brief may change, as they were read."""

    memory: File
    sidecar: File
    superseded: File
    proposed: File


def changes(
    folder: Folder,
    checked: Checked,
    known: Mapping[str, KnownEntry],
    *,
    ties: Mapping[str, About],
    declined: Collection[str],
    today: str,
    at: str,
    by: str,
) -> ChangeSet:
    """Return the changes that carry out the checked operations; `declined` are digests of candidates not to repeat.

    `ties` are the files that confirmed entries are about, as they are now. Removed entries are recorded first, then the
    sources of new ones; MEMORY.md is replaced last.
    """
    made: list[Change] = []
    gone = [sources.superseded_line(entry.text, _why(step, today)) for step in checked.steps for entry in step.leaving]
    if gone:
        made += folder.superseded.becomes(sources.with_superseded(folder.superseded.text, gone, today))
    rows = [row for step in checked.steps for row in _rows(step, known, ties, today, at)]
    if declined:
        rows.append(sources.Declined(tuple(sorted(declined)), at=at, by=by))
    if rows:
        made += folder.sidecar.becomes(sources.joined(folder.sidecar.text, rows))
    if folder.proposed.data and (checked.steps or declined):
        made += _proposed(folder, checked, declined)
    made += folder.memory.becomes(checked.document)
    return ChangeSet("curate", tuple(made))


def _proposed(folder: Folder, checked: Checked, declined: Collection[str]) -> list[Change]:
    """Return the changes that remove decided proposals from the proposals document of earlier versions.

    Those are in words that enter, were declined or are in MEMORY.md, or come from a line that is used now. The document
    is removed with its last proposal.
    """
    come = [step for step in checked.steps if step.text]
    lines = {f"{line.path}:{line.line}" for step in come for source in step.sources for line in source.lines}
    over, present = {*declined, *(step.digest for step in come)}, lines_of(checked.document)
    waiting = proposals.proposals(folder.proposed.text)
    over |= {row.digest for row in waiting if lines & {*row.sources} or folded(row.text) in present}
    left = proposals.without(folder.proposed.text, over)
    if proposals.is_empty(left):
        return [Remove(folder.proposed.path, expects=folder.proposed.digest)]
    return folder.proposed.becomes(left)


def kept_out(steps: Sequence[Step], rejected: Sequence[str]) -> Iterator[tuple[Sequence[str], Reason, str | None]]:
    """Yield what is kept out: `rejected` texts, retired entries, and updated or merged ones with what replaced them."""
    yield from (([text], "rejected", None) for text in rejected)
    for step in steps:
        for entry in step.leaving:
            yield ([entry.text], "superseded", step.text) if step.text else ([entry.text], "rejected", None)


def _rows(
    step: Step, known: Mapping[str, KnownEntry], ties: Mapping[str, About], today: str, at: str
) -> list[sources.Row]:
    rows: list[sources.Row] = []
    for entry in step.confirms:
        old = known[entry.digest]
        days = tuple(sorted({*old.confirmed, today})[-entry_rows.MOST_CONFIRMED :])
        about = ties.get(entry.digest, old.about)
        if days == old.confirmed and about is old.about:
            continue  # already confirmed today
        rows.append(_changed(old, confirmed=days, about=about, state=sources.CURRENT))
    state, reason = (sources.SUPERSEDED, "") if step.text else (step.operation.state, step.operation.text)
    for entry in step.leaving:
        rows.append(_changed(known[entry.digest], state=state, reason=reason, until=today, by=step.digest))
        rows.append(sources.Left(entry.digest, entry.text, kind=entry.kind, run=""))
    replaced = [known[entry.digest] for entry in step.gone]
    return [*rows, _come(step, replaced, today, at)] if step.text else rows


def _changed(row: KnownEntry, **keys: object) -> sources.Row:
    """Return the record of an entry with these keys; it no longer belongs to a compaction run."""
    changed = row.with_keys(**keys, **({"run": ""} if isinstance(row, sources.Made) else {}))
    assert isinstance(changed, sources.Made | sources.Stated)
    return changed


def _come(step: Step, replaced: Sequence[KnownEntry], today: str, at: str) -> sources.Row:
    """Return the record of a new entry. What a person wrote, or accepted from outside, keeps both sources."""
    every = (
        *(line for row in replaced for line in row.sources),
        *(line for each in step.sources for line in each.lines),
    )
    lines = {(line.path, line.line): line for line in every}
    places = [*lines.values()]
    days = sorted({*step.days}) or [today]
    keys: dict[str, Any] = {
        "kind": step.kind,
        "src": step.src,
        "first": days[0],
        "confirmed": sorted({*days, today}),  # the author confirms it today
        "about": next((row.about for row in replaced if row.about), None),
    }
    srcs = [src or origin.UNKNOWN for src in (*(each.src for each in step.sources), *(row.src for row in replaced))]
    heard = [src for entry in step.gone if (src := origin.within(entry.text))] + [*filter(origin.is_outside, srcs)]
    # The words that it replaces are in the record of removed entries.
    ref = next(iter((*step.operation.sources, *(f"{path}:{line}" for path, line in lines), sources.SUPERSEDED_PATH)))
    if step.src == origin.USER and (heard or step.operation.is_edited):
        return sources.Stated(step.digest, ref, origin.lowest(heard or srcs), at=at, sources=places, **keys)
    if step.src != origin.USER and step.sources and not lines:  # events alone, which are no lines
        return sources.Stated(step.digest, ref, origin.lowest(srcs), at=at, **keys)
    return sources.Made(step.digest, places, day=days[-1], run="", state=sources.CURRENT, **keys)


def _why(step: Step, today: str) -> str:
    if step.text:
        return sources.replaced_by(step.text, today)
    return f"({': '.join(filter(None, (step.operation.state, step.operation.text)))})"
