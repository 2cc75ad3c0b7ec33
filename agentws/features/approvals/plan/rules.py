"""Rules for what an agent may do without asking: which call of a tool needs a yes, and which is never done. Pure.

A rule fits where all that it names fits. Within a call the strictest counts: deny, then ask, then confirm; `allow` is
an exception from asking, never from a denial. Specified in docs/format/rules.md.
"""

from __future__ import annotations

from agentws.errors import DamagedError
from agentws.features.approvals.plan import named, shell
from agentws.features.approvals.plan.named import ODD_HOST, Place, matches

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
_PATHS = ("path", "file", "dir", "folder", "notebook", "cwd", "source", "destination", "src", "dst", "target")
"""What a key of an input that holds a path has in its name."""
_ARGUMENTS = ("args", "arguments", "argv")
"""The keys beside a command that hold the rest of its words."""
_STANDS = ("cwd", "workdir", "working", "directory")
"""What the key of a folder has in its name in which a call is made."""
_GLOBS, _FILE = ("pattern", "glob"), "file:"
_SOUGHT, _SEARCHES = "pattern", ("grep", "search_file_content")
"""The key of a search within files, and names of tools that search: its value is not a path."""
_ADDRESSES = ("url", "uri", "host", "domain", "address", "endpoint")
_OUTWARD = frozenset(
    (
        "curl", "wget", "http", "https", "xh", "aria2c", "lynx", "ssh", "scp", "sftp", "rsync", "mosh", "nc", "ncat",
        "telnet", "ftp", "ping", "socat", "dig", "nslookup", "host", "nmap", "psql", "mysql", "redis-cli",
    )
)  # fmt: skip
"""Programs whose arguments may be the names of hosts."""
_SOCKETS = ("/dev/tcp/", "/dev/udp/")
"""Of files that a shell opens as a connection, how their paths begin."""
_PATCH, _PATCHED = "*** Begin Patch", ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")
_ENTERS = ("-C", "--directory", "--chdir", "--cwd")
"""Options by which a program works in another folder."""
_MOST_TEXTS, _MOST_DEPTH, _MOST_PROGRAMS, _MOST_WILD = 2_000, 8, 24, 32


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
        """Return whether the rule is about this part of a call; of an unclear one all may be true but the tool, and
        that too where nobody knows it.
        """
        is_unknown = unit.is_unclear and not tool
        if self.tool and not is_unknown and not matches(tool.lower(), self.tool):
            return False
        if unit.is_unclear:
            return self.do != ALLOW
        if self.do == ALLOW and unit.writes:
            return False
        readings = unit.commands[:1] if self.do == ALLOW else unit.commands
        if self.command and not any(matches(one, self.command) for one in readings):
            return False
        glob = named.glob_of(self.path, home)
        if self.do == ALLOW:
            return self._allows(unit, glob)
        if self.path and not any(named.is_below(one, glob) for one in unit.paths):
            return False
        if ODD_HOST in unit.hosts:
            return True
        return not self.host or any(matches(one, self.host) for one in unit.hosts)

    def _allows(self, unit: _Unit, glob: str) -> bool:
        """Return whether all that a part of a call names is what an exception is about, and there is any of it."""
        if self.path and not (unit.args and all(named.is_below(one, glob, surely=True) for one in unit.args)):
            return False
        is_odd = not unit.places or ODD_HOST in unit.places
        return not self.host or not (is_odd or any(not matches(one, self.host) for one in unit.places))


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
    """A part of a call that is judged by itself: one simple command in its readings, or the whole of another call.

    Of its paths and hosts `args` and `places` are those that an exception has to be about.
    """

    __slots__ = ("args", "commands", "hosts", "is_unclear", "paths", "places", "writes")

    def __init__(
        self,
        commands: Sequence[str] = (),
        paths: Sequence[str] = (),
        hosts: Sequence[str] = (),
        *,
        args: Sequence[str] | None = None,
        places: Sequence[str] | None = None,
        unclear: bool = False,
        writes: bool = False,
    ) -> None:
        self.commands = commands
        self.paths = paths
        self.hosts = hosts
        self.args = paths if args is None else args
        self.places = hosts if places is None else places
        self.is_unclear = unclear
        self.writes = writes


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
    units = _units(given, Place(folder, home), is_patch="patch" in tool.lower(), is_search=_is_named(tool, _SEARCHES))
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


def _units(given: Any, place: Place, *, is_patch: bool = False, is_search: bool = False) -> Iterator[_Unit]:
    """Yield the parts of an input: one for each simple command, else one for all of it."""
    texts: list[tuple[str, str]] = []
    lists: list[list[str]] = []
    is_whole = _gathered(given, _COMMANDS[0] if isinstance(given, str) else "", 0, texts, lists)
    if is_search:
        texts = [(key, text) for key, text in texts if key.lower() != _SOUGHT]
    for folder in [text for key, text in texts if _is_named(key, _STANDS)][:_MOST_DEPTH]:
        place.enter(folder)
    lines = [text for key, text in texts if _is_command(key) and not (is_patch and text.startswith(_PATCH))]
    paths = [one for path in _paths(texts) for one in place.absolute(path)]
    hosts = [
        host
        for key, text in texts
        if not _is_command(key)
        for host in named.hosts(text, is_address=_is_named(key, _ADDRESSES))
    ]
    if not is_whole or len(paths) > _MOST_TEXTS:
        yield _Unit(unclear=True)
        return
    if not lines and not lists:
        yield _Unit((), paths, hosts)
    for words in lists:
        yield _of_command(shell.Command(words), place, paths, hosts)
    for command in _commands(lines, lists):
        if command is None or len(command.wild) > _MOST_WILD:
            yield _Unit(unclear=True)
        else:
            yield _of_command(command, place, paths, hosts)


def _commands(lines: list[str], lists: list[list[str]]) -> Iterator[shell.Command | None]:
    """Yield the commands of lines, and those that lists of words hand to a shell; None for an unclear one.

    A word with blanks may be a line too. One that cannot be, and that no shell gets, says nothing of what runs.
    """
    for one in [*lines, *lists]:
        try:
            yield from shell.commands(one) if isinstance(one, str) else shell.handed(one)
        except shell.UnclearError:
            yield None
    for words in lists:
        for line in words[1:] if len(words) > 2 else ():
            try:
                yield from shell.commands(line) if " " in line or "\n" in line else ()
            except shell.UnclearError:
                continue


def _of_command(command: shell.Command, place: Place, paths: Sequence[str], hosts: Sequence[str]) -> _Unit:
    words = [*command.words, *command.files]
    programs = [*map(_base, command.words[:_MOST_PROGRAMS])]
    if programs[0] in ("cd", "pushd"):
        for word in command.words[1:] or ["~"]:
            place.enter(word)
    for option, word in zip(command.words, command.words[1:], strict=False):
        if option in _ENTERS:
            place.enter(word)
    found = _paths_of([*words, *command.wild], place)
    is_outward = not _OUTWARD.isdisjoint(programs)
    more = [host for word in words if word.startswith(_SOCKETS) for host in word.split("/")[3:4]]
    # As in `-L 80:HOST:80`, `TCP:HOST:80` and `ok:443:HOST`: of an exception nobody has to say so.
    within = [
        part.lower() for word in words if is_outward and "://" not in word for part in word.split(":")[1:] if part
    ]
    if "git" in programs:
        heads = [word.partition(":")[0].rpartition("@")[2].lower() for word in words]
        more += [head for head in heads if "." in head]
    # The program, and an option alone, are no path and no host that an exception would have to be about.
    rest = [word for word in words[1:] if "/" in word or "=" in word or ".." in word or not word.startswith("-")]
    return _Unit(
        [*command.readings()],
        [*found, *paths],
        [*_hosts_of(words, is_outward=is_outward), *more, *within, *hosts],
        args=[*_paths_of([*rest, *command.wild], place), *paths],
        places=[*_hosts_of(rest, is_outward=is_outward), *more, *hosts],
        writes=command.writes,
    )


def _paths_of(words: Sequence[str], place: Place) -> list[str]:
    return [one for word in words for piece in named.pieces(word) if piece for one in place.absolute(piece)]


def _hosts_of(words: Sequence[str], *, is_outward: bool) -> list[str]:
    return [
        host
        for word in words
        for piece in word.split()
        for one in (piece, *([piece.partition("=")[2]] if is_outward and "=" in piece else []))
        for host in named.hosts(one, is_address=is_outward)
    ]


def _base(word: str) -> str:
    return word.rpartition("/")[2]


def _paths(texts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the paths in the texts of an input: by the names of their keys, by how they begin, and those of patches."""
    folders = [text for key, text in texts if _is_named(key, _PATHS)]
    yield from folders
    for key, text in texts:
        if _is_named(key, _GLOBS):
            wild = text.replace("**", named.ANY).replace("*", named.RUN).replace("?", named.ONE)
            yield from (wild, *(f"{folder}/{wild}" for folder in folders[:_MOST_DEPTH]))
        elif text[: len(_FILE)].lower() == _FILE and _is_named(key, _ADDRESSES):
            yield text
        if _PATCH in text:
            yield from _patched(text)


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
            lists += _split(value)
            if sum(map(len, lists)) > _MOST_TEXTS:
                return False
            return all(_gathered(item, str(name), depth + 1, found, lists) for name, item in value.items())
        if _is_command(key) and all(isinstance(word, str) for word in value):
            lists.append(value)
            found += [(_COMMANDS[0], word) for word in value if key[-1:] in "sS"]  # of several each is one
            return True
        return all(_gathered(item, key, depth + 1, found, lists) for item in value)
    return True


def _split(value: dict[Any, Any]) -> Iterator[list[str]]:
    """Yield the commands of an object that holds a program, and its words beside it."""
    rest = [item for name, item in value.items() if str(name).lower() in _ARGUMENTS]
    for name, item in value.items():
        if isinstance(item, str) and _is_command(str(name)):
            for more in rest:
                words = more.split() if isinstance(more, str) else more if isinstance(more, list) else []
                if words and all(isinstance(word, str) for word in words):
                    yield [*item.split(), *words]


def _is_command(key: str) -> bool:
    said = key.lower()
    return said in _COMMANDS or _COMMANDS[0] in said


def _is_named(key: str, names: Sequence[str]) -> bool:
    said = key.lower()
    return any(name in said for name in names)


def _patched(text: str) -> Iterator[str]:
    """Yield the files that a patch names."""
    for line in text.split("\n"):
        said = line.strip()
        for head in _PATCHED:
            if said.startswith(head):
                yield said[len(head) :].strip()
