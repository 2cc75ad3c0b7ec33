"""Rules for what an agent may do without asking: which call of a tool needs a yes, and which is never done. Pure.

A rule fits where all that it names fits. Within a call the strictest counts: deny, then ask, then confirm; `allow` is
an exception from asking, never from a denial. Specified in docs/format/rules.md.
"""

from __future__ import annotations

from agentws.errors import DamagedError
from agentws.planning.ask import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

DENY, ASK, CONFIRM, ALLOW = "deny", "ask", "confirm", "allow"
DOES = (DENY, ASK, CONFIRM, ALLOW)
_STRICTNESS = {DENY: 3, ASK: 2, CONFIRM: 1}
RISKS = ("low", "high")
_KEYS = ("tool", "command", "path", "host", "do", "risk", "why")
_COMMANDS = ("command", "cmd", "script")
"""The keys of an input that hold a line for a shell, or its words."""
_PATHS = ("path", "file", "dir", "folder", "notebook")
"""What a key of an input that holds a path has in its name."""
_MOST_TEXTS = 2_000


class Rule:
    """A rule: globs that must fit (empty: any), what it says to `do`, at which `risk`, and `why`, for a person."""

    __slots__ = ("command", "do", "host", "path", "risk", "tool", "where", "why")

    def __init__(self, row: Mapping[str, str], where: str) -> None:
        self.tool = row.get("tool", "")
        self.command = row.get("command", "")
        self.path = row.get("path", "")
        self.host = row.get("host", "")
        self.do = row.get("do", ASK)
        self.risk = row.get("risk", RISKS[0])
        self.why = row.get("why", "")
        self.where = where

    def fits(self, tool: str, unit: _Unit) -> bool:
        """Return whether the rule is about this part of a call."""
        if self.tool and not matches(tool, self.tool):
            return False
        if self.command and not (unit.is_unclear or any(matches(one, self.command) for one in unit.commands)):
            return False
        if self.path and not any(matches(one, self.path) for one in unit.paths):
            return unit.is_unclear and bool(self.command)
        return not self.host or any(matches(one, self.host) for one in unit.hosts)


class Verdict:
    """The verdict about a call: `do` (empty where no rule fits), and the `rule` that says so."""

    __slots__ = ("do", "rule")

    def __init__(self, do: str = "", rule: Rule | None = None) -> None:
        self.do = do
        self.rule = rule


class _Unit:
    """A part of a call that is judged by itself: one simple command, or the whole of another call."""

    __slots__ = ("commands", "hosts", "is_unclear", "paths")

    def __init__(
        self,
        commands: Sequence[str] = (),
        paths: Sequence[str] = (),
        hosts: Sequence[str] = (),
        *,
        unclear: bool = False,
    ) -> None:
        self.commands = commands
        self.paths = paths
        self.hosts = hosts
        self.is_unclear = unclear


class _Place:
    """The place of a call: the folder that relative paths begin in, and the home."""

    def __init__(self, folder: str, home: str) -> None:
        self._folder = folder
        self._home = home

    def absolute(self, path: str) -> str:
        """Return a path from the root, without `.` and `..`."""
        if "://" in path:
            return path
        if self._home and (path == "~" or path.startswith("~/")):
            path = self._home + path[1:]
        whole = path if path.startswith(("/", "~")) or not self._folder else f"{self._folder}/{path}"
        parts: list[str] = []
        for part in whole.split("/"):
            if part == ".." and parts:
                parts.pop()
            elif part not in ("", ".", ".."):
                parts.append(part)
        return ("/" if whole.startswith("/") else "") + "/".join(parts)


def parse(rows: object, where: str) -> list[Rule]:
    """The rules of a list of tables; DamagedError for anything that is none: half a rule protects nobody."""
    if not isinstance(rows, list):
        raise DamagedError(f"{where}: rules must be a list of tables.", hint="Write each as [[ask.rules]].")
    found = []
    for number, row in enumerate(rows, 1):
        name = f"{where}: rule {number}"
        if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
            raise DamagedError(f"{name} must be a table of texts.", hint="See: agentws docs format/rules")
        unknown = [key for key in row if key not in _KEYS]
        if unknown:
            raise DamagedError(f"{name}: unknown key {unknown[0]!r}.", hint=f"Keys: {', '.join(_KEYS)}.")
        rule = Rule(row, name)
        if rule.do not in DOES or rule.risk not in RISKS:
            raise DamagedError(f"{name}: do is one of {', '.join(DOES)}, and risk low or high.", hint="Correct it.")
        if not (rule.tool or rule.command or rule.path or rule.host):
            raise DamagedError(f"{name} names no tool, command, path or host.", hint='For all calls: tool = "*"')
        found.append(rule)
    return found


def judge(rules: Sequence[Rule], tool: str, given: Any, *, folder: str = "", home: str = "") -> Verdict:
    """Return what the rules say about a call of this tool.

    `folder` is where relative paths begin, `home` what `~` stands for, in the call and in a rule.
    """
    for rule in rules:
        if home and rule.path.startswith("~/"):
            rule.path = home + rule.path[1:]
    strictest = Verdict()
    for unit in _units(given, _Place(folder, home)):
        verdict = _judged(rules, tool, unit)
        if _STRICTNESS.get(verdict.do, 0) > _STRICTNESS.get(strictest.do, 0):
            strictest = verdict
    return strictest


def _judged(rules: Sequence[Rule], tool: str, unit: _Unit) -> Verdict:
    fitting = [rule for rule in rules if rule.fits(tool, unit)]
    for do in (DENY, ALLOW, ASK, CONFIRM):
        rule = next((rule for rule in fitting if rule.do == do), None)
        if rule is not None and not (do == ALLOW and unit.is_unclear):
            return Verdict("" if do == ALLOW else do, rule)
    return Verdict()


def _units(given: Any, place: _Place) -> Iterator[_Unit]:
    lines = [line for key, line in _texts(given) if key.lower() in _COMMANDS]
    if isinstance(given, dict):
        lists = [value for key, value in given.items() if key.lower() in _COMMANDS and isinstance(value, list)]
    else:
        lists = []
    texts = [text for _, text in _texts(given)]
    if not lines and not lists:
        paths = [place.absolute(text) for key, text in _texts(given) if any(name in key.lower() for name in _PATHS)]
        yield _Unit((), paths, [host for text in texts for host in _hosts(text)])
        return
    for words in lists:
        yield from _of_words([word for word in words if isinstance(word, str)], place)
    for line in lines:
        try:
            for words in shell.commands(line):
                yield _of_command(words, place)
        except shell.UnclearError:
            yield _Unit((line,), (), list(_hosts(line)), unclear=True)


def _of_words(words: list[str], place: _Place) -> Iterator[_Unit]:
    if words:
        yield _of_command([words[0].rpartition("/")[2], *words[1:]], place)
        for inner in shell.commands(words[-1]) if "c" in "".join(words[1:-1]) and len(words) > 2 else ():
            yield _of_command(inner, place)


def _of_command(words: list[str], place: _Place) -> _Unit:
    paths = [place.absolute(word) for word in words[1:] if "/" in word or word.startswith((".", "~"))]
    return _Unit((" ".join(words),), paths, [host for word in words for host in _hosts(word)])


def _texts(value: Any, key: str = "", depth: int = 0) -> list[tuple[str, str]]:
    """Return (key, text) of every text within an input, the nearest key of each."""
    if isinstance(value, str):
        return [(key, value)]
    found: list[tuple[str, str]] = []
    if depth < 8 and isinstance(value, dict):
        for name, item in value.items():
            found += _texts(item, str(name), depth + 1)
    elif depth < 8 and isinstance(value, list):
        for item in value:
            found += _texts(item, key if key.lower() not in _COMMANDS else "", depth + 1)
    return found[:_MOST_TEXTS]


def _hosts(text: str) -> Iterator[str]:
    """Yield the hosts of URLs within a text, and of `user@host:path`."""
    for piece in text.split("://")[1:]:
        host = piece.split("/", 1)[0].split("?", 1)[0].split("#", 1)[0].split('"', 1)[0].split("'", 1)[0]
        host = host.rpartition("@")[2].split(":", 1)[0].split(" ", 1)[0]
        if host:
            yield host.lower().rstrip(".")
    name, at, rest = text.partition("@")
    if at and name and " " not in text and "://" not in text:
        yield rest.split(":", 1)[0].lower()


def matches(text: str, glob: str) -> bool:
    """Return whether a glob fits the whole text: `*` is any run of characters, `?` any one. In linear time and room."""
    at = place = 0
    star, mark = -1, 0
    while at < len(text):
        if place < len(glob) and glob[place] == "*":
            star, mark = place, at
            place += 1
        elif place < len(glob) and glob[place] in ("?", text[at]):
            place, at = place + 1, at + 1
        elif star >= 0:
            mark += 1
            place, at = star + 1, mark
        else:
            return False
    return glob[place:].strip("*") == ""
