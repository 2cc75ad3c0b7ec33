"""Two invented weeks of an agent, as a file tells them: what it notes, which commands it runs, and what is then true.

`=== FILE` begins what a file holds from the start, `=== YYYY-MM-DD` what is done on that day: lines that are added to
its log as they stand, and commands (`$ log`, `$ todo`, `$ done`, `$ drop`). What a reader would know stands in braces
at the end of a line, which the log never sees:

    {+movers}                   this opens what "movers" is about, or says it again
    {+dentist until 2026-11-06} so does this, and it is over after that day; on the next one it may still be listed
    {-movers}                   it is over, done or dropped
    {!no rented van}            a decision, by words that stand in the line
    {*over £200}                a rule, likewise
    {?60 days}                  a question: it may be listed as open, and need not
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
_BEGINS = "=== "
_COMMANDS = ("$ log ", "$ todo ", "$ done ", "$ drop ")
_SIGNS = "+-!*?"
_UNTIL = " until "


@dataclass(frozen=True)
class Mark:
    """What a reader would know of a line: `sign`, the `words` that name the thing, the last day on which it matters."""

    sign: str
    words: str
    until: str = ""


@dataclass(frozen=True)
class Step:
    """One line of a log, or one command, with its marks."""

    text: str
    is_command: bool
    marks: tuple[Mark, ...] = ()


@dataclass
class Story:
    """The files at the beginning, and the steps of each day."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    days: dict[str, list[Step]] = field(default_factory=dict)


def names() -> list[str]:
    """All stories there are."""
    return sorted(path.stem for path in HERE.glob("*.md"))


def read(name: str) -> Story:
    """The story of that name."""
    story = Story(name)
    place = ""
    for line in (HERE / f"{name}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(_BEGINS):
            place = line.removeprefix(_BEGINS)
            if place[0].isdigit():
                story.days[place] = []
            else:
                story.files[place] = ""
        elif place in story.days:
            story.days[place].append(_step(line))
        elif place:
            text, marks = _parted(line)
            story.files[place] += text + "\n"
            story.marks += marks
    return story


def _step(line: str) -> Step:
    text, marks = _parted(line)
    is_command = text.startswith(_COMMANDS)
    return Step(text.removeprefix("$ ") if is_command else text, is_command, marks)


def _parted(line: str) -> tuple[str, tuple[Mark, ...]]:
    """The line without its marks, and the marks; words that do not stand in their line are a mistake in the story."""
    marks: list[Mark] = []
    text = line
    while text.endswith("}") and (at := text.rfind("{")) >= 0 and text[at + 1] in _SIGNS:
        words, _, until = text[at + 2 : -1].partition(_UNTIL)
        marks.append(Mark(text[at + 1], words, until))
        text = text[:at].rstrip()
    for mark in marks:
        assert mark.sign == "-" or mark.words in text, f"{mark.words!r} does not stand in {text!r}"
    return text, tuple(marks)
