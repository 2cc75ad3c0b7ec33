"""Sentences of logs and of the owner that name a rule, a preference, a decision or a standing fact. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.formats.documents import managed
from agentws.formats.markdown import markdown
from agentws.formats.text import sanitize
from agentws.planning.compact.runs import folded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence, Set

    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary

MOST = 15
"""Candidates of one brief."""
_DREAMS = "openclaw:dreaming:"
_COMMENT, _COMMENT_END = "<!--", "-->"
_HEARTBEAT = "heartbeat"
_SESSION_KEYS = ("agent:", "session:")
_ENDS_ALONE = ("。", "！", "？")
_END = re.compile(r"(?<=[.!?]) |(?<=[。！？])")
_AROUND = "`*_\"'“”„«»()[]{},;:.!?"
_NO_BEGINNING = (">", "|", "#", "[")
"""A quotation is somebody else's; the others are read as something else than a sentence."""


@dataclass(eq=False, slots=True)
class Candidate:
    """A sentence that may enter MEMORY.md.

    Fields:
        text: as it may stand there. kind: the one that its author marked, empty without a mark.
        refs: where it was said (FILE:LINE, or an event), the newest first. day: the newest on which it was, empty for
            what a compaction of an earlier version proposed.
        src: whose words it is. digests: those by which it is known once it was declined.
    """

    text: str
    kind: str
    refs: list[str]
    day: str
    src: str = origin.UNKNOWN
    digests: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Add the digest of the text."""
        self.digests.add(managed.of_text(self.text))

    @property
    def is_owners(self) -> bool:
        """Return whether the owner said it."""
        return origin.class_of(self.src) == origin.USER


def of(
    said: Iterable[Candidate],
    memory: str,
    *,
    proposed: Sequence[Candidate] = (),
    declined: Collection[str] = (),
    taken: Set[str] = frozenset(),
) -> list[Candidate]:
    """Return what may enter the document `memory`: what was proposed, what the owner said, then the newest.

    `said` are the candidates of logs and messages, `proposed` those that a compaction of an earlier version
    proposed, `declined` the digests of texts that were declined, `taken` the references from which an entry was made.
    """
    units = markdown.units(memory)
    present = {folded(managed.without_day(unit.text[markdown.marker(unit.text) :])) for unit in units}
    by_text: dict[str, Candidate] = {}
    for candidate in [*proposed, *said]:
        key = folded(candidate.text)
        is_taken = candidate.day and not taken.isdisjoint(candidate.refs)
        if key in present or is_taken or not candidate.digests.isdisjoint(declined):
            continue
        known = by_text.setdefault(key, candidate)
        if known is not candidate:
            known.refs += [ref for ref in candidate.refs if ref not in known.refs]
            known.day = max(known.day, candidate.day)
            known.kind = known.kind or candidate.kind
            known.digests |= candidate.digests
    ordered = sorted(by_text.values(), key=lambda candidate: candidate.day, reverse=True)
    return sorted(ordered, key=lambda candidate: (candidate not in proposed, not candidate.is_owners))


def of_log(entries: Sequence[Entry], text: str, words: Vocabulary) -> Iterator[Candidate]:
    """Yield the candidates of a log with this text, the last first."""
    machine = machine_lines(text)
    for entry in reversed(entries):
        if entry.src or entry.state is not None or entry.closes or entry.is_label or entry.line in machine:
            continue
        if entry.form not in (markdown.ITEM, markdown.PARAGRAPH) or entry.kind not in (None, *managed.KINDS):
            continue
        body = " ".join(entry.body.split())
        text = body if entry.kind else " ".join(named_in(body, words))
        if text and _is_sentence(text):
            mark = origin.marked(entry.first)
            src = mark if mark and origin.class_of(mark) == origin.USER else origin.UNKNOWN
            yield Candidate(
                text, entry.kind or "", [f"{entry.path}:{entry.line}"], entry.day, src, {managed.of_text(body)}
            )


def of_message(text: str, ref: str, day: str, words: Vocabulary) -> Iterator[Candidate]:
    """Yield the candidates of what the owner said to the agent."""
    for line in text.split("\n"):
        for sentence in named_in(" ".join(line.split()), words):
            if _is_sentence(sentence):
                yield Candidate(sentence, "", [ref], day, origin.USER)


def named_in(text: str, words: Vocabulary) -> list[str]:
    """Return the sentences of a text that name a rule, a preference, a decision or a standing fact."""
    return [each for each in sentences(text) if not _is_machine(each) and words.is_candidate(_without_names(each))]


def sentences(text: str) -> list[str]:
    """Return the sentences of one line."""
    parts: list[str] = []
    for part in _END.split(text):
        if parts and part[:1].islower() and not parts[-1].endswith(_ENDS_ALONE):  # behind `e.g.` no sentence begins
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return [sentence for part in parts if (sentence := part.strip())]


def machine_lines(text: str) -> set[int]:
    """Return the numbers (1-based) of lines in HTML comments, and between the comments in which OpenClaw dreams."""
    numbers: set[int] = set()
    is_dream = is_comment = False
    for number, line in enumerate(text.split("\n"), 1):
        is_mark = _DREAMS in line and _COMMENT in line
        if is_mark:
            is_dream = not line.partition(_DREAMS)[2].partition(_COMMENT_END)[0].strip().endswith("end")
        elif is_comment or line.lstrip().startswith(_COMMENT):
            is_comment = _COMMENT_END not in line
            numbers.add(number)
        if is_mark or is_dream:
            numbers.add(number)
    return numbers


def _is_sentence(text: str) -> bool:
    if text.startswith(_NO_BEGINNING) or text.endswith((":", "：")) or _is_machine(text):
        return False
    return sanitize.inert(text) == text and any(map(str.isalnum, _without_names(text)))


def _is_machine(text: str) -> bool:
    """Return whether a program wrote a text: a heartbeat, or what names the key of a session."""
    first = text.partition(" ")[0].strip(_AROUND).casefold()
    keys = [word.strip(_AROUND) for word in text.split()]
    is_key = any(word.startswith(_SESSION_KEYS) and word.count(":") > 1 for word in keys)
    return is_key or first == _HEARTBEAT or "HEARTBEAT_OK" in text or _COMMENT in text


def _without_names(text: str) -> str:
    """A text without names of files, whose words are no sentence."""
    return " ".join(word for word in text.split() if not _is_file(word.strip(_AROUND)))


def _is_file(word: str) -> bool:
    stem, dot, ending = word.rpartition(".")
    return "/" in word.strip("/") or bool(dot and stem and ending.isascii() and ending.isalpha() and len(ending) <= 5)
