"""Finds the password after a word for one, by the form of the line: `Passwort: …`, `pwd=…`, `PIN 4…`.

Short passwords have no form of their own, so the value must be more than a word: letters with digits or marks, or
digits alone. Without a colon or similar it must be mixed more than once, or be in quotes.

Loaded only if a text contains one of the words.
"""

import re

from agentws.core.formats.secrets import randomness as values, wallets
from agentws.core.formats.secrets.key_names import words_of
from agentws.core.formats.secrets.password_words import JOINT, MARKS, NEAR_USER, PAIRED, QUOTES, SHORT, USERS
from agentws.core.formats.secrets.randomness import NOT_THE_SECRET, name_at

_LINE = 160
_CODED_LINE = "\\n"
"""A line's end in JSON within a text."""
_LONGEST = 64
_CLOSERS = "\"'`*_])"
_OPENERS = " \t\"'`*「“"
_CHANGED = "to "
_OF = frozenset(("for", "of", "to", "für", "der", "des", "vom", "von", "zur", "de", "del", "du", "pour", "para"))
_VERBS_UNSPACED = ("是", "为", "為", "は")
_BEFORE_PASS = ("_", "-", "wifi ", "wi-fi ", "wlan ")
"""Behind these `pass` is a password."""
_OF_ANY = "-u"
"""How the option of any program begins, which may take something else, too."""
_VERBS = ("is now ", "ist jetzt ", "is ", "ist ", "lautet ", "est ", "es ")
_SEPARATORS = (":=", "=>", "->", "→", ":", "=", "：", "＝", "|")
_DASHES = ("—", "–")
"""Behind these a password is as sure as without a sign."""
_LONGEST_NAME, _SHORTEST_BESIDE, _MOST_DIGITS_OF_A_NAME = 64, 6, 3
_CLOSED_BY = {"「": "」", "“": "”"}
_ENDS = "\"'`<>|,;，。、；！？」』）”‹›«»\n\r"
_SENTENCE = ".:)]}*_"
_NO_SPACES = 0x0E00
"""From here on most scripts write no spaces: a password ends where they begin."""
_PARAMETER = "="
_PIN_DIGITS = (4, 12)
_MOST_WORDS = 4
_HAVE_PINS = (
    "card", "karte", "carte", "tarjeta", "phone", "telefon", "handy", "door", "tür", "puerta", "porte", "gate", "lock",
    "schloss", "safe", "tresor", "alarm", "account", "konto", "cuenta", "compte", "bank", "room",
)  # fmt: skip
"""What is opened with a PIN: of anything else a number like a year is one."""
_VERDICT = "pass"
_SHORTEST_CODE, _LONG_CODE = 5, 8


def behind_word(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the password after the word at `start` to `end` of `text`, None without one."""
    line = text[end : end + _LINE].split("\n", 1)[0]
    tail = _tail(line, text[end - 1])
    if any(word in NOT_THE_SECRET for word in words_of(name_at(text, start, end) + line[:tail])):
        return None
    at = _past(line, tail, _CLOSERS, 4)
    if line[at : at + 1] == "(" and 0 < line.find(")", at) - at < 42:
        at = _past(line, line.find(")", at) + 1, _CLOSERS, 2)
    separator = _separator(line, at)
    word = text[start:end].lower()
    if word == _VERDICT:
        return _behind_pass(text, start, end, line, at + separator, has_separator=separator > 0)
    has_blank = line[at - 1 : at] in (" ", "\t")
    is_option = has_blank and name_at(text, start, end).startswith("--")
    if separator or is_option or (has_blank and word == SHORT and _names_user(text, start)):
        phrase = wallets.phrase_at(line, at + separator, is_bare="phrase" in word)
        if phrase:
            return end + phrase[0], end + phrase[1]
        return _judged(line, at + separator, end, is_sure=True) or _below(text, end, line[at + separator :])
    if not has_blank:
        # 密码abc123: where no spaces are written, it may follow at once.
        if ord(text[end - 1]) < _NO_SPACES:
            return None
        return _numbered(line, at, end) or _judged(line, at, end, is_sure=line[at - 1 : at] in _VERBS_UNSPACED)
    if line[at : at + 1] in _DASHES:
        return _judged(line, at + 1, end, is_sure=False)
    return _judged(line, at, end, is_sure=False) or _further(line, at, end)


def _below(text: str, end: int, rest: str) -> tuple[int, int] | None:
    """Return the span of a password that is alone on the line below a word for one; None without one."""
    if rest.lstrip(_OPENERS).startswith(_CODED_LINE):
        start = text.index(_CODED_LINE, end) + len(_CODED_LINE)
    elif rest.strip(_OPENERS + "\r"):
        return None
    else:
        start = text.find("\n", end) + 1
    line = text[start : start + _LINE].split("\n", 1)[0] if start else ""
    span = _judged(line, 0, start, is_sure=False)
    return span if span and not line[span[1] - start :].split("\\", 1)[0].strip(_CLOSERS + " \t\r}") else None


def _behind_pass(text: str, start: int, end: int, line: str, at: int, *, has_separator: bool) -> tuple[int, int] | None:
    """Return the span of the password behind the word `pass`, which is more often a verdict."""
    before = text[max(0, start - NEAR_USER) : start].rpartition("\n")[2].lower()
    if not has_separator and not _names_user(text, start) and before[-1:] != "-":
        return None
    span = _judged(line, at, end, is_sure=has_separator and before.endswith(_BEFORE_PASS))
    return span if span and values.is_no_name(text[span[0] : span[1]]) else None


def _names_user(text: str, start: int) -> bool:
    """Return whether a word for a user is on the line before this position."""
    before = text[max(0, start - NEAR_USER) : start].rpartition("\n")[2].lower()
    return any(user in before for user in USERS)


def check_option(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of the password among a program's options, as in `curl -u kim:…`."""
    start = match.start(1)
    value = match[1].rstrip(",)]}")
    if wallets.is_phrase(value.split("-")):
        return start, start + len(value)
    if len(value) < values.SHORTEST_PASSWORD or not values.may_be(value) or not values.looks(value, ""):
        return None
    if match[0].startswith(_OF_ANY) and not (values.looks_alone(value, "") or values.is_word_and_number(value)):
        return None
    return start, start + len(value)


def check_backup_code(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of the codes at the beginning: several, or a single long or mixed one; None without any."""
    start = end = match.start(1)
    codes = []
    for word in match[1].split():
        code = word.strip(",;*-")
        bare = code.replace("-", "")
        is_date = [len(part) for part in code.split("-")][:2] == [4, 2]
        if not any(map(str.isdigit, bare)) or is_date or not (bare.isdigit() or values.changes(bare)):
            break
        codes.append(bare)
        end = match.string.index(code, end) + len(code)
    are_codes = len(codes) > 1 or any(len(code) >= _LONG_CODE for code in codes)
    is_plain = all(len(code) < _SHORTEST_CODE for code in codes)
    return (start, end) if are_codes and not is_plain else None


def behind_login(text: str, end: int) -> tuple[int, int] | None:
    """Return the span of the password after a login name, as in `Login: sam / …`; None without one.

    The word for the login ends at `end`.
    """
    line = text[end : end + _LINE].split("\n", 1)[0]
    at = _past(line, 0, _CLOSERS, 4)
    if line[at : at + 1] == "(" and 0 < line.find(")", at) - at < 42:
        at = _past(line, line.find(")", at) + 1, _CLOSERS, 2)
    separator = _separator(line, at)
    at = _past(line, at + separator, _OPENERS, 8)
    joint = line.find(JOINT, at)
    name = line[at:joint].rstrip(_CLOSERS)
    is_address = "@" in name
    if joint < 0:
        return _paired(line, at, end)
    if not 0 < len(name) <= _LONGEST_NAME or " " in name:
        return None
    span = _judged(line, joint + len(JOINT), end, is_sure=bool(separator or is_address))
    if span is None or line[span[1] - end :].lstrip(_CLOSERS).startswith(JOINT):
        return None
    value = text[span[0] : span[1]]
    digits = sum(char.isdigit() for char in value)
    has_mark = any(char in MARKS for char in value)
    if not (separator or is_address or values.has_sorts(value)):
        return None
    is_one = is_address or has_mark or digits > _MOST_DIGITS_OF_A_NAME or values.changes(value) > 1
    return span if len(value) >= _SHORTEST_BESIDE and values.is_mixed(value) and is_one else None


def _paired(line: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the span of the password in a login like `kim:…` or `kim/…`."""
    word = line[at:].split(None, 1)[0] if line[at:].strip() else ""
    signs = [word.find(sign) for sign in PAIRED if sign in word[1 : -values.SHORTEST_PASSWORD]]
    if not signs or "//" in word or not word[: min(signs)].replace(".", "").replace("-", "").isalnum():
        return None
    span = _judged(line, at + min(signs) + 1, end, is_sure=False)
    return span if span and values.has_sorts(line[span[0] - end : span[1] - end]) else None


def behind_pin(text: str, end: int) -> tuple[int, int] | None:
    """Return the span of the digits after the word `PIN` that ends at `end` of `text`, as of a password."""
    line = text[end : end + _LINE].split("\n", 1)[0]
    at = _past(line, _tail(line, "n") if line[:1] in "-_" else 0, _CLOSERS, 4)
    if line[at : at + 1] == "(" and 0 < line.find(")", at) - at < 42:
        at = _past(line, line.find(")", at) + 1, _CLOSERS, 2)
    separator = _separator(line, at)
    if not separator and line[at - 1 : at] not in (" ", "\t", *QUOTES):
        return None
    is_sure, is_date = bool(separator), False
    if not separator and (further := _behind_owner(line, at)):
        has_pin = any(name in line[at:further].lower() for name in _HAVE_PINS)
        at, separator = further, _separator(line, further)
        is_date = line[at].isalpha() and not has_pin
    at += separator
    first = _past(line, at, _OPENERS, 8)
    last = first
    while line[last : last + 1] in tuple("0123456789"):
        last += 1
    digits, after = line[first:last], line[last : last + 2]
    if not _PIN_DIGITS[0] <= len(digits) <= _PIN_DIGITS[1] or len(set(digits)) < 2:
        return None
    if after[:1].isalnum() or (after[:1] in tuple("-_/.:%") and after[1:].isalnum()):
        return None
    # `the pin of the year is 2026` names a date.
    if is_date and len(digits) == _PIN_DIGITS[0] and digits[:2] in ("19", "20"):
        return None
    # `pin 4821 posts` counts them.
    if not is_sure and line[last:].lstrip(_CLOSERS + " \t")[:1].isalnum():
        return None
    return end + first, end + last


def _behind_owner(line: str, at: int) -> int:
    """Return where a verb or sign stands behind what a PIN is for, as in `PIN for the card is 4711`; 0 if none does."""
    words = line[at : at + _LINE // 4].split()
    if not words or words[0].lower() not in _OF:
        return 0
    for count, word in enumerate(words[: _MOST_WORDS + 1]):
        at = line.index(word, at)
        if count and _separator(line, at) and not _is_about(words[:count]):
            return at
        at += len(word)
        if word[-1] in tuple(":=") and count:
            return 0 if _is_about(words[: count + 1]) else at - 1
    return 0


def _tail(line: str, before: str) -> int:
    """Return the length of the rest of the name: `Hash` of passwordHash, a particle after パスワード."""
    if before.isascii() or ord(before) < _NO_SPACES:
        at = 0
        while at < 32 and (line[at : at + 1].isalnum() or line[at : at + 1] in ("_", "-")):
            at += 1
        return at if line[at - 1 : at] != "-" else at - 1
    at = 0
    while at < 3 and line[at : at + 1].isalpha() and ord(line[at]) >= _NO_SPACES:
        at += 1
    return at


def _past(line: str, at: int, chars: str, most: int) -> int:
    """Return the position after at most `most` of `chars`, and up to four blanks."""
    last = min(len(line), at + most)
    while at < last and line[at] in chars:
        at += 1
    last = min(len(line), at + 4)
    while at < last and line[at] in " \t":
        at += 1
    return at


def _separator(line: str, at: int) -> int:
    """Return the length of the sign before a value (`:`, `=`, `is `); 0 without one."""
    for sign in _SEPARATORS:
        if line.startswith(sign, at):
            follows = line[at + len(sign) : at + len(sign) + 1]
            if follows == "=" or (sign == "|" and follows not in (" ", "\t")):
                return 0
            return len(sign)
    verb = line[at : at + 10].lower()
    return next((len(word) for word in _VERBS if verb.startswith(word)), 0)


def _further(line: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the span of a value after a few more words and a sign or verb: `password for the NAS: …`, `… is …`."""
    stop = at
    while stop < len(line) and stop - at < 40 and (line[stop].isalnum() or line[stop] in " -'()"):
        stop += 1
    words, position = line[at:stop].split(), at
    for count, word in enumerate(words[: _MOST_WORDS + 1]):
        position = line.index(word, position) + len(word)
        if f"{word} " in (*_VERBS, _CHANGED):
            span = (
                None
                if _is_about(words[:count])
                else _judged(line, position + _separator(line, position), end, is_sure=False)
            )
            value = line[span[0] - end : span[1] - end] if span else ""
            return span if span and values.has_sorts(value) else _numbered(line, position + 1, end)
    if not 0 < len(words) <= _MOST_WORDS or _is_about(words):
        return None
    stop = _past(line, stop, _CLOSERS, 4)
    separator = _separator(line, stop)
    separator = separator or (line[stop : stop + 1] in _DASHES)
    if not separator or line[stop + separator : stop + separator + 1] not in tuple(_OPENERS):
        return None
    return _judged(line, stop + separator, end, is_sure=False) or _numbered(line, stop + separator, end)


def _numbered(line: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the span of words joined by hyphens, or of a word and a number (`Maple27!`) that ends the line.

    A bracket may follow.
    """
    if phrase := wallets.phrase_at(line, at, is_bare=False):
        return end + phrase[0], end + phrase[1]
    span = _judged(line, at, end, is_sure=True)
    if span is None or line[span[1] - end :].split("(", maxsplit=1)[0].strip(_CLOSERS + _SENTENCE + " \t\r"):
        return None
    return span if values.is_word_and_number(line[span[0] - end : span[1] - end]) else None


def _is_about(words: list[str]) -> bool:
    """Return whether one of the words says that something about the secret follows."""
    return any(part in NOT_THE_SECRET and part != "at" for word in words for part in words_of(word))


def _judged(line: str, at: int, end: int, *, is_sure: bool) -> tuple[int, int] | None:
    """Return the span of the value that begins at this position, if it looks like a password.

    `is_sure`: a separator announces it.
    """
    first = _past(line, at, _OPENERS, 8)
    quote = line[first - 1 : first] if line[first - 1 : first] in tuple(QUOTES) else ""
    last = first
    while last < len(line) and not line[last].isspace() and line[last] not in _ENDS:
        if ord(line[last]) >= _NO_SPACES or (
            line[last] == "&" and _PARAMETER in line[last : last + 40].split(None, 1)[0]
        ):
            break
        last += 1
    value = line[first:last].split("\\", 1)[0].rstrip(_SENTENCE)
    if quote and line[last : last + 1].isspace() and _CLOSED_BY.get(quote, quote) in line[last:]:
        return None  # a quotation of several words
    if not values.SHORTEST_PASSWORD <= len(value) <= _LONGEST or line.startswith(("…", "..."), first + len(value)):
        return None
    if not values.may_be(value) or not (values.looks(value, quote) if is_sure else values.looks_alone(value, quote)):
        return None
    return end + first, end + first + len(value)
