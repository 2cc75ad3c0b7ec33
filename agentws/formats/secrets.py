"""Finds what looks like a secret in a text: keys, tokens, passwords that must not enter a document or an event.

Notes speak of secrets all the time without containing one, so every pattern is anchored on both sides and what it
catches must also look random: no placeholder, no words, no counting up. The patterns were written from the shapes
that the providers publish.

This is on the path of every log line. Plain substrings are looked for first; `re` is imported, and a pattern is
compiled, only when one of its substrings stands where a secret could begin.
"""

from agentws.errors import SecretRefusedError
from agentws.formats import invisible, password_words, secret_shapes
from agentws.formats.secret_shapes import KINDS, PLACEHOLDER_OPEN, SHORTEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["KINDS", "PLACEHOLDER_OPEN", "SHORTEST", "Finding", "find", "has_placeholder", "hide", "refuse"]


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
    found = _find(text)
    if not text.isascii() or invisible.CODE in text:
        # A character that nobody sees may stand within a secret.
        plain = invisible.without(text)
        if plain is not None:
            found = _united(found, [_placed(one, text, plain[1]) for one in _find(plain[0])])
    return found


def _find(text: str) -> list[Finding]:
    hinted = _hinted(text)
    if not hinted:
        return []
    from agentws.formats import secret_checks

    return [Finding(*found) for found in secret_checks.search(text, hinted)]


def _placed(one: Finding, text: str, places: list[int]) -> Finding:
    """What was found in a text without what is invisible, where it stands in the whole one."""
    start = places[one.start]
    return Finding(one.kind, text.count("\n", 0, start) + 1, start, places[one.end - 1] + 1)


def _united(found: list[Finding], more: list[Finding]) -> list[Finding]:
    """Both in order; of those that overlap the longer one."""
    united: list[Finding] = []
    for one in sorted((*found, *more), key=lambda one: (one.start, -one.end)):
        if not united or one.start >= united[-1].end:
            united.append(one)
        elif one.end > united[-1].end:
            united[-1] = Finding(one.kind, united[-1].line, united[-1].start, one.end)
    return united


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
    # Only a password is shorter.
    is_long = max(map(len, text.split()), default=0) >= SHORTEST
    absent = frozenset([sign for sign in _SIGNS if sign not in text])
    for place, (kind, triggers, pattern) in enumerate(secret_shapes.RULES if is_long else ()):
        if _NEEDED[place] in absent:
            continue
        searched = lowered if pattern is secret_shapes.ASSIGNMENT else text
        for trigger in triggers:
            # This is written out because it runs some two hundred times for every line of a log.
            if trigger in searched:
                gate = _GATES.get(kind, _begins)
                if any(gate(searched, at, trigger) for at in _places(searched, trigger)):
                    hinted.append(place)
                    break
    if password_words.names_password(lowered):
        hinted.append(_PASSWORD)
    if password_words.names_pin(lowered):
        hinted.append(_PASSWORD + 1)
    return hinted


def _places(text: str, part: str) -> "Iterator[int]":
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _is_assigned(lowered: str, at: int, name: str) -> bool:
    """True where something long enough follows a name on its line."""
    rest = lowered[at + len(name) : at + len(name) + 160].split("\n", 1)[0]
    return any(len(part) >= SHORTEST for part in rest.split())


def _begins(text: str, at: int, trigger: str) -> bool:
    """True where a token could begin: not inside a word, and long enough without white space."""
    if trigger[0].isalnum() and at and secret_shapes.is_letter_or_digit(text[at - 1]):
        return False
    return _is_long(text, at + len(trigger))


def _begins_short(text: str, at: int, trigger: str) -> bool:
    return _is_long(text, at, SHORTEST - len(trigger))


def _is_long(text: str, at: int, least: int = SHORTEST) -> bool:
    """True where so many characters follow without white space."""
    chunk = text[at : at + least]
    return len(chunk) == least and len(chunk.split()) == 1 and not chunk[-1].isspace()


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


_SIGNS = "_-.:/="
"""Most prefixes have one of these in them: where it is in none of a text, they need not be looked for."""
_NEEDED = [
    next((sign for sign in _SIGNS if all(sign in trigger for trigger in triggers)), "") if triggers else ""
    for _, triggers, _ in secret_shapes.RULES
]
_PASSWORD = next(place for place, rule in enumerate(secret_shapes.RULES) if rule[0] == "password")
"""The place of the rule for passwords; that for a PIN is behind it."""
_GATES: "dict[str, Callable[[str, int, str], bool]]" = {
    "gcp-service-account": _stands,
    "private-key": _stands,
    "aws-secret-key": _is_assigned,
    "secret-assignment": _is_assigned,
    "url-password": _has_user,
    "mailchimp-key": _follows_hex,
    "newrelic-key": lambda text, at, trigger: trigger == "NRAL" or _begins(text, at, trigger),
    "mailgun-key": lambda text, at, trigger: trigger != "key-" or _begins(text, at, trigger),
    "azure-devops-token": _stands,
    "okta-token": _stands,
    "alibaba-key": _begins_short,
    "razorpay-key": _begins_short,
    "docker-auth": _stands,
    "twilio-key": _precedes_hex,
    "discord-token": _is_account_number,
    "airtable-token": _precedes_dot,
    "azure-client-secret": lambda text, at, trigger: _is_long(text, at),
    "bearer-token": lambda text, at, trigger: any(len(part) >= 16 for part in text[at : at + 64].split()),
}
