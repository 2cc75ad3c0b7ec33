"""The lines of logs and memory in which is looked for what stands and what matters: text, when, where, what it says."""

from __future__ import annotations

from agentws.formats import markdown
from agentws.planning.compaction.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_DRESS = " \t\r\n\f\v-*+>|"
_MOST_MARKS = 6
_BOXES = ("[ ]", "[x]", "[X]", "[~]", "[-]")
_AROUND = ".,;:!?…()[]{}<>|\"'`*~“”„«»‘’。、，；：！？（）「」『』"
"""What may stand before or behind a word without being part of it."""
_OF_A_NAME = "/\\@_.€$£¥₹%°"
_QUOTES = {'"': '"', "`": "`", "'": "'", "“": "”", "„": "“", "‘": "’", "«": "»", "»": "«", "「": "」", "『": "』"}
_SHORTEST_HASH = 7


class Line:
    """One line that may be shown.

    `text` as it stands in the file; `day` (ISO, empty where nothing says when) and `age`, how many logged days ago
    that was (None without a day); `path` are the headings above it, a label such as `**Next:**` among them; `parent`
    is the index of the line it stands under and cannot be shown without, None where it stands alone; `form` as in
    formats/markdown.py, `done` as in formats/notes.py; `words` as in words.py. `is_foreign`: others wrote it.
    """

    __slots__ = (
        *("_exact", "_parts", "age", "day", "done", "entry", "form", "importance", "is_foreign", "kind"),
        *("parent", "path", "shelf", "text", "words"),
    )

    def __init__(
        self,
        text: str,
        *,
        age: int | None,
        day: str = "",
        path: tuple[str, ...] = (),
        parent: int | None = None,
        done: bool | None = None,
        kind: str | None = None,
        importance: int | None = None,
        form: str = markdown.ITEM,
        shelf: int = 0,
        entry: int = 0,
        is_foreign: bool = False,
    ) -> None:
        self.text = text
        self.age = age
        self.day = day
        self.path = path
        self.parent = parent
        self.done = done
        self.kind = kind
        self.importance = importance
        self.form = form
        self.shelf = shelf
        self.entry = entry
        self.is_foreign = is_foreign
        self.words = words(text)
        self._exact: tuple[str, ...] | None = None
        self._parts: tuple[str, tuple[str, ...], tuple[str, ...]] | None = None

    @property
    def exact(self) -> tuple[str, ...]:
        """What of it no other wording may change (`exact`), without its place in a list and the time of day behind."""
        if self._exact is None:
            text = self.text[markdown.marker(self.text) :]
            self._exact = exact(text[_clock(text) :])
        return self._exact

    def says_again(self, other: Line) -> bool:
        """Return whether it names nothing that `other` does not name: the same numbers, and no other name.

        Two items of numbered lists also have the same number in theirs.
        """
        place, numbers, names = self._told()
        its_place, its_numbers, _ = other._told()
        is_same = numbers == its_numbers and (place == its_place or not place or not its_place)
        return is_same and (not names or _has_names(names, other.text))

    def _told(self) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """Its place in a numbered list, and what is exact in it: with a number, and other names."""
        if self._parts is None:
            numbers = tuple(filter(_has_number, self.exact))
            self._parts = _place(self.text), numbers, tuple(one for one in self.exact if not _has_number(one))
        return self._parts

    def is_named_by(self, *others: Line) -> bool:
        """Return whether `others` name all that is exact in it: else they speak of something else."""
        return not self.exact or is_named(self.exact, " ".join(other.text for other in others))


def bare(line: str) -> str:
    """What a line says, without marks of lists, boxes and strong emphasis."""
    text = line.strip()
    for _ in range(_MOST_MARKS):
        before, text = text, _undressed(text)
        if text == before:
            break
    parts = text.split("`")  # what stands between backticks stays as it is
    return "`".join(part if place % 2 else part.replace("**", "") for place, part in enumerate(parts)).strip()


def exact(text: str) -> tuple[str, ...]:
    """What makes `text` another statement where it differs, in order.

    Each word that holds a number in any script, with a unit in capitals behind it; a sign of money, a path, an address,
    a hash; what stands in quotation marks. Importance, references and origin are marks, and none of it.
    """
    found: list[str] = []
    is_amount = False
    for word in _without_origin(text).split():
        plain = word.strip(_AROUND)
        is_unit = is_amount and plain.isupper()
        is_amount = _has_number(plain) and not _is_mark(word)
        if is_amount or is_unit or _is_name(plain):
            found.append(plain)
    return (*found, *_quoted(text))


def is_named(wanted: Collection[str], text: str) -> bool:
    """Return whether `text` may speak of that of which another text says `wanted`, which is exact there.

    A number that is not in it is another one; a name too, but where it has no such name at all.
    """
    known = {*exact(text)}
    return all(one in known for one in wanted if _has_number(one)) and (
        all(map(_has_number, known)) or _has_names(wanted, text)
    )


def _has_names(wanted: Collection[str], text: str) -> bool:
    """Return whether all names among `wanted` stand in `text`, if without their quotation marks."""
    said = text.casefold()
    return all(one.casefold() in said for one in wanted if not _has_number(one))


def _without_origin(text: str) -> str:
    before, _, via = text.rstrip().rpartition(" (via ")
    return before if via.endswith(")") and " " not in via else text


def _has_number(text: str) -> bool:
    return any(map(str.isnumeric, text))


def _place(text: str) -> str:
    """The number of an item in its list, empty for anything else."""
    return text[: markdown.marker(text)].strip(" \t-*+.)")


def _is_mark(word: str) -> bool:
    return (word[0] == "!" and word[1:].isdigit()) or (word[0] == "^" and word[1:].isalnum())


def _is_name(word: str) -> bool:
    if word.isalpha():
        return len(word) >= _SHORTEST_HASH and not word.strip("abcdef")
    return any(map(word.__contains__, _OF_A_NAME))


def _quoted(text: str) -> Iterator[str]:
    at = 0
    unclosed: set[str] = set()
    while at < len(text):
        close = _QUOTES.get(text[at], "")
        is_apostrophe = close == "'" and at > 0 and text[at - 1].isalnum()
        end = text.find(close, at + 1) if close and not is_apostrophe and close not in unclosed else -1
        if end > at + 1:
            yield text[at + 1 : end].strip()
            at = end
        elif close and not is_apostrophe and end < 0:
            unclosed.add(close)  # never look again, so that the cost stays linear
        at += 1


def _undressed(text: str) -> str:
    """`text` without the first of the marks that it begins with."""
    body = text.lstrip(_DRESS)
    if text[: len(text) - len(body)].endswith(("-", "+")):
        return text[len(text[: len(text) - len(body)].rstrip("-+")) :]  # an option such as --force is no mark
    text = body
    if text.startswith("__"):
        return text[2:]
    if text.startswith(_BOXES):
        return text[3:]
    if text.startswith("#"):
        heading = text.lstrip("#")
        return heading if heading[:1].isspace() else text
    digits = len(text) - len(text.lstrip("0123456789"))
    numbered = digits and text[digits : digits + 1] in (".", ")") and text[digits + 1 : digits + 2].isspace()
    return text[digits + 1 :] if numbered else text


def _clock(text: str) -> int:
    """Where the time of day ends that a line begins with, 0 where it begins with none."""
    start = len(text) - len(text.lstrip(" \t-*+["))
    for hours in (2, 1):
        end = start + hours + 3
        hour, colon, minute = text[start : start + hours], text[start + hours : start + hours + 1], text[end - 2 : end]
        if (
            colon == ":"
            and hour.isdigit()
            and len(minute) == 2
            and minute.isdigit()
            and not text[end : end + 1].isalnum()
        ):
            return end
    return 0
