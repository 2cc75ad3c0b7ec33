"""Checks of long random values behind a word for a key, and of the values of cookies.

Loaded only if a text contains such a word.
"""

from agentws.core.formats.secrets import randomness, shapes
from agentws.core.formats.secrets.key_names import words_of
from agentws.core.formats.secrets.references import NOT_THE_SECRET, is_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_NEAR = 60
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
_SIGNS = str.maketrans("\"':;,", "=====")
"""The end of a field's name in an event (`input=…`): words before it do not describe the key."""
_UNQUOTED = str.maketrans("", "", "\"'`*")
_COOKIE_MARKS = ("cookie:", "cookies:", "cookie=", "cookies=", "cookie =", "--cookie")


def check_keyed(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of the value behind a word for a key, as in `Hetzner token …` or `OVH consumer key = …`."""
    start = match.start(3)
    value = match[3].split("\\", 1)[0].rstrip(".:!?)]}*")
    name = match[0][: len("key")].lower()
    qualifiers = words_of(_line_before(text, match.start(), _NEAR).translate(_SIGNS).rpartition("=")[2])
    qualifiers = qualifiers[-_MOST_QUALIFIERS:]
    between = words_of(match[1] or "")
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
    reasons = bool(match[2]) + has_cases
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


def check_jar(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """Return the span of the random value on a line of a cookie jar."""
    return match.span(1) if randomness.is_random(match[1]) else None


def _line_before(text: str, at: int, most: int) -> str:
    return text[max(0, at - most) : at].rpartition("\n")[2]
