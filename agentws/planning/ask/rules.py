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
_COMMANDS = ("command", "cmd", "script", "shell", "bash")
"""The keys of an input that hold a line for a shell, or its words; the first also as a part of a key."""
_PATHS = ("path", "file", "dir", "folder", "notebook", "cwd")
"""What a key of an input that holds a path has in its name."""
_ADDRESSES = ("url", "uri", "host", "domain", "address", "endpoint")
_OUTWARD = frozenset(
    ("curl", "wget", "http", "https", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp", "ping", "socat")
)
"""Programs whose arguments may be the names of hosts."""
_PATCH, _PATCHED = "*** Begin Patch", ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_MOST_TEXTS, _MOST_DEPTH = 2_000, 8
_MOST_ADDRESS = 1 << 13


class Rule:
    """A rule: globs that must fit (empty: any), what it says to `do`, at which `risk`, and `why`, for a person.

    `rank` is how far the place where it stands is out of the agent's reach: an exception counts from rules of no higher
    rank.
    """

    __slots__ = ("command", "do", "host", "path", "rank", "risk", "tool", "where", "why")

    def __init__(self, row: Mapping[str, str], where: str) -> None:
        self.tool = row.get("tool", "").lower()
        self.command = row.get("command", "")
        self.path = row.get("path", "")
        self.host = row.get("host", "").lower()
        self.do = row.get("do", ASK)
        self.risk = row.get("risk", RISKS[0])
        self.why = row.get("why", "")
        self.where = where
        self.rank = 0

    def fits(self, tool: str, unit: _Unit, home: str) -> bool:
        """Return whether the rule is about this part of a call; of an unclear one all may be true but the tool."""
        if self.tool and not matches(tool.lower(), self.tool):
            return False
        if unit.is_unclear:
            return self.do != ALLOW
        if self.do == ALLOW and unit.writes:
            return False
        readings = unit.commands[:1] if self.do == ALLOW else unit.commands
        if self.command and not any(matches(one, self.command) for one in readings):
            return False
        if self.path and not any(_is_below(one, _glob(self.path, home)) for one in unit.paths):
            return False
        return not self.host or any(matches(one, self.host) for one in unit.hosts)


class Verdict:
    """The verdict about a call: `do` (empty where no rule fits), the `rule` that says so; `is_unclear` where nobody
    could tell what the call does.
    """

    __slots__ = ("do", "is_unclear", "rule")

    def __init__(self, do: str = "", rule: Rule | None = None, *, unclear: bool = False) -> None:
        self.do = do
        self.rule = rule
        self.is_unclear = unclear


class _Unit:
    """A part of a call that is judged by itself: one simple command in its readings, or the whole of another call."""

    __slots__ = ("commands", "hosts", "is_unclear", "paths", "writes")

    def __init__(
        self,
        commands: Sequence[str] = (),
        paths: Sequence[str] = (),
        hosts: Sequence[str] = (),
        *,
        unclear: bool = False,
        writes: bool = False,
    ) -> None:
        self.commands = commands
        self.paths = paths
        self.hosts = hosts
        self.is_unclear = unclear
        self.writes = writes


class _Place:
    """The place of a call: the folders that relative paths may begin in, and the home."""

    def __init__(self, folder: str, home: str) -> None:
        self._folders = [folder]
        self._home = home

    def enter(self, path: str) -> None:
        """Note that a command may have gone to another folder."""
        if len(self._folders) < _MOST_DEPTH:
            self._folders += [one for one in self.absolute(path) if one not in self._folders][:1]

    def absolute(self, path: str) -> list[str]:
        """Return the paths from the root that this may be, without `.` and `..`."""
        if self._home and (path == "~" or path.startswith("~/")):
            path = self._home + path[1:]
        for name in ("$HOME/", "${HOME}/"):
            if self._home and path.startswith(name):
                path = f"{self._home}/{path[len(name) :]}"
        if path.startswith("/"):
            return [_plain(path)]
        return [_plain(f"{folder}/{path}" if folder else path) for folder in reversed(self._folders)]


def _plain(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _glob(path: str, home: str) -> str:
    """Return the glob for whole paths: one that does not begin at the root or at home fits below any folder."""
    if path.startswith("~/"):
        return home + path[1:]
    return path if path.startswith(("/", "*")) else f"*/{path}"


def _is_below(path: str, glob: str) -> bool:
    """Return whether a glob for paths fits; one for all that lies in a folder fits the folder too."""
    return matches(path, glob) or (glob.endswith("/*") and matches(path, glob[:-2]))


def parse(rows: object, where: str, rank: int = 0) -> list[Rule]:
    """The rules of a list of tables, of a place of this rank; DamagedError for half a rule, which protects nobody."""
    if not isinstance(rows, list):
        raise DamagedError(f"{where}: rules must be a list of tables.", hint="Write each as [[ask.rules]].")
    found = [_rule(row, f"{where}: rule {number}") for number, row in enumerate(rows, 1)]
    for rule in found:
        rule.rank = rank
    return found


def _rule(row: object, name: str) -> Rule:
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
        raise DamagedError(f"{name} must be a table of texts.", hint="See: agentws docs format/rules")
    unknown = [key for key in row if key not in _KEYS]
    if unknown:
        raise DamagedError(f"{name}: unknown key {unknown[0]!r}.", hint=f"Keys: {', '.join(_KEYS)}.")
    rule = Rule(row, name)
    if rule.do not in DOES or rule.risk not in RISKS:
        raise DamagedError(f"{name}: do is one of {', '.join(DOES)}, and risk low or high.", hint="Correct the rule.")
    if not (rule.tool or rule.command or rule.path or rule.host):
        raise DamagedError(f"{name} names no tool, command, path or host.", hint='For all calls: tool = "*"')
    return rule


def judge(
    rules: Sequence[Rule], tool: str, given: Any, *, folder: str = "", home: str = "", is_whole: bool = True
) -> Verdict:
    """Return what the rules say about a call of this tool.

    `folder` is where relative paths begin, `home` what `~` stands for, in the call and in a rule. An input that is not
    `is_whole` may be about anything.
    """
    strictest = Verdict()
    # A shell would pass over the mark of a patch and run what follows it.
    units = _units(given, _Place(folder, home), is_patch="patch" in tool.lower())
    for unit in units if is_whole else [_Unit(unclear=True)]:
        verdict = _judged(rules, tool, unit, home)
        if _STRICTNESS.get(verdict.do, 0) > _STRICTNESS.get(strictest.do, 0):
            strictest = verdict
    return strictest


def _judged(rules: Sequence[Rule], tool: str, unit: _Unit, home: str) -> Verdict:
    fitting = [rule for rule in rules if rule.fits(tool, unit, home)]
    exempt = max((rule for rule in fitting if rule.do == ALLOW), key=lambda rule: rule.rank, default=None)
    for do in (DENY, ASK, CONFIRM):
        for rule in fitting:
            if rule.do == do and (do == DENY or exempt is None or rule.rank > exempt.rank):
                return Verdict(do, rule, unclear=unit.is_unclear)
    return Verdict("", exempt, unclear=unit.is_unclear) if exempt is not None else Verdict()


def _units(given: Any, place: _Place, *, is_patch: bool = False) -> Iterator[_Unit]:
    """Yield the parts of an input: one for each simple command, else one for all of it."""
    texts: list[tuple[str, str]] = []
    lists: list[list[str]] = []
    is_whole = _gathered(given, "", 0, texts, lists)
    lines = [text for key, text in texts if _is_command(key) and not (is_patch and text.startswith(_PATCH))]
    paths = [one for key, text in texts if _is_named(key, _PATHS) for one in place.absolute(text)]
    paths += [one for _, text in texts if _PATCH in text for path in _patched(text) for one in place.absolute(path)]
    hosts = [host for key, text in texts if not _is_command(key) for host in _hosts(key, text)]
    if not is_whole or len(paths) > _MOST_TEXTS:
        yield _Unit(unclear=True)
        return
    if not lines and not lists:
        yield _Unit((), paths, hosts)
    for words in lists:
        yield _of_command(shell.Command(words), place, paths, hosts)
        lines += [line for line in words[1:] if len(words) > 2 and (" " in line or "\n" in line)]
    for line in lines:
        try:
            for command in shell.commands(line):
                yield _of_command(command, place, paths, hosts)
        except shell.UnclearError:
            yield _Unit(unclear=True)


def _of_command(command: shell.Command, place: _Place, paths: Sequence[str], hosts: Sequence[str]) -> _Unit:
    words = command.words
    named = [*words, *command.files, *(word.partition("=")[2] for word in words if "=" in word)]
    found = [one for word in named if word for one in place.absolute(word)]
    name = words[0].rpartition("/")[2]
    if name in ("cd", "pushd"):
        place.enter(words[-1] if len(words) > 1 else "~")
    key = _ADDRESSES[0] if name in _OUTWARD else ""
    told = [host for word in [*words, *command.files] for piece in word.split() for host in _hosts(key, piece)]
    return _Unit([*command.readings()], [*found, *paths], [*told, *hosts], writes=command.writes)


def _gathered(value: Any, key: str, depth: int, found: list[tuple[str, str]], lists: list[list[str]]) -> bool:
    """Add (key, text) of every text within an input, the nearest key of each, and the commands that are lists of words.

    Return whether that is all of it.
    """
    if isinstance(value, str):
        found.append((key, value))
    elif isinstance(value, dict | list) and value:
        if depth >= _MOST_DEPTH or len(value) + len(found) > _MOST_TEXTS:
            return False
        if isinstance(value, dict):
            return all(_gathered(item, str(name), depth + 1, found, lists) for name, item in value.items())
        if _is_command(key) and all(isinstance(word, str) for word in value):
            lists.append(value)
            return True
        return all(_gathered(item, key, depth + 1, found, lists) for item in value)
    return True


def _is_command(key: str) -> bool:
    said = key.lower()
    return said in _COMMANDS or _COMMANDS[0] in said


def _is_named(key: str, names: Sequence[str]) -> bool:
    said = key.lower()
    return any(name in said for name in names)


def _patched(text: str) -> Iterator[str]:
    """Yield the files that a patch names."""
    for line in text.split("\n"):
        for head in _PATCHED:
            if line.startswith(head):
                yield line[len(head) :].strip()


def _hosts(key: str, text: str) -> Iterator[str]:
    """Yield the hosts of an address: of a URL, of `user@host:path`, and of what a key or a program calls one."""
    head = text[:_MOST_ADDRESS]
    if len(head.split()) != 1:
        return
    first, *rest = head.strip().split("://")
    for piece in rest or [first]:
        place = piece
        for end in "/?#\\\"'":
            place = place.split(end, 1)[0]
        _, at, host = place.rpartition("@")
        if rest or at or _is_named(key, _ADDRESSES):
            yield host.split(":", 1)[0].lower().rstrip(".")


def matches(text: str, glob: str) -> bool:
    """Return whether a glob fits the whole text: `*` is any run of characters, `?` any one."""
    first, *rest = glob.split("*")
    if not rest:
        return len(text) == len(first) and _find(text, first, 0) == 0
    if len(text) < len(first) or _find(text[: len(first)], first, 0) != 0:
        return False
    *middle, last = rest
    at, end = len(first), len(text) - len(last)
    for part in middle:
        place = _find(text, part, at)
        if place < 0:
            return False
        at = place + len(part)
    return at <= end and _find(text[end:], last, 0) == 0


def _find(text: str, part: str, start: int) -> int:
    """Return where the part begins, at `start` or behind it; `?` in it stands for any character. Negative: nowhere."""
    if "?" not in part:
        return text.find(part, start)
    pieces = [(at, piece) for at, piece in _pieces(part) if piece]
    for place in range(start, len(text) - len(part) + 1):
        if all(text.startswith(piece, place + at) for at, piece in pieces):
            return place
    return -1


def _pieces(part: str) -> Iterator[tuple[int, str]]:
    at = 0
    for piece in part.split("?"):
        yield at, piece
        at += len(piece) + 1
