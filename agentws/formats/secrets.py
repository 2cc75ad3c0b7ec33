"""Finds what looks like a secret in a text: keys, tokens, passwords that must not enter a document or an event.

Notes speak of secrets all the time without containing one, so every pattern is anchored on both sides and what it
catches must also look random: no placeholder, no words, no counting up. The patterns were written from the shapes
that the providers publish.

This is on the path of every log line. Plain substrings are looked for first; `re` is imported, and a pattern is
compiled, only when one of its substrings stands where a secret could begin.
"""

from agentws.errors import SecretRefusedError
from agentws.formats import randomness, secret_shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

PLACEHOLDER_OPEN = "‹redacted:"
"""How the text begins that agentws leaves in place of a secret: ‹redacted:kind:tag›."""


class Finding:
    """One secret in a text: its kind, the line it begins on (from 1), and its place in code points."""

    __slots__ = ("end", "kind", "line", "start")

    def __init__(self, kind: str, line: int, start: int, end: int) -> None:
        self.kind = kind
        self.line = line
        self.start = start
        self.end = end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Finding):
            return NotImplemented
        mine = (self.kind, self.line, self.start, self.end)
        return mine == (other.kind, other.line, other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.kind, self.line, self.start, self.end))

    def __repr__(self) -> str:
        # The secret itself is never shown: this ends up in logs and in tracebacks.
        return f"Finding({self.kind!r}, line={self.line}, start={self.start}, end={self.end})"


KINDS: tuple[str, ...] = tuple(dict.fromkeys(kind for kind, _, _ in secret_shapes.RULES))
"""Every kind of finding, in the order of the rules."""

# No secret is shorter than this, and none has white space inside (a PEM block's lines are longer, too).
_SHORTEST = 16


def refuse(*texts: str | None) -> None:
    """Raise SecretRefusedError where one of `texts` carries a secret, or the placeholder of one that was redacted."""
    for text in texts:
        found = find(text or "")
        if found:
            kinds = ", ".join(sorted({finding.kind for finding in found}))
            raise SecretRefusedError(
                f"This looks like a secret ({kinds}, line {found[0].line}); nothing was written.",
                hint="Keep the secret in your secret store and say where it is. If it is none, reword it, "
                "or write it into the file yourself.",
            )
        if has_placeholder(text or ""):
            raise SecretRefusedError(
                "The text holds the placeholder of a redacted secret; nothing was written.",
                hint="A placeholder is not the content: write what you mean instead.",
            )


def has_placeholder(text: str) -> bool:
    """True where `text` contains what agentws leaves in place of a secret, be it whole or cut off."""
    return PLACEHOLDER_OPEN in text


def find(text: str) -> list[Finding]:
    """Every secret in `text`, in order of position; no two overlap."""
    if max(map(len, text.split()), default=0) < _SHORTEST:
        return []
    hinted = _hinted(text)
    return _search(text, hinted) if hinted else []


# --- Before any pattern is compiled ---


def hide(text: str) -> tuple[str, int]:
    """`text` with `‹redacted:kind›` in place of each secret, and how many there were."""
    found = find(text)
    for one in reversed(found):
        text = f"{text[: one.start]}{PLACEHOLDER_OPEN}{one.kind}›{text[one.end :]}"
    return text, len(found)


def _hinted(text: str) -> list[int]:
    """The places of the rules whose pattern is worth a try."""
    lowered = text.lower()
    hinted = []
    for place, (kind, triggers, pattern) in enumerate(secret_shapes.RULES):
        searched = lowered if pattern is secret_shapes.ASSIGNMENT else text
        for trigger in triggers:
            # This is written out because it runs some two hundred times for every line of a log.
            if trigger in searched:
                gate = _GATES.get(kind, _begins)
                if any(gate(searched, at, trigger) for at in _places(searched, trigger)):
                    hinted.append(place)
                    break
    return hinted


def _places(text: str, part: str) -> "Iterator[int]":
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _is_assigned(lowered: str, at: int, name: str) -> bool:
    """True where something long enough follows a name on its line."""
    rest = lowered[at + len(name) : at + len(name) + 160].split("\n", 1)[0]
    return any(len(part) >= _SHORTEST for part in rest.split())


def _begins(text: str, at: int, trigger: str) -> bool:
    """True where a token could begin: not inside a word, and long enough without white space."""
    if trigger[0].isalnum() and at and _is_letter_or_digit(text[at - 1]):
        return False
    return _is_long(text, at + len(trigger))


def _is_long(text: str, at: int) -> bool:
    chunk = text[at : at + _SHORTEST]
    return len(chunk) == _SHORTEST and len(chunk.split()) == 1 and not chunk[-1].isspace()


def _is_letter_or_digit(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _stands(_text: str, _at: int, _trigger: str) -> bool:
    return True


def _follows_hex(text: str, at: int, _trigger: str) -> bool:
    return at >= 32 and not text[at - 32 : at].strip("0123456789abcdef")


def _precedes_hex(text: str, at: int, trigger: str) -> bool:
    return _begins(text, at, trigger) and not text[at + 2 : at + 34].strip("0123456789abcdef")


def _is_account_number(text: str, at: int, _trigger: str) -> bool:
    """True at the first dot of what could be a Discord token."""
    return text[at + 7 : at + 8] == "." and at >= 20 and text[at - 18 : at].isalnum() and _is_long(text, at)


def _precedes_dot(text: str, at: int, _trigger: str) -> bool:
    return text[at + 17 : at + 18] == "."


def _has_user(text: str, at: int, _trigger: str) -> bool:
    authority = text[at + 3 : at + 300].split("/", 1)[0].split(None, 1)
    return bool(authority) and "@" in authority[0] and ":" in authority[0]


_GATES: "dict[str, Callable[[str, int, str], bool]]" = {
    "gcp-service-account": _stands,
    "private-key": _stands,
    "aws-secret-key": _is_assigned,
    "secret-assignment": _is_assigned,
    "url-password": _has_user,
    "mailchimp-key": _follows_hex,
    "twilio-key": _precedes_hex,
    "discord-token": _is_account_number,
    "airtable-token": _precedes_dot,
    "azure-client-secret": lambda text, at, trigger: _is_long(text, at),
    "bearer-token": lambda text, at, trigger: any(len(part) >= 16 for part in text[at : at + 64].split()),
}


# --- With patterns ---

_COMPILED: "dict[str, re.Pattern[str]]" = {}


def _compiled(pattern: str) -> "re.Pattern[str]":
    if pattern not in _COMPILED:
        import re

        bounded = pattern
        if pattern not in (secret_shapes.PEM, secret_shapes.ASSIGNMENT, secret_shapes.URL):
            bounded = rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])"
        _COMPILED[pattern] = re.compile(bounded)
    return _COMPILED[pattern]


def _search(text: str, hinted: list[int]) -> list[Finding]:
    spans: list[tuple[int, int, int]] = []
    for place in hinted:
        kind, _, pattern = secret_shapes.RULES[place]
        check = _CHECKS.get(kind, _check_token)
        for match in _compiled(pattern).finditer(text):
            found = check(text, match)
            if found is not None:
                spans.append((*found, place))
    spans.sort()
    kept: list[tuple[int, int, int]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
        elif span[2] < kept[-1][2]:
            kept[-1] = span
    findings, line, counted = [], 1, 0
    for start, end, place in kept:
        line += text.count("\n", counted, start)
        counted = start
        findings.append(Finding(secret_shapes.RULES[place][0], line, start, end))
    return findings


def _check_token(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of a token with a prefix of its own, if it is not a placeholder."""
    start, end = match.span(match.lastindex or 0)
    return None if randomness.is_placeholder(match.string[start:end]) else (start, end)


def _check_twilio(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # Any 32 hexadecimal digits may follow the letters SK: only the name nearby makes them Twilio's.
    nearby = text[max(0, match.start() - 200) : match.end() + 200].lower()
    return _check_token(text, match) if "twilio" in nearby else None


def _check_service_account(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    before = text[max(0, match.start() - 40) : match.start()]
    return _check_pem(text, match) if '"private_key"' in before else None


def _check_pem(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of a whole PEM block; of one without an end, as far as its lines are base64."""
    body = match[1]
    lines = body.replace("\\n", " ").replace("\\r", " ").split()
    solid = [line for line in lines if len(line) >= 40 and _is_base64(line)]
    # A heading alone, or with dots in place of a key, gives nothing away.
    if not solid or len(set("".join(solid[:4]))) < 16 or randomness.is_placeholder(solid[0][:32]):
        return None
    if match[2]:
        return match.span()
    end = match.string.rfind(solid[-1], match.start(1), match.end(1)) + len(solid[-1])
    last = match.string[end : match.end(1)].replace("\\n", "  ")
    tail = last.lstrip(" \t\r\n>")
    word = tail.split(None, 1)[0] if tail else ""
    # The last line of a key is a short one.
    if word and len(word) >= 4 and len(word) % 4 == 0 and _is_base64(word) and not word.islower():
        end += len(last) - len(tail) + len(word)
    return match.start(), end


def _is_base64(line: str) -> bool:
    return all(char.isascii() and (char.isalnum() or char in "+/=") for char in line)


def _check_jwt(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # The token that jwt.io shows to everyone: {"sub":"1234567890", ...}.
    if ".eyJzdWIiOiIxMjM0NTY3ODkwIi" in match[0] or len(set(match[0])) < 16 or "xxxx" in match[0].lower():
        return None
    return match.span()


def _check_bearer(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    start, end = match.span(1)
    if match[0][:2] == "Ba" and "uthorization" not in text[max(0, match.start() - 24) : match.start()]:
        return None
    end -= len(match[1]) - len(match[1].rstrip(".~/"))
    return (start, end) if randomness.is_random(text[start:end]) else None


def _check_url(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of a URL's password, if it is neither a placeholder nor a word that everyone uses."""
    password, host = match[1], match[2].lower()
    user = text[match.start() + 3 : match.start(1) - 1]
    lowered = password.lower()
    if (
        password[0] in "$%{[(*"
        or lowered == user.lower()
        or randomness.has_placeholder_word(password)
        or "..." in lowered
    ):
        return None
    if password.isdigit() or len(set(lowered)) < 3 or "@" in user:
        return None
    if host.startswith(("example.", "host", "your", "hostname")) or ".example" in host:
        return None
    if not any(char.isdigit() for char in password):
        words = lowered.replace("-", "_").split("_")
        if any(word in _PLAIN_PASSWORDS or "pass" in word or "pwd" in word for word in words):
            return None
        if len(password) < 6 or password.isupper() or host.split(".")[0] in _LOCAL_HOSTS:
            return None
    elif lowered.rstrip("0123456789!") in _PLAIN_PASSWORDS:
        return None
    return match.span(1)


_LOCAL_HOSTS = {"localhost", "127", "0", "db", "database", "postgres", "mysql", "redis", "mongo", "rabbitmq"}
_PLAIN_PASSWORDS = {
    *("password", "passwd", "pass", "pw", "pwd", "secret", "token", "key", "pat", "changeme", "admin", "root"),
    *("user", "username", "guest", "test", "testing", "dev", "postgres", "mysql", "redis", "minio", "minioadmin"),
    *("default", "credentials", "apikey", "hunter", "foo", "bar", "baz", "abc", "xxx", "none", "null", "mypassword"),
    *("letmein", "welcome", "qwerty", "masked", "hidden", "removed", "oauth", "pswd", "value"),
}


def _check_aws(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    span = _check_assignment(text, match)
    if span is None or span[1] - span[0] != 40 or not _is_base64(text[span[0] : span[1]]):
        return None
    name = "".join(_segments(text[max(0, match.start() - 8) : match.start()] + _name(text, match)))
    return span if "secretaccesskey" in name or ("aws" in name and "secret" in name) else None


def _check_assignment(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of what is assigned to a name that promises a secret, if it looks like one."""
    start, end = match.span(3)
    name = _name(text, match)
    if not match[2] and not name.startswith("--"):
        return None
    segments = _segments(name)
    password = any(segment.startswith("pass") or segment == "pwd" for segment in segments)
    # Where a sentence may end after a token, a password may well have its exclamation mark.
    value = text[start:end].split("\\", 1)[0].rstrip(".:)]}*" if password else ".:!?)]}*")
    after = start + len(value)
    if text.startswith(_CUT_OFF, after) or (value[-1:] == "-" and text.startswith("*", after)):
        return None
    if any(segment in _NOT_THE_SECRET or segment.startswith("tokeni") for segment in segments):
        return None
    if not _SHORTEST <= len(value) < _LONGEST or _is_reference(value) or _is_within_placeholder(text, start):
        return None
    if not (randomness.is_random(value) or (password and randomness.is_strong(value))):
        return None
    return start, start + len(value)


_LONGEST = 1024
_CUT_OFF = ("...", "…", "***")

# A name with one of these words holds something about a secret, or a key of another sort.
_NOT_THE_SECRET = {
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


def _name(text: str, match: "re.Match[str]") -> str:
    """The whole name of an assignment, with what stands before the word that was searched for."""
    start = match.start()
    lowest = max(0, start - 40)
    while start > lowest and (_is_letter_or_digit(text[start - 1]) or text[start - 1] in "_-."):
        start -= 1
    return text[start : match.end(1)]


def _segments(name: str) -> list[str]:
    """The words of a name: `maxTokens`, `max_tokens` and `max-tokens` have the same two."""
    words, previous = [""], ""
    for char in name:
        if not char.isalnum():
            words.append("")
        elif char.isupper() and previous.islower():
            words.append(char.lower())
        else:
            words[-1] += char.lower()
        previous = char
    return [word for word in words if word]


def _is_reference(value: str) -> bool:
    """True where the value says where the secret is, or is of a sort that may be shown."""
    lowered = value.lower()
    if value[0] in "{[(%@#" or (value[0] == "$" and (value[1].isalpha() or value[1] in "{(_")):
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


def _is_within_placeholder(text: str, at: int) -> bool:
    opened = text.rfind(PLACEHOLDER_OPEN, max(0, at - 64), at)
    return opened >= 0 and text[opened + len(PLACEHOLDER_OPEN) : at - 1] in KINDS


# --- What is no secret ---

_CHECKS: "dict[str, Callable[[str, re.Match[str]], tuple[int, int] | None]]" = {
    "gcp-service-account": _check_service_account,
    "private-key": _check_pem,
    "jwt": _check_jwt,
    "twilio-key": _check_twilio,
    "url-password": _check_url,
    "aws-secret-key": _check_aws,
    "bearer-token": _check_bearer,
    "secret-assignment": _check_assignment,
}
