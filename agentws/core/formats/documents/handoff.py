"""Handoffs in `handoffs/`: the note that one session leaves for the next. Specified in docs/format/handoff.md."""

from __future__ import annotations

from agentws.core.formats import audience as _audience, layout
from agentws.core.formats.documents import document as _document, fields
from agentws.core.markdown import markdown
from agentws.core.text.lazy import Pattern
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

Sections = dict[str, str]
"""Heading → the Markdown below it, with its line end. The empty heading has the text above the first one."""

OPEN, CLOSED = "open", "closed"
AGENT, AUTO, DERIVED = "agent", "auto", "derived"
"""Origins: written on purpose; made of what was recorded, as a session ended; the same because nobody wrote one."""

DOING, DECISIONS, PENDING, NEXT = "Doing", "Decisions", "Pending", "Next step"
NOTES = "Notes"
"""The agent's words, newest first."""
SINCE = "Since then"
"""Later work, after a handoff that the session itself wrote."""
CARRIED, PERHAPS = "Carried over", "Perhaps still open"
"""Of earlier versions: what earlier handoffs or a log left open."""
FAILED, IN_FLIGHT, AT_RISK, FILES = "Failed attempts", "In flight", "At risk", "Files"
NAMED = "Files named"
"""Of earlier versions: what a log called by its path, be it touched or not."""
LOG = "Newest log"
"""In handoffs of earlier versions: the newest part of the newest log."""
HEADINGS = (
    DOING, DECISIONS, PENDING, NEXT, CARRIED, PERHAPS, FAILED, IN_FLIGHT, AT_RISK, FILES, NAMED, NOTES, SINCE, LOG,
)  # fmt: skip
"""The headings of a handoff, in their order."""
OWN_FIELDS = ("session", "at", "status", "origin", "src", "audience", "follows", "leaves_open")
"""Front-matter fields that agentws sets when it writes the file."""
KEYS = {
    "doing": DOING,
    "decided": DECISIONS,
    "decisions": DECISIONS,
    "pending": PENDING,
    "next": NEXT,
    "next_step": NEXT,
    "carried_over": CARRIED,
    "perhaps": PERHAPS,
    "perhaps_still_open": PERHAPS,
    "failed": FAILED,
    "failed_attempts": FAILED,
    "in_flight": IN_FLIGHT,
    "at_risk": AT_RISK,
    "files": FILES,
    "files_named": NAMED,
    "notes": NOTES,
    "since_then": SINCE,
    "newest_log": LOG,
}
"""Names of the headings in JSON."""

_WORDS = (
    (CARRIED, Pattern(r"^\W*carried over\W*$", "IGNORECASE")),
    (PERHAPS, Pattern(r"^\W*perhaps still open\W*$", "IGNORECASE")),
    (NAMED, Pattern(r"^\W*files named\W*$", "IGNORECASE")),
    (LOG, Pattern(r"^\W*newest log\W*$", "IGNORECASE")),
    (NOTES, Pattern(r"^\W*notes\W*$", "IGNORECASE")),
    (SINCE, Pattern(r"^\W*since then\W*$", "IGNORECASE")),
    (FILES, Pattern(r"^\W*(?:(?:key|changed|relevant|important) )?files\b", "IGNORECASE")),
    (
        NEXT,
        Pattern(
            r"\bread (?:this )?first\b|\bread this (?:before|next)\b|^\W*read this\W*$|\bstart here\b|\bfirst thing\b"
            r"|\bnext (?:session|steps?|up|actions?|moves?|time)\b|\bwhere to (?:start|continue|pick up)\b"
            r"|\bpick(?:ing)? up\b|\bresume (?:here|from|point)\b|^\W*resume\W*$"
            r"|\bcontinue (?:here|from|with)\b|^\W*next\W*$|\bmust know\b",
            "IGNORECASE",
        ),
    ),
    (
        AT_RISK,
        Pattern(r"\bat risk\b|\bnot (?:yet )?(?:pushed|committed)\b|\bun(?:pushed|committed|saved)\b", "IGNORECASE"),
    ),
    (IN_FLIGHT, Pattern(r"\bin[- ]flight\b|\bresult unknown\b|\bstill running\b", "IGNORECASE")),
    (
        FAILED,
        Pattern(
            r"\bfailed (?:attempts?|approaches)\b|\bdead ends?\b|\bwhat (?:did ?n[o'’]t|failed)\b|\bdid not work\b"
            r"|\bdo(?:n['’]t| not) (?:retry|repeat|try)\b|\btried\b|^\W*(?:failed|failures?)\W*$",
            "IGNORECASE",
        ),
    ),
    (DECISIONS, Pattern(r"\bdecisions?\b|\bdecided\b", "IGNORECASE")),
    (
        PENDING,
        Pattern(
            r"\bpending\b|\bto-?dos?\b|\bopen (?:questions?|items?|tasks?|threads?|points?|loops?|issues?|work)\b"
            r"|^\W*(?:open|waiting)\W*$|\b(?:unresolved|unfinished|outstanding|remaining|blocked|blockers?)\b"
            r"|\bwaiting (?:on|for)\b"
            r"|\bfollow[- ]?ups?\b|\baction items?\b|\bstill (?:open|to do|needed)\b|\bleft to do\b|\bquestions? for\b",
            "IGNORECASE",
        ),
    ),
    (
        DOING,
        Pattern(
            r"\bdoing\b|\bin progress\b|\bworking on\b|\bwhere (?:we|i|things) (?:left off|stand|are|stopped)\b"
            r"|\bcurrent (?:task|work|state|status|focus)\b|^\W*(?:status|state|current|now)\W*$"
            r"|\b(?:status|state) at (?:the )?(?:end|compaction|session end)\b",
            "IGNORECASE",
        ),
    ),
)
_EXAMPLE = '{"doing": "…", "decided": ["…"], "pending": ["…"], "next": "…", "failed": ["…"]}'
_MOST_HEADING_CHARS = 120
_MOST_NAME_CHARS = 60
_LONGEST_ESCAPE, _AROUND = 4, 8
"""Bytes that front matter needs for one of a name that it has to escape, and for what stands around a name."""
_MOST_SAME_WORDS = 4
"""A heading of more words says more than what it means."""


class Handoff:
    """A handoff as its file says.

    `at` and `session` are empty if unset; `follows` names the handoffs and sessions that it took over, `leaves_open`
    the handoffs that it did not. `src` is the source of one from outside. `text` is the whole file.
    """

    def __init__(self, path: str, document: _document.Document) -> None:
        self.path = path
        self.session = fields.text(document, "session")
        self.at = fields.text(document, "at")
        self.closed = fields.text(document, "status").lower() == CLOSED
        self.origin = fields.text(document, "origin") or AGENT
        self.follows = fields.words(document, "follows")
        self.leaves_open = fields.words(document, "leaves_open")
        self.labels = fields.labels(document)
        self.src = fields.source(document)
        self.body = document.body
        self.text = document.text

    @property
    def name(self) -> str:
        """The handoff's file name without `.md`."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def is_on_purpose(self) -> bool:
        """Return whether an agent or a person wrote the handoff; an unknown origin counts as that."""
        return self.origin not in (AUTO, DERIVED)


def decode(data: bytes, *, path: str) -> Handoff:
    """Return the handoff in `data`; DamagedError if its front matter is unreadable."""
    return Handoff(path, _document.decode(data, where=path))


def still_open(handoffs: Sequence[Handoff], *, strange: Collection[str] = ()) -> list[Handoff]:
    """Return the handoffs that are neither closed nor followed by another one; newest (by file name) first.

    The `strange` ones (paths of handoffs that were not written here) close only each other, and come last.
    """
    if strange:
        ours = [note for note in handoffs if note.path not in strange]
        followed = {name for note in ours for name in note.follows}
        theirs = still_open([note for note in handoffs if note.path in strange])
        return still_open(ours) + [note for note in theirs if not followed & {note.path, note.name}]
    followed = {name for handoff in handoffs for name in handoff.follows}
    notes = []
    for note in handoffs:
        if note.closed or followed & {note.path, note.name}:
            continue
        if note.session in followed and any(_follows_session(other, note) for other in handoffs):
            continue
        notes.append(note)
    return sorted(notes, key=lambda note: note.name, reverse=True)


def past_first(handoffs: Sequence[Handoff], today: str) -> list[Handoff]:
    """Return the handoffs with those dated after `today` (ISO) by their file name last.

    A writer chooses the date in a file's name, so a date in the future is not trusted.
    """
    return sorted(handoffs, key=lambda handoff: handoff.name[: len(today)] > today)


def told_first(handoffs: Sequence[Handoff], most: int) -> list[Handoff]:
    """Return at most `most` handoffs: the newest one written on purpose, then the rest, newest first."""
    return sorted(
        handoffs, key=lambda note: note is not next((handoff for handoff in handoffs if handoff.is_on_purpose), None)
    )[:most]


def _follows_session(other: Handoff, handoff: Handoff) -> bool:
    """Return whether `other` took over the session of `handoff` as it was with it.

    Not before that was written, and not made automatically where `handoff` was meant: then it followed what the session
    did after that.
    """
    if handoff.session not in other.follows or (handoff.is_on_purpose and not other.is_on_purpose):
        return False
    written, taken_over = moment_of(handoff.at), moment_of(other.at)
    return written is None or taken_over is None or written <= taken_over


def moment_of(text: str) -> datetime | None:
    """Return the moment of a handoff in `text` (ISO 8601); None if it is not a moment or has no zone."""
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else None


def heading_of(words: str) -> str:
    """Return which handoff heading of HEADINGS is meant: "READ THIS FIRST" → `Next step`; empty for none of them."""
    if words in HEADINGS:  # as we write them, which no pattern is needed for
        return words
    short = words[:_MOST_HEADING_CHARS]
    return next((heading for heading, pattern in _WORDS if pattern.search(short)), "")


def sections(body: str) -> Sections:
    """Return the sections of a Markdown text by handoff heading; other headings keep their own words.

    One of many words that means such a heading is kept below it. Headings below the topmost level that occurs stay
    inside their section. Text above the first heading is under the empty heading, and so is a title: a single heading
    of level 1 at the beginning of the text.
    """
    parts = markdown.blocks(_untitled(body))
    top = min((block.level for block in parts if block.kind == markdown.HEADING), default=0)
    texts: dict[tuple[str, str], str] = {}
    place = ("", "")
    divided = set()
    for block in parts:
        if block.kind == markdown.HEADING and block.level == top:
            place = _place(block.title)
            if place in divided:
                # Below that, it would stand under the last heading inside.
                place = (place[0], place[1] or block.title)
            texts[place] = f"{texts[place].rstrip()}\n\n" if place in texts else ""
        else:
            texts[place] = texts.get(place, "") + block.text
            if block.kind == markdown.HEADING:
                divided.add(place)
    plain_first = sorted(texts, key=lambda place: bool(place[1]))
    joined: Sections = {heading: "" for heading, _ in list(texts)}
    for (heading, words), text in {
        place: texts[place].strip("\n") for place in plain_first if texts[place].strip()
    }.items():
        gap = "\n" if joined[heading] else ""
        joined[heading] += f"{gap}### {words}\n\n{text}\n" if words else f"{gap}{text}\n"
    return {heading: text for heading, text in joined.items() if text}


def _place(title: str) -> tuple[str, str]:
    """(heading, words below it) of a heading in whatever words; those of many words are kept."""
    heading = heading_of(title) or title
    words = [word for word in title.split() if any(char.isalnum() for char in word)]
    return heading, title if heading != title and len(words) > _MOST_SAME_WORDS else ""


def from_plain(plain: object) -> Sections:
    """Return the sections of a handoff given as JSON: heading (or one of KEYS) → a text or a list. UsageError."""
    if not isinstance(plain, dict):
        raise UsageError("A handoff in JSON must be an object.", hint=_EXAMPLE)
    result: Sections = {}
    for key, value in plain.items():
        items = [value] if isinstance(value, str) else value
        words = " ".join(key.replace("_", " ").split())
        known = KEYS.get(key.lower()) or heading_of(words)
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            unknown = "" if known else f"{key!r} is unknown; allowed: {', '.join(KEYS)}. As a heading of your own, "
            raise UsageError(f"{unknown}{key!r} must be a text or a list of texts.", hint=_EXAMPLE)
        heading = known or words.capitalize()
        result = merged(result, {heading: listed(items)})
    return result


def merged(*several: Mapping[str, str]) -> Sections:
    """Return the sections of several handoffs, joined by heading; the headings of a handoff first, in order."""
    texts: Sections = {}
    for part in several:
        for heading, text in part.items():
            if text.strip():
                texts[heading] = texts.get(heading, "") + text.rstrip("\n") + "\n"
    order = ("", *HEADINGS)
    return {heading: texts[heading] for heading in (*order, *(h for h in texts if h not in order)) if heading in texts}


def listed(items: Sequence[str]) -> str:
    """Return texts as a Markdown list for a handoff; further lines of an item are indented."""
    lines = ["\n  ".join(line.rstrip() for line in item.strip().split("\n")) for item in items if item.strip()]
    return "".join(f"- {line}\n" for line in lines)


def body(texts: Mapping[str, str]) -> str:
    """Return sections as the body of a handoff."""
    return "\n".join(f"## {heading}\n\n{text}" if heading else text for heading, text in texts.items())


def encode(
    text: str,
    *,
    session: str,
    at: str,
    follows: Sequence[str],
    leaves_open: Sequence[str] = (),
    origin: str = AGENT,
    status: str = OPEN,
    is_private: bool = False,
    src: str | None = None,
    audience: str = "",
    others: Mapping[str, _document.Value] | None = None,
) -> bytes:
    """Return the file of a handoff with this body, marked `shared` if that is its `audience`.

    `others` are further fields of its writer, which come last.
    """
    empty = _document.decode(b"", where="handoff")
    values: dict[str, _document.Value] = {
        "session": session,
        "at": at,
        "status": status,
        "origin": origin,
        "src": src or "",
    }
    values[_audience.KEY] = audience if audience == _audience.SHARED else ""
    values["private"] = "true" if is_private else ""
    values |= {"follows": list(follows), "leaves_open": list(leaves_open)}
    wanted = {key: value for key, value in values.items() if value}
    wanted = {**(others or {}), **wanted} if is_private else {**wanted, **(others or {})}
    header = _document.with_fields(empty, wanted, where="handoff").text
    return f"{header}{text}".encode("utf-8", "surrogateescape")


def room_for(names: Sequence[str], *, most: int, most_bytes: int) -> int:
    """Return how many of the handoffs' names, from the first on, fit the limits of a front-matter field."""
    left = most_bytes
    for count, name in enumerate(names[:most]):
        is_plain = name.isprintable() and not {'"', "\\"}.intersection(name)
        left -= _AROUND + len(name.encode("utf-8", "surrogateescape")) * (1 if is_plain else _LONGEST_ESCAPE)
        if left < 0:
            return count
    return min(len(names), most)


def closed(data: bytes, *, path: str) -> bytes:
    """Return the handoff file `data` with its status closed and no other line changed."""
    document = _document.decode(data, where=path)
    return _document.encode(_document.with_fields(document, {"status": CLOSED}, where=path))


def path_for(stamp: str, session: str) -> layout.RelPath:
    """Return the path of the handoff that `session` writes at `stamp` (`2026-11-20-071500`)."""
    plain = "".join(char if char.isalnum() or char in "-_." else "-" for char in session)
    return f"{layout.HANDOFFS}/{stamp}-{plain[:_MOST_NAME_CHARS].strip('-.') or 'handoff'}.md"


def _untitled(text: str) -> str:
    """Return `text` with its title (one heading of level 1 above all others) as a plain line.

    A title that is a handoff heading becomes a heading beside the others, if they are handoff headings too.
    """
    headings = [block for block in markdown.blocks(text) if block.kind == markdown.HEADING]
    if len(headings) < 2 or headings[0].level != 1 or any(block.level == 1 for block in headings[1:]):
        return text
    title = headings[0].title
    before, _, after = text.partition(headings[0].text)
    if before.strip():
        return text
    if not heading_of(title):
        return f"{before}{title}\n{after}"
    top = min(block.level for block in headings[1:])
    if not any(heading_of(block.title) for block in headings[1:] if block.level == top):
        return text
    return f"{before}{'#' * top} {title}\n{after}"
