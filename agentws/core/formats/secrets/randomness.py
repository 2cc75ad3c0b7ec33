"""Judges whether a value looks random, or like words, a placeholder, a sequence, or a reference to a secret's place."""

from agentws.core.formats.secrets.password_words import is_letter_or_digit

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
