"""Values that some line of a text calls a secret, to find them in lines that call them something else. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

_SECRET = re.compile(
    r"(?<!\d )(?<!\dk )(?<!max )\btokens?\b(?! (?:used|usage|count|limit|budget|cost|window)s?\b)|_token\b"
    r"|\b(?:secrets?|passwor[dt]s?|passphrases?|credentials?|auth ?keys?|PAT)\b|_(?:secret|password|key)\b"
    r"|\b(?:api|access|private|client|service|public)[ _-]?(?:key|id)s?\b",
    re.IGNORECASE,
)
_HINTS = (
    *("token", "secret", "passwor", "passphrase", "credential", "key", "pat", "_id", "-id", " id", "apiid"),
    *("accessid", "privateid", "clientid", "serviceid", "publicid"),
)
"""Every line that speaks of a secret contains one of these: most lines need no pattern."""
_GIVEN = re.compile(
    r"(?:tokens?|secrets?|passwor[dt]|passphrase|key|PAT)\b\**+\s*+(?:(?:is|was|provided|set to)\b\s*+)?[:=]?\s*+"
    r"(?:[`\"']([^\s`\"']{6,}+)[`\"']|(?<=[:=] )([^\s,;()`\"']{6,}))",
    re.IGNORECASE,
)
_PASS = re.compile(r"\b(?:passwor[dt]s?|passphrases?|secrets?|pins?)\b", re.IGNORECASE)
_SPAN = re.compile(r"[`\"“]([^\s`\"“”]{6,}+)[`\"”]")
_WORD = re.compile(r"[A-Za-z0-9][\w-]{5,}(?!\w*\.(?:json|md|py|sh|js|ts|txt|env|html|ya?ml|toml)\b)")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{5,}")
_MIXED = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*|(?>.*?(?i:token|secret|password|key)).*|[^/.\n]*+[/.].*")
_SHORTEST, _SHORTEST_MIXED = 6, 8
_PREFIX = re.compile(
    r"\b(?:gh[pousr]_|github_pat_|glpat-|tskey-|sk-|pk-|xai-|xox[bp]-|AIza|AKIA|cal_live_|kys_)[\w-]{3,}\W{0,2}(?:…|\.\.)"
)
_SECRETIVE_HEADING = re.compile(
    r"^\W*(?:\w+ ){0,2}(?:credentials?|secrets?|(?:api |access )?(?:keys|tokens)|passwords?|logins?)\b", re.IGNORECASE
)


class Secrets:
    """The values that some line of `texts` calls a secret; `keeps_out` says which texts count as hidden besides."""

    def __init__(self, texts: Iterable[str], *, keeps_out: Callable[[str], bool] | None = None) -> None:
        self._keeps_out = keeps_out
        self._values = frozenset(value for text in texts for value in _named(text))
        self._begins = frozenset(value[:_SHORTEST] for value in self._values)

    def stand_in(self, text: str) -> bool:
        """Return whether `text` contains one of these secrets, the beginning of one, or is kept out."""
        if _PREFIX.search(text) or (self._keeps_out is not None and self._keeps_out(text)):
            return True
        if not self._values:
            return False
        parts = (part.rstrip("-_") for part in _PART.findall(text))
        return any(part[:_SHORTEST] in self._begins and self._tells(part, text) for part in parts)

    def _tells(self, part: str, text: str) -> bool:
        if part in self._values or any(part.startswith(value) for value in self._values):
            return True
        is_cut = any(f"{part}{mark}" in text for mark in ("…", "...", "-...", "-…", " prefix"))
        return (is_cut or _MIXED.search(part) is not None) and any(value.startswith(part) for value in self._values)


def is_of_secrets(heading: str) -> bool:
    """Return whether a heading announces secrets, such as `Credentials`."""
    return _SECRETIVE_HEADING.match(heading) is not None


def _named(text: str) -> Iterator[str]:
    """Return the values in lines that speak of secrets, or in a list, table or section that does."""
    lowered = text.lower()
    hints = [name for name in _HINTS if name in lowered]
    if not hints:
        return
    is_under = is_below = False
    for line in text.split("\n"):
        speaks = any(map(line.lower().__contains__, hints)) and _SECRET.search(line) is not None
        if line.startswith("#"):
            is_under = is_below = speaks and _SECRETIVE_HEADING.match(line.lstrip("# ")) is not None
        elif not line.strip():
            is_below = False
        elif speaks and (line.rstrip("* ").endswith(":") or line.lstrip().startswith("|")):
            is_below = True
        if speaks or is_under or is_below:
            yield from _values(line)


def _values(line: str) -> Iterator[str]:
    for match in _GIVEN.finditer(line):
        value = (match.group(1) or match.group(2)).rstrip(".…-_")
        if not _NAME.fullmatch(value) and (match.group(1) or any(char.isdigit() for char in value)):
            yield from (part.rstrip("-_") for part in _PART.findall(value))
    last = line.rstrip(".!* ").replace("：", ": ").rpartition(": ")[2].strip()
    if last != line and _PASS.search(line) and len(last) >= _SHORTEST and " " not in last and _MIXED.search(last):
        yield from (part.rstrip("-_") for part in _PART.findall(last) if not _NAME.fullmatch(last))
    for value in _SPAN.findall(line) if _PASS.search(line) else ():
        if _MIXED.search(value) and not _NAME.fullmatch(value):
            yield from (part.rstrip("-_") for part in _PART.findall(value))
    for word in _WORD.findall(line):
        value = word.rstrip("-_")
        if len(value) >= _SHORTEST_MIXED and len(_MIXED.findall(value)) > 1:
            yield value
