"""Which of some lines a later one says are done: by what both name, and words that say that it went well."""

from __future__ import annotations

from agentws.formats import markdown
from agentws.formats.lazy import Pattern
from agentws.planning.compaction.finished import Finished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.planning.compaction.lines import Line

_UNDONE = Pattern(r"\bnot (?:yet )?(?:done|completed?|finished|started)\b|\b(?:incomplete|undone)\b", "IGNORECASE")
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
_CLOSES = 0.65
"""Share of what the words of an item tell that a line which says it is done must have."""
_ALL = 0.9
_ABOUT = 0.45
_ABOUT_WHERE_ALL = 0.2
"""Share of what the words of such a line tell that must be of the item: it must not be about something else besides."""
_CLOSES_UNMARKED = 0.8
"""The same where nothing but a word or a heading says that it is done."""
_COMMON_WORD = 0.4
_RARE_SHARE, _FEWEST_RARE, _MOST_RARE = 0.02, 3, 25
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


def closed(lines: Sequence[Line], wanted: Collection[int]) -> set[int]:
    """Those of the lines at `wanted` of which a later one says that they are done; `lines` come oldest first."""
    later = _Later(lines)
    return {index for index in wanted if later.closes(index)}


def _rare(lines: Sequence[Line]) -> frozenset[str]:
    """The words that few of the lines have."""
    seen: dict[str, int] = {}
    for line in lines:
        for word in line.words:
            seen[word] = seen.get(word, 0) + 1
    most = max(_FEWEST_RARE, min(int(_RARE_SHARE * len(lines)), _MOST_RARE))
    return frozenset(word for word, count in seen.items() if count <= most)


class _Later:
    """Knows whether a later line says that an earlier one is done."""

    __slots__ = ("_by_root", "_finished", "_lines", "_rare", "_roots", "_told")

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._rare = _rare(lines)
        self._finished = Finished(lines)
        self._told: dict[int, float] = {}
        self._roots: dict[int, frozenset[str]] = {}
        self._by_root: dict[str, list[int]] = {}
        for index in range(len(lines)):
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
        return said or self._finished.is_finished(index)

    def _candidates(self, index: int, of: dict[str, float]) -> set[int]:
        found: set[int] = set()
        for root in of:
            found.update(self._by_root.get(root, ())[-_MOST_LINES:])
        return {other for other in found if other > index}

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
            weight = 1.0 if word in self._rare else _COMMON_WORD
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


def _is_done_by_heading(line: Line) -> bool:
    """True where nothing but a heading says that it is done, and that one says the contrary: `What is NOT done`."""
    return line.done is True and not _OVER.search(line.text) and bool(line.path) and bool(_UNDONE.search(line.path[-1]))
