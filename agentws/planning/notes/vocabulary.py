"""The words of headings, markers and items, in twelve languages and a workspace's own. See docs/format/vocabulary.md.

A word says something at the beginning of a heading, of a part of a heading, or of a line; inside a sentence never.
Each look is one or few lookups in a table, whatever the number of languages.
"""

from __future__ import annotations

from agentws.planning.notes import vocabulary_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Words = tuple[str, int, str]
    """A kind, how its words are matched, the words, with `|` between them."""

NONE = "none"
WHOLE, ON, ON_IN_CAPITALS, ENDING, ENDING_IN_CAPITALS = 1, 2, 4, 8, 16
"""How a word is matched: alone, with more behind it, or at the end of more; the last two also in capitals only."""
MORE = "…"
_PARTS_OF_SENTENCES = ("rule", "decision", "lesson", "preference")
"""Kinds whose words are part of what the line says where no colon ends them: "never push", "decided to move"."""
_OVER = ("done", "dropped")
_OF_HEADINGS = {
    **{f"{kind}s": kind for kind in ("decision", "rule", "lesson", "preference", "fact", "question", "error")},
    "open": "todo",
    "identity": "fact",
}
"""The kind of the entries below a heading."""
_MOST_CHARS = 64
_MOST_SIGNS = 10
_MOST_KNOWN = 1000
_LONGEST_NOTHING = 40
_AROUND = " \t\n-–—*_~`\"'“”„«»()[]（）【】「」.。،,，、;；:：!！…/·・|"
"""What may stand around the words of an item, or be all of it: `- (none)`, `- –`."""
_MOST_BRACKETED = 48
_SIGNS = ("\u3040", "\uabff")
"""The first and last character of scripts without spaces: kana and han."""
_MARKS = ("\u0300", "\u1dff")
_NO_MARKS = "،؛؟۔।॥"
"""Punctuation between the marks that belong to the letter before them."""
_COLONS = ":：︰"
_BRACKETS = dict(zip("[(（［【「『〔《〈", "])）］】」』〕》〉", strict=True))
_EMPHASIS = "*_"
_QUOTES = "`\"“„«'‘”"
_CUTS = dict.fromkeys(map(ord, "-*_~`:：︰[](（)）［］【】「」『』〔〕《》〈〉|｜/／·—–;；&＆→»›"), " ")
_SEPARATORS = dict.fromkeys(map(ord, ":：︰[](（)）［］【】「」『』〔〕《》〈〉|｜/／·•—–;；&＆»›"), "\n")
LETTERS = {
    **{ord(old): new for old, new in zip("ёآأإٱىة\u0901’‘‐‑", "еاااايه\u0902''--", strict=True)},
    **dict.fromkeys((0x640, 0x93C, 0x200C, 0x200D, 0x200E, 0x200F, 0xFE0F, *range(0x64B, 0x653), 0x670), ""),
}
"""Letters that are written in two ways, besides the accents of Latin; what is not written by all is left out."""
_accents: dict[int, str] = {}


class _Table:
    """Words for looking up: `of` a folded word its kind and how it is matched, the `first` words (and signs) of all."""

    __slots__ = ("first", "of")

    def __init__(self, words: Iterable[Words], first: str, more: Iterable[Words]) -> None:
        self.of: dict[str, tuple[str, int]] = {}
        self.first = set(first.split("|"))
        for kind, how, text in words:
            self.of.update(dict.fromkeys(text.split("|"), (kind, how)))
        for kind, how, text in more:
            self.of[text] = (kind, how)
            self.first.add(first_of(text))


class Vocabulary:
    """Headings and markers, each with the kind that it gives."""

    __slots__ = ("_headings", "_known", "_markers", "_more", "_nothing")

    def __init__(self, more: tuple[list[Words], list[Words], list[Words]] = ([], [], [])) -> None:
        """Take words of headings, of markers and of items that come before those of all languages."""
        self._more = more
        self._nothing: set[str] | None = None
        self._headings: _Table | None = None
        self._markers: _Table | None = None
        self._known: dict[str, str | None] = {}

    @property
    def headings(self) -> _Table:
        """The words of headings, made when first asked for."""
        if self._headings is None:
            self._headings = _Table(vocabulary_words.HEADINGS, vocabulary_words.FIRST_OF_HEADINGS, self._more[0])
        return self._headings

    @property
    def markers(self) -> _Table:
        """The words of markers, made when first asked for."""
        if self._markers is None:
            self._markers = _Table(vocabulary_words.MARKERS, vocabulary_words.FIRST_OF_MARKERS, self._more[1])
        return self._markers

    def heading(self, text: str) -> str | None:
        """Return the kind that a heading gives to what stands below it, None where its words give none.

        Of several parts the first that says something counts ("Porch: next steps"), the last where it says that all
        is over ("Next steps — DONE"); "Done / Next" says nothing.
        """
        known = self._known
        if text not in known:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[text] = self._of_heading(text)  # most logs have the same headings
        return known[text]

    def _of_heading(self, text: str) -> str | None:
        found: list[str] = []
        segments = parts(text)
        for part in segments:
            kind = self._kind(part)
            if kind:
                found.append(kind)
        if not found:
            return None
        is_last = found[-1] in _OVER and self._kind(segments[-1]) is not None
        if len(found) > 1 and (found[0] in _OVER) != (found[-1] in _OVER):
            return found[-1] if is_last and "/" not in text and "&" not in text else None
        return found[0]

    def is_nothing(self, text: str) -> bool:
        """Return whether an item says that there is none: `none`, `-`, `特になし`; not `nothing but the roof`."""
        bare = text.strip(_AROUND)
        if not bare or len(bare) > _LONGEST_NOTHING:
            return not bare
        if self._nothing is None:
            listed = (*vocabulary_words.ITEMS, *self._more[2])
            self._nothing = {word for _, _, words in listed for word in words.split("|")}
        return fold(bare) in self._nothing

    def kind(self, word: str) -> str:
        """Return the kind of an entry that one word names, alone, as a marker or a heading; empty where it is none."""
        folded = fold(word)
        for known in (self.markers, self.headings):
            kind, how = known.of.get(folded, (NONE, 0))
            if how & WHOLE and kind != NONE:
                return _OF_HEADINGS.get(kind, kind)
        return ""

    def marker(self, text: str) -> tuple[str, int] | None:
        """Return the kind that the beginning of a line gives it, and where its text begins behind the marker.

        That is 0 where the marker is part of what the line says: "Never push to main".
        """
        at = 0
        if not text[:1].isalpha():
            at = _start(text)
            if at < 0:
                return None
        first = text[at : at + _MOST_CHARS].split(None, 1)[0]
        if not first.isalpha():
            first = first.translate(_CUTS).split(None, 1)[0]
        if not _may_begin(first, self.markers.first):
            return None
        return self._marker(text, at)

    def _marker(self, text: str, at: int) -> tuple[str, int] | None:
        found: tuple[str, int] | None = None
        opener = text[at - 1] if at else ""
        for end in _ends(text, at):
            kind, how = self.markers.of.get(fold(text[at:end]), (NONE, 0))
            if not how:
                continue
            behind = _behind(text, opener, end, is_word=how & WHOLE)
            if kind == NONE:
                found = None
            elif behind:
                found = (kind, behind)
            elif _goes_on(text, at, end, how):
                found = (kind, 0 if kind in _PARTS_OF_SENTENCES else _past_blanks(text, end))
        return found

    def _kind(self, part: str) -> str | None:
        """The kind that a part of a heading gives."""
        known = self.headings
        first = part.split(None, 1)[0]
        if not first.isalpha():
            first = first.translate(_CUTS).split(None, 1)[0]
        kind = None
        if _may_begin(first, known.first):
            found, how = known.of.get(fold(part), (NONE, 0))
            if how & (WHOLE | ON):
                return None if found == NONE else found
            for end in _ends(part, 0):
                found, how = known.of.get(fold(part[:end]), (NONE, 0))
                if how and _goes_on(part, 0, end, how):
                    kind = None if found == NONE else found
        return kind or self._kind_at_the_end(part)

    def _kind_at_the_end(self, part: str) -> str | None:
        last = part.rsplit(None, 1)[-1]
        if _is_sign(last[-1]):
            lasts = [last[-count:] for count in range(min(len(last), _MOST_SIGNS), 1, -1)]
        elif last.isupper() or not last.isascii():
            lasts = [last]
        else:
            lasts = []
        for word in lasts:
            kind, how = self.headings.of.get(fold(word), (NONE, 0))
            if how & ENDING or (how & ENDING_IN_CAPITALS and word.isupper()):
                return kind
        return None


def first_of(word: str) -> str:
    """Return the beginning of a folded word, a word or a sign, to tell quickly that nothing matches."""
    return word[0] if _is_sign(word) else word.split(" ", 1)[0]


def _may_begin(first: str, known: set[str]) -> bool:
    if first.isascii():
        return first.lower() in known
    return fold(first) in known or fold(first[0]) in known


def fold(text: str) -> str:
    """`text` as words are compared: without case, width and accents, its hyphens blanks, its blanks single."""
    if text.isascii():
        text = text.lower()
    else:
        import unicodedata

        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = text.translate(_accents or _read_accents())
    return " ".join(text.replace("-", " ").split())


def spelled(word: str) -> tuple[str, int]:
    """A word as a vocabulary file has it: folded, and how it is matched."""
    text = word.strip()
    is_on, is_ending = text.endswith(MORE), text.startswith(MORE)
    text = text.strip(f"{MORE} ")
    is_loud = text.isupper() and len(text) > 1
    if is_ending:
        return fold(text), ENDING_IN_CAPITALS if is_loud else ENDING
    return fold(text), (WHOLE | ON_IN_CAPITALS if is_loud else WHOLE | ON) if is_on else WHOLE


def extended(table: Mapping[str, Mapping[str, Sequence[str]]]) -> Vocabulary:
    """The words of all languages and those of `table`, a manifest's `[vocabulary]`, which come before them."""
    if not table:
        return USUAL
    from agentws.formats.vocabulary import KINDS

    headings, markers, items = ([*_spelled(table.get(part, {}), kinds)] for part, kinds in KINDS.items())
    return Vocabulary((headings, markers, items))


def _spelled(table: Mapping[str, Sequence[str]], kinds: Sequence[str]) -> Iterator[Words]:
    for kind in kinds:
        for word in table.get(kind, ()):
            folded, how = spelled(word)
            if folded:
                yield kind, how, folded


def _read_accents() -> dict[int, str]:
    """Fill the table of letters that are compared without their accents: Latin ones, which people often leave out."""
    import unicodedata

    for code in range(0xC0, 0x250):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii():
            _accents[code] = base
    _accents.update(LETTERS)
    return _accents


def parts(text: str) -> list[str]:
    """The parts of a heading that may begin with a word, without numbers, dates and signs around them."""
    if any(map(str.isdigit, text)) and ("/" in text or ":" in text):
        text = _with_whole_numbers(text)
    if not text.replace(" ", "").isalnum():
        text = text.translate(_SEPARATORS).replace(" - ", "\n")
    return [part for piece in text.split("\n") if (part := _trimmed(piece))]


def _with_whole_numbers(text: str) -> str:
    """`text` with dots inside `24/7` and `18:35`, where nothing is separated."""
    chars = list(text)
    for at, char in enumerate(chars[1:-1], 1):
        if char in "/:" and chars[at - 1].isdigit() and chars[at + 1].isdigit():
            chars[at] = "."
    return "".join(chars)


def _trimmed(part: str) -> str:
    """`part` from its first letter to its last one or a number; empty where it counts things: "5 questions"."""
    start, end = 0, len(part)
    while start < end and not part[start].isalpha():
        start += 1
    before = part[:start].rstrip()
    if before[-1:].isdigit() and before != part[:start] and before.strip("*_ ").isdigit():
        return ""
    while end > start and not (part[end - 1].isalnum() or _is_mark(part[end - 1])):
        end -= 1
    last = part[start:end].rpartition(" ")[2]
    if len(last) > 4 and not last.strip("0123456789-./"):  # a date
        return part[start : end - len(last)].strip()
    return part[start:end]


def _start(text: str) -> int:
    """Where the first letter of a line stands, behind bullets, numbers, times and signs; -1 without one near by."""
    for at, char in enumerate(text[:_MOST_CHARS]):
        if char.isalpha():
            before = text[at - 1]
            if before == "[" and text[at + 1 : at + 2] == "]":  # a box
                continue
            return -1 if before in _QUOTES or before == "#" else at
    return -1


def _ends(text: str, at: int) -> Iterator[int]:
    """Where words of a vocabulary that begin at `at` may end: behind each word, in scripts without spaces each sign."""
    if _is_sign(text[at : at + 1]):
        yield from range(at + 1, min(len(text), at + _MOST_SIGNS) + 1)
        return
    inside = True
    last = min(len(text), at + _MOST_CHARS)
    for end in range(at + 1, last):
        is_inside = text[end].isalnum() or text[end] in "'’" or _is_mark(text[end])
        if inside and not is_inside:
            yield end
            if not (text[end].isspace() or text[end] == "-"):
                return
        inside = is_inside
    if inside and last == len(text):
        yield last


def _goes_on(text: str, at: int, end: int, how: int) -> bool:
    """Return whether a word may have more behind it, and has it there."""
    if not (how & ON or (how & ON_IN_CAPITALS and text[at : at + 2].isupper())):
        return False
    return text[end : end + 1].isspace() or end == len(text) or _is_sign(text[at])


def _behind(text: str, opener: str, end: int, *, is_word: int) -> int:
    """Where the text begins behind a marker that a colon, a bracket or the end of bold type ends; 0 where none does."""
    if not is_word:
        return 0
    at = _past_blanks(text, _past_number(text, end))
    if opener in _BRACKETS and text[at : at + 1] == _BRACKETS[opener]:
        is_link = opener == "[" and text[at + 1 : at + 2] == "("
        return 0 if is_link else _past_colon(text, at + 1) or _past_blanks(text, at + 1)
    if opener and opener in _EMPHASIS and text[at : at + 1] == opener:
        return _past_colon(text, at) or _past_blanks(text, _past_emphasis(text, at))
    if text[at : at + 1] in _BRACKETS:
        close = text.find(_BRACKETS[text[at]], at, at + _MOST_BRACKETED)
        at = close + 1 if close > 0 else at
    return _past_colon(text, at)


def _past_colon(text: str, at: int) -> int:
    """Behind a colon that stands at `at`, perhaps between marks of bold type; 0 without one."""
    at = _past_blanks(text, _past_emphasis(text, at))
    if at >= len(text) or text[at] not in _COLONS:
        return 0
    behind = text[at + 1 : at + 2]
    if text[at] == ":" and behind.isalnum() and behind.isascii() and not text[at - 1].isupper():
        return 0  # `todo:list` is a name
    return 0 if behind == "/" else _past_blanks(text, _past_emphasis(text, at + 1))


def _past_number(text: str, at: int) -> int:
    """Behind a number that stands behind a word: `Rule #2`."""
    end = at + 1
    if text[at:end] not in (" ", "#"):
        return at
    end += text[end : end + 1] == "#"
    start = end
    while text[end : end + 1].isdigit():
        end += 1
    return end if end > start and not text[end : end + 1].isalnum() else at


def _past_emphasis(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _EMPHASIS:
        at += 1
    return at


def _past_blanks(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _is_sign(text: str) -> bool:
    return bool(text) and _SIGNS[0] <= text[0] <= _SIGNS[1]


def _is_mark(char: str) -> bool:
    return _MARKS[0] <= char <= _MARKS[1] and char not in _NO_MARKS


USUAL = Vocabulary()
