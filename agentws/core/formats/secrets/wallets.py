"""Checks of what opens a wallet: keys in hexadecimal or base58, lists of bytes, and phrases of plain words.

Loaded only if a text contains a word or a beginning of one of them.
"""

import re
from collections.abc import Sequence

from agentws.core.formats.secrets import randomness
from agentws.core.formats.secrets.key_names import words_of
from agentws.core.formats.secrets.randomness import NOT_THE_SECRET

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_OWNERS = ("priv", "wallet", "прив")
_KEYS = ("key", "schlüssel", "clé", "clave", "chiave", "ключ", "secret", "privkey", "privatekey", "pk")
_PRIVATE_KEYS = ("私钥", "私鑰")
_NO_KEY = (NOT_THE_SECRET - {"at"}) | {
    *("transaction", "transactions", "block", "signature", "sig", "merkle", "root", "pubkey", "xpub", "sui", "aptos"),
    *("adresse", "dirección", "indirizzo", "адрес", "starknet"),
}
_DIGESTS = ("sha", "hash", "digest", "checksum", "tx", "addr", "commit")
_NEAR = 120
_PHRASE_LENGTHS = (12, 15, 18, 21, 24)
_WORD_LENGTHS = range(3, 10)
_OF_SENTENCES = frozenset((
    *("the", "and", "for", "from", "with", "not", "are", "was", "has", "but", "its", "your", "our", "were", "been"),
    *("die", "der", "das", "den", "dem", "und", "ist", "mit", "nicht", "von", "auf", "ein", "eine", "bei", "vor"),
    *("les", "des", "est", "une", "pour", "dans", "avec", "sur", "par", "los", "las", "del", "una", "por", "que"),
))  # fmt: skip
"""Words that most sentences contain and no list of words for phrases does."""
_OF_TALK = _OF_SENTENCES | {
    *("must", "should", "match", "matches", "enter", "invalid", "wrong", "please", "change", "same", "see", "ask"),
    *("this", "that", "than", "then", "them", "they", "you", "can", "cannot", "will", "have", "had", "does", "did"),
    *("only", "none", "via", "when", "where", "until", "every", "everybody", "everyone", "kept", "set", "sent", "new"),
    *("field", "secret", "vault", "keychain", "manager", "missing", "wrong", "empty", "again", "policy", "login"),
    *("account", "form", "page", "reset", "check", "prompt", "input", "string", "value", "example", "default", "here"),
    *("siehe", "noch", "wird", "liegt", "steht", "geändert", "voir", "doit", "debe", "está", "nueva", "nouveau"),
}
"""Words that describe a password, and so are none themselves."""
_OPENERS = " \t\"'`*"
_CLOSERS = "\"'`*_.,;)|}]\\"


def check_hex(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of a long key if words before it on its line call it one, and not a digest or an address."""
    before = text[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2].lower()
    # In an event the name of the field stands before the text: `input=…`.
    words = words_of(before.rstrip("=:\"'` ").replace('"', "=").rpartition("=")[2])
    is_key = any(word in _KEYS for word in words) and any(word.startswith(_OWNERS) for word in words)
    is_key = is_key or any(part in word for word in words for part in _PRIVATE_KEYS)
    if not is_key and words[-1:] != ["wallet"]:
        return None
    if not _NO_KEY.isdisjoint(words) or any(word.startswith(_DIGESTS) for word in words):
        return None
    return None if randomness.is_placeholder(match[0].removeprefix("0x")) else match.span()


def check_wif(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of a key in Wallet Import Format: its checksum holds, or a word beside it says what it is."""
    import hashlib

    number = 0
    for char in match[0]:
        number = number * len(_BASE58) + _BASE58.index(char)
    # 37 bytes, or 38 with the mark of a compressed key: version, key and the first bytes of a double SHA-256.
    raw = number.to_bytes(39, "big")[1 if match[0][0] != "5" else 2 :]
    if hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest().startswith(raw[-4:]):
        return match.span()
    return check_hex(text, match)


def check_bytes(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of a list of 64 bytes, as some wallets keep a key pair."""
    numbers = [int(number) for number in match[0].strip("[]").split(",") if number.strip()]
    is_random = len(set(numbers)) >= 40 and 200 < max(numbers) < 256 and numbers != sorted(numbers)
    return match.span() if is_random else None


def check_seed_phrase(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of a wallet's words: as many as a phrase has, and no sentence."""
    commas = match[2].count(",")
    parts = (part.lstrip("0123456789.)") for part in match[2].replace(",", " ").split())
    words = [part for part in parts if part.isalpha()]
    behind = text[match.end() : match.end() + 2].lstrip(" \t")[:1]
    length = max((length for length in _PHRASE_LENGTHS if length <= len(words)), default=0)
    # Behind a sign the sentence may go on; behind `is` a phrase is all that follows.
    if not length or (match[1] in ("is", "") and (length < len(words) or behind.isalnum())):
        return None
    start = end = match.start(2)
    for word in words[:length]:
        end = text.index(word, end) + len(word)
    is_phrase = text[start:end].islower() and len(set(words[:length])) > length // 2 and commas in (0, len(words) - 1)
    return (start, end) if is_phrase and _OF_SENTENCES.isdisjoint(words[:length]) else None


def phrase_at(line: str, at: int, *, is_bare: bool) -> "tuple[int, int] | None":
    """Return the span in the line of a passphrase of at least four plain words from this position.

    They are joined by hyphens, or in quotes, or, with `is_bare`, the rest of the line.
    """
    first = at
    while line[first : first + 1] in tuple(_OPENERS):
        first += 1
    quote = line[first - 1 : first]
    stop = line.find(quote, first) if quote in ("'", '"', "`") else -1
    token = line[first:].split(None, 1)[0].rstrip(_CLOSERS) if line[first:].strip() else ""
    if "-" in token:
        words, end = token.split("-"), first + len(token)
    elif stop >= 0 or is_bare:
        bare = line[first:].split(" (", 1)[0].rstrip(_CLOSERS + " \t\r")
        end = stop if stop >= 0 else first + len(bare)
        words = line[first:end].split(" ")
    else:
        return None
    return (first, end) if is_phrase(words) else None


def is_phrase(words: "Sequence[str]") -> bool:
    """Return whether these are the words of a passphrase: at least four, or three and a number."""
    least = 4
    if words[-1].isdigit() and len(words[-1]) in range(2, 5):
        words, least = words[:-1], 3
    plain = all(word.isalpha() and word.islower() and len(word) in _WORD_LENGTHS for word in words)
    if not plain or not least <= len(words) <= 12 or len(set(words)) < least or not _OF_TALK.isdisjoint(words):
        return False
    # `rotated after last audit` is said of one.
    return not any(word.endswith(("ed", "ing")) and len(word) > 5 for word in words)
