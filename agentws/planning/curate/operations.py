"""Operations of an author's answer to a brief, one a line. Specified in docs/format/memory.md.

KEEP 3
ADD [lesson] Backups of the phone need the cable {memory/2026-11-20.md:14, t3fk}
UPDATE 7 Never touch production without Sam or Kim {memory/2026-11-18.md:9}
MERGE 3 9 -> SQLite for index and cache: one file, no server
RETIRE 2 superseded: the lease was signed {memory/2026-11-19.md:3}
NONE
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats.documents import managed
from agentws.formats.secrets import secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

KEEP, ADD, UPDATE, MERGE, RETIRE, NONE = VERBS = ("KEEP", "ADD", "UPDATE", "MERGE", "RETIRE", "NONE")
STATES = ("superseded", "expired", "retired")
"""Why an entry leaves."""
MOST = 100
"""Operations of one answer."""
MOST_SOURCES = 8
FORMS = (
    "KEEP N",
    "ADD [kind] text {source}",
    "UPDATE N text {source}",
    "MERGE N M -> text",
    "RETIRE N superseded: why {source}",
    "NONE",
)
"""What a line may be, for those that are nothing of it."""
_BRIEF = "BRIEF"
_MOST_ID_CHARS = 12
_ID_CHARS = "0123456789abcdef"
_MOST_DIGITS = 6
_MOST_MERGED = 6
_ARROWS = ("-->", "->", "=>", "→")
_FENCES = ("```", "~~~")
_BULLETS = ("-", "*", "+", "•")
_EMPHASIS = "*_`"
_AROUND_NUMBER = "#.:;+&" + _EMPHASIS
_AND = "and"
_BRACKETS = {"[": "]", "(": ")"}
_QUOTES = {'"': '"', "“": "”", "`": "`"}
_DASHES = "-–— "
_BEHIND_STATE = re.compile(r"[*_`]{0,3}[)\]]?[.,:;]?[*_`]{0,3}(?: [-–—]{1,3}(?= ))?(?: |$)")
"""What may stand between the state of an entry that leaves and why: a doubt (`retired? no`) may not."""
_UNKNOWN = "not an operation"
_MOST_SHOWN_CHARS = 200


@dataclass(slots=True, eq=False)
class Operation:
    """One line of an answer.

    Fields:
        line: its number, 1-based. raw: the line, shortened, without secrets.
        verb: one of VERBS. numbers: the entries that it names, as the brief numbers them.
        kind: of ADD. text: what MEMORY.md says then; of RETIRE why. state: of RETIRE, one of STATES.
        sources: the references in braces.
        is_edited: whether a person wrote the text, in a review.
        fault: why it cannot be read; empty where it can.
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
        """Shorten the line: it is only shown."""
        self.raw = self.raw[:_MOST_SHOWN_CHARS]


def parse(answer: str) -> list[Operation]:
    """Return the operations of an answer, in order; those that cannot be read with their fault.

    The form is free where the meaning is plain: fences, bullets, numbers and emphasis around a line count for nothing.
    """
    found: list[Operation] = []
    for number, said in _lines(answer):
        if len(found) == MOST:
            found.append(Operation("", number, said, fault=f"an answer may have at most {MOST} operations"))
            break
        found.append(_operation(number, said))
    shown = _shown(answer)
    for one in found if shown else ():
        one.raw = _plain(shown[one.line - 1])[:_MOST_SHOWN_CHARS]
    for one in found if len(found) > 1 else ():
        if one.verb == NONE:
            one.fault = one.fault or "NONE must be the only operation"
    unknown = [one for one in found if not one.verb and one.fault == _UNKNOWN]
    for one in unknown[:1]:
        one.fault += f"; allowed: {' · '.join(FORMS)}"
    return found


def brief_of(answer: str) -> str:
    """Return the brief that an answer says it is to, as in `BRIEF 3f2a9c`; empty where it names none."""
    return next(filter(None, (_brief(_plain(line)) for line in answer.split("\n"))), "")


def _lines(answer: str) -> Iterator[tuple[int, str]]:
    """(number, line) of what is neither empty, nor a fence, nor the name of the brief."""
    for number, line in enumerate(answer.split("\n"), 1):
        said = _plain(line)
        if said and not _brief(said):
            yield number, said


def _shown(answer: str) -> list[str]:
    """The lines of an answer as they may be shown; none where it holds no secret.

    Seen in the whole, since a secret may be cut, or run over lines that are each shown for themselves.
    """
    secret = secrets.find(answer)
    shown = answer
    for one in reversed(secret):
        mark = f"{secrets.PLACEHOLDER_OPEN}{one.kind}›"
        lines = 1 + answer.count("\n", one.start, one.end)
        shown = shown[: one.start] + "\n".join([mark] * lines) + shown[one.end :]
    return shown.split("\n") if secret else []


def _plain(line: str) -> str:
    """A line without bullet, numbering and emphasis around it or its verb; nothing of a fence."""
    said = " ".join(line.lstrip("\ufeff").split())
    if said.startswith(_FENCES) and (said[-1] not in _FENCES[0] + _FENCES[1] or not said.strip("`~")):
        return ""
    first, _, rest = said.partition(" ")
    while rest and (first in _BULLETS or (first[-1] in ".):" and first[:-1].lstrip("(").isdecimal())):
        said = rest
        first, _, rest = said.partition(" ")
    inner = said.strip(_EMPHASIS)
    if said and len(said) - len(said.lstrip(_EMPHASIS)) == len(said) - len(said.rstrip(_EMPHASIS)):
        said = said if said[0] in inner else inner
    verb, space, rest = said.partition(" ")
    return f"{verb.strip(_EMPHASIS).rstrip(':').rstrip(_EMPHASIS)}{space}{rest}"


def _brief(said: str) -> str:
    verb, _, rest = said.partition(" ")
    name = rest.strip(_EMPHASIS + ".").casefold()
    is_name = 0 < len(name) <= _MOST_ID_CHARS and not name.strip(_ID_CHARS)
    return name if verb.upper() == _BRIEF and is_name else ""


def _operation(line: int, said: str) -> Operation:
    verb, _, rest = said.partition(" ")
    verb = verb.rstrip(".!").upper()
    if verb not in VERBS:
        made = Operation("", line, said, fault=_UNKNOWN)
        _say(made, rest)  # what it names is told by its sources
        return made
    made = Operation(verb, line, said)
    made.fault = _READ[verb](made, rest.strip())
    return made


def _none(made: Operation, rest: str) -> str:
    return "NONE must be the only operation" if rest.strip(".") else ""


def _keep(made: Operation, rest: str) -> str:
    made.numbers, behind = _numbers(rest)
    return _number_fault(made) or ("KEEP takes only numbers" if behind else "")


def _add(made: Operation, rest: str) -> str:
    made.kind, behind = _kind(rest)
    _say(made, behind)
    if made.kind not in managed.KINDS:
        return f"ADD needs a kind in brackets: {', '.join(managed.KINDS)}"
    return _text_fault(made) or ("" if made.sources else "the {source} is missing")


def _update(made: Operation, rest: str) -> str:
    number, _, text = rest.partition(" ")
    made.numbers, _ = _numbers(number)
    arrow = next((one for one in _ARROWS if text.startswith(one)), "")
    _say(made, _bracketed(made, text.removeprefix(arrow).strip()))
    return _number_fault(made) or ("UPDATE takes one number" if len(made.numbers) > 1 else _text_fault(made))


def _merge(made: Operation, rest: str) -> str:
    found = min(((rest.index(arrow), -len(arrow)) for arrow in _ARROWS if arrow in rest), default=None)
    before = rest if found is None else rest[: found[0]]
    made.numbers, behind = _numbers(before)
    if found is not None:
        _say(made, _bracketed(made, rest[found[0] - found[1] :].strip()))
    if behind or not 2 <= len(set(made.numbers)) == len(made.numbers) <= _MOST_MERGED:
        return f"MERGE needs two to {_MOST_MERGED} different numbers, then -> and the text"
    return _text_fault(made) if found is not None else "MERGE needs -> before the text"


def _retire(made: Operation, rest: str) -> str:
    made.numbers, behind = _numbers(rest)
    word = behind.lstrip(f":([{_DASHES}{_EMPHASIS}")
    state = next((one for one in STATES if word[: len(one)].casefold() == one), "")
    why = _BEHIND_STATE.match(word, len(state))
    made.state = state if why else ""
    _say(made, word[why.end() :] if why else "")
    if made.numbers and not made.state:
        return f"RETIRE needs a reason: {', '.join(STATES)}"
    is_bare = made.state == STATES[0] and not made.sources
    return _number_fault(made) or _source_fault(made) or ("superseded needs a {source}" if is_bare else "")


_READ = {KEEP: _keep, ADD: _add, UPDATE: _update, MERGE: _merge, RETIRE: _retire, NONE: _none}


def _numbers(text: str) -> tuple[tuple[int, ...], str]:
    """(the numbers that a text begins with, what stands behind them)."""
    found: list[int] = []
    rest = text.strip()
    while rest:
        word, _, behind = rest.partition(" ")
        each = [] if word.casefold() == _AND else [one.strip(_AROUND_NUMBER) for one in word.split(",")]
        each = [one for one in each if one]
        if not all(one.isascii() and one.isdigit() and len(one) <= _MOST_DIGITS for one in each):
            break
        found += map(int, each)
        rest = behind.strip()
    return tuple(found), rest


def _kind(text: str) -> tuple[str, str]:
    """(the kind that a text begins with, in brackets or before a colon, and what stands behind it)."""
    said = text.lstrip(_EMPHASIS)
    kind, end, behind = said.partition(_BRACKETS.get(said[:1], ":"))
    kind = kind.lstrip("[(").strip(f" {_EMPHASIS}").casefold()
    if not end or kind not in managed.KINDS:
        return "", text
    for mark in (text[: len(text) - len(said)], ":", text[: len(text) - len(said)]):
        behind = behind.removeprefix(mark)
    return kind, behind.lstrip().removeprefix(": ")


def _bracketed(made: Operation, text: str) -> str:
    """What stands behind a kind in brackets, which is taken."""
    if not text.lstrip(_EMPHASIS).startswith("["):
        return text
    made.kind, behind = _kind(text)
    return behind


def _say(made: Operation, text: str) -> None:
    """Take the text, and the sources in the braces that it ends in."""
    said = text.strip()
    refs: list[str] = []
    while True:
        before, brace, inner = said.rstrip(f". {_EMPHASIS}").rpartition("{")
        if not (brace and inner.endswith("}") and inner[:-1].strip()):
            break
        said = before
        refs.insert(0, inner[:-1])
    if refs:
        made.sources = tuple(dict.fromkeys(_refs(" ".join(refs))))
    made.text = " ".join(said.split())
    closing = _QUOTES.get(made.text[:1], "")
    if closing and made.text.endswith(closing) and closing not in made.text[1:-1]:
        made.text = made.text[1:-1].strip()


def _refs(text: str) -> Iterator[str]:
    """Each line of references such as `a.md:14`, `a.md:14-16` and, behind one, `16` alone."""
    path = ""
    for word in text.replace(",", " ").replace(";", " ").split():
        ref = word.strip(_EMPHASIS).lstrip("^")
        name, _, lines = ref.rpartition(":")
        first, _, last = lines.partition("-")
        if path and ref.isdecimal():
            yield f"{path}:{ref}"
        elif name and first.isdecimal() and last.isdecimal() and 0 <= int(last) - int(first) < MOST_SOURCES:
            yield from (f"{name}:{line}" for line in range(int(first), int(last) + 1))
        elif ref:
            yield ref
        path = name or path


def _number_fault(made: Operation) -> str:
    return "" if made.numbers else f"{made.verb} needs an entry number"


def _text_fault(made: Operation) -> str:
    return _source_fault(made) or ("" if made.text else "the text is missing")


def _source_fault(made: Operation) -> str:
    return f"more than {MOST_SOURCES} sources" if len(made.sources) > MOST_SOURCES else ""


def repeated(found: Iterable[Operation]) -> dict[int, str]:
    """Return, by line, why operations are refused that change an entry which one before changes already."""
    seen: dict[int, int] = {}
    wrong: dict[int, str] = {}
    for one in found:
        if one.fault:
            continue
        first = next((seen[number] for number in one.numbers if number in seen), 0)
        if first:
            wrong[one.line] = f"line {first} already changes that entry"
        else:
            seen.update(dict.fromkeys(one.numbers, one.line))
    return wrong
