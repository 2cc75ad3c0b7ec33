"""What stands in a log and was written by others: posts that were collected, with their authors. Pure.

Such texts say `always`, `todo` and `failed` of work that is not the agent's. Only what names its authors again and
again is found, in a form that a log of own work does not have; where it is not sure, a text is taken for its own.
"""

from __future__ import annotations

from agentws.formats import markdown
from agentws.formats.lazy import Pattern
from agentws.planning.lines import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.markdown import Block
    from agentws.planning.excerpt import Entry

_MAY_BE = Pattern(r"^#.*@\w|\(@\w+\)\W*$|^>", "MULTILINE")
_AUTHOR = Pattern(r"(?:\(|\b(?:by|from) |[—–-] ?)@(\w{2,40})\W*$|^@(\w{2,40}):", "IGNORECASE")
_NUMBER = Pattern(r"^(?:[a-z]+ )?#?(\d{1,4})[.):]?\s+", "IGNORECASE")
_QUOTED = Pattern(r"^[\"“«„]")
_COLLECTED = Pattern(
    r"\b(?:bookmark(?:s|ed)?|(?:re)?tweets?|posts?|threads?|timeline|feed|corpus|quot(?:es|ations)|comments|replies|"
    r"mentions|clippings|likes|reading list|newsletters?|transcripts?)\b",
    "IGNORECASE",
)
_OWN_ACT = Pattern(
    r"^(?:re-?)?(?:replied|reply|commented|contacted|messaged|emailed|sent|asked|answered|followed|met|called|posted|"
    r"dm['’]?(?:s|e?d)?|thanked|reached|pinged|reviewed|liked|quoted|wrote|told|drafted?|created|draft)\b",
    "IGNORECASE",
)
_POSTED = Pattern(
    r"(?:^\W*+(?<=@)|\b(?:from|by|quoting) @)\w{2,40}\b[^\n]{0,60}:\W*+$"
    r"|^\W*+(?!(?:I|We|Just|Also|Then|Now|Already|Both|It|They)\b)[A-Z]\w+ (?:posted|tweeted)\b"
    r"(?:[^\w\n]*+\w++)*+[^\w:\n]*+:\W*+$"
)
_FEWEST = 2
_MOST_ABOVE = 200
_MOST_LINES_OF_TITLE, _MOST_OF_TITLE = 8, 600


class Stretch:
    """Lines that others wrote: from `start` to before `end`, both 0-based; `texts` counts whose they are. `lead` is the
    line that says who posted a quotation, None where headings say so.
    """

    __slots__ = ("end", "lead", "start", "texts")

    def __init__(self, start: int, end: int, texts: int, *, lead: int | None = None) -> None:
        self.start = start
        self.end = end
        self.texts = texts
        self.lead = lead

    def __len__(self) -> int:
        return self.end - self.start


class _Title:
    """The heading at line `at` (0-based): its level, the number that it begins with, the author that it names; `place`
    counts the headings.
    """

    __slots__ = ("at", "author", "is_quoted", "level", "number", "place", "text")

    def __init__(self, place: int, at: int, level: int, text: str) -> None:
        numbered = _NUMBER.match(text)
        said = text[numbered.end() :] if numbered else text
        named = None if _OWN_ACT.match(said) else _AUTHOR.search(said)
        self.place = place
        self.at = at
        self.level = level
        self.text = text
        self.number = int(numbered[1]) if numbered else -1
        self.author = (named[1] or named[2]).lower() if named else ""
        self.is_quoted = _QUOTED.match(said) is not None


def stretches(text: str) -> list[Stretch]:
    """What others wrote in `text`, in order: posts below headings that name their authors, and what was quoted of one.

    One such heading says nothing: there have to be two authors at least, and either a heading above that tells of
    posts, or their words in quotation marks.
    """
    if not _MAY_BE.search(text):
        return []
    blocks = [one for one in markdown.blocks(text) if one.kind not in (markdown.BLANK, markdown.RULE)]
    lines = markdown.lines_of(text)
    headings = [one for one in blocks if one.kind == markdown.HEADING]
    titles = [_Title(place, one.line - 1, one.level, _title(one, lines)) for place, one in enumerate(headings)]
    found = [one for group in _groups(titles) if (one := _stretch(group, titles, len(lines))) is not None]
    return _apart(sorted([*found, *_quoted(blocks)], key=lambda one: one.start))


def without(text: str, *, where: str) -> str:
    """`text` with a line in the place of what others wrote that says so, and that it stands in `where`."""
    found = stretches(text)
    if not found:
        return text
    lines = markdown.lines_of(text)
    for one in reversed(found):
        size = f"{len(one)} line{'s' * (len(one) > 1)}"
        if one.lead is None:
            told = f"{one.texts} texts of others ({size}) are left out here, they stand in {where}\n"
            lines[one.start : one.end] = ["\n", told, "\n"]
        else:
            told = f"{lines[one.lead].rstrip()} ({size} of somebody else, left out here, in {where})\n"
            lines[one.lead : one.end] = [told, "\n"]
    return "".join(lines)


def mark(entries: Sequence[Entry], places: Sequence[int], text: str) -> None:
    """Say of those entries that others wrote them that it is so; `places` are their lines in `text`, 0-based."""
    theirs = {at for one in stretches(text) for at in range(one.start, one.end)}
    for entry, at in zip(entries, places, strict=True):
        entry.is_foreign = entry.is_foreign or at in theirs


def _apart(found: Sequence[Stretch]) -> list[Stretch]:
    """Those that do not begin in one before them."""
    kept: list[Stretch] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _title(block: Block, lines: Sequence[str]) -> str:
    """What a heading says, to the end of the quotation that begins in it: pasted posts bring their line ends along."""
    title = block.title
    for line in lines[block.line : block.line + _MOST_LINES_OF_TITLE]:
        is_open = title.count('"') % 2 or title.count("“") > title.count("”")
        if not is_open or len(title) > _MOST_OF_TITLE or line.startswith("#"):
            break
        title = f"{title} {line.strip()}".rstrip()
    return title


def _groups(titles: Sequence[_Title]) -> list[list[_Title]]:
    """The headings that name an author, those together that stand beside each other. Where another heading is between,
    as in a post that has some, they belong together if their numbers go on.
    """
    groups: list[list[_Title]] = []
    last: dict[int, list[_Title]] = {}
    broken: set[int] = set()
    for one in titles:
        group = last.get(one.level, [])
        goes_on = one.level not in broken or (one.number > 0 and group and one.number == group[-1].number + 1)
        broken.update(level for level in last if level > one.level or (level == one.level and not one.author))
        if not one.author:
            continue
        if group and goes_on:
            group.append(one)
        else:
            last[one.level] = [one]
            groups.append(last[one.level])
        broken.discard(one.level)
    return groups


def _stretch(group: Sequence[_Title], titles: Sequence[_Title], end: int) -> Stretch | None:
    first, last = group[0], group[-1]
    if len(group) < _FEWEST or len({one.author for one in group}) < _FEWEST:
        return None
    before = titles[max(0, first.place - _MOST_ABOVE) : first.place]
    above = next((one for one in reversed(before) if one.level < first.level), None)
    is_collected = above is not None and _COLLECTED.search(above.text) is not None
    if not is_collected and 2 * sum(one.is_quoted for one in group) <= len(group):
        return None
    behind = (titles[place] for place in range(last.place + 1, len(titles)))
    return Stretch(first.at, next((one.at for one in behind if one.level <= last.level), end), len(group))


def _quoted(blocks: Sequence[Block]) -> list[Stretch]:
    """The block quotes behind words that say who posted them."""
    found: list[Stretch] = []
    lead, before = "", 0
    for block in blocks:
        for at, line in enumerate(markdown.lines_of(block.text), start=block.line - 1):
            is_quote = block.kind == markdown.PARAGRAPH and line.startswith(">")
            if is_quote and lead.startswith(">") and found and found[-1].end == at:
                found[-1].end += 1
            elif is_quote and _POSTED.search(lead) and not _OWN_ACT.match(bare(lead)) and not lead.startswith("#"):
                found.append(Stretch(at, at + 1, 1, lead=before))
            if line.strip():
                lead, before = line.rstrip(), at
    return found
