"""What an author answers to a brief: one operation a line. Specified in docs/format/memory.md.

KEEP 3
ADD [lesson] Backups of the phone need the cable {memory/2026-11-20.md:14, t3fk}
UPDATE 7 Never touch production without Sam or Kim {memory/2026-11-18.md:9}
MERGE 3 9 -> SQLite for index and cache: one file, no server
RETIRE 2 superseded: the lease was signed {memory/2026-11-19.md:3}
NONE
"""

from __future__ import annotations

from agentws.formats import managed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KEEP, ADD, UPDATE, MERGE, RETIRE, NONE = VERBS = ("KEEP", "ADD", "UPDATE", "MERGE", "RETIRE", "NONE")
STATES = ("superseded", "expired", "retired")
"""Why an entry leaves."""
MOST = 100
"""Operations of one answer."""
MOST_SOURCES = 8
_MOST_DIGITS = 6
_MOST_MERGED = 6
_ARROWS = ("->", "→")
_FENCES = ("```", "~~~")
_BULLETS = ("- ", "* ", "+ ")
_MOST_SHOWN_CHARS = 200


class Operation:
    """One line of an answer.

    Fields:
        line: its number, 1-based. raw: the line, shortened.
        verb: one of VERBS. numbers: the entries that it names, as the brief numbers them.
        kind: of ADD. text: what MEMORY.md says then; of RETIRE why. state: of RETIRE, one of STATES.
        sources: the references in braces.
        is_edited: whether a person wrote the text, in a review.
        fault: why it cannot be read; empty where it can.
    """

    __slots__ = ("fault", "is_edited", "kind", "line", "numbers", "raw", "sources", "state", "text", "verb")

    def __init__(self, verb: str, line: int = 0, raw: str = "") -> None:
        self.verb = verb
        self.line = line
        self.raw = raw[:_MOST_SHOWN_CHARS]
        self.numbers: tuple[int, ...] = ()
        self.sources: tuple[str, ...] = ()
        self.kind = self.text = self.state = self.fault = ""
        self.is_edited = False

    def __repr__(self) -> str:
        """What it is, for whoever looks at a failed test."""
        return f"<{self.verb} {self.numbers} [{self.kind}] {self.text!r} {self.sources} {self.fault}>"


def parse(answer: str) -> list[Operation]:
    """Return the operations of an answer, in order; those that cannot be read with their fault.

    Empty lines and the fences around a block count for nothing, and so does the bullet of a line.
    """
    found: list[Operation] = []
    for number, line in enumerate(answer.removeprefix("\ufeff").split("\n"), 1):
        said = line.strip()
        if not said or said.startswith(_FENCES):
            continue
        if len(found) == MOST:
            found.append(_faulty(number, said, f"an answer has at most {MOST} operations"))
            break
        found.append(_operation(number, said[2:].strip() if said.startswith(_BULLETS) else said))
    for one in found if len(found) > 1 else ():
        if one.verb == NONE:
            one.fault = one.fault or "NONE stands alone"
    return found


def _faulty(line: int, raw: str, why: str, verb: str = "") -> Operation:
    made = Operation(verb, line, raw)
    made.fault = why
    return made


def _operation(line: int, said: str) -> Operation:
    verb, _, rest = said.partition(" ")
    if verb not in VERBS:
        made = _faulty(line, said, f"it begins with none of {', '.join(VERBS)}")
        _say(made, rest)  # what it names is told by its sources
        return made
    made = Operation(verb, line, said)
    made.fault = _READ[verb](made, rest.strip())
    return made


def _none(made: Operation, rest: str) -> str:
    return "NONE stands alone" if rest else ""


def _keep(made: Operation, rest: str) -> str:
    made.numbers, behind = _numbers(rest)
    return _number_fault(made) or ("KEEP takes numbers alone" if behind else "")


def _add(made: Operation, rest: str) -> str:
    end = rest.find("]")
    made.kind = rest[1:end].strip().casefold() if rest[:1] == "[" and end > 0 else ""
    _say(made, rest[end + 1 :])
    if made.kind not in managed.KINDS:
        return f"ADD needs a kind in brackets: {', '.join(managed.KINDS)}"
    return _text_fault(made) or ("" if made.sources else "it names no source in braces")


def _update(made: Operation, rest: str) -> str:
    number, _, text = rest.partition(" ")
    made.numbers, _ = _numbers(number)
    _say(made, text)
    return _number_fault(made) or _text_fault(made)


def _merge(made: Operation, rest: str) -> str:
    made.numbers, behind = _numbers(rest)
    arrow = next((arrow for arrow in _ARROWS if behind.startswith(arrow)), "")
    _say(made, behind.removeprefix(arrow))
    if not 2 <= len(set(made.numbers)) == len(made.numbers) <= _MOST_MERGED:
        return f"MERGE needs two to {_MOST_MERGED} different numbers"
    return _text_fault(made) if arrow else "MERGE needs -> before the text"


def _retire(made: Operation, rest: str) -> str:
    number, _, behind = rest.partition(" ")
    made.numbers, _ = _numbers(number)
    state, _, why = behind.partition(":")
    made.state = state.strip().casefold()
    if not why and made.state not in STATES:  # `RETIRE 2 expired {memory/…}`
        made.state, _, why = behind.strip().partition(" ")
    _say(made, why)
    if made.state not in STATES:
        return f"RETIRE needs a reason: {', '.join(STATES)}"
    is_bare = made.state == STATES[0] and not made.sources
    return _number_fault(made) or _source_fault(made) or ("superseded needs the line that says so" if is_bare else "")


_READ = {KEEP: _keep, ADD: _add, UPDATE: _update, MERGE: _merge, RETIRE: _retire, NONE: _none}


def _numbers(text: str) -> tuple[tuple[int, ...], str]:
    """(the numbers that a text begins with, what stands behind them)."""
    found: list[int] = []
    words = text.replace(",", " ").split() if text else []
    rest = text
    for word in words:
        plain = word.removesuffix(":").removesuffix(".")
        if not (plain.isascii() and plain.isdigit() and len(plain) <= _MOST_DIGITS):
            break
        found.append(int(plain))
        rest = rest.lstrip(" ,\t")[len(word) :]
    return tuple(found), rest.strip()


def _say(made: Operation, text: str) -> None:
    """Take the text, and the sources in the braces that it ends in."""
    said = text.strip()
    before, brace, refs = said.rpartition("{")
    if brace and refs.endswith("}"):
        said = before
        made.sources = tuple(dict.fromkeys(ref.lstrip("^") for ref in refs[:-1].replace(",", " ").split()))
    made.text = " ".join(said.split())


def _number_fault(made: Operation) -> str:
    return "" if made.numbers else f"{made.verb} needs the number of an entry"


def _text_fault(made: Operation) -> str:
    return _source_fault(made) or ("" if made.text else "it has no text")


def _source_fault(made: Operation) -> str:
    return f"it names more than {MOST_SOURCES} sources" if len(made.sources) > MOST_SOURCES else ""


def repeated(found: Iterable[Operation]) -> dict[int, str]:
    """Return, by line, why operations are refused that change an entry which one before changes already."""
    seen: dict[int, int] = {}
    wrong: dict[int, str] = {}
    for one in found:
        if one.fault:
            continue
        first = next((seen[number] for number in one.numbers if number in seen), 0)
        if first:
            wrong[one.line] = f"line {first} names that entry already"
        else:
            seen.update(dict.fromkeys(one.numbers, one.line))
    return wrong
