"""Open items: what the notes say is still to be done, since when, on how many days, and who is waited for.

An item is an unchecked box, a list item under a heading or label such as "Next steps", or a line that says of itself
that something waits. A later line that says it is done closes it. Where it is not sure, it is no item.
"""

from __future__ import annotations

from datetime import date

from agentws.formats import markdown, notes
from agentws.formats.lazy import Pattern
from agentws.planning.alike import Alike
from agentws.planning.finished import Finished
from agentws.planning.lines import bare
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.planning.lines import Line
    from agentws.planning.salience import Worth

HINTS = (
    *("todo", "to-do", "open", "pending", "block", "next", "wait", "need", "follow", "question", "unresolved"),
    *("[ ]", "⏳", "priority", "remember", "outstanding", "unpushed", "uncommitted", "not ", "left to do", "still"),
    *("action", "carr", "incomplete", "undone"),
)
"""Where none of these stands in a text (in lower case), there is no open item in it."""

_HEADING = Pattern(
    r"^\W*+(?:\d++\W++)?"
    r"(?:(?:still|remaining|current|currently|my|our|additional|new|top|immediate|key|for|[\w-]++['’]s)\s++)*"
    r"(?:open(?:\s+(?:items?|questions?|to-?dos?|threads?|issues?|tasks?|points?|loops?|work)\b|\W*$)"
    r"|pending(?:\s+(?:items?|actions?|tasks?|to-?dos?|decisions?|work|[A-Z]\w+ actions)\b|\W*$|\s*[(:/])"
    r"|to-?dos?(?:\s+(?:items?|this|next|for|today|tomorrow|later|from)\b|(?:\s+list)?\W*$|\s*[(:–—])"
    r"|outstanding(?:\s+(?:items?|issues?|tasks?|work|questions?|blockers?|actions?|bugs?|to-?dos?)\b|\W*$|\s*[(:])"
    r"|action items?\b|actions? (?:needed|required)\b|unresolved\b|left to do\b|carr(?:ied|y)[- ](?:over|forward)\b"
    r"|next(?:\s+(?:steps?|session(?! must know| notes)|up|actions?|tasks?|moves?|items?|priorit\w+)\b|\W*$)"
    r"|waiting\s+(?:on|for)\b|waiting\W*$|awaiting\b|blockers?\b|blocked(?:\s+(?:on|by|items?|actions?)\b|\W*$)"
    r"|follow[- ]?ups?(?:\s+(?:items?|needed|required)\b|\W*$|\s*[(:])|questions?(?:\s+for\b|\W*$)"
    r"|(?:top|highest|first|#1) priority\b|things to remember tomorrow\b|what needs (?:doing|work)\b"
    r"|needs? (?:attention|work)\b)",
    "IGNORECASE",
)
_UNDONE = Pattern(r"\bnot (?:yet )?(?:done|completed?|finished|started)\b|\b(?:incomplete|undone)\b", "IGNORECASE")
_BEGINS = Pattern(
    r"^(?:\[(?:todo|question)\]|(?:todo|to-do|next|next steps?|next up|next session|pending|blocked|blockers?|needs?|"
    r"still needs?|follow[- ]?up|open question|question for [\w ]{1,20}|action required|unresolved)\**\s*:"
    r"|(?:waiting|blocked)\s+(?:on|for|by)\b|awaiting\b|still (?:pending|needs?|waiting|to do|missing)\b|need to\b)",
    "IGNORECASE",
)
_SAYS = Pattern(
    r"\b(?:waiting (?:on|for)|awaiting|blocked (?:on|by(?! default| design))|"
    r"still (?:pending|needs?|missing|blocked|broken|waiting))\b|⏳"
    r"|\bNOT (?:YET|pushed|merged|deployed|committed)\b|\bnot (?:yet )?pushed\b"
    r"|\b(?:unpushed|uncommitted)\s*(?:[.,;!)(–—-]|$)"
)
_MAY_BE_OPEN = Pattern(
    r"^\s*(?:[-*+]|\d+[.)])\s*\[ \]|⏳|\b(?:next|needs?):|\b(?:to-?do|next steps?|pending|blocked|blocker|"
    r"waiting (?:on|for)|follow[- ]?up|needs? to|still needs?|not yet|not (?:pushed|merged|deployed)|unpushed|"
    r"uncommitted|awaiting|open (?:items?|questions?))\b",
    "IGNORECASE",
)
_FOR_THAT_DAY = Pattern(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", "IGNORECASE")
_FOR_NEXT_DAY = Pattern(r"\b(?:tomorrow|overnight)\b", "IGNORECASE")
_NOTHING = Pattern(
    r"^(?:none\b|nothing\b|no\W*$|n/a|all (?:clear|done|good)|[—–]|no (?:open|pending|blockers?|new|items?|issues?|"
    r"urgent|outstanding|further|more|actions?|tasks?|questions?|changes|immediate|major|todos?)\b)",
    "IGNORECASE",
)
_TO_COMPLETE = Pattern(r"^complete\s+\w|\blast (?:done|completed)\b", "IGNORECASE")
_MARKED = Pattern(r"✅|☑|✔|~~|\[[xX]\]")
_OVER = Pattern(
    r"✅|☑|✔|\b(?:done|completed?|resolved|closed|cancell?ed|shipped|fixed|cleared|removed|answered|solved)\b",
    "IGNORECASE",
)
_DID = Pattern(
    r"✅|☑|✔|~~|\[x\]|\b(?<!last )(?:done|completed|resolved|closed|cancell?ed|shipped|fixed|merged|deployed|pushed|"
    r"finished|received|restored|unblocked|succeeded|works now|working now|no longer|"
    r"(?:is|are|now|went) (?:live|complete))\b"
    r"|\bcomplete\W*$",
    "IGNORECASE",
)
_NOT_DID = Pattern(
    r"\b(?:not|never|un|pending|(?:a)?waiting|blocked|blockers?|needs?|needed|todo|once|when|if|until|after|overdue|"
    r"unclear|unknown|fail(?:s|ed)?|expired|missing|soon|tomorrow|will|should|only|just|still|almost|part(?:ly|ially)|skipped|"
    r"last (?:done|completed))\b|n['’]t\b|\?|\[ \]|\d%|⏳",
    "IGNORECASE",
)
_WAITS_FOR = (
    Pattern(r"\b(?:[Ww]aiting (?:on|for)|[Aa]waiting|[Bb]locked (?:on|by)|[Qq]uestions? for|[Aa]sk) ([A-Z][a-z]+)\b"),
    Pattern(
        r"^([A-Z][a-z]+)(?:'s)? (?:needs? to|must|has to|to (?:decide|confirm|provide|send|review|approve|create))\b"
    ),
    Pattern(r"\bneeds? ([A-Z][a-z]+) to\b|\((?:only )?([A-Z][a-z]+)(?: only)?\)\s*$"),
    Pattern(r"\b(?:[Ww]aiting|[Aa]waiting|[Bb]locked|needs?)\b[\w `'’/.-]{0,60}?\b(?:from|by) ([A-Z][a-z]+)\b"),
)
_ACTS = (
    Pattern(
        r"\b([A-Z][a-z]+)(?: (?:said|says|asked|asks|wants?|wanted|told|approved|prefers?|likes?|loves?|hates?|decided|"
        r"chose|agreed|thinks|shared|mentioned|requested|confirmed|gave|replied|needs? to|has to|must)\b"
        r"|(?:['’]s)? (?:approval|answer|decision|reply|review|feedback|input|go-ahead|okay)\b)"
    ),
    Pattern(
        r"\b(?:[Aa]sk|[Aa]sked|[Tt]ell|[Tt]old|[Mm]essaged|[Ee]mailed|[Cc]alled|[Tt]hanked|[Rr]emind) ([A-Z][a-z]+)\b"
    ),
)
_A_TOOL = Pattern(r"\b(?:on|in|via|into|using|onto) ([A-Z][a-z]+)\b")
_FOR_WHOM = Pattern(
    r"\b(?:[Ww]aiting (?:on|for)|[Pp]ending|[Aa]waiting|[Ff]or|[Qq]uestions? for) ([A-Z][a-z]+)\b"
    r"|^\W*([A-Z][a-z]+)['’]s "
)
_NAME = Pattern(r"\b[A-Z][a-z]+\b")
_OFTEN = 3
_CLOSES = 0.65
"""Share of what the words of an item tell that a line which says it is done must have."""
_ALL = 0.9
_ABOUT = 0.45
_ABOUT_WHERE_ALL = 0.2
"""Share of what the words of such a line tell that must be of the item: it must not be about something else besides."""
_CLOSES_UNMARKED = 0.8
"""The same where nothing but a word or a heading says that it is done."""
_COMMON_WORD = 0.4
_DOING = 0.4
_DOES = frozenset(
    (
        *(
            "add",
            "address",
            "build",
            "built",
            "check",
            "clean",
            "complet",
            "confirm",
            "creat",
            "deploy",
            "done",
            "finish",
        ),
        *("fix", "get", "implement", "instal", "install", "mak", "merg", "monitor", "need", "pend", "prepar", "push"),
        *("resolv", "review", "run", "runn", "send", "sent", "set", "setup", "start", "still", "test", "todo", "updat"),
        *("verify", "verifi", "wait", "wir", "writ", "written"),
    )
)
"""What is done to a thing tells less than the thing. Roots: stems as in planning/words.py without an `e` at the end."""
_MOST_LINES = 100
"""Lines that share a word: where it is in more, it finds the last of them alone, so that the cost stays linear."""
_LEAST_TEXT_CHARS = 8


class Item:
    """An open item: the `index` of its newest line, since when (ISO `since`, empty where unknown), on how many `days`
    it was said, and `who` is waited for (empty: nobody).
    """

    __slots__ = ("days", "index", "since", "who")

    def __init__(self, index: int, *, since: str, days: int, who: str) -> None:
        self.index = index
        self.since = since
        self.days = days
        self.who = who

    def label(self, today: str) -> str:
        """Its age and how often it was carried: `5 d ×2`, `today`."""
        times = f" ×{self.days}" if self.days > 1 else ""
        return f"{_age(self.since, today)}{times}"


def is_open(line: Line) -> bool:
    """True where the line says, or its heading says, that something is still to be done."""
    if line.is_foreign or line.form in (markdown.ROW, markdown.FENCE):
        return False
    text = bare(line.text)
    if text[2:3] == ":" and (text[:2] + text[3:5]).isdigit():
        text = text[5:].lstrip()  # a line of `agentws log` begins with its time
    if len(text) < _LEAST_TEXT_CHARS or _NOTHING.match(text) or text.rstrip("*_ ").endswith(":"):
        return False  # a label is none either: what it stands for is below it
    says = _SAYS.search(text)
    listed = line.form in (markdown.ITEM, markdown.HEADING) and line.parent is None
    listed = listed and bool(line.path) and is_open_heading(line.path[-1])
    is_told = listed and _TO_COMPLETE.search(text) is not None and not _MARKED.search(text)
    if line.done and notes.has_box(line.text):
        return False
    if line.done and not is_told and not _is_done_by_heading(line):
        return says is not None and _is_done_before(text, says.start())
    if line.done is False:
        return True
    if line.kind == "done" and not listed:
        return False
    if says or _BEGINS.match(text):
        return not _OVER.search(text[:40]) or (says is not None and _is_done_before(text, says.start()))
    return listed and not _DID.search(text)


def may_be_open(line: Line) -> bool:
    """True where a line has to do with what is open, for sure or not: reason enough to show it under its day."""
    if line.is_foreign or (line.done and notes.has_box(line.text)):
        return False
    return _MAY_BE_OPEN.search(line.text) is not None


def is_past(line: Line, today: str) -> bool:
    """True for what was meant for the day it was written on, or for the next one, when that day is over.

    An unchecked box stays open until somebody checks it, whatever day it was meant for.
    """
    if not line.day or line.done is False:
        return False
    days = (date.fromisoformat(today) - date.fromisoformat(line.day)).days
    if days > 1 and any(_FOR_NEXT_DAY.search(said) for said in (line.text, *line.path[-1:])):
        return True
    return days > 0 and _FOR_THAT_DAY.search(line.text) is not None


def find(lines: Sequence[Line], worth: Worth) -> list[Item]:
    """The open items among `lines`, newest first, each once however often it was carried."""
    order = sorted(range(len(lines)), key=lambda index: _moment(lines, index))
    later = _Later(lines, order, worth)
    alike = Alike(lines, either=True)
    found: dict[int, set[str]] = {}
    closed: set[int] = set()
    for index in order[::-1]:
        line = lines[index]
        if not is_open(line):
            continue
        same = alike.nearest(index)
        if same is None:
            alike.add(index)  # one that is closed stands for its older wordings too
            if later.closes(index):
                closed.add(index)
                continue
            found[index] = set()
        if same not in closed:
            found[index if same is None else same].add(line.day)
    named = {index: _waited_for(lines[index]) for index in found}
    people = _people(lines, {name for names in named.values() for name in names})
    return [
        Item(
            index,
            since=min(days - {""}, default=""),
            days=len(days - {""}) or 1,
            who=next((name for name in named[index] if name in people), ""),
        )
        for index, days in found.items()
    ]


def closed(lines: Sequence[Line], wanted: Collection[int], worth: Worth) -> set[int]:
    """Those of the lines at `wanted` of which a later one says that they are done; `lines` come oldest first."""
    later = _Later(lines, range(len(lines)), worth)
    return {index for index in wanted if later.closes(index)}


def _waited_for(line: Line) -> list[str]:
    """The names of whom or what has to act first, by the words of the line or its heading, the likeliest first."""
    text = bare(line.text)
    found = [pattern.search(text) for pattern in _WAITS_FOR]
    found += [_FOR_WHOM.search(step) for step in line.path[-1:]]
    return [name for match in found if match for name in match.groups() if name]


def _is_done_by_heading(line: Line) -> bool:
    """True where nothing but a heading says that it is done, and that one says the contrary: `What is NOT done`."""
    return line.done is True and not _OVER.search(line.text) and bool(line.path) and bool(_UNDONE.search(line.path[-1]))


def _is_done_before(text: str, at: int) -> bool:
    """True where something is done, and what follows of it waits: `✅ Complete, awaiting approval`."""
    return _OVER.search(text, 0, at) is not None


def is_open_heading(heading: str) -> bool:
    """True for a heading or label under which things that are still to be done are listed."""
    if _UNDONE.search(heading):
        return True
    return _HEADING.match(heading) is not None and not _OVER.search(heading)


def _moment(lines: Sequence[Line], index: int) -> tuple[int, int]:
    """Sorts lines from the oldest to the newest."""
    age = lines[index].age
    return (-age if age is not None else -1_000_000, index)


class _Later:
    """Knows whether a later line says that an earlier one is done."""

    __slots__ = ("_by_root", "_finished", "_lines", "_place", "_roots", "_told", "_worth")

    def __init__(self, lines: Sequence[Line], order: Sequence[int], worth: Worth) -> None:
        self._lines = lines
        self._worth = worth
        self._place = {index: place for place, index in enumerate(order)}
        self._finished = Finished([lines[index] for index in order])
        self._told: dict[int, float] = {}
        self._roots: dict[int, frozenset[str]] = {}
        self._by_root: dict[str, list[int]] = {}
        for index in order:
            if _says_done(lines[index]):
                weights = self._weights(lines[index])
                self._told[index] = sum(weights.values())
                self._roots[index] = frozenset(weights)
                for root in weights:
                    self._by_root.setdefault(root, []).append(index)

    def closes(self, index: int) -> bool:
        """True where a later line names the same things and says that they are done."""
        of = self._weights(self._lines[index])
        line = self._lines[index]
        said = any(
            self._names(other, of) and line.is_named_by(self._lines[other]) for other in self._candidates(index, of)
        )
        return said or self._finished.is_finished(self._place[index])

    def _candidates(self, index: int, of: dict[str, float]) -> set[int]:
        found: set[int] = set()
        for root in of:
            found.update(self._by_root.get(root, ())[-_MOST_LINES:])
        return {other for other in found if self._place[other] > self._place[index]}

    def _names(self, other: int, of: dict[str, float]) -> bool:
        shared = [weight for root, weight in of.items() if root in self._roots[other]]
        told = sum(shared)
        is_marked = _MARKED.search(self._lines[other].text) is not None
        is_all = is_marked and len(shared) > 2 and told >= _ALL * sum(of.values())
        return (
            told >= (_CLOSES if is_marked else _CLOSES_UNMARKED) * sum(of.values())
            and told >= (_ABOUT_WHERE_ALL if is_all else _ABOUT) * self._told[other]
            and len(shared) >= min(2, len(of))
        )

    def _weights(self, line: Line) -> dict[str, float]:
        """What each word of `line` tells, by its root, so that `create` and `created` are one."""
        weights: dict[str, float] = {}
        for word in line.words:
            root = word.removesuffix("e")
            weight = 1.0 if word in self._worth.of else _COMMON_WORD
            weights[root] = weight * _DOING if root in _DOES else weight
        return weights


def _says_done(line: Line) -> bool:
    text = line.text.replace("[ ]", "", 1) if line.done else line.text  # a mark beside its box has closed it
    if line.is_foreign or line.done is False or _NOT_DID.search(text) or _is_done_by_heading(line):
        return False
    marked = _MARKED.search(line.text) is not None
    if line.form in (markdown.ROW, markdown.FENCE):
        return marked and line.form == markdown.ROW
    return marked or line.done is True or _DID.search(line.text) is not None


def _people(lines: Sequence[Line], names: Collection[str]) -> set[str]:
    """Those of `names` that the notes use again and again for one who says, wants, or is asked: not for a service."""
    seen = dict.fromkeys(names, 0)
    acts = dict.fromkeys(names, 0)
    for line in lines:
        here = [] if line.is_foreign else [name for name in names if name in line.text]
        if not here:
            continue
        said = [word for pattern in _ACTS for word in pattern.findall(line.text)]
        used = _A_TOOL.findall(line.text)
        whole = _NAME.findall(line.text)
        for name in here:
            seen[name] += name in whole and line.words.get(_plain(name)) is True
            acts[name] += said.count(name) - used.count(name)
    return {name for name in names if seen[name] >= _OFTEN and acts[name] > 0}


def _plain(word: str) -> str:
    return next(iter(words(word)), "")


def _age(since: str, today: str) -> str:
    if not since:
        return "memory"
    days = (date.fromisoformat(today) - date.fromisoformat(since)).days
    return f"{days} d" if days > 0 else "today"
