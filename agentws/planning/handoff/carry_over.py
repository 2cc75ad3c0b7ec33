"""Open lines that an automatic handoff takes over from those before it, dated, each once. Pure.

Nobody has said that their work was taken over, so none of it may get lost: what does not fit is counted and named.
"""

from __future__ import annotations

from agentws.formats import origin
from agentws.formats.documents import handoff
from agentws.formats.markdown import markdown
from agentws.formats.text.lazy import Pattern
from agentws.formats.text.sanitize import one_line
from agentws.planning.handoff import derive, render
from agentws.planning.notes import join, reading
from agentws.planning.notes.entry import OVER
from agentws.planning.notes.join import Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from agentws.formats.documents.handoff import Sections
    from agentws.formats.journal.event import Event
    from agentws.planning.notes.entry import Entry

    Said = tuple[str, Statement]
    """What is said to be over, and when that was said, as an Item tells it."""

MOST_LINES, _MOST_CHARS = 20, 160
_MOST_PLACES = 4
_DATED_BEFORE = (handoff.CARRIED, handoff.PERHAPS)
"""The headings below which a line begins with its date, and the last may count more."""
_OPEN = (handoff.NEXT, handoff.DOING, handoff.PENDING, handoff.IN_FLIGHT, handoff.AT_RISK, *_DATED_BEFORE)
"""The headings under which something is open, in the order in which their lines are taken over."""
_BESIDES = {handoff.DECISIONS: 8, handoff.FAILED: 2, handoff.FILES: 12, handoff.NAMED: 12}
"""What is taken over besides under its own heading, the newest of it, where there is room."""
_PATHS = (handoff.FILES, handoff.NAMED)
_DATED = Pattern(r"^\((\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)\) (.*)$")
_MORE = Pattern(r"^(\d{1,6}) more in ((?:handoffs/|session ).+)$")
_CLOCK = r"(?:[\d-]+ )?\d\d:\d\d"
_WORDS = rf"{derive.PLAN}|{derive.ASKED}|{derive.SAID}|{derive.LAST}"
_DID = Pattern(rf"^({_WORDS})(?: \({_CLOCK}\)|, {_CLOCK}): (.*)$")
_MARK = Pattern(rf"^(?:{_WORDS}): ")
_ERROR = Pattern(rf"^(?:Last error, )?{_CLOCK}: ")
_COUNT = Pattern(r"^\d+ more$")
_COUNTED = Pattern(rf"^\d+ (?:more|older, (?:possibly done|perhaps over)): {derive.TODO}(?: --stale)?$")
_LEFT_OUT = Pattern(r"^\d+ (?:passages? )?from outside, (?:not shown|left out here): ")
_AT = Pattern(r" \(\d\d:\d\d\)$")
_ACTION = Pattern(rf"^{_CLOCK} .+ · call \S+$")
_BRANCH = Pattern(r"^The workspace's branch \S+ is at [0-9a-f]{7}, ")
_TASK = "Task "


class Item:
    """An open line and its time: `2026-11-20 07:15`, or the day alone."""

    __slots__ = ("text", "when")

    def __init__(self, when: str, text: str) -> None:
        self.when = when
        self.text = text

    def __str__(self) -> str:
        return origin.shortened(f"({self.when}) {self.text}", _MOST_CHARS)

    @property
    def bare(self) -> str:
        """The words of the item, without its kind."""
        return _MARK.sub("", self.text, 1)


class CarriedOver:
    """The open `items` of a handoff, and how many `more` it says there are at `elsewhere`.

    `besides` is what it says that the next one may need, by heading; `place` is where all of it can be read; `hidden`
    counts the secrets that are hidden in it.
    """

    __slots__ = ("besides", "elsewhere", "hidden", "items", "more", "place")

    def __init__(self, place: str) -> None:
        self.place = place
        self.items: list[Item] = []
        self.besides: dict[str, list[Item]] = {}
        self.more = 0
        self.elsewhere = ""
        self.hidden = 0


def left(
    found: Sections,
    *,
    place: str,
    when: str,
    is_answered: bool,
    broke_off: bool = False,
    told: Collection[str] = (),
    is_own: bool = False,
) -> CarriedOver:
    """Return what these derived sections leave open. `is_answered`: the user's last request is done, as far as is
    known; what the agent said last is left where the session `broke_off`; `told` are the tasks and the notes that each
    handoff tells anew, as its lines name them; with `is_own` they are of the session itself.
    """
    made = CarriedOver(place)
    found, made.hidden = render.without_secrets(render.without_taken(found, told))
    doing = [derive.PLAN, *([] if is_answered else [derive.ASKED]), *([derive.SAID] if broke_off else [])]
    for heading in _OPEN:
        for text in _texts(found.get(heading, "")):
            _take(made, heading, text, when, doing=doing, told=told)
    if not made.items and not made.more:
        made.items += [Item(when, text) for text in _own_words(found, told)][:1]
    for heading in _BESIDES:
        texts = (text for text in _texts(found.get(heading, "")) if not _COUNT.match(text))
        # Of its own it has told already what is since then; what it had from others goes on.
        texts = (text for text in texts if not is_own or _DATED.match(text))
        made.besides[heading] = [_besides(heading, text, when) for text in texts]
    return made


def own(found: Sections, now: Sections, *, told: Collection[str]) -> tuple[Sections, int]:
    """Return the content of a session's own note, under its own headings. Without what the new one
    says `now`, and what each handoff tells anew; and how many secrets were hidden in it.
    """
    clean, count = render.without_secrets(render.without_taken(found, told))
    kept: Sections = {}
    for heading, section in clean.items():
        if heading == handoff.LOG:
            continue
        known = set(_texts(now.get(heading, "")))
        items = [(item, one_line(_joined(item))) for item in render.items_of(section)]
        chosen = [item for item, text in items if text not in known and not _is_told_anew(heading, text, told)]
        if chosen:
            kept[heading] = "".join(chosen)
    return kept, count


class Carried:
    """The content taken over from several handoffs, the newest first: without what `told` says, and what is done."""

    __slots__ = ("_several", "_taken", "_told")

    def __init__(self, several: Sequence[CarriedOver], told: Sections, said: Sequence[Said]) -> None:
        self._several = several
        self._told = told
        found = [(item.when, number, item) for number, left in enumerate(several) for item in left.items]
        found.sort(key=lambda each: each[0], reverse=True)
        done = _done([one for _, _, one in found], said)
        still = [(number, one) for at, (_, number, one) in enumerate(found) if at not in done]
        self._taken = _told_once(still, [_bare(text) for text in _open_in(told)])

    def lines(self, most: int = MOST_LINES) -> list[str]:
        """At most so many of them, and where there are more, a line that says how many, and where."""
        kept, dropped = self._taken[:most], [number for number, _ in self._taken[most:]]
        more = len(dropped)
        places: dict[str, None] = {}
        for number, one in enumerate(self._several):
            more += one.more
            if number in dropped:
                places[one.place] = None
            elif one.more:
                places[one.elsewhere] = None
        return [str(one) for _, one in kept] + ([_more(more, list(places))] if more else [])

    def besides(self, most: int = MOST_LINES) -> dict[str, list[str]]:
        """Return what is taken over under headings of its own, the newest first, so many lines of each at most."""
        return {heading: self._newest(heading)[: min(most, limit)] for heading, limit in _BESIDES.items()}

    def _newest(self, heading: str) -> list[str]:
        found = [(number, one) for number, left in enumerate(self._several) for one in left.besides.get(heading, ())]
        found.sort(key=lambda each: each[1].when, reverse=True)
        kept = _told_once(found, [_besides(heading, text, "").text for text in _texts(self._told.get(heading, ""))])
        return [one.text if heading in _PATHS else str(one) for _, one in kept]


def since(entries: Iterable[Entry], events: Iterable[tuple[str, Event]]) -> list[Said]:
    """Return what log `entries` and events call done, each with its moment as an Item has it.

    Nothing from outside: nobody there closes what is open.
    """
    # Of a line without a time nobody knows when it was written: on its day at the latest.
    found = [(f"{entry.day} {entry.time or '24:00'}", Statement(entry)) for entry in entries if entry.state in OVER]
    for when, event in events:
        text = (event.body or {}).get("text")
        if isinstance(text, str) and not derive.is_asked(event) and not origin.is_outside(event.src):
            found += [(when, Statement(one)) for one in reading.read(text, path="") if one.state in OVER]
    return found


def _take(
    made: CarriedOver, heading: str, text: str, when: str, *, doing: Sequence[str], told: Collection[str]
) -> None:
    """Take over a line; of what was being done only what begins with one of the words `doing`."""
    more, dated, did = _MORE.match(text), _DATED.match(text), _DID.match(text)
    if heading in _DATED_BEFORE and more:
        made.more += int(more.group(1))
        made.elsewhere = more.group(2)
    elif dated and heading in (*_DATED_BEFORE, handoff.PENDING):
        made.items.append(Item(dated[1], dated[2]))
    elif heading == handoff.DOING:
        made.items += [Item(when, f"{did[1]}: {did[2]}")] if did and did[1] in doing else []
    elif not _is_told_anew(heading, text, told):
        made.items.append(Item(when, _AT.sub("", text, 1) if heading == handoff.AT_RISK else text))


def _is_told_anew(heading: str, text: str, told: Collection[str]) -> bool:
    """Return True for a task that exists, what a note says exists, an action of the journal that was in flight, and
    the state of the repository: each handoff tells these as they are then, or boot does.
    """
    return (
        (heading == handoff.PENDING and _COUNTED.match(text) is not None)
        or any(text == name or text.startswith(f"{name} · ") for name in told)
        or (heading == handoff.IN_FLIGHT and _ACTION.match(text) is not None)
        or (heading == handoff.AT_RISK and _BRANCH.match(text) is not None)
    )


def _besides(heading: str, text: str, when: str) -> Item:
    """A decision, an error or a file as it is carried over: with its date, which it keeps."""
    dated = _DATED.match(text)
    if dated:
        return Item(dated.group(1), dated.group(2))
    pattern = _ERROR if heading == handoff.FAILED else _AT
    return Item(when, text if heading in _PATHS else pattern.sub("", text, 1))


def _own_words(found: Sections, told: Collection[str]) -> Iterator[str]:
    """What it says that names nothing that is open, and was not done, asked or planned."""
    for heading in (handoff.DOING, *(one for one in found if one not in handoff.HEADINGS)):
        for text in _texts(found.get(heading, "")):
            if not (_DID.match(text) or _LEFT_OUT.match(text)) and not _is_told_anew(heading, text, told):
                yield text


def _texts(section: str) -> list[str]:
    """The items of a section, each on one line, without its marks; headings are none."""
    items = (item for item in render.items_of(section) if not item.lstrip().startswith("#"))
    return [text for item in items if (text := one_line(_joined(item)))]


def _joined(item: str) -> str:
    first, *others = [line for line in item.split("\n") if line.strip()] or [""]
    told = _unmarked(first)
    for line in others:
        is_child = markdown.marker(line) and not told.endswith(":")
        told += ("; " if is_child else " ") + _unmarked(line)
    return told


def _unmarked(line: str) -> str:
    return line[markdown.marker(line) :].strip().removeprefix("[ ] ")


def _done(items: Sequence[Item], said: Sequence[Said]) -> set[int]:
    """The places of those items that something that was said later closes."""
    still = [(item.when, _statement(item.bare)) for item in items]
    return {
        at
        for at, (since, open_) in enumerate(still)
        if any(when >= since and join.closes(over, open_) for when, over in said)
    }


def _statement(text: str) -> Statement:
    return Statement(reading.read(f"- [ ] {one_line(text)}\n", path="")[0])


def _open_in(told: Sections) -> list[str]:
    """What a handoff says is open: what it says besides may tell of the same thing, and leave it open."""
    open_ = (derive.ASKED, derive.PLAN, _TASK)
    texts = [(heading, text) for heading in _OPEN for text in _texts(told.get(heading, ""))]
    return [text for heading, text in texts if heading != handoff.DOING or text.startswith(open_)]


def _bare(text: str) -> str:
    """What an item of a handoff says, without when that was and what it is."""
    dated = _DATED.match(text)
    text = dated.group(2) if dated else text
    place = render.place_of(text)
    text = text.removesuffix(f" · {place}") if place.endswith(".md") else text
    did = _DID.match(text)
    return did[2] if did else _MARK.sub("", text, 1)


def _told_once(items: Sequence[tuple[int, Item]], told: Sequence[str]) -> list[tuple[int, Item]]:
    """Those that nothing in `told` says, nor one before them."""
    known = [_statement(text) for text in told]
    exact = {text.casefold() for text in told}
    kept = []
    for number, one in items:
        said = _statement(one.bare)
        if one.bare.casefold() not in exact and not any(join.is_same(said, other) for other in known):
            known.append(said)
            exact.add(one.bare.casefold())
            kept.append((number, one))
    return kept


def _more(count: int, places: Sequence[str]) -> str:
    others = len(places) - _MOST_PLACES
    return f"{count} more in {', '.join(places[:_MOST_PLACES])}" + (f" and {others} others" if others > 0 else "")
