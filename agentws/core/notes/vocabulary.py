"""The vocabulary of notes in twelve languages, and a workspace's own: headings, markers, kinds, rules, candidates.

See docs/format/vocabulary.md. The words are data: vocabulary/*.toml, compiled to agentws/vocabulary/words.json by
tools/build_vocabulary.py. That file is read like a module, when a word is first looked up.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

OPEN, TODO, WAITING, RULES, CANDIDATES = "open", "todo", "waiting", "rules", "candidates"
LISTS = (OPEN, TODO, WAITING, RULES, CANDIDATES)
KINDS = "kinds."
"""What the key of a list of names of a kind begins with: `kinds.decision`."""
DAYS = "days."
"""What the key of a list of names of a day begins with: `days.monday`."""
DAY_NAMES = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "today", "tomorrow", "overmorrow", "yesterday",
)  # fmt: skip
_OVER = ("done", "dropped")
_DATA = "vocabulary/words.json"
_MOST_MARKER_CHARS = 40
_MOST_KNOWN_TITLES = 1000
_MOST_WORDS_BEFORE = 2
_COLONS = (":", "：", "︰")
_UNSPACED = ("\u2e80", "\ud7a3")
"""The first and last character of kana, han and hangul: their words are not separated, or carry endings."""
_THAI = ("\u0e00", "\u0eff")
_MARKS = ("\u0300", "\u1dff")
_NO_MARKS = "،؛؟۔।॥"
"""Punctuation between the marks that belong to the letter before them."""
LETTERS = {
    **{ord(old): new for old, new in zip("ёآأإٱىة\u0901’‘‐‑", "еاااايه\u0902''--", strict=True)},
    **dict.fromkeys((0x640, 0x93C, 0x200C, 0x200D, 0x200E, 0x200F, 0xFE0F, *range(0x64B, 0x653), 0x670), ""),
}
"""Letters that are written in two ways, besides the accents of Latin; what is not written by all is left out."""
_accents: dict[int, str] = {}
_shipped: dict[str, list[str]] = {}


class Vocabulary:
    """The vocabulary of all languages, plus the manifest's (`own`, lists by name: `open`, `kinds.decision`)."""

    def __init__(self, own: Mapping[str, Sequence[str]] | None = None) -> None:
        self._own = own or {}
        self._markers: dict[str, str] | None = None
        self._kinds: dict[str, str] | None = None
        self._phrases: dict[str, _Phrases] = {}
        self._titles: dict[str, bool] = {}

    def is_open_heading(self, title: str) -> bool:
        """Return whether a heading has words for open items: "Next steps", "3. Offene Punkte (2)", "Roof: to do".

        The whole heading, the part before its first dash, bar or slash or after its last colon, dash or bar, or several
        words at its beginning ("Next steps for the garden"), or behind at most two others ("Our next steps"),
        if no word besides these says that they are done.
        """
        known = self._titles.get(title)
        if known is None:
            if len(self._titles) >= _MOST_KNOWN_TITLES:
                self._titles.clear()
            words, (whole, first, last) = self._listed(OPEN), map(bare_title, _parts(title))
            known = bool(whole) and (whole in words.whole or last in words.whole or words.has_part(last))
            if not known and (first in words.whole or words.has_part(first) or words.is_edge_of(whole)):
                known = not any(self.kind(word) in _OVER for word in _words_of(whole))
            self._titles[title] = known  # most logs have the same headings
        return known

    def marker(self, text: str) -> tuple[str, int] | None:
        """Return the kind by a line's marker word, `todo` or `waiting`, and where the text after it begins.

        Markers end in a colon: `TODO:`, `**Zu tun:**`, `TODO (Kim):`.
        """
        at = min((place for colon in _COLONS if (place := text.find(colon, 0, _MOST_MARKER_CHARS)) > 0), default=0)
        if not at:
            return None
        word = text[:at].strip("*_ ")
        if word.endswith(")"):
            word = word.rpartition("(")[0].rstrip()
        if self._markers is None:
            self._markers = {word: kind for kind in (TODO, WAITING) for word in self._words(kind)}
        kind = self._markers.get(fold(word)) if word[:1].isalpha() else None
        behind = text[at + 1 : at + 2]
        if kind is None or (text[at] == ":" and behind.isalnum() and behind.isascii() and not word.isupper()):
            return None  # `todo:list` is a name
        end = at + 1
        while text[end : end + 1] in ("*", "_") or text[end : end + 1].isspace():
            end += 1
        return kind, end

    def kind(self, word: str) -> str | None:
        """Return the kind that a vocabulary word in any language names: `decision` for `Entscheidung`, else None."""
        if self._kinds is None:
            listed = {**_read_shipped(), **{name: [] for name in self._own}}
            names = [name for name in listed if name.startswith(KINDS)]
            self._kinds = {}
            for name in names:
                for each in self._words(name):
                    self._kinds.setdefault(each, name.removeprefix(KINDS))
        return self._kinds.get(fold(word))

    def has_rule(self, text: str) -> bool:
        """Return whether a text has a word of the vocabulary for rules: `never`, `ask first`, `Name:`."""
        return self._listed(RULES).are_in(text)

    def is_candidate(self, text: str) -> bool:
        """Return whether a text has a word of the vocabulary for a rule, preference, decision or lasting fact."""
        return self._listed(CANDIDATES).are_in(text)

    def _listed(self, name: str) -> _Phrases:
        if name not in self._phrases:
            self._phrases[name] = _Phrases(self._words(name))
        return self._phrases[name]

    def _words(self, name: str) -> Iterator[str]:
        """The words of a list, folded; those of the manifest come last, and so win."""
        yield from _read_shipped().get(name, ())
        yield from filter(None, map(spelled, self._own.get(name, ())))


class _Phrases:
    """Words and phrases to find in texts: whole words, in scripts without spaces parts of a text."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self.whole = frozenset(phrases)
        self._by_first: dict[str, list[list[str]]] = {}
        self._parts: list[str] = []
        for phrase in self.whole:
            if _is_unspaced(phrase):
                self._parts.append(phrase)
            else:
                words = _words_of(phrase)
                self._by_first.setdefault(words[0], []).append(words)

    def are_in(self, text: str) -> bool:
        """Return whether any of them is in a text."""
        folded = fold(text)
        words = _words_of(folded)
        several = ((at, each) for at, word in enumerate(words) for each in self._by_first.get(word, ()))
        return any(words[at : at + len(each)] == each for at, each in several) or self.has_part(folded.replace("*", ""))

    def is_edge_of(self, folded: str) -> bool:
        """Return whether a folded text begins with a phrase of several words, or ends with one after few others."""
        words = _words_of(folded)
        edges = [words[:length] for length in range(2, len(words))]
        edges += [words[at:] for at in range(min(_MOST_WORDS_BEFORE + 1, len(words) - 1))]
        return any(edge in self._by_first.get(edge[0], ()) for edge in edges)

    def has_part(self, folded: str) -> bool:
        """Return whether one of those in a script without spaces is a part of a folded text."""
        return not folded.isascii() and any(part in folded for part in self._parts)


def bare_title(title: str) -> str:
    """Return a heading's words for the vocabulary: folded, without numbers, days, times, signs and a remark around."""
    text = title.rstrip(" *_:：")
    while text.endswith((")", "）")):
        text = text[: max(text.rfind("("), text.rfind("（"))].rstrip()
    start, end = 0, len(text)
    while start < end and not text[start].isalpha():
        start += 1
    while end > start and not (text[end - 1].isalpha() or _is_mark(text[end - 1])):
        end -= 1
    return fold(text[start:end])


def _parts(title: str) -> tuple[str, str, str]:
    """Return a heading, its part before the first dash, bar or slash, and that after the last colon, dash or bar."""
    text = title.rstrip(" *_:：")
    for sign in (" - ", "–", "—", "·"):
        text = text.replace(sign, "|")
    last = text.replace("：", "|").replace(": ", "|").rpartition("|")[2]
    return title, text.replace(" / ", "|").partition("|")[0], last


def _words_of(folded: str) -> list[str]:
    """The words of a folded text, and its colons: the label of a field is a word with one behind it."""
    if folded.replace(" ", "").isalnum():
        return folded.split()
    folded = folded.replace(":", " : ")
    return "".join(char if char.isalnum() or char in "':" or _is_mark(char) else " " for char in folded).split()


def day(word: str) -> str:
    """Return the English name of a vocabulary's word for a day: `friday` for `Freitag`; empty for other words."""
    folded, lists = fold(word), _read_shipped()
    return next((name for name in DAY_NAMES if folded in lists[f"{DAYS}{name}"]), "")


def fold(text: str) -> str:
    """Return `text` for comparing it with vocabulary: no case, width and accents, hyphens as spaces, single spaces."""
    if text.isascii():
        text = text.lower()
    else:
        import unicodedata

        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = text.translate(_accents or _read_accents())
    return " ".join(text.replace("-", " ").split())


def spelled(word: str) -> str:
    """Return a word of a list, folded. The `…` at the end of words in old vocabularies is left out."""
    return fold(word.strip("… "))


def extended(own: Mapping[str, Sequence[str]]) -> Vocabulary:
    """Return the vocabulary of all languages, extended by a manifest's `[vocabulary]`."""
    return Vocabulary(own) if own else USUAL


def _read_shipped() -> dict[str, list[str]]:
    """The lists of words.json, by name."""
    if not _shipped:
        folder = __file__.replace("\\", "/").rpartition("/core/")[0]
        loader = __spec__.loader
        assert loader is not None
        _shipped.update(plainjson.loads(loader.get_data(f"{folder}/{_DATA}")))  # type: ignore[attr-defined]
    return _shipped


def _read_accents() -> dict[int, str]:
    """Fill the table of letters that are compared without their accents: Latin ones, which people often leave out."""
    import unicodedata

    for code in range(0xC0, 0x250):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii():
            _accents[code] = base
    _accents.update(LETTERS)
    return _accents


def _is_unspaced(text: str) -> bool:
    return any(_UNSPACED[0] <= char <= _UNSPACED[1] or _THAI[0] <= char <= _THAI[1] for char in text)


def _is_mark(char: str) -> bool:
    return _MARKS[0] <= char <= _MARKS[1] and char not in _NO_MARKS


USUAL = Vocabulary()
