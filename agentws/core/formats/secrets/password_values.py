"""Judges whether a value that a text calls a password looks like one, not like a word, a number or a name.

Loaded only if a text contains a word for a password.
"""

from agentws.core.formats.secrets import randomness
from agentws.core.formats.secrets.key_names import is_none
from agentws.core.formats.secrets.password_words import MARKS, SHORTEST
from agentws.core.formats.secrets.randomness import is_reference

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
_LAST_MARKS = "!#$?*@"
_QUOTES_OF_TEXT = ('"', "'", "「", "“")
"""In backticks a single word is the name of something."""
SHORTEST_PASSWORD, _SHORTEST_ALONE = 4, 7
_SHORTEST_WORD = 5
_LAST_OF_NUMBERED = f"{_LAST_MARKS}%"


def may_be(value: str) -> bool:
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
            return joint in "./" or not any(map(is_mixed, pieces))
    return False


def is_mixed(value: str) -> bool:
    """Return whether the value mixes letters with digits or marks."""
    has_letter = any(char.isalpha() for char in value)
    return has_letter and (any(char.isdigit() for char in value) or any(c in MARKS for c in value.rstrip("!?")))


def has_sorts(value: str) -> bool:
    """Return whether a value mixes capitals or marks with small letters and digits, and is not an identifier."""
    if any(char in MARKS for char in value.rstrip("!?")) and any(map(str.isdigit, value)):
        return True
    return not randomness.is_camel_case(value) and (value != value.lower() or any(char in MARKS for char in value))


def is_word_and_number(value: str) -> bool:
    """Return whether a value is a capitalised word and a number, or a word, a number and a mark: `Maple27`."""
    letters = value.rstrip(_LAST_OF_NUMBERED).rstrip("0123456789")
    digits = len(value.rstrip(_LAST_OF_NUMBERED)) - len(letters)
    is_marked = letters[:1].isupper() or value[-1:] in _LAST_OF_NUMBERED
    return (
        len(letters) >= SHORTEST_PASSWORD and letters.isalpha() and digits > 1 and is_marked and not letters.isupper()
    )


def is_no_name(value: str) -> bool:
    """Return whether a value is more than an identifier or the numbered name of a thing."""
    return has_sorts(value) or is_word_and_number(value)


def looks(value: str, quote: str) -> bool:
    """Return whether a value that is called a password looks like one; the longer ones must look random."""
    if len(value) >= SHORTEST:
        return _looks_long(value)
    if value.isdigit() or is_mixed(value):
        return True
    is_word = value.isalpha() and len(value) >= _SHORTEST_WORD and "pass" not in value.lower()
    return is_word and quote in _QUOTES_OF_TEXT


def looks_alone(value: str, quote: str) -> bool:
    """Return whether a value that merely follows the word looks like a password."""
    if len(value) < (_SHORTEST_ALONE if not quote else SHORTEST_PASSWORD + 2) or not is_mixed(value):
        return False
    if "=" in value and value.partition("=")[0].isidentifier():
        return False  # it is what comes next: `Password Host=…`
    if len(value) >= SHORTEST:
        return _looks_long(value)
    marks = any(char in MARKS for char in value.rstrip("!?"))
    return bool(quote) or changes(value) + marks >= 2


def _looks_long(value: str) -> bool:
    """Return whether a longer value looks random, or is words, a number and a mark in one: `BlueHeron2026!`."""
    if randomness.is_random(value) or randomness.is_strong(value):
        return True
    return value[-1] in _LAST_MARKS and value[:-1].isalnum() and value[0].isupper() and value[-3:-1].isdigit()


def changes(value: str) -> int:
    """How often letters and digits take turns."""
    kinds = [char.isdigit() for char in value if char.isalnum()]
    return sum(kind != kinds[at] for at, kind in enumerate(kinds[1:]))
