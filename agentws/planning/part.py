"""A file on its way into the start-up context: what may be shown of it, to whom, and what was chosen."""

from __future__ import annotations

from agentws.formats import inset, markdown, notes, origin, quotation
from agentws.formats.inert import inert, one_line
from agentws.planning import authors, days, excerpt, foreign, mark
from agentws.planning.lines import Shelf
from agentws.planning.request import (
    ACTIVITY,
    CONTEXT,
    DAY,
    HANDOFF,
    IDENTITY,
    IN_FLIGHT,
    INSTRUCTIONS,
    MEMORY,
    PINNED,
    TASK,
    USER,
)  # fmt: skip
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.excerpt import Entry, Excerpt, Measure
    from agentws.planning.request import Request, Source

_SAYS = {
    IDENTITY: "who I am",
    USER: "whom I serve",
    INSTRUCTIONS: "how I work here",
    MEMORY: "long-term memory",
    PINNED: "pinned",
    CONTEXT: "context",
}
_LONGEST_TITLE_CHARS = 60
_SAYS_LITTLE = frozenset(
    (
        *(
            "daily",
            "memory",
            "log",
            "note",
            "not",
            "journal",
            "session",
            "day",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
        ),
        *("friday", "saturday", "sunday", "january", "february", "march", "april", "june", "july", "august"),
        *("september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep"),
        *("oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "work", "diary"),
    )
)
_BY_SALIENCE = (MEMORY, CONTEXT)
_CHANGING = (HANDOFF, TASK, DAY, IN_FLIGHT, ACTIVITY)
_HIDDEN_FROM_SHARED = (USER, MEMORY)


class Part:
    """A source on its way into the text: its `entries`, its `title`, what is `chosen` of it, and `more` at the end."""

    __slots__ = ("_marks", "chosen", "entries", "more", "outside", "private_entries", "source", "text", "title")

    def __init__(self, source: Source, request: Request, *, brief: bool) -> None:
        self.source = source
        plain = inert(source.text)
        title, text = markdown.nested(plain)
        text = inset.text(text)
        self.text = text.strip("\n") + "\n" if text.strip("\n") else ""  # as it will be shown: it is counted once
        self.title = _title(source, title, request, brief=brief)
        found = notes.read(self.text)
        if not found and title:  # all that the file says is its title
            self.text = inset.text(f"{title}\n")
            found = notes.read(self.text)
        labels = request.private_tags
        hidden = {id(note) for note in found if request.shared and _is_private(note, labels)}
        is_private = any(label in labels for label in source.labels) or notes.has_label(title, labels)
        if request.shared and (is_private or source.role in _HIDDEN_FROM_SHARED):
            hidden = {id(note) for note in found}
        self.private_entries = len(hidden)
        visible = [note for note in found if id(note) not in hidden]
        self.text, theirs = quotation.of(self.text, day=source.brief if source.role == DAY else "")
        self.entries = excerpt.entries(visible, by_position=source.role == DAY, tags=request.tags)
        if theirs:
            excerpt.quote(self.entries, visible, self.text)
        if len(source.weights) == len(self.entries):
            for entry, weight in zip(self.entries, source.weights, strict=True):
                entry.priority = weight
        if source.role == DAY:
            above = plain.count("\n") - text.lstrip("\n").count("\n")
            foreign.mark(self.entries, [above + note.unit.line - 1 for note in visible], plain)
        # What seldom changes is taken for the agent's own word: what comes from outside stands behind it.
        self.outside: list[Entry] = []
        if theirs and source.role not in _CHANGING:
            self.outside = [entry for entry in self.entries if quotation.is_in(entry.full)]
            self.entries = [entry for entry in self.entries if not quotation.is_in(entry.full)]
        self.chosen: Excerpt | None = None
        self.more: Excerpt | None = None
        self._marks = (mark.BLANK, mark.BLANK)

    def need(self, measure: Measure) -> int:
        """Units that the whole of it costs, with its title and the empty line behind."""
        return measure(self.title) + measure("\n") + self._all(measure).units if self.entries else 0

    def choose(self, grant: int, measure: Measure, *, line: int, at_least: bool = False) -> int:
        """Take what `grant` units allow; returns the units used. `line` is what a usual line costs."""
        frame = measure(self.title) + measure("\n")
        if not self.entries or grant <= frame:
            return 0
        everything = self._all(measure)
        fits = frame + everything.units <= grant
        if fits:
            made = everything
        elif self.source.role == IN_FLIGHT:
            made = self._first(grant - frame, measure, at_least=at_least)
        elif self.source.role in _BY_SALIENCE:
            made = days.choose(days.Pool([self._shelf(self.entries, frame)]), grant, measure, line=line).excerpts[0]
        else:
            made = excerpt.best(self.entries, grant - frame, measure, at_least=at_least)
        return self.take(made, frame) if made.shown else 0

    def _first(self, grant: int, measure: Measure, *, at_least: bool) -> Excerpt:
        """As many of its entries as fit, from the first on; `at_least` the first one, cut to what fits."""
        chosen: dict[int, str] = {}
        for index, entry in enumerate(self.entries):
            grant -= measure(entry.full)
            if grant < 0:
                break
            chosen[index] = entry.full
        if chosen or not at_least:
            return excerpt.of(self.entries, chosen, measure)
        return excerpt.best(self.entries[:1], grant + measure(self.entries[0].full), measure, at_least=True)

    def shelf(self, frame: int) -> Shelf:
        """Its lines, to choose from; `frame` is what title and empty line cost."""
        return self._shelf(self.rest, frame)

    def _shelf(self, entries: Sequence[Entry], frame: int) -> Shelf:
        day = self.source.brief if self.source.role == DAY else ""
        return Shelf(entries, frame=frame, day=day, name=self.source.path)

    @property
    def rest(self) -> Sequence[Entry]:
        """The entries that are not shown yet."""
        return [*(self.chosen.unshown if self.chosen else self.entries), *self.outside]

    def take(self, made: Excerpt, frame: int) -> int:
        """Show `made`; returns the units used, with the `frame` of title and empty line."""
        self.chosen = made
        return frame + made.units

    def _all(self, measure: Measure) -> Excerpt:
        if self.private_entries or self.outside:
            return excerpt.everything(self.entries, measure)
        return excerpt.whole(self.text, self.entries, measure)

    def choose_more(self, grant: int, measure: Measure) -> int:
        """Take of what `choose` left out, for a second helping at the end; returns the units used."""
        rest = self.rest
        frame = measure(self.title_of_more) + measure("\n")
        if not rest or grant <= frame:
            return 0
        more = excerpt.best(rest, grant - frame, measure)
        if not more.shown:
            return 0
        return self.take_more(more, frame)

    def take_more(self, made: Excerpt, frame: int) -> int:
        """Show `made` at the end; returns the units used."""
        self.more = made
        return frame + made.units

    def sign(self, word: str, *, avoid: str = "") -> None:
        """Let the heading of its section end in the mark `word`, and break the word `avoid` in it."""
        self._marks = (word, self._marks[1])
        self.title = mark.escaped(self.title, avoid)
        if self.chosen:
            self.chosen.text = mark.escaped(self.chosen.text, avoid)

    def sign_more(self, word: str, *, avoid: str = "") -> None:
        """The same for its second helping."""
        self._marks = (self._marks[0], word)
        if self.more:
            self.more.text = mark.escaped(self.more.text, avoid)

    @property
    def text_shown(self) -> str:
        """Its section, empty where nothing of it is shown there."""
        if not self.chosen or not self.chosen.text:
            return ""
        return f"{mark.signed(self.title, self._marks[0])}{self.chosen.text}\n"

    @property
    def text_shown_more(self) -> str:
        """Its second helping."""
        if not self.more or not self.more.text:
            return ""
        return f"{mark.signed(self.title_of_more, self._marks[1])}{self.more.text}\n"

    @property
    def is_whole(self) -> bool:
        """True where nothing of the file is missing or shortened."""
        is_all = self.chosen is not None and not self.chosen.partly and not self.private_entries
        return is_all and (not self.outside or (self.more is not None and not self.more.partly))

    @property
    def title_of_more(self) -> str:
        """The title of its second helping."""
        return mark.heading(f"{inset.of_line(self.source.path)}, continued") if self.chosen else self.title


def _title(source: Source, own_title: str, request: Request, *, brief: bool) -> str:
    """The title of a source's section. A log's own title says more than its date only now and then."""
    if brief:
        return _headed(one_line(source.brief), 40)
    parts = [source.title or source.path, _SAYS.get(source.role, "") if not source.title else ""]
    if source.role == DAY:
        other = authors.other(own_title, source.author, own=request.name)
        if other and not source.author and request.is_own(other):
            other = ""
        parts += [_telling(own_title, source.brief), f"written by {one_line(other)}, not by you" if other else ""]
    return _headed(one_line(" · ".join(part for part in parts if part)), 160)


def _headed(words: str, most: int) -> str:
    """The heading of so many characters; one that is cut keeps the origin of what it says."""
    ending = origin.ending(origin.within(words)) if len(words) > most else ""
    shown = words[:most].rstrip()
    return mark.heading(inset.inline(shown if ending in shown else f"{shown}{ending}"))


def _telling(title: str, day: str) -> str:
    """What a log's own title says besides its date and that it is a log; empty where that is nothing."""
    telling = [word for word in words(title) if not word.isdigit() and word not in _SAYS_LITTLE]
    if not telling:
        return ""
    plain = " ".join(part for part in title.split() if part[:10] != day)
    return plain.strip(" -–—:·#")[:_LONGEST_TITLE_CHARS]


def _is_private(note: notes.Note, labels: Sequence[str]) -> bool:
    return notes.has_label("\n".join((*note.unit.path, note.unit.head, note.unit.text)), labels)
