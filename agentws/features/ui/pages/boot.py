"""Boot: the text as the agent gets it, what it costs, what is missing, with another budget or on another day."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from agentws.core.formats import layout
from agentws.core.formats.secrets import redaction
from agentws.features.ui.page import Page, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from agentws.features.boot.plan.assemble import Shown
    from agentws.features.boot.result import Booted
    from agentws.workspace import Workspace

SAME, COMES, GOES = "same", "comes", "goes"
_LEAST, _MOST, _STEP = 500, 32_000, 100
_GAP = re.compile(r"\[… [^\n]{0,200}? tokens[^\n:]{0,40}: ([^\n]{1,4000}?)(?: …)?\]\s*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_RANGE = re.compile(r"(\d{1,9})(?:,(\d{1,9}))?p")
_MOST_PLACES = 8
_MOST_BUDGET = 1_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a document that a gap of boot stands for; `first` and `last` are 0 for all of it."""

    path: str
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of boot's text: whether it is in both budgets, and the places that a gap stands for."""

    mark: str
    text: str
    gap: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of boot's text that belong to one section; `section` is its number, None for boot's own frame."""

    section: int | None
    lines: tuple[Line, ...]


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the boot of the `budget` and the moment `at`, and how it differs from that of the workspace's budget."""
    at, budget = query.get("at", ""), number(query, "budget", 0, most=_MOST_BUDGET)
    then = as_it_was(workspace, workspace.moment(at)) if at else workspace
    usual = then.boot()
    booted = then.boot(budget=budget) if budget and budget != usual.budget else usual
    sections = booted.context.sections
    return {
        "booted": booted,
        "usual": usual,
        "at": at,
        "sections": sections,
        "bar": [(section.title, section.tokens) for section in sections],
        "frame": booted.context.tokens - sum(section.tokens for section in sections),
        "omitted": [(left, places(left.read_with)) for left in booted.context.omitted],
        "text": list(parts_of(booted.text, sections, None if booted is usual else _alike(usual, booted))),
        "least": _LEAST,
        "most": max(_MOST, booted.budget, usual.budget),
        "step": _STEP,
    }


def as_it_was(workspace: Workspace, at: datetime) -> Workspace:
    """Return the workspace as history has it at an earlier moment."""
    return type(workspace).open(workspace.root, environment=workspace.stores.environment.as_it_was(at))


def _alike(usual: Booted, booted: Booted) -> str:
    """Return the text of the usual boot with the marks of another one, which differ by chance."""
    text = usual.text
    for old, new in zip(usual.context.marks, booted.context.marks, strict=True):
        text = text.replace(f"[{old}]", f"[{new}]")
    return text


def parts_of(text: str, sections: Sequence[Shown], usual: str | None) -> Iterator[Part]:
    """Yield boot's text by section. With the text of the `usual` budget, lines that come and go are marked."""
    starts = {section.span[0]: at for at, section in enumerate(sections)}
    ends = {section.span[1] for section in sections}
    current: int | None = None
    lines: list[Line] = []
    offset = 0
    for mark, line in _marked(text, usual):
        if mark != GOES:
            entered = starts.get(offset, None if offset in ends else current)
            if entered != current and lines:
                yield _part(current, lines)
                lines = []
            current = entered
            offset += len(line)
        match = _GAP.fullmatch(line)
        lines.append(Line(mark, line.rstrip("\n"), places(match[1]) if match else ()))
    yield _part(current, lines)


def _part(section: int | None, lines: list[Line]) -> Part:
    """Return a part without secrets, and without the empty lines at its end."""
    while lines and not lines[-1].text:
        lines.pop()
    texts = redaction.lines_without([line.text for line in lines])
    return Part(section, tuple(replace(line, text=text) for line, text in zip(lines, texts, strict=True)))


def _marked(text: str, usual: str | None) -> Iterator[tuple[str, str]]:
    new = _LINE.findall(text)
    if usual is None:
        yield from ((SAME, line) for line in new)
        return
    old = _LINE.findall(usual)
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from ((SAME, line) for line in new[new_from:new_to])
        else:
            yield from ((GOES, line) for line in old[old_from:old_to])
            yield from ((COMES, line) for line in new[new_from:new_to])


def places(command: str) -> tuple[Place, ...]:
    """Return the documents that a gap's command shows: `cat FILE…` or `sed -n '3,9p' FILE`; none for others."""
    try:
        program, *words = shlex.split(command)
    except ValueError:
        return ()
    first = last = 0
    if program == "sed" and len(words) == 3 and words[0] == "-n" and (match := _RANGE.fullmatch(words[1])):
        first, last = int(match[1]), int(match[2] or match[1])
        words = words[2:]
    elif program != "cat":
        return ()
    paths = [word.removeprefix("./") for word in words]
    return tuple(Place(path, first, last) for path in paths if layout.is_document(path))[:_MOST_PLACES]


PAGE = Page("boot", "Boot", view)
