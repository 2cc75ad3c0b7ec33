"""Judges whether a value looks random, or like words, a placeholder or a sequence."""

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
    return "".join(char if _is_ascii_alphanumeric(char) else " " for char in value).split()


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


def _is_ascii_alphanumeric(char: str) -> bool:
    return char.isascii() and char.isalnum()
