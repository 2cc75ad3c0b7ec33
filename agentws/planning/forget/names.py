"""The pattern by which a name is met, in its script: as whole words, or wherever it stands. Pure.

Where a script puts blanks between words, a name is a whole word. Where it puts none, or where endings and particles are
written on to a name, what stands there may be another word: it is found all the same, since whoever agrees sees it.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

from agentws.planning.forget import forms

if TYPE_CHECKING:
    from collections.abc import Sequence

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_BETWEEN = r"[\s*_`~+]+|[-‐–]\s?|[.'’·・፡་]|"
"""What may stand between the words of a name: `Sam Tester`, `sam_tester`, `sam.tester@…`, `**Sam** Tester`."""

_WITHOUT_BLANKS = (
    r"\u0e00-\u0fff\u1000-\u109f\u1200-\u139f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u2d80-\u2ddf\u2e80-\ua4cf"
    r"\ua9e0-\ua9ff\uaa60-\uaadf\uab00-\uab2f\uf900-\ufaff\U00016fe0-\U00018d8f\U0001aff0-\U0001b2ff"
    r"\U00020000-\U0003ffff"
)
"""Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese, and Ethiopic, where words are written on to a name."""
_HANGUL = r"\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
_INDIC = r"\u0900-\u0963\u0966-\u0dff"
_WITH_ENDINGS = rf"{_HANGUL}{_INDIC}\u0530-\u058f\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2f"
"""Korean; the scripts of India; Armenian and Georgian: particles and endings are written on to a name."""
_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_OPEN = re.compile(f"[{_WITHOUT_BLANKS}]")
_OPEN_BEHIND = re.compile(f"[{_WITHOUT_BLANKS}{_WITH_ENDINGS}]")
_IS_HANGUL, _IS_INDIC = re.compile(f"[{_HANGUL}]"), re.compile(f"[{_INDIC}]")
_IS_ARABIC, _IS_HEBREW = re.compile("[\u0620-\u06ff]"), re.compile("[\u05d0-\u05ea]")

_LETTER = rf"[^\W_{_WITHOUT_BLANKS}{_WITH_ENDINGS}]"
"""A letter or digit of a script in which a name is a whole word."""
_SURNAME = rf"(?<![{_HANGUL}])[{_HANGUL}]{{0,2}}?"
"""In Korean the family name, one syllable or two, stands right before the other."""
_PREFIXES = {_IS_ARABIC: "[وفبلك]{0,2}", _IS_HEBREW: "[ושלבכמה]{0,2}"}
"""What is written on to the beginning of a name: `and`, `to`, `in`, `from`."""


def spelt(name: str) -> Sequence[str]:
    """The ways in which a name is spelt once its accents are gone: Müller is Muller, and Mueller."""
    out = forms.plain(unicodedata.normalize("NFC", name).casefold().translate(_UMLAUTS))
    return [*dict.fromkeys((forms.plain(name), out))]


def words(name: str) -> Sequence[str]:
    """The words of a name that `spelt` has made, each with its marks."""
    inside = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in name).split()
    # In the scripts of India an ending takes the place of the mark that no vowel follows.
    bare = inside[-1].rstrip(_VIRAMAS)
    return [*inside[:-1], bare or inside[-1]]


def pattern(name: str) -> str:
    """The pattern of a name that `spelt` has made, as it is met in a text that `forms.plain` has made."""
    parts = words(name)
    inside, rest = [re.escape(parts[0])], name.partition(parts[0])[2]
    for before, part in pairwise(parts):
        apart, _, rest = rest.partition(part)
        between = "[ +]".join(map(re.escape, apart.split(" ")))
        initial = r"\. |" if len(before) == 1 else ""  # a full stop, behind a whole word the end of a sentence
        inside.append(f"(?:{between}|{initial}{_BETWEEN}){re.escape(part)}")
    return f"{_before(parts[0][0])}{''.join(inside)}{_after(parts[-1])}"


def slugs(name: str) -> Sequence[str]:
    """How files are named after a name with marks: `-` stands for each, and letters that belong together come apart."""
    found = []
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, name.casefold())
        apart = "".join(char if char.isalnum() else " " for char in text).split()
        found.append(forms.plain("-".join(apart)))
    return [each for each in dict.fromkeys(found) if each != "-".join(words(forms.plain(name)))]


def slug_pattern(slug: str) -> str:
    """The pattern of what `slugs` has made."""
    return rf"(?<![^\W_]){re.escape(slug)}(?![^\W_])"


def _before(letter: str) -> str:
    if _OPEN.match(letter):
        return ""
    if _IS_HANGUL.match(letter):
        return _SURNAME
    if _IS_INDIC.match(letter):
        return f"(?<![{_INDIC}])"
    prefixes = next((each for script, each in _PREFIXES.items() if script.match(letter)), "")
    own = r"[^\W_]" if _OPEN_BEHIND.match(letter) else _LETTER
    return f"(?<!{own}){prefixes}"


def _after(word: str) -> str:
    if _OPEN_BEHIND.match(word[-1]):
        return ""
    return rf"(?:s(?=['’]))?(?!{_LETTER})"
