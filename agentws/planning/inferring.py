"""What the newest daily log says of work that broke off: what was being done, decided, open, at risk. Pure.

Logs are written in whatever words. Headings and the way a line begins say what it is; where it is not sure, a line is
taken for none of these.
"""

from __future__ import annotations

from agentws.formats import handoff, markdown, notes
from agentws.formats.lazy import Pattern
from agentws.planning import excerpt, salience
from agentws.planning import lines as _lines
from agentws.planning.lines import Shelf, bare
from agentws.planning.standing import unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line
    from agentws.planning.unended import Log

    Lists = dict[str, list[str]]

_MOST = {
    handoff.DOING: 14, handoff.DECISIONS: 8, handoff.PENDING: 14, handoff.NEXT: 8, handoff.FAILED: 6,
    handoff.AT_RISK: 5, handoff.FILES: 12,
}  # fmt: skip
_MOST_CHARS = 1 << 16
_MOST_GROUPS, _LAST_LINES = 8, 8
_SHORT_HEADING = 3
_NEWEST_LISTS = 2
_RISK = Pattern(
    r"\bnot (?:yet )?(?:been )?(?:pushed|committed|merged to|saved|backed up)\b"
    r"|\bun(?:pushed|committed|saved) (?:changes?|commits?|work|files?|edits?)\b"
    r"|\b(?:unpushed|uncommitted)\s*(?:[.,;:!)(–—-]|$)"
    r"|\bcommitted local(?:ly)?\b|\bwithout push(?:ing)?\b|\blocal(?:ly)? only\b|\bonly (?:on|in|inside) (?:this|the) "
    r"(?:machine|host|container|box|vm|laptop|sandbox)\b|\bstashed\b|\bgit stash\b",
    "IGNORECASE",
)
_NO_RISK = Pattern(
    r"\b(?:no|nothing|zero|0|any|none|detect|check(?: for)?|without) (?:\w+ )?(?:uncommitted|unpushed|unsaved)\b|\?\s*$"
    r"|^\W*(?:run|check|verify)\b",
    "IGNORECASE",
)
_WRONG = Pattern(
    r"\b(?:failed|fails|failing|broken|crashed|crashes with|timed out|refused|denied|rejected|still down)\b|❌|\berror:"
    r"|\b(?:does|did)(?:n['’]t| not) work\b",
    "IGNORECASE",
)
_NOT_WRONG = Pattern(r"\bnot (?:a )?(?:real )?errors?\b|\bnoise\b|\b(?:would|could|if|when|unless)\b", "IGNORECASE")
_WAITS = Pattern(
    r"^\W*(?:still )?needs?\b|\bnot set yet\b"
    r"|\b[A-Z][a-z]+ to (?:provide|confirm|decide|send|review|approve|create|set)\b"
)
_NOTHING = Pattern(r"^\W*(?:none|nothing|n/a|no new)\b", "IGNORECASE")
_RIGHT = Pattern(
    r"✅|☑|✔|~~|\b(?:fixed|resolved|solved|recovered|works now|0 (?:errors|failed)|no errors)\b", "IGNORECASE"
)
_SPAN = Pattern(r"`([^`\n]{3,120})`")
_FILE = Pattern(r"^[\w.~/@+-]*(?:/[\w.@+-]+)+/?$|^[\w@+-][\w.@+-]*\.(?:[a-z]{1,5}|[a-z]+\d)$", "IGNORECASE")
_OURS = Pattern(r"(?m)^(- )\d\d:\d\d (?=\[)")
"""The time that a line of agentws begins with, before its kind: without it the line says at once what it is."""
_KIND = Pattern(r"^\[[a-z][a-z_-]{1,23}\] ")
_COMMAND = Pattern(r"\s")


def read(log: Log) -> Lists:
    """The lines of a log under the headings of a handoff, each as it says it, without its marks."""
    text = _OURS.sub(r"\1", markdown.nested(log.text[-_MOST_CHARS:])[1])
    entries = excerpt.entries(notes.read(text), by_position=True)
    found = _lines.of([Shelf(entries, frame=0, day=log.day, name=log.path)])
    return {heading: lines[-_MOST[heading] :] for heading, lines in _sorted(found).items()}


def is_at_risk(text: str) -> bool:
    """True where the words say that something exists on one machine only."""
    return _RISK.search(text) is not None and _NO_RISK.search(text) is None


def _sorted(lines: Sequence[Line]) -> Lists:
    opened = {item.index for item in unfinished.find(lines, salience.worth(lines))}
    newest = {heading: _newest_lists(lines, opened, heading) for heading in (handoff.PENDING, handoff.NEXT)}
    told: Lists = {heading: [] for heading in _MOST}
    others: list[int] = []
    for index, line in enumerate(lines):
        heading = _heading(line, is_open=index in opened)
        if heading in (handoff.PENDING, handoff.NEXT) and line.path not in newest[heading]:
            continue
        if heading in (handoff.PENDING, handoff.NEXT, handoff.DECISIONS, handoff.FAILED):
            told[heading].append(_said(line))
        elif line.form != markdown.FENCE:
            others.append(index)
        closed = unfinished.is_open(line) and index not in opened
        if is_at_risk(line.text) and not closed and line.form != markdown.FENCE:
            told[handoff.AT_RISK].append(_said(line))
    told[handoff.DOING] = _doing(lines, others)
    told[handoff.FILES] = _files(lines)
    return told


def _newest_lists(lines: Sequence[Line], opened: set[int], heading: str) -> set[tuple[str, ...]]:
    """The last parts of the log that say what waits: what an earlier part of the day left open, a later one knew of."""
    paths = [line.path for index, line in enumerate(lines) if _heading(line, is_open=index in opened) == heading]
    return set(list(dict.fromkeys(reversed(paths)))[:_NEWEST_LISTS])


def _heading(line: Line, *, is_open: bool) -> str:
    """Under which heading a line belongs, empty where nothing says so."""
    if line.is_label or line.parent is not None or line.form in (markdown.FENCE, markdown.ROW):
        return ""
    above = next((found for step in reversed(line.path[-2:]) if (found := _meant(step))), "")
    if _NOTHING.search(line.text):
        return ""
    if above == handoff.DECISIONS or line.kind == "decision":
        return handoff.DECISIONS
    waits = above in (handoff.NEXT, handoff.PENDING) or _WAITS.search(bare(line.text)) is not None
    if is_open or (waits and not _is_over(line)):
        return above if above == handoff.NEXT else handoff.PENDING
    if line.done is not True and (above == handoff.FAILED or line.kind == "error" or _WRONG.search(line.text)):
        return "" if _RIGHT.search(line.text) or _NOT_WRONG.search(line.text) else handoff.FAILED
    return ""


def _meant(heading: str) -> str:
    """Which heading of a handoff one of a log means. A long one that speaks of what waits may be about anything."""
    found = handoff.heading_of(heading)
    if found != handoff.PENDING or len(heading.split()) <= _SHORT_HEADING or unfinished.is_open_heading(heading):
        return found
    return ""


def _is_over(line: Line) -> bool:
    return line.done is True or _RIGHT.search(line.text) is not None


def _doing(lines: Sequence[Line], indices: Sequence[int]) -> list[str]:
    """What the last parts of the log are about: each by its heading and what it begins with, the last one in full."""
    groups: dict[tuple[str, ...], list[Line]] = {}
    for index in indices:
        line = lines[index]
        if line.parent is None and not line.is_label:
            groups.setdefault(line.path, []).append(line)
    told: list[str] = []
    chosen = list(groups.items())[-_MOST_GROUPS:]
    last = max((place for place, (path, _) in enumerate(chosen) if not _is_account(path)), default=-1)
    for place, (path, under) in enumerate(chosen):
        is_last = place == last
        # A part of a log begins with what it is about, and ends with what came of it.
        kept = under[:_LAST_LINES] if is_last else [*under[:2], *under[2:][-2:]]
        heading = path[-1] if path else ""
        words = "; ".join(bare(line.text) for line in kept) if not is_last else ""
        if is_last:
            told += [_under(heading, bare(line.text)) for line in kept]
        else:
            told.append(_under(heading, words))
    return told


def _is_account(path: tuple[str, ...]) -> bool:
    """True for a heading below which is listed what is done: it sums up, and is no part of the work."""
    return bool(path) and notes.kind_of_heading(path[-1]) == "done"


def _under(heading: str, words: str) -> str:
    return f"{_lines.shortened(heading, 80)}: {words}" if heading else words


def _said(line: Line) -> str:
    """What a line says; one of a few words gets its heading before it."""
    text = _KIND.sub("", bare(line.text), 1)
    heading = line.path[-1] if line.path else ""
    if heading and len(line.words) < 4 and not handoff.heading_of(heading):
        return _under(heading, text)
    return text


def _files(lines: Sequence[Line]) -> list[str]:
    """The files that the log names between backticks, the last ones last."""
    found: dict[str, None] = {}
    for line in reversed(lines):
        for span in reversed(_SPAN.findall(line.text)):
            if _FILE.match(span) and not _COMMAND.search(span):
                found.setdefault(span, None)
    return list(found)[::-1]
