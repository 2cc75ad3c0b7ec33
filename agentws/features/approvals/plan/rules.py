"""Rules for an agent's tool calls: which call needs a person's yes, and which is never made. Pure.

A rule names a tool (a glob) and words. It fits a call whose input holds all of its words, in this order, whole, with
anything between them. The input is every text and number in it, one after another. White space, quotes, backslashes,
capitals and the marks of a shell or an address (`;`, `|`, `(`, `$`, `=`, `/`, `:`) only separate words, so that nothing
put around a command or between its words hides it, and the folder of a program is a word before it. `*` in a word
stands for any characters. What a shell expands may be empty (`pu${x}sh`), and in a command that expands something the
order does not count (`p=push; git $p`). Nothing else of a shell is read: a rule fits too often rather than too seldom.
`allow` fits if each text of the input is the rule's own from its beginning to its end. The strictest verdict counts:
deny, then ask, then confirm; `allow` is an exception from asking, never from a denial. Specified in
docs/format/rules.md.
"""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.journal import event
from agentws.errors import DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

DENY, ASK, CONFIRM, ALLOW = "deny", "ask", "confirm", "allow"
DOES = (DENY, ASK, CONFIRM, ALLOW)
RISKS = ("low", "high")
PATTERNS = ("words", "command", "path", "host")
"""The keys of a rule that hold words: `words`, and those of earlier versions."""
_KEYS = ("tool", *PATTERNS, "do", "risk", "why")
_PLACE = "path"
"""The key of a rule whose words are also looked for in the folder of the call."""
_MOST_SHOWN = 40
_QUOTES, _MARKS = "'\"\\", "`/~;|&()<>{}[]=,@:$?#!"
_SPACED = str.maketrans(dict.fromkeys([*_MARKS, *map(chr, range(32)), "\x7f"], " "))
_READINGS = [
    str.maketrans({quote: " " if quote in ends else None for quote in _QUOTES}) for ends in ("", "'", '"', _QUOTES)
]
"""Quotes may be inside words, or some of them between two: only a shell knows which (`sh -c'g"i"t push'`)."""
_PARAMETERS = frozenset("0123456789@*#?!$-")
_DISORDERS = ("$", "`", "xargs")
"""Shell syntax that may reorder the words of a command."""
_CHAINS = frozenset(";&|<>()$`\\\n\r")
"""Characters by which a shell line runs more than its first program, or writes to a file."""


class Rule(Result):
    """A rule for tool calls: a glob for the `tool`, words (empty: any), what to `do`, the `risk`, `why` for a person.

    `rank` is how far its file is out of the agent's reach: a rule `allow` is an exception from rules of no higher rank.
    """

    __slots__ = ("_sought", "command", "do", "host", "path", "rank", "risk", "tool", "where", "why", "words")

    def __init__(self, row: Mapping[str, str], where: str) -> None:
        self.tool = row.get("tool", "").lower()
        self.words = row.get("words", "")
        self.command = row.get("command", "")
        self.path = row.get("path", "")
        self.host = row.get("host", "")
        self.do = row.get("do", ASK)
        self.risk = row.get("risk", RISKS[0])
        self.why = row.get("why", "")
        self.where = where
        self.rank = 0
        self._sought = [(key, _parts(row[key])) for key in PATTERNS if row.get(key)]

    def is_for(self, tool: str) -> bool:
        """Return whether the rule applies to this tool."""
        return not self.tool or matches(tool.lower(), self.tool)

    def matched(self, call: _Call) -> list[str] | None:
        """Return the words of the call that fit those of the rule; None if one of them is missing."""
        words: list[str] = []
        for key, parts in self._sought:
            lines = call.placed if key == _PLACE else call.lines
            per_line = (_words_at(line, parts, in_order=not call.is_disordered) for line in lines)
            places = next((places for places in per_line if places is not None), None)
            if places is None:
                return None
            words += places
        return words

    def allows(self, call: _Call, home: str) -> bool:
        """Return whether each text of the call is what the rule names, and nothing else."""
        globs = [glob for glob in (self.words, self.command, self.host, _at_home(self.path, home)) if glob]
        is_named = bool(call.texts) and all(_is_all(text, glob) for text in call.texts for glob in globs)
        return is_named or not globs


class Verdict(Result):
    """The rules' verdict on a tool call: `do` (empty if no rule fits), the `rule` that decides, the `words` that fit.

    `is_unclear`: the whole input is not known.
    """

    __slots__ = ("do", "is_unclear", "rule", "words")

    def __init__(
        self, do: str = "", rule: Rule | None = None, words: Sequence[str] = (), *, unclear: bool = False
    ) -> None:
        self.do = do
        self.rule = rule
        self.words = words
        self.is_unclear = unclear

    @property
    def would(self) -> str:
        """Effect on the call: `do`, or run."""
        return self.do or "run"

    def matched(self) -> str:
        """Return the words that fit the rule, in one line for a person; empty if the rule names none."""
        from agentws.core.text.sanitize import one_line

        return one_line(" ".join(word[:_MOST_SHOWN] for word in self.words))


class _Call:
    """The input of a tool call: its `texts`, and all of it as lines of words, `placed` with the folder before them.

    `is_disordered`: a shell may put its words in another order.
    """

    __slots__ = ("is_disordered", "lines", "placed", "texts")

    def __init__(self, tool: str, given: Any, folder: str, home: str) -> None:
        # A program and its arguments may be two values of an object, in either order.
        orders = [[*_values(bare(tool, given), backwards=backwards)] for backwards in (False, True)]
        self.texts = [_at_home(value, home) for value in orders[0] if isinstance(value, str) and value]
        self.is_disordered = tool.lower() in event.SHELLS and any(
            sign in text for sign in _DISORDERS for text in self.texts
        )
        readings = {value: [*_lines(value)] for value in map(str, orders[0])}
        most = max(map(len, readings.values()), default=0)
        joined = (
            "".join(readings[value][min(number, len(readings[value]) - 1)] for value in map(str, values))
            for values in orders
            for number in range(most)
        )
        self.lines = [*dict.fromkeys(joined)]
        before = next(iter(_lines(folder))) if folder else ""
        self.placed = [before + line for line in self.lines]


def parse(rows: object, where: str, rank: int = 0) -> list[Rule]:
    """Return the rules of a list of tables from a file of this rank; DamagedError for an invalid rule."""
    if not isinstance(rows, list):
        raise DamagedError(f"{where}: rules must be a list of tables.", hint="Write each as [[ask.rules]].")
    rules = [_rule(row, f"{where}: rule {number}") for number, row in enumerate(rows, 1)]
    for rule in rules:
        rule.rank = rank
    return rules


def _rule(row: object, name: str) -> Rule:
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
        raise DamagedError(f"{name} must be a table of texts.", hint="See: agentws docs format/rules")
    unknown = [key for key in row if key not in _KEYS]
    if unknown:
        raise DamagedError(f"{name}: unknown key {unknown[0]!r}.", hint=f"Keys: {', '.join(_KEYS)}.")
    rule = Rule(row, name)
    if rule.do not in DOES or rule.risk not in RISKS:
        raise DamagedError(f"{name}: do is one of {', '.join(DOES)}, and risk low or high.", hint="Correct the rule.")
    if not any(row.get(key) for key in ("tool", *PATTERNS)):
        raise DamagedError(f"{name} names no tool and no words.", hint='For all calls: tool = "*"')
    return rule


def judge(
    rules: Sequence[Rule], tool: str, given: Any, *, folder: str = "", home: str = "", is_whole: bool = True
) -> Verdict:
    """Return the rules' verdict on a call of this tool in this folder.

    `home` is what `~` stands for. If the input is not `is_whole`, every rule for the tool fits, and every rule at all
    if the tool is not known.
    """
    if not is_whole:
        fitting: list[tuple[Rule, list[str]]] = [(rule, []) for rule in rules if not tool or rule.is_for(tool)]
        return _strictest(fitting, None, unclear=True)
    call = _Call(tool, given, folder, home)
    about = [rule for rule in rules if rule.is_for(tool)]
    exceptions = [rule for rule in about if rule.do == ALLOW and rule.allows(call, home)]
    fitting = [(rule, words) for rule in about if (words := rule.matched(call)) is not None]
    return _strictest(fitting, max(exceptions, key=lambda rule: rule.rank, default=None))


def _strictest(fitting: Sequence[tuple[Rule, list[str]]], exempt: Rule | None, *, unclear: bool = False) -> Verdict:
    """Return the strictest verdict of the rules that fit, after the exception that fits."""
    for do in (DENY, ASK, CONFIRM):
        for rule, words in fitting:
            if rule.do == do and (do == DENY or exempt is None or rule.rank > exempt.rank):
                return Verdict(do, rule, words, unclear=unclear)
    return Verdict("", exempt)


def bare(tool: str, given: Any) -> Any:
    """Return the input of a tool call that rules look at, without the agent's comments on the call."""
    if isinstance(given, dict) and tool.lower() in event.SHELLS:
        return {key: value for key, value in given.items() if key not in event.SHELL_COMMENTS}
    return given


def _values(given: Any, *, backwards: bool) -> Iterator[Any]:
    """Yield the texts and numbers of an input, however deep: of each object in the order of its keys or `backwards`."""
    left = [given]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left += value.values() if backwards else reversed(value.values())
        elif isinstance(value, list):
            left += reversed(value)
        elif value is not None:
            yield value


def _lines(text: str) -> Iterator[str]:
    """Yield the words of a text, each between two blanks: first without quotes, then as the other readings have it."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
    text = text.casefold().replace("\\\r\n", "").replace("\\\n", "")
    readings = [text, text.replace("\\n", " ").replace("\\t", " ")]  # a line end that another language or JSON spells
    if "$" in text or "`" in text:
        readings.append(_unexpanded(text))
    for spelled in dict.fromkeys(readings):
        plain = spelled.translate(_SPACED)
        for table in _READINGS if not set(_QUOTES).isdisjoint(plain) else _READINGS[:1]:
            yield _line(plain.translate(table))


def _unexpanded(text: str) -> str:
    """Return a text without what a shell replaces, often by nothing: `${x}`, `$x`, `$1`, `$(true)`, `$` before quotes.

    Loading `re` for it would take a fifth of a hook.
    """
    first, *rest = text.split("$")
    kept = [first]
    for piece in rest:
        sign, at = piece[:1], 0
        if sign in ("{", "("):
            at = piece.find("}" if sign == "{" else ")") + 1
        elif sign in _PARAMETERS:
            at = 1
        else:
            while at < len(piece) and (piece[at].isalnum() or piece[at] == "_"):
                at += 1
        kept.append(piece[at:])
    return "".join("".join(kept).split("`")[::2])


def _line(text: str) -> str:
    # A dot ends a sentence or the full name of a host; alone it is a folder.
    words = [bare_word for word in text.split() if (bare_word := word.rstrip("."))]
    return f" {' '.join(words)} "


def _parts(pattern: str) -> list[str]:
    """Return the parts of a pattern's words, split at `*`, with a blank where a word begins or ends."""
    words = next(iter(_lines(pattern.replace("?", "*")))).split()
    return [part for word in words for part in f" {word} ".split("*") if part.strip()]


def _words_at(line: str, parts: Sequence[str], *, in_order: bool) -> list[str] | None:
    """Return the words of the line that contain the parts, `in_order` one after another; None if a part is missing."""
    spans: dict[int, str] = {}
    at = 0
    for part in parts:
        place = line.find(part, at if in_order else 0)
        if place < 0:
            return None
        first = line.rfind(" ", 0, place + 1) + 1
        at = place + len(part.rstrip(" "))  # the blank is the beginning of the next word too
        spans[first] = line[first : line.find(" ", max(at, first))]
    return [*spans.values()]


def _is_all(text: str, glob: str) -> bool:
    """Return whether a glob fits a whole text, and its `*` stands for no other command and no parent folder."""
    is_plain = _CHAINS.isdisjoint(text) and ".." not in text.replace("/", " ").split()
    return text == glob or (is_plain and matches(text, glob))


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if home and path.startswith("~/") else path


def matches(text: str, glob: str) -> bool:
    """Return whether a rule's glob fits the whole text: `*` is any run of characters, `?` any one."""
    at = place = 0
    star = resume = -1
    while at < len(text):
        if place < len(glob) and glob[place] == "*":
            star, resume, place = place, at, place + 1
        elif place < len(glob) and glob[place] in ("?", text[at]):
            at, place = at + 1, place + 1
        elif star < 0:
            return False
        else:
            resume += 1
            at, place = resume, star + 1
    return not glob[place:].strip("*")
