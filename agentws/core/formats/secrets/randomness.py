"""Judges whether a value looks random, or like words, a placeholder, a sequence, or a reference to a secret's place."""

from agentws.core.formats.secrets.key_names import is_none
from agentws.core.formats.secrets.password_words import MARKS, SHORTEST, is_letter_or_digit

_PLACEHOLDER_WORDS = (
    *("xxxx", "your", "example", "redact", "dummy", "placeholder", "changeme", "change-me", "change_me", "sample"),
    *("fake", "mock", "todo", "insert", "replace", "here", "notreal", "deadbeef", "foobar", "lorem", "qwerty"),
    *("asdf", "...", "***", "masked", "hidden", "1234567", "abcdefg", "jbswy3dpehpk3pxp"),
)


def has_placeholder_word(value: str) -> bool:
    """Return whether a word marks the value as a placeholder, not a random secret."""
    # Only the ends of a long value are read, and only words in one case: among a thousand random letters any four
    # are met by chance.
    ends = value if len(value) <= 96 else value[:48] + " " + value[-48:]
    return any(word in ends or word.upper() in ends or word.capitalize() in ends for word in _PLACEHOLDER_WORDS)


def is_placeholder(secret: str) -> bool:
    """Return whether a token-shaped value is a placeholder, not random: words, one repeated letter, counting up."""
    tail = secret[-24:]
    if len(set(tail)) < 7 or has_placeholder_word(secret):
        return True
    return _counts_up(secret[:128]) or _is_words(secret)


_ZEROS = ord("A")


def _counts_up(value: str) -> bool:
    """Return True for sequences that chance does not make, in steps of one or none: 123456, abc123def456, 000000."""
    up = same = total = previous = 0
    for code in map(ord, value):
        step, previous = code - previous, code
        up = up + 1 if step == 1 else 0
        # A run of A is zeros in base64, which many true tokens have.
        same = same + 1 if step == 0 and code != _ZEROS else 0
        total += step == 1
        if up >= 5 or same >= 5:
            return True
    return total * 5 >= len(value) * 2


def _pieces(value: str) -> list[str]:
    return "".join(char if char.isascii() and char.isalnum() else " " for char in value).split()


def _is_words(value: str) -> bool:
    """Return whether every piece is a short word or a number, as in a name with hyphens."""
    tail = value[-24:]
    if tail.replace("-", "").replace("_", "").isalpha() and tail.islower():
        return True
    return all(piece.isdigit() or (len(piece) < 14 and _is_word(piece)) for piece in _pieces(value))


def _is_word(piece: str) -> bool:
    return piece.isalpha() and (piece.islower() or piece.isupper() or piece.istitle())


def _turns(piece: str) -> int:
    """How often a piece changes between digits, small and capital letters, a capital before a word not counted."""
    turns, previous = 0, ""
    letters = piece.rstrip("0123456789")
    for char in letters if letters.isalpha() else piece:
        kind = "9" if char.isdigit() else "A" if char.isupper() else "a"
        if previous and kind != previous[-1] and previous != "A":
            turns += 1
        previous = previous[-1:] + kind if previous[-1:] == kind == "A" else kind
    return turns


def _in_words(value: str) -> int:
    """Return the number of letters in capitalised, pronounceable words, as in PrivateKeyTypes."""
    total, run = 0, ""
    for char in value + " ":
        if char.islower() and run:
            run += char
            continue
        total += len(run) if len(run) >= 3 and any(vowel in run for vowel in "aeiou") else 0
        run = char if char.isupper() else ""
    return total


def is_camel_case(value: str) -> bool:
    """Return whether most letters belong to capitalised words, as in TestBase64Decode."""
    return _in_words(value) * 10 >= sum(map(str.isalpha, value)) * 7


def is_random(value: str) -> bool:
    """Return whether letters and digits alternate as in random values, unlike names, paths and versions."""
    if len(set(value)) < 8 or has_placeholder_word(value) or _counts_up(value):
        return False
    pieces = _pieces(value)
    if [len(piece) for piece in pieces] == [8, 4, 4, 4, 12]:
        return True
    letters = sum(char.isalpha() for char in value)
    if is_camel_case(value):
        return False
    turns = [_turns(piece) for piece in pieces]
    if letters == len(value):
        return turns[0] * 4 >= letters and _in_words(value) * 2 < letters
    if not any(char.isdigit() for char in value):
        return False
    mixed = sum(len(piece) for piece, count in zip(pieces, turns, strict=True) if count >= 2)
    return mixed >= 10 and (sum(turns) >= 6 or sum(turns) * 6 >= len(value))


def is_strong(value: str) -> bool:
    """Return whether a password of three character classes is random: more than words joined by hyphens."""
    if len(set(value)) < 8 or has_placeholder_word(value) or _counts_up(value):
        return False
    marks = sum(not char.isalnum() and char not in "-_./:" for char in value)
    sorts = (
        any(char.islower() for char in value),
        any(char.isupper() for char in value),
        any(char.isdigit() for char in value),
        marks > 0,
    )
    return sum(sorts) >= 3 and marks + sum(_turns(piece) for piece in _pieces(value)) >= 6 - sum(sorts)


# A name with one of these words holds something about a secret, or a key of another sort.
NOT_THE_SECRET = {
    *("hash", "hashes", "hashed", "digest", "sha", "sha1", "sha256", "checksum", "fingerprint", "commit"),
    *("public", "publishable", "pub", "site", "id", "ids", "name", "names", "path", "paths", "file", "files"),
    *("count", "counts", "usage", "limit", "budget", "length", "len", "size", "url", "uri", "endpoint", "link"),
    *("page", "cursor", "continuation", "expires", "expiry", "expiration", "expire", "type", "address", "contract"),
    *("mint", "hint", "policy", "prefix", "suffix", "pattern", "regex", "format", "symbol", "version", "model"),
    *("cache", "primary", "foreign", "sort", "partition", "idempotency", "object", "row", "s3", "env", "var"),
    *("arn", "ref", "location", "scanner", "scan", "scanning", "manager", "store", "max", "input", "output"),
    *(
        "change",
        "next",
        "secretsmanager",
        "issued",
        "created",
        "updated",
        "rotated",
        "at",
        "date",
        "owner",
        "ratio",
        "per",
        "reset",
        "encrypted",
    ),
}


def name_at(text: str, start: int, end: int) -> str:
    """Return the whole name before a value or reference: it ends at `end` and has the searched word from `start`."""
    lowest = max(0, start - 40)
    while start > lowest and (is_letter_or_digit(text[start - 1]) or text[start - 1] in "_-."):
        start -= 1
    return text[start:end]


def is_reference(value: str) -> bool:
    """Return whether the value is a reference to a secret, or of a form that may be shown."""
    lowered = value.lower()
    if value[0] in "{[(%@#" or (value[0] == "$" and (value[1:2].isalpha() or value[1:2] in ("{", "(", "_"))):
        return True
    if value[0] == "$" and "$" in value[2:10]:  # $2b$12$…, $argon2id$…: a password's hash
        return True
    if value.startswith("eyJ") and ".eyJ" in value:  # a JWT is judged by its own rule
        return True
    if "://" in value or "(" in value or "[" in value or "{{" in value or "${" in value or "..." in value:
        return True
    if lowered.startswith(_SHOWN):
        return True
    if lowered.startswith("0x") and len(value) == 42:
        return True
    return lowered.endswith(_FILES)


_SHOWN = (
    *("sha1", "sha256", "sha384", "sha512", "md5:", "blake2", "blake3", "age1", "ssh-", "npub1", "bc1", "did:"),
    *("arn:", "pk_", "pk-", "sb_publishable", "process.env", "os.environ", "env.", "env:", "vault:", "secrets."),
    *("enc:", "pbkdf2", "scrypt", "bcrypt", "argon2", "urn:", "cid:", "qm", "bafy", "projects/", "ac_", "aaaa"),
)
_FILES = (
    *(".json", ".txt", ".env", ".md", ".py", ".sh", ".yaml", ".yml", ".toml", ".pem", ".key", ".ts", ".js", ".go"),
    *(".gpg", ".age", ".enc", ".pub", ".html", ".log", ".jsonl", ".csv", ".png", ".jpg", ".pdf", ".local", ".ini"),
)


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
    if is_none(value) or is_reference(value) or has_placeholder_word(value) or len(set(lowered)) < 3:
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
    return not is_camel_case(value) and (value != value.lower() or any(char in MARKS for char in value))


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
    if is_random(value) or is_strong(value):
        return True
    return value[-1] in _LAST_MARKS and value[:-1].isalnum() and value[0].isupper() and value[-3:-1].isdigit()


def changes(value: str) -> int:
    """How often letters and digits take turns."""
    kinds = [char.isdigit() for char in value if char.isalnum()]
    return sum(kind != kinds[at] for at, kind in enumerate(kinds[1:]))
