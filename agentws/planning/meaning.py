"""Under which heading of a handoff a line of a log belongs, by its heading and the way it begins. Pure.

Logs are written in whatever words; where it is not sure, a line is taken for none.
"""

from __future__ import annotations

from agentws.formats import handoff, markdown, notes
from agentws.formats.lazy import Pattern
from agentws.planning.lines import bare
from agentws.planning.standing import unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.lines import Line

_SHORT_HEADING = 3
_MOST_LOOKED_AT = 600
"""Where a line ends for those that look for two things in it, so that the cost stays linear."""
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
_NOT_WRONG = Pattern(
    r"\bnot (?:a )?(?:real )?errors?\b|\bnoise\b|\b(?:would|could|if|when|unless)\b|^\W*(?:lessons?|rules?)\b"
    r"|^\W*(?:never|always)\b",
    "IGNORECASE",
)
_NONE_OF_IT = Pattern(
    r"\b(?:no|zero|0|none|without(?: any)?|never|not(?: a single| any)?|free of|nothing)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:fail(?:s|ed|ing|ures?)?|broken|crash(?:ed|es)?|timed out|refused|denied|rejected|errors?)\b"
    r"|\b(?:failed|broken|failing|failures?|errors?|crashed|rejected|denied)\W{1,4}(?:0|none|zero|no)\b"
    r"|\b(?:was|were|had been) (?:failing|broken)\b(?=.{0,200}\bnow\b)",
    "IGNORECASE",
)
"""What is said not to have happened at all: a success in the words of a failure."""
_OVER_HEADING = Pattern(
    r"^(?!.*\b(?:not|un\w+|to be|remaining|still|next|pending|open)\b)"
    r".*\b(?:solved|resolved|deployed|shipped|fixe[sd])\b",
    "IGNORECASE",
)
_UNDECIDED = Pattern(
    r"\bbefore deciding\b|\bawaiting\b|^\W*+(?:status|context|recommendation|proposal|options?)\b", "IGNORECASE"
)
_WARNING = Pattern(r"^\W*⚠")
_CAUSE = Pattern(r"^\W*(?:actual |real |root |likely |probable )*(?:cause|reason|why)\b", "IGNORECASE")
_WAY_OUT = Pattern(
    r"^\W*(?:the |also |actual |final |temporary |quick )*"
    r"(?:fix(?:ed)?|solution|solved|resolution|resolved|workaround|recovery|recovered)\b"
    r"|^\W*(?:status|result|outcome|verification|verified|now)\b.{0,40}?(?:✅|\b(?:live|works?|working|ok|operational|"
    r"fixed|resolved|success\w*|healthy|up|running|stable|passes|passed|green|restored)\b)"
    r"|\b(?:live|up|online|working) again\b|\brunning stable\b|\brecovered and\b"
    r"|\b(?:is|are) (?:now )?(?:fixed|resolved)\b|\bfixed\b.{0,300}(?:→|\bby\b|\bwith\b)",
    "IGNORECASE",
)
_NO_WAY_OUT = Pattern(
    r"\b(?:needed|needs|not yet|pending|tbd|todo|to do|unknown|none|not fixed|unresolved|failed|will)\b", "IGNORECASE"
)
_FIX = Pattern(r"^\W*(?:fix|solution|workaround|resolution)\b", "IGNORECASE")
_STILL = Pattern(r"\bstill (?:down|broken|failing|missing|offline|stuck)\b", "IGNORECASE")
_PRIORITY = Pattern(r"P[0-3]\b\W*\S", "IGNORECASE")
_WAITS = Pattern(
    r"^\W*+(?:still )?needs?\b|\bnot set yet\b"
    r"|\b[A-Z][a-z]+ to (?:provide|confirm|check|decide|send|review|approve|create|rotate|set)\b"
    r"|^\W*+[A-Z][a-z]+ (?:still )?(?:needs? to|must|has to) [a-z]"
    r"|\b[Ww]ill (?:retry|try again|follow up)\b|^\W*+[Aa]waiting\b|\bTODO\b"
)
_NEEDS = Pattern(
    r"\bNEEDED\b|\bstill need(?:s|ed)?\b|\b[A-Z][a-z]+ (?:needs|has) to\b"
    r"|\b[Mm]ust (?:still|be|[Cc]omplete|[Dd]o|[Ff]inish)\b|\b[Aa]ction [Pp]lan\b"
    r"|\bto (?:restore|complete|finish|recreate|re-?run|set up)\b"
)
_PENDING_ASIDE = Pattern(r"\((?:pending|open|todo|not done)\b", "IGNORECASE")
_STAMP = Pattern(r"^\W*[A-Z][A-Z_]{3,}:\s*20\d\d-\d\d")
_ASIDE = Pattern(r"^\s*([*_])(?!\1)[^\s].*\1\s*$")
"""A remark between marks of emphasis: it says what waits by its own words, if at all."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WHEN = (
    r"(?:(?P<iso>20\d\d-[01]\d-[0-3]\d)|(?P<month>(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*)\.?\s+"
    r"(?P<day>\d{1,2})\b|\d{1,2}/\d{1,2}\b|\d{1,2}\.\d{1,2}\.|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|tomorrow\b)"
)
_DUE = Pattern(
    rf"\b(?:deadline|due(?! to\b))\b[^.;!?\n]{{0,40}}?\b{_WHEN}"
    r"|\b(?:is|are|now|still|days?|weeks?|been) overdue\b|\boverdue (?:since|by|from)\b|[—–:(] ?overdue\b",
    "IGNORECASE",
)
_BY = Pattern(
    rf"^[^.;]*?\b(?:send|submit|pay|file|call|renew|reply|respond|answer|finish|complete|book|register|return|deliver|"
    rf"sign|apply|decide|prepare|need(?:s|ed)?|must|has to|have to)\b[^.;\n]*\b(?:by|before|no later than)\s+"
    rf"(?:the |end of |next )*{_WHEN}",
    "IGNORECASE",
)
_WAITING = Pattern(
    r"\b(?:pending|awaiting|waiting|half[- ]\w+|part(?:ial)?ly|not yet|incomplete|blocked|unresolved)\b", "IGNORECASE"
)
_HAS_TO = Pattern(r"\b(?:must|has to|have to|needs? to|still to) be\b|\b[A-Z][a-z]+ to do\b")
_REMARK = Pattern(r"\((?:[^\s()]++\s++){3}[^()]*+\)")
"""In brackets, and no mere status such as `(failed twice)`."""
_NOTHING = Pattern(r"^\W*(?:none|nothing|n/a|no new)\b", "IGNORECASE")
_GUESS = Pattern(r"\b(?:may|might|could) (?:also |well )?be\b|\bpossib\w+ ", "IGNORECASE")
_VERIFIED = Pattern(r"^\W*(?:re)?verified\b(?!.{0,60}\b(?:broken|fails|failing|still|not)\b)", "IGNORECASE")
_NOW_DOES = Pattern(
    r"\bnow (?!(?:fails|crashes|returns|shows|breaks|throws|hangs|needs|lacks|refuses|rejects|reports|has|is|was|times|"
    r"says|misses)\b)[a-z]{3,}s\b",
    "IGNORECASE",
)
_PLANNED = Pattern(
    r"^\W*(?:\d+\W+)?(?:add|set up|install|create|enable|configure|implement|replace|remove|write|schedule|move)\b"
    r"(?!\W+(?:\w+\W+){0,3}(?:failed|fails|failing|crashed|refused|rejected|denied|timed)\b)",
    "IGNORECASE",
)
"""What is to be done about something, in the words of a plan."""
_LACKS = Pattern(
    r"\b(?:missing|lacking|absent|needed|needs?|required)\b"
    r"|\bnot (?:yet )?(?:set|provided|received|configured|restored|available)\b",
    "IGNORECASE",
)
_CROSS = "❌"
_TO_KNOW = Pattern(
    r"\b(?:must|should|needs? to|have to|to|please) (?:know|remember)\b|\b(?:facts?|context|notes?) for\b", "IGNORECASE"
)
_ASKS = Pattern(
    r"\b(?:needs?|must|has to|have to|should|to be|to-?do|pending|waiting|awaiting|blocked|remains?)\b"
    r"|^\W*+(?:\d++\W++)?(?:(?:please|first|then|next|also|always|never|do not|don['’]t)\W++)*"
    r"(?:add|answer|apply|ask|avoid|begin|book|build|call|check|choose|clean|clear|close|commit|complete|confirm|contact|"
    r"continue|create|decide|delete|deploy|draft|do|enable|ensure|file|find|finish|fix|follow|get|implement|install|keep|"
    r"look|make|merge|migrate|monitor|move|open|order|pay|pick|post|prepare|publish|push|put|read|remove|renew|replace|"
    r"reply|report|rerun|restart|restore|resume|retry|review|rotate|run|send|set|ship|start|stop|submit|switch|sync|"
    r"tell|test|touch|try|update|upgrade|upload|use|verify|wait|watch|wire|write)\b(?!\W*?:)",
    "IGNORECASE",
)
"""What is to be done, in the words of a request: anything else below `must know` is there to be known."""
_TEMPLATE = Pattern(r"(?:^|[\s(~$])\{[a-z][a-z ]{1,40}\}.*?[\s(~$]\{[a-z][a-z ]{1,40}\}", "IGNORECASE")
_RIGHT = Pattern(
    r"✅|☑|✔|~~|\b(?:fixed|resolved|solved|recovered|works now|0 (?:errors|failed)|no errors)\b", "IGNORECASE"
)


def heading_of(line: Line, *, is_open: bool | None) -> str:
    """Under which heading of a handoff a line belongs, empty where nothing says so.

    `is_open`: it is an open item, or it is one that a later line closes or repeats; None where it is neither.
    """
    if line.is_label or line.form in (markdown.FENCE, markdown.ROW):
        return ""
    if line.parent is not None:  # told with the line that it stands under, but for what it warns of, or leaves open
        listed = unfinished.is_open_heading(line.path[-1]) and not _NOTHING.search(line.text)
        if _is_over(line) or not (listed or is_open or _WARNING.match(line.text) or is_due(line)):
            return ""
        return handoff.NEXT if listed and _meant(line.path[-1], line.path[-1]) == handoff.NEXT else handoff.PENDING
    above = next((found for step in reversed(line.path[-2:]) if (found := _meant(step, line.path[-1]))), "")
    if _NOTHING.search(line.text) or _STAMP.match(line.text) or _TEMPLATE.search(line.text[:_MOST_LOOKED_AT]):
        return ""
    if above == handoff.NEXT and not is_open and _TO_KNOW.search(line.path[-1]) and not _ASKS.search(line.text):
        above = ""
    if line.form == markdown.PARAGRAPH and _ASIDE.match(line.text):
        above = ""
    if line.done is not False and _is_over_by_heading(line):
        return ""
    is_decision = above == handoff.DECISIONS or line.kind == "decision"
    if is_decision and line.done is not False and not _UNDECIDED.search(line.text):
        return handoff.DECISIONS
    if is_lacking(line):
        return "" if is_open is False else handoff.PENDING
    waits = above in (handoff.NEXT, handoff.PENDING) or _WAITS.search(bare(line.text)) is not None or is_due(line)
    if is_open or (is_open is None and waits and not _is_over(line)):
        return above if above == handoff.NEXT else handoff.PENDING
    if _STILL.search(line.text) or _PRIORITY.match(bare(line.text)):
        return handoff.PENDING
    if line.done is not True and (above == handoff.FAILED or line.kind == "error" or is_wrong(line.text)):
        not_wrong = (_RIGHT, _NOT_WRONG, _FIX, _VERIFIED, _NOW_DOES, _PLANNED)
        over = any(one.search(line.text) is not None for one in not_wrong)
        return "" if over else handoff.FAILED
    return ""


def says_waiting(text: str) -> bool:
    """True where the words say that something waits or is done in part."""
    return _WAITING.search(text) is not None


def is_guess(text: str) -> bool:
    """True for words behind which is listed what may be so, each of it as one of several."""
    said, colon, rest = text.rpartition(":")
    is_list = bool(colon) and not any(char == "_" or char.isalnum() for char in rest)
    return is_list and _GUESS.search(said, said.rfind(".") + 1) is not None


def says_to_do(text: str) -> bool:
    """True where the words say in passing that something has to be done yet."""
    return _HAS_TO.search(text) is not None


def is_due(line: Line) -> bool:
    """True where the line names a day by which something has to be done, and that day is not before its own."""
    if line.form in (markdown.ROW, markdown.FENCE) or _is_over(line):
        return False
    text = line.text[:_MOST_LOOKED_AT]
    found = _DUE.search(text) or _BY.search(text)
    return found is not None and not _is_before(found.groupdict(), line.day)


def _is_before(found: dict[str, str | None], day: str) -> bool:
    """True where a date that was found lies before `day`, as far as it says; without a year it is the nearest one."""
    if found["iso"]:
        return found["iso"] < day
    if not found["month"] or not found["day"] or not day:
        return False
    month = _MONTHS.index(found["month"][:3].lower()) + 1
    behind = (month - int(day[5:7])) * 31 + int(found["day"]) - int(day[8:10])
    return -180 < behind < 0 or behind > 186


def _meant(heading: str, inner: str) -> str:
    """Which heading of a handoff one of a log means. A long one that speaks of what waits may be about anything, and
    what one says is needed holds for what stands right below it, its `inner` one.
    """
    is_needed = heading == inner and _NEEDS.search(heading) is not None
    found = handoff.heading_of(heading) or (handoff.PENDING if is_needed else "")
    if found != handoff.PENDING or len(heading.split()) <= _SHORT_HEADING or is_needed:
        return found
    return found if unfinished.is_open_heading(heading) or _PENDING_ASIDE.search(heading) else ""


def _is_over_by_heading(line: Line) -> bool:
    """True below a heading that says it is over, also where there is another one of its parts between."""
    *outer, inner = ("", *line.path)
    if _OVER_HEADING.search(inner):
        return True
    return bool(outer) and _OVER_HEADING.search(outer[-1]) is not None and not _meant(inner, inner)


def _is_over(line: Line) -> bool:
    if line.done is True and not (line.path and _NEEDS.search(line.path[-1]) and not notes.has_box(line.text)):
        return True  # what stands below `Must complete this week` is not complete
    return _RIGHT.search(line.text) is not None


def is_needed(heading: str) -> bool:
    """True for a heading that says of what is below it that it has to be done, in more than a word such as `Next`."""
    return _NEEDS.search(heading) is not None and not handoff.heading_of(heading)


def is_lacking(line: Line) -> bool:
    """True for what is only crossed out below a heading that says that it is missing: nobody has tried anything."""
    if not line.path or line.parent is not None or line.done or not bare(line.text).startswith(_CROSS):
        return False
    return _LACKS.search(line.path[-1]) is not None and not is_wrong(line.text.replace(_CROSS, ""))


def is_at_risk(text: str) -> bool:
    """True where the words say that something exists on one machine only."""
    return _RISK.search(text) is not None and _NO_RISK.search(text) is None


def is_wrong(text: str) -> bool:
    """True where the words say that something went wrong; a remark in brackets is about something else."""
    return _WRONG.search(_NONE_OF_IT.sub(" ", _REMARK.sub(" ", text))) is not None


def is_cause(text: str) -> bool:
    """True for a line that says why something went wrong."""
    return _CAUSE.match(text) is not None


def is_way_out(text: str) -> bool:
    """True for a line that says how what went wrong before it was put right, or that it is."""
    text = text[:_MOST_LOOKED_AT]
    return _WAY_OUT.search(text) is not None and _STILL.search(text) is None and _NO_WAY_OUT.search(text) is None
