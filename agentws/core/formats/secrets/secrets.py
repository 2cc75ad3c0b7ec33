"""Finds secrets in a text: keys, tokens and passwords that must not enter a document or an event.

Notes often speak of secrets without containing one, so every pattern is anchored on both sides and its match must also
look random: no placeholder, no words, no counting up. The patterns follow the forms that the providers publish.

This is on the path of every log line. Plain substrings are searched first; the patterns and `re` are imported, and a
pattern compiled, only if one of its substrings is where a secret could begin.
"""

from agentws.core import Record
from agentws.core.formats.secrets import password_words
from agentws.core.formats.secrets.password_words import MASKED, PLACEHOLDER_OPEN, SHORTEST, is_letter_or_digit
from agentws.errors import SecretRefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["MASKED", "PLACEHOLDER_OPEN", "SHORTEST", "SecretFinding", "find", "has_placeholder", "hide", "refuse"]

_LONG = 1000
"""In a longer text it pays to know its characters before it is looked through for each trigger."""
_CODE = "\\u{"
_SELECTORS = "\ufe00"
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164")
"""What nobody sees below the selectors, and Python calls printable."""


class SecretFinding(Record):
    """A secret found in a text: its kind, the line it begins on (from 1), and its span in code points."""

    kind: str
    line: int
    start: int
    end: int

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SecretFinding):
            return NotImplemented
        mine = (self.kind, self.line, self.start, self.end)
        return mine == (other.kind, other.line, other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.kind, self.line, self.start, self.end))

    def __repr__(self) -> str:
        # The secret itself is never shown: this ends up in logs and in tracebacks.
        return f"Finding({self.kind!r}, line={self.line}, start={self.start}, end={self.end})"


def refuse(*texts: str | None) -> None:
    """Raise SecretRefusedError if one of `texts` contains a secret, or the placeholder of a redacted one."""
    for text in texts:
        secrets = find(text or "")
        if secrets:
            kinds = ", ".join(sorted({finding.kind for finding in secrets}))
            raise SecretRefusedError(
                f"This looks like a secret ({kinds}, line {secrets[0].line}); nothing was written.",
                hint="Store the secret elsewhere and log where. If it is not one, reword it or edit the file.",
            )
        if has_placeholder(text or ""):
            raise SecretRefusedError(
                "The text contains a placeholder of a redacted secret; nothing was written.",
                hint="Replace the placeholder with what you mean.",
            )


def has_placeholder(text: str) -> bool:
    """Return whether `text` contains agentws's placeholder for a secret, whole or cut off."""
    return PLACEHOLDER_OPEN in text


def find(text: str) -> list[SecretFinding]:
    """Return every secret in `text`, in order of position; no two overlap."""
    secrets = _find(text)
    if _may_hide(text):
        # A character that nobody sees may stand within a secret.
        from agentws.core.text import invisible

        plain = invisible.without(text)
        if plain is not None:
            secrets = _united(secrets, [_placed(secret, text, plain[1]) for secret in _find(plain[0])])
    return secrets


def _may_hide(text: str) -> bool:
    """Return whether `text` may contain an invisible character, or the code for one (core/text/invisible.py)."""
    if text.isascii():
        return _CODE in text
    return not text.isprintable() or max(text) >= _SELECTORS or not _BLANK_LETTERS.isdisjoint(text) or _CODE in text


def _find(text: str) -> list[SecretFinding]:
    hints, kinds = _hinted(text)
    if not hints and not kinds:
        return []
    from agentws.core.formats.secrets import checks

    return [SecretFinding(*row) for row in checks.search(text, checks.places(hints, kinds))]


def _placed(finding: SecretFinding, text: str, places: list[int]) -> SecretFinding:
    """Return a finding in the text without invisible characters, at its place in the original text."""
    start = places[finding.start]
    return SecretFinding(finding.kind, text.count("\n", 0, start) + 1, start, places[finding.end - 1] + 1)


def _united(secrets: list[SecretFinding], more: list[SecretFinding]) -> list[SecretFinding]:
    """Both in order; of those that overlap the longer one."""
    united: list[SecretFinding] = []
    for secret in sorted((*secrets, *more), key=lambda secret: (secret.start, -secret.end)):
        if not united or secret.start >= united[-1].end:
            united.append(secret)
        elif secret.end > united[-1].end:
            united[-1] = SecretFinding(secret.kind, united[-1].line, united[-1].start, secret.end)
    return united


def hide(text: str) -> tuple[str, int]:
    """Return `text` with `‹redacted:kind›` in place of each secret, and the number of secrets.

    Those that were masked before count too.
    """
    secrets = find(text)
    for secret in reversed(secrets):
        text = f"{text[: secret.start]}{PLACEHOLDER_OPEN}{secret.kind}›{text[secret.end :]}"
    masked = text.count(MASKED)
    return text.replace(MASKED, "›") if masked else text, len(secrets) + masked


def _hinted(text: str) -> tuple[set[str], list[str]]:
    """Return the trigger substrings that are where a secret could begin, and the kinds of password hints."""
    lowered = text.lower()
    is_long = len(text) > _LONG
    # By lines: all words of a long file at once need more than ten times its size.
    pieces = map(str.split, text.split("\n")) if is_long else (text.split(),)
    words = [word for piece in pieces for word in piece if len(word) >= SHORTEST]
    names: set[str] = set()
    if words:
        chars = "".join(set(text)) if is_long else ""
        # A token with a beginning of its own has no blank in it: most of a text need not be looked through.
        names = _standing(" ".join(words), _possible(_BEGINNINGS.split(" "), chars), _begins)
        present = chars.lower()
        names |= _standing(lowered, _possible(_NAMES, present), _is_assigned)
        names |= _standing(lowered, _possible(_KEYS, present), _is_keyed)
        for gate, triggers in _GATES:
            names |= _standing(text, _possible(triggers, chars), gate)
    return names, password_words.kinds(lowered)


def _possible(triggers: "Iterable[str]", chars: str) -> "Iterable[str]":
    """Return the triggers that consist of these characters; all of them if no characters are given."""
    present = frozenset(chars)
    return [trigger for trigger in triggers if present.issuperset(trigger)] if chars else triggers


def _standing(text: str, triggers: "Iterable[str]", gate: "Callable[[str, int, str], bool]") -> set[str]:
    # Mostly there is none, and `in` finds that out fastest.
    return {
        trigger
        for trigger in triggers
        if trigger in text and any(gate(text, at, trigger) for at in _places(text, trigger))
    }


def _places(text: str, part: str) -> "Iterator[int]":
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _is_assigned(lowered: str, at: int, name: str) -> bool:
    """Return whether something long enough follows a name on its line."""
    rest = lowered[at + len(name) : at + len(name) + 160].split("\n", 1)[0]
    return any(len(part) >= SHORTEST for part in rest.split())


def _is_keyed(lowered: str, at: int, name: str) -> bool:
    """Return whether something long follows a word for a key on its line, and not a key that everyone may see."""
    rest = lowered[at + len(name) : at + len(name) + 160].split("\n", 1)[0]
    return any(len(part) >= SHORTEST and not part.startswith(_SHOWN_KEYS) for part in rest.split())


def _begins(text: str, at: int, trigger: str) -> bool:
    """Return whether a token could begin: not inside a word, and long enough without white space."""
    if trigger[0].isalnum() and at and is_letter_or_digit(text[at - 1]):
        return False
    return _is_long(text, at + len(trigger))


def _is_long(text: str, at: int, least: int = SHORTEST) -> bool:
    """Return whether so many characters follow without white space."""
    chunk = text[at : at + least]
    return len(chunk) == least and len(chunk.split()) == 1 and not chunk[-1].isspace()


def _has_user(text: str, at: int, _trigger: str) -> bool:
    authority = text[at + 3 : at + 300].split("/", 1)[0].split(None, 1)
    return bool(authority) and "@" in authority[0] and ":" in authority[0]


_BEGINNINGS = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- "
    "glsoat- glffct- glwt- _gitlab_session= CCIPAT_ CCIPRJ_ bkua_ bkaat_ bkat_ GR1348941 npm_ pypi-AgE rubygems_ "
    "dckr_pat_ dckr_oat_ ATATT3 ATCTT3 ATBB squ_ sqp_ sqa_ AKIA ASIA ABSK AIza AQ. GOCSPX- ya29. 1//0 AccountKey= "
    "SharedAccessKey= sig= AKID dop_v1_ doo_v1_ dor_v1_ HRKU- fm1_ fm2_ fm1r_ fm1a_ fo1_ vcp_ vci_ vca_ vcr_ vck_ "
    "vercel_blob_rw_ nfp_ nfc_ nfo_ nfb_ cfut_ cfat_ cfk_ v1.0- sb_secret_ sbp_ pscale_ napi_ rnd_ dapi dp. hvs. "
    "hvb. hvr. s. sdk- .atlasv1. pul- tskey- sk-ant- sk-or-v1- sk-lf- sk-proj- sk-svcacct- sk-admin- sk-None- sk- "
    "gsk_ xai- pplx- csk- nvapi- tgp_v1_ fw_ hf_ api_org_ r8_ sk_ lsv2_ tvly- fc- pcsk_ jina_ BSA e2b_ apify_api_ "
    "moltbook_ phx_ xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxe- xoxe.xox xoxd- xapp- hooks.slack.com/ "
    "discord.com/api/ discordapp.com/api/ webhook.office.com/ syt_ syr_ mat_ mct_ mcr_ oauth: :AA SG. key- "
    "xkeysib- xsmtpsib- re_ sk_live_ rk_live_ sk_test_ rk_test_ whsec_ EAAA sq0atp- sq0csp- access_token$ shpat_ "
    "shpca_ shppa_ shpss_ lin_api_ lin_oauth_ ntn_ secret_ figd_ figo_ PMAK- pat-na pat-eu pk_ glsa_ glc_ NRAK- "
    "0/ 1/ 2/ sl. sntrys_ sntryu_ dt0c01. dt0s16. ops_eyJ nsec1 AGE-SECRET-KEY-1 xprv yprv zprv "
    "tprv uprv vprv 6P 5H 5J 5K Kw Kx Ky Kz L1 L2 L3 L4 L5 eyJ"
)
"""How tokens begin, looked for where one could. All that shapes.py names stands here or below, apart from the
patterns: most texts need these alone.
"""
_NAMES = (
    *("aws", "secretaccesskey", "secret_access_key", "password", "passwd", "passphrase", "passcode", "pwd", "secret"),
    *("token", "credential", "apikey", "api_key", "api-key", "api key", "_key", "access key", "secret key"),
    *(
        "private key",
        "privatekey",
        "accesskey",
        "auth key",
        "priv",
        "прив",
        "私钥",
        "私鑰",
        "wallet",
        "cookie",
        "heroku",
    ),
)
"""Names to which a secret is assigned, in lower case."""
_KEYS = ("key", "schlüssel", "clé", "clave", "chiave", "jeton", "ключ", "токен", "密钥", "密鑰", "令牌")
_SHOWN_KEYS = ("sha256:", "aaaa")
"""How the fingerprint of a key and a public key of SSH begin."""
_HEX = "0123456789abcdef"
_GATES: "tuple[tuple[Callable[[str, int, str], bool], tuple[str, ...]], ...]" = (
    (_has_user, ("://",)),
    # The first dot of what could be a Discord token.
    (
        lambda text, at, _: (
            at >= 20 and text[at + 7 : at + 8] == "." and text[at - 18 : at].isalnum() and _is_long(text, at)
        ),
        (".",),
    ),
    (
        lambda *_: True,
        (
            *("PRIVATE KEY", "Private-Lines:", "AZDO", "SSWS", '"auth"', "'auth'", "_auth", "NRAL", "ailgun", "AILGUN"),
            *(":fx", "TRUE\t", "FALSE\t", "TRUE\\", "FALSE\\"),
        ),
    ),
    (
        lambda text, at, name: text.startswith(("=", '"', "'"), at + len(name)),
        (
            *("PHPSESSID", "JSESSIONID", "sessionid", "li_at", "connect.sid", "ASP.NET_SessionId", "laravel_session"),
            "user_session",
        ),
    ),
    (lambda text, at, _: "curl" in text[max(0, at - 400) : at], (" -b",)),
    (lambda text, at, name: _is_long(text, at, SHORTEST - len(name)), ("LTAI", "rzp_live_", "rzp_test_")),
    (lambda text, at, _: _is_long(text, at), ("Q~",)),
    (
        lambda text, at, _: at >= 32 and not text[at - 32 : at].strip(_HEX),
        tuple([f"-us{digit}" for digit in range(1, 10)]),
    ),
    (lambda text, at, name: _begins(text, at, name) and not text[at + 2 : at + 34].strip(_HEX), ("SK",)),
    (lambda text, at, _: text[at + 17 : at + 18] == ".", ("pat",)),
    (lambda text, at, _: any(len(part) >= 16 for part in text[at : at + 64].split()), ("Bearer", "bearer", "Basic")),
)
"""Other substrings, and what has to stand around each."""
