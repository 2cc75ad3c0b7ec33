"""Finds the password after a word for one, by the form of the line: `Passwort: …`, `pwd=…`, `PIN 4…`.

Short passwords have no form of their own, so the value must be more than a word: letters with digits or marks, or
digits alone. Without a colon or similar it must be mixed more than once, or be in quotes.

Loaded only if a text contains one of the words.
"""

from agentws.core.formats.secrets import randomness, wallets
from agentws.core.formats.secrets.key_names import is_none, words_of
from agentws.core.formats.secrets.password_words import JOINT, MARKS, NEAR_USER, PAIRED, QUOTES, SHORTEST, USERS
from agentws.core.formats.secrets.randomness import NOT_THE_SECRET, is_reference, name_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_LINE = 160
_CODED_LINE = "\\n"
"""A line's end in JSON within a text."""
_LONGEST = 64
_SHORTEST, _SHORTEST_ALONE = 4, 7
_SHORTEST_WORD = 5
_CLOSERS = "\"'`*_])"
_OPENERS = " \t\"'`*「“"
_CHANGED = "to "
_OF = frozenset(("for", "of", "to", "für", "der", "des", "vom", "von", "zur", "de", "del", "du", "pour", "para"))
_VERBS = ("is now ", "ist jetzt ", "is ", "ist ", "lautet ", "est ", "es ")
_SEPARATORS = (":=", "=>", "->", "→", ":", "=", "：", "＝", "|")
_DASHES = ("—", "–")
"""Behind these a password is as sure as without a sign."""
_LONGEST_NAME, _SHORTEST_BESIDE, _MOST_DIGITS_OF_A_NAME = 64, 6, 3
_LAST_MARKS = "!#$?*@"
_CLOSED_BY = {"「": "」", "“": "”"}
_QUOTES_OF_TEXT = ('"', "'", "「", "“")
"""In backticks a single word is the name of something."""
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
_NO_VALUE = {
    "md5",
    "totp",
    "oauth2",
    "utf8",
    "utf-8",
    "base64",
    "ed25519",
    "web3",
    "http2",
    "ipv4",
    "ipv6",
    "1password",
}


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
    if separator:
        phrase = wallets.phrase_at(line, at + separator, is_bare="phrase" in word)
        if phrase:
            return end + phrase[0], end + phrase[1]
        return _judged(line, at + separator, end, is_sure=True) or _below(text, end, line[at + separator :])
    if line[at - 1 : at] not in (" ", "\t"):
        # 密码abc123: where no spaces are written, it may follow at once.
        return _judged(line, at, end, is_sure=False) if ord(text[end - 1]) >= _NO_SPACES else None
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
    if not has_separator and not any(user in before for user in USERS) and before[-1:] != "-":
        return None
    span = _judged(line, at, end, is_sure=False)
    return span if span and _has_sorts(text[span[0] : span[1]]) else None


def _has_sorts(value: str) -> bool:
    """Return whether a value mixes capitals or marks with small letters and digits, and is not an identifier."""
    if any(char in MARKS for char in value.rstrip("!?")) and any(map(str.isdigit, value)):
        return True
    return not randomness.is_camel_case(value) and (value != value.lower() or any(char in MARKS for char in value))


def check_option(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of the password among a program's options, as in `curl -u kim:…`."""
    start = match.start(1)
    value = match[1].rstrip(",)]}")
    if len(value) < _SHORTEST or not _may_be(value) or not _looks(value, ""):
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
        if not any(map(str.isdigit, bare)) or is_date or not (bare.isdigit() or _changes(bare)):
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
    if not (separator or is_address or _has_sorts(value)):
        return None
    is_one = is_address or has_mark or digits > _MOST_DIGITS_OF_A_NAME or _changes(value) > 1
    return span if len(value) >= _SHORTEST_BESIDE and _is_mixed(value) and is_one else None


def _paired(line: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the span of the password in a login like `kim:…` or `kim/…`."""
    word = line[at:].split(None, 1)[0] if line[at:].strip() else ""
    signs = [word.find(sign) for sign in PAIRED if sign in word[1:-_SHORTEST]]
    if not signs or "//" in word or not word[: min(signs)].replace(".", "").replace("-", "").isalnum():
        return None
    span = _judged(line, at + min(signs) + 1, end, is_sure=False)
    return span if span and _has_sorts(line[span[0] - end : span[1] - end]) else None


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
            return span if span and _has_sorts(line[span[0] - end : span[1] - end]) else None
    if not 0 < len(words) <= _MOST_WORDS or _is_about(words):
        return None
    stop = _past(line, stop, _CLOSERS, 4)
    separator = _separator(line, stop)
    separator = separator or (line[stop : stop + 1] in _DASHES)
    if not separator or line[stop + separator : stop + separator + 1] not in tuple(_OPENERS):
        return None
    return _judged(line, stop + separator, end, is_sure=False)


def _is_about(words: list[str]) -> bool:
    """Return whether one of the words says that something about the secret follows."""
    return any(part in NOT_THE_SECRET for word in words for part in words_of(word))


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
    if not _SHORTEST <= len(value) <= _LONGEST or line.startswith(("…", "..."), first + len(value)):
        return None
    if not _may_be(value) or not (_looks(value, quote) if is_sure else _looks_alone(value, quote)):
        return None
    return end + first, end + first + len(value)


def _may_be(value: str) -> bool:
    """Return False for what is said instead of a password: a place, a name of something, a date, a placeholder."""
    lowered = value.lower()
    if is_none(value) or is_reference(value) or randomness.has_placeholder_word(value) or len(set(lowered)) < 3:
        return False
    if value[0] in "$%&@#+-/~\\.<*(=" or lowered in _NO_VALUE:
        return False
    if "passw" in lowered and not any(char in MARKS for char in value):
        return False
    if "@" in value and "." in value[value.index("@") :]:
        return False  # an address
    return not (_is_number(value) or _is_named(value))


def _is_number(value: str) -> bool:
    """Return True for dates, times, versions, sizes: `2026-11-20`, `v1.2`, `90days`, `2FA`."""
    digits = value.lstrip("v")
    if digits[:1].isdigit() and not digits.strip("0123456789.,:/-_%"):
        return not digits.isdigit() or value[0] == "v"
    return value.lstrip("0123456789").isalpha() and value[:1].isdigit() and not value[2:3].isdigit()


def _is_named(value: str) -> bool:
    """Return True for the names of things: `config.pwd2`, `GPIO_17`, `KEY-123`, `see-note-3`, `and/or`."""
    for joint in ".-_/":
        pieces = value.split(joint)
        if len(pieces) > 1 and all(piece.isdigit() or piece.isidentifier() for piece in pieces):
            return joint in "./" or not any(map(_is_mixed, pieces))
    return False


def _is_mixed(value: str) -> bool:
    """Return whether the value mixes letters with digits or marks."""
    has_letter = any(char.isalpha() for char in value)
    return has_letter and (any(char.isdigit() for char in value) or any(c in MARKS for c in value.rstrip("!?")))


def _looks(value: str, quote: str) -> bool:
    """Return whether a value that is called a password looks like one; the longer ones must look random."""
    if len(value) >= SHORTEST:
        return _looks_long(value)
    if value.isdigit() or _is_mixed(value):
        return True
    is_word = value.isalpha() and len(value) >= _SHORTEST_WORD and "pass" not in value.lower()
    return is_word and quote in _QUOTES_OF_TEXT


def _looks_alone(value: str, quote: str) -> bool:
    """Return whether a value that merely follows the word looks like a password."""
    if len(value) < (_SHORTEST_ALONE if not quote else _SHORTEST + 2) or not _is_mixed(value):
        return False
    if "=" in value and value.partition("=")[0].isidentifier():
        return False  # it is what comes next: `Password Host=…`
    if len(value) >= SHORTEST:
        return _looks_long(value)
    marks = any(char in MARKS for char in value.rstrip("!?"))
    return bool(quote) or _changes(value) + marks >= 2


def _looks_long(value: str) -> bool:
    """Return whether a longer value looks random, or is words, a number and a mark in one: `BlueHeron2026!`."""
    if randomness.is_random(value) or randomness.is_strong(value):
        return True
    return value[-1] in _LAST_MARKS and value[:-1].isalnum() and value[0].isupper() and value[-3:-1].isdigit()


def _changes(value: str) -> int:
    """How often letters and digits take turns."""
    kinds = [char.isdigit() for char in value if char.isalnum()]
    return sum(kind != kinds[at] for at, kind in enumerate(kinds[1:]))
