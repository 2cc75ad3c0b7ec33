"""Checks of a secret pattern's match: random tokens are secrets, placeholders and references are not.

Loaded only if a text contains one of the rules' substrings.
"""

import re
from collections.abc import Callable

from agentws.core.formats.secrets import password_words, passwords, randomness, shapes, wallets
from agentws.core.formats.secrets.key_names import words_of
from agentws.core.formats.secrets.password_words import PLACEHOLDER_OPEN, SHORTEST
from agentws.core.formats.secrets.randomness import NOT_THE_SECRET, is_reference, name_at
from agentws.core.formats.secrets.shapes import KINDS

_SHORTEST = 20
_MOST_QUALIFIERS, _NEXT = 3, 2
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-~."
_CUT_OFF = ("...", "…", "***")
_SORTS = frozenset((
    *("api", "application", "consumer", "global", "master", "shared", "preshared", "signing", "encryption", "access"),
    *("account", "service", "admin", "auth", "private", "privater", "privé", "privée", "privada", "privata", "secret"),
    *("secreta", "secrète", "bearer", "personal", "spaces", "storage", "wallet", "setup"),
    *("azure", "openai", "anthropic", "mistral", "datadog", "pushover", "hetzner", "vultr", "linode", "scaleway"),
    *("ovh", "backblaze", "b2", "r2", "cloudflare", "ionos", "wasabi", "deepgram", "bunny", "railway"),
    *("eth", "solana", "bitcoin", "btc", "signer", "deployer", "metamask", "phantom", "burner"),
))  # fmt: skip
"""Words before a key that leave no doubt: what follows may be digits and letters of one case, as many a digest is."""
_JOINING = frozenset((
    *("for", "of", "to", "from", "in", "provided", "given", "value", "für", "der", "de", "d", "du", "des", "del", "di"),
    *("для", "от"),
))  # fmt: skip
"""How words between a key and its value begin; `TOKEN workspace: …` names something else."""
_OTHER_KEYS = (NOT_THE_SECRET - {"at"}) | frozenset((
    *("host", "lookup", "dedup", "dedupe", "issue", "build", "artifact", "peer", "tree", "csrf", "xsrf"),
    *("trace", "event", "message", "device", "transaction", "request", "signature", "tx", "blob", "content", "image"),
    *("layer", "etag", "gist", "kafka", "redis", "sheet", "card", "record", "query", "node", "member", "item", "figma"),
    *("notion", "no", "old", "publique", "pública", "publica", "pubblica", "öffentlicher", "öffentlichen", "открытый"),
    *("публичный", "primaria", "primaire", "partición", "кэша"),
))  # fmt: skip
"""Words near a value that is a key or token, but no secret."""
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_OTP_WORDS = ("otp", "2fa", "mfa", "authenticator")
_LINE_OF_COOKIES = 160
_TOKENS, _TOKEN_DIGITS, _HEX = ("tok", "ток", "令牌"), (40, 64), "0123456789abcdef"
"""A digest directly behind such a word is what opens something."""
_SIGNS = str.maketrans("\"':;,", "=====")
"""The end of a field's name in an event (`input=…`): words before it do not describe the key."""
_UNQUOTED = str.maketrans("", "", "\"'`*")
_COOKIE_MARKS = ("cookie:", "cookies:", "cookie=", "cookies=", "cookie =", "cookies =", "--cookie")


def check_keyed(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of the value behind a word for a key, as in `Hetzner token …` or `OVH consumer key = …`."""
    start = match.start(3)
    value = match[3].split("\\", 1)[0].rstrip(".:!?)]}*")
    name = match[0][: len("key")].lower()
    qualifiers = words_of(_line_before(text, match.start(), _NEAR).translate(_SIGNS).rpartition("=")[2])
    qualifiers = qualifiers[-_MOST_QUALIFIERS:]
    between = words_of(match[1] or "")
    is_token = name.startswith(_TOKENS) and not between
    if not _OTHER_KEYS.isdisjoint((*qualifiers[-_NEXT:], *between)) or (name == "key" and not qualifiers):
        return None
    if len(value) < _SHORTEST or value.strip(_LETTERS) or is_cut_off(text, start, value) or is_reference(value):
        return None
    if not (randomness.is_random(value) or is_otp_secret(text, start, value)):
        return None
    is_path = "/" in value and value.split("/")[0].islower()
    if is_path or "=" in value.rstrip("="):
        return None
    has_cases = value != value.lower() and value != value.upper()
    if between and between[0] not in _JOINING and not has_cases:
        return None
    reasons = bool(match[2]) + has_cases + (is_token and len(value) in _TOKEN_DIGITS and not value.strip(_HEX))
    is_sure = not _SORTS.isdisjoint((*qualifiers, *between)) or reasons >= (2 if name == "key" else 1)
    return (start, start + len(value)) if is_sure else None


def is_otp_secret(text: str, at: int, value: str) -> bool:
    """Return whether this is base32, and words before it on the line speak of one-time passwords."""
    if value.strip(_BASE32) or randomness.is_placeholder(value):
        return False
    before = _line_before(text, at, _NEAR).lower()
    return any(word in before for word in _OTP_WORDS)


def is_cut_off(text: str, start: int, value: str) -> bool:
    """Return whether the value is cut off: dots or stars replace its rest."""
    after = start + len(value)
    return text.startswith(_CUT_OFF, after) or (value[-1:] == "-" and text.startswith("*", after))


def check_cookie(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of a cookie's random value: in a header, behind curl's option, or by the name of a session."""
    if not randomness.is_random(match[2]) or is_reference(match[2]):
        return None
    before = _line_before(text, match.start(), _LINE_OF_COOKIES)
    plain = before.lower().translate(_UNQUOTED)
    is_cookie = any(mark in plain for mark in _COOKIE_MARKS) or ("curl" in before and " -b" in before)
    return match.span(2) if is_cookie or match[1] in shapes.COOKIE_NAMES else None


def _line_before(text: str, at: int, most: int) -> str:
    return text[max(0, at - most) : at].rpartition("\n")[2]


_COMPILED: "dict[str, re.Pattern[str]]" = {}
_UNBOUNDED = {
    *(shapes.PEM, shapes.PUTTY, shapes.ASSIGNMENT, shapes.URL, shapes.JAR),
    *(shapes.KEYED, shapes.OPTION, shapes.SEED_PHRASE, shapes.BACKUP_CODE, shapes.CARD, shapes.BYTES),
    *(password_words.WORD, password_words.PIN_WORD, password_words.LOGIN),
}
"""Patterns that say themselves where what they look for begins and ends."""


def _compiled(pattern: str) -> "re.Pattern[str]":
    if pattern not in _COMPILED:
        import re

        bounded = pattern
        if pattern not in _UNBOUNDED:
            bounded = rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])"
        _COMPILED[pattern] = re.compile(bounded)
    return _COMPILED[pattern]


def places(hints: set[str], kinds: list[str]) -> list[int]:
    """Return the indices of the secret rules to check: those of these kinds, and those with one of these substrings."""
    rules = enumerate(shapes.RULES)
    return [place for place, (kind, triggers, _) in rules if kind in kinds or not hints.isdisjoint(triggers)]


def search(text: str, hinted: list[int]) -> "list[tuple[str, int, int, int]]":
    """Return (kind, line from 1, start, end) of every secret that these rules find in the text; no two overlap."""
    spans: list[tuple[int, int, int]] = []
    for place in hinted:
        kind, _, pattern = shapes.RULES[place]
        check = _CHECKS.get(pattern) or _CHECKS.get(kind, _check_token)
        for match in _compiled(pattern).finditer(text):
            bounds = check(text, match)
            if bounds is not None and not _is_within_placeholder(text, bounds[0]):
                spans.append((*bounds, place))
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
        findings.append((shapes.RULES[place][0], line, start, end))
    return findings


def _check_token(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of a token with a prefix of its own, if it is not a placeholder."""
    start, end = match.span(match.lastindex or 0)
    return None if randomness.is_placeholder(match.string[start:end]) else (start, end)


def _check_twilio(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # Any 32 hexadecimal digits may follow the letters SK: only the name nearby makes them Twilio's.
    nearby = text[max(0, match.start() - 200) : match.end() + 200].lower()
    return _check_token(text, match) if "twilio" in nearby else None


def _check_asana(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # An older one is 32 hexadecimal digits behind `0/`, as in many an address.
    nearby = text[max(0, match.start() - 200) : match.end() + 200].lower()
    return _check_token(text, match) if ":" in match[0] or "asana" in nearby else None


def _check_vault(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # An older one begins like the call of a method.
    is_call = match[0].startswith("s.") and not randomness.is_random(match[0][2:])
    return None if is_call else _check_token(text, match)


def _check_docker(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of what is a name and a password, if read as base64."""
    import binascii

    try:
        plain = binascii.a2b_base64(match[1]).decode()
    except (ValueError, UnicodeDecodeError):
        return None
    name, colon, password = plain.partition(":")
    is_secret = name and colon and password.isprintable() and not randomness.has_placeholder_word(password)
    return match.span(1) if is_secret and password.lower() not in _PLAIN_PASSWORDS else None


def _check_putty(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # In JSON a line ends in a backslash and a letter.
    solid = [line for line in match[1].replace("\\", " ").split() if len(line) >= 40]
    return match.span(1) if solid and not randomness.is_placeholder(solid[0][:32]) else None


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
    name = "".join(
        words_of(text[max(0, match.start() - 8) : match.start()] + name_at(text, match.start(), match.end(1)))
    )
    return span if "secretaccesskey" in name or ("aws" in name and "secret" in name) else None


def _check_assignment(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of what is assigned to a name that promises a secret, if it looks like one."""
    start, end = match.span(3)
    name = name_at(text, match.start(), match.end(1))
    if not match[2] and not name.startswith("--"):
        return None
    segments = words_of(name)
    password = any(segment.startswith("pass") or segment == "pwd" for segment in segments)
    # Where a sentence may end after a token, a password may well have its exclamation mark.
    value = text[start:end].split("\\", 1)[0].rstrip(".:)]}*" if password else ".:!?)]}*")
    if is_cut_off(text, start, value):
        return None
    if any(segment in NOT_THE_SECRET or segment.startswith("tokeni") for segment in segments):
        return None
    if not SHORTEST <= len(value) < _LONGEST or is_reference(value):
        return None
    is_strong = password and randomness.is_strong(value)
    if not (randomness.is_random(value) or is_strong or is_otp_secret(text, start, value)):
        return None
    return start, start + len(value)


def _check_card(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of a payment card's number with a valid check digit, if its security code is near; else None."""
    digits = [int(char) for char in match[0] if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    if (sum(digits[-1::-2]) + sum(doubled)) % 10:
        return None
    before = text[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2]
    near = before + " " + text[match.end() : match.end() + _NEAR].split("\n", 1)[0]
    words = words_of(near)
    codes = [words[at + 1] for at, word in enumerate(words[:-1]) if word in _CODE_NAMES]
    return match.span() if any(code.isdigit() and len(code) in (3, 4) for code in codes) else None


_CODE_NAMES = ("cvv", "cvc", "cvv2", "cvc2")
_NEAR = 60
_LONGEST = 1024


def _is_within_placeholder(text: str, at: int) -> bool:
    opened = text.rfind(PLACEHOLDER_OPEN, max(0, at - 64), at)
    return opened >= 0 and text[opened + len(PLACEHOLDER_OPEN) : at - 1] in KINDS


_CHECKS: "dict[str, Callable[[str, re.Match[str]], tuple[int, int] | None]]" = {
    "gcp-service-account": _check_service_account,
    "private-key": _check_pem,
    shapes.PUTTY: _check_putty,
    "asana-token": _check_asana,
    "vault-token": _check_vault,
    "docker-auth": _check_docker,
    "password": lambda text, match: passwords.behind_word(text, match.start(), match.end()),
    password_words.LOGIN: lambda text, match: passwords.behind_login(text, match.end()),
    shapes.JAR: lambda _, match: match.span(1) if randomness.is_random(match[1]) else None,
    shapes.OPTION: passwords.check_option,
    shapes.KEYED: check_keyed,
    shapes.WALLET_HEX: wallets.check_hex,
    shapes.WIF: wallets.check_wif,
    shapes.BYTES: wallets.check_bytes,
    "seed-phrase": wallets.check_seed_phrase,
    "backup-code": passwords.check_backup_code,
    "payment-card": _check_card,
    "session-cookie": check_cookie,
    "pin": lambda text, match: passwords.behind_pin(text, match.end()),
    "jwt": _check_jwt,
    "twilio-key": _check_twilio,
    "url-password": _check_url,
    "aws-secret-key": _check_aws,
    "bearer-token": _check_bearer,
    "secret-assignment": _check_assignment,
}
