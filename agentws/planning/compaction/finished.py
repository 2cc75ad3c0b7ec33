"""Which things that a log says are to be made or mended a later line of it calls finished, by their name. Pure.

It is asked of what counts as known, so it has to be sure: the same words beside each other, right before or behind a
word that says so, and one that is enough for what was to be done. What is fixed is not yet deployed.
"""

from __future__ import annotations

from agentws.formats import markdown
from agentws.formats.lazy import Pattern
from agentws.planning.compaction.lines import Line, bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TO_DO = Pattern(
    r"^\W*(?:\[\w+\]\W+)?(?:(?:todo|next(?: steps?| up)?|pending|open|then|also|still)\b\W+)*"
    r"(?P<verb>fix|mend|repair|build|create|implement|finish|complete|make|ship|deploy|release|publish|launch)\s+"
    r"(?:the |a |an |our |my )?(?P<name>[\w'’.-]+(?: [\w'’.-]+){1,9})",
    "IGNORECASE",
)
_WHAT_FOR = Pattern(r" (?:so|that|which|because|to)\b.*$", "IGNORECASE")
_WHERE_TO = Pattern(r" to\b", "IGNORECASE")
_OF_IT = Pattern(
    r" (?:for|in|on|at|with|by|as|and|or|from|into|of|after|before|until|when|if|where|via|per|without)\b", "IGNORECASE"
)
"""What narrows down what is to be made: that the whole is finished says nothing of a part."""
_DEPLOYED = "out"
_OUT = r"shipped|deployed|released|published|launched|live|(?:working|running|works|runs) (?:on|in) production"
_WORDS = {
    _DEPLOYED: _OUT,
    "made": rf"{_OUT}|done|completed?|finished|created|built|implemented",
    "mended": rf"{_OUT}|done|fixed|repaired|works|working",
}
"""Which words say that it is finished, by what was to be done."""
_SURE = r"(?:(?:is|are|was|were|now|fully|all|finally|also|both)\W+){0,3}"
_BEHIND = {takes: Pattern(rf"^\W+{_SURE}(?:{words})\b") for takes, words in _WORDS.items()}
_BEFORE = {takes: Pattern(rf"^\W*(?:{words})\W+(?:the |a |an |our |my )?$") for takes, words in _WORDS.items()}
_TAKES = {
    **dict.fromkeys(("ship", "deploy", "release", "publish", "launch"), _DEPLOYED),
    **dict.fromkeys(("build", "create", "implement", "finish", "complete", "make"), "made"),
    **dict.fromkeys(("fix", "mend", "repair"), "mended"),
}
_DOUBT = Pattern(
    r"\b(?:not|never|no|almost|nearly|partly|partially|half|mostly|until|once|when|if|unless|after|before|should|will|"
    r"would|must|needs?|to be|still|part|first|but|except|broken|again|phase|step|draft|"
    r"staging|preview|local(?:ly)?)\b|n['’]t\b|\?|\d%|\[ \]|⏳|❌",
    "IGNORECASE",
)
_SENTENCES = Pattern(r"[.;!]\s+")
_FEWEST, _MOST = 2, 5
_MOST_LOOKED_AT = 300


class Finished:
    """Knows of some lines, oldest first, which of them a later one calls finished."""

    __slots__ = ("_ends", "_lines", "_told")

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._told = ""
        self._ends: list[int] = []

    def is_finished(self, place: int) -> bool:
        """True where a later line calls what the line at `place` says is to be made by the same name, and finished."""
        found = _TO_DO.match(bare(self._lines[place].text[:_MOST_LOOKED_AT]))
        if not found:
            return False
        takes = _TAKES[found["verb"].lower()]
        if takes == _DEPLOYED and _WHERE_TO.search(found["name"]):
            return False
        name = _WHAT_FOR.sub("", found["name"].lower(), 1).rstrip(".-'’")
        if not _FEWEST <= len(name.split()) <= _MOST or _OF_IT.search(name):
            return False
        said = (text for text in self._naming(name, place) if _says(name, takes, text))
        return any(self._lines[place].is_named_by(Line(text, age=None)) for text in said)

    def _naming(self, name: str, place: int) -> Iterator[str]:
        """What is said of that name behind the line at `place`."""
        if not self._ends:
            self._read()
        told = self._told
        at = told.find(name, self._ends[place])
        while at >= 0:
            end = told.index("\n", at)
            yield told[told.rfind("\n", 0, at) + 1 : end]
            at = told.find(name, end)

    def _read(self) -> None:
        """Put all that is said into one text, which is searched in no time; a heading stands before its lines."""
        told: list[str] = []
        size = 0
        heading = ""
        for line in self._lines:
            above = line.path[-1].lower() if line.path else ""
            says = line.form != markdown.FENCE and line.done is not False and not line.is_foreign
            text = line.text[:_MOST_LOOKED_AT].lower() if says else ""
            told.append(f"{'' if above == heading else above}\n{text}\n")
            size += len(told[-1])
            heading = above
            self._ends.append(size)
        self._told = "".join(told)


def _says(name: str, takes: str, text: str) -> bool:
    """True where one sentence of the text, in lower case, calls the thing finished, and nothing in it is in doubt."""
    for one in _SENTENCES.sub("\n", text).split("\n"):
        before, found, behind = one.partition(name)
        if not found or before[-1:].isalnum() or behind[:1].isalnum():
            continue
        said = _BEHIND[takes].match(behind) or _BEFORE[takes].match(before)
        if said and not _DOUBT.search(one):
            return True
    return False
