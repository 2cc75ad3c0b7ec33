"""A file on its way into the start-up context: what may be shown of it, to whom, and what was chosen."""

from __future__ import annotations

from agentws.formats import origin
from agentws.formats.markdown import inset, markdown, notes
from agentws.formats.text.sanitize import one_line
from agentws.planning.boot import frame_mark, rows
from agentws.planning.boot.index import Index, Page
from agentws.planning.boot.request import (  # fmt: skip
    ACTIVITY,
    CONTEXT,
    DAY,
    DIGEST,
    HANDOFF,
    IDENTITY,
    IN_FLIGHT,
    INSTRUCTIONS,
    LONGEST_TITLE_CHARS,
    MEMORY,
    PINNED,
    TASK,
    USER,
)
from agentws.planning.boot.selection import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from collections.abc import Set as AbstractSet

    from agentws.planning.boot.rows import Row
    from agentws.planning.tokens.counters import Measure

    Order = Callable[["Part"], Sequence[int]]
    """Which rows come first."""
    from agentws.planning.boot.request import Request, Source
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary

_SAYS = {
    IDENTITY: "who I am",
    USER: "whom I serve",
    INSTRUCTIONS: "how I work here",
    MEMORY: "long-term memory",
    PINNED: "pinned",
    CONTEXT: "context",
}
_LONGEST_TITLE_CHARS = 60
_TELLING_TITLE_CHARS = 12
LONGEST_ROW_CHARS = 160
"""A row of an earlier day of more characters is its first sentences, where not all of that fits."""
_LONGEST_RULE_CHARS = 600
"""Of what seldom changes a line of more is no rule, and is its first sentences too."""
STABLE = (IDENTITY, USER, INSTRUCTIONS, MEMORY, PINNED, CONTEXT)
_CHANGING = (HANDOFF, TASK, DAY, IN_FLIGHT, ACTIVITY, DIGEST)


class Part:
    """A source on its way into the text: its `rows`, its `title`, what is `chosen` of it, and `more` at the end.

    Rows of more than `most` characters are shortened where not all of it fits; 0 for none. Rows that another part has
    `told` are not shown again.
    """

    __slots__ = (
        *("_all", "_by_line", "_entries", "_heading", "_index", "_marks", "_page", "_places", "_request", "_whole"),
        *("_ranked", "_strange", "_title", "chosen", "more", "most", "source", "told"),
    )

    def __init__(
        self, source: Source, request: Request, *, brief: bool, small: bool = False, usual: Collection[str] = ()
    ) -> None:
        self.source = source
        self.most = 0 if source.role in _CHANGING else _LONGEST_RULE_CHARS
        self.chosen: Selection | None = None
        self.more: Selection | None = None
        self.told: AbstractSet[int] = frozenset()
        self._title: str | None = None
        self._request = request
        self._index: Index = request.index or Index()
        self._heading = (brief, small, usual)
        self._page: Page | None = None
        self._whole = False
        self._all: int | None = None
        self._marks = (frame_mark.BLANK, frame_mark.BLANK)
        self._strange: set[int] | None = None
        self._entries: list[Entry] | None = None
        self._by_line: dict[int, Entry] = {}
        self._places: dict[int, int] = {}
        self._ranked: list[int] | None = None

    @property
    def page(self) -> Page:
        """The file as it may be shown, read when it is asked for: few of the logs are."""
        if self._page is None:
            self._page = self._index.page(self.source, self._request)
            self._places = {self._page.line(at): at for at in self._page.telling}
        return self._page

    @property
    def words(self) -> Vocabulary:
        """The words of headings and markers."""
        return self._request.words

    @property
    def is_read(self) -> bool:
        """Return whether anybody asked for it."""
        return self._page is not None

    @property
    def rows(self) -> list[Row]:
        """The rows of the file."""
        return (self._page or self.page).rows

    @property
    def title(self) -> str:
        """The heading of its section."""
        if self._title is None:
            brief, small, usual = self._heading
            self._title = _title(self.source, self.page.own_title, self._request, brief=brief, small=small, usual=usual)
        return self._title

    @property
    def entries(self) -> list[Entry]:
        """The entries of the file, without what is hidden."""
        if self._entries is None:
            found = self._index.entries(self.source, self._request)
            if self._request.shared:
                page = self.page
                shown = {page.line(at) for at in page.telling}
                found = [entry for entry in found if entry.line in shown]
            for entry in found:
                self._by_line.update(dict.fromkeys(range(entry.line, entry.end_line + 1), entry))
            self._entries = found
        return self._entries

    def entry(self, at: int) -> Entry | None:
        """Return the entry of the row."""
        return self._by_line.get(self.page.line(at)) if self._entries or self.entries else None

    def ranked(self, make: Callable[[Part], list[int]]) -> list[int]:
        """Return its rows in the order that `make` gives them, which depends on the file alone."""
        if self._ranked is None:
            self._ranked = self._index.ranked(self.source, lambda: make(self))
        return self._ranked

    def row_of(self, entry: Entry) -> int | None:
        """The row that begins with an entry, None where none does."""
        return self._places.get(entry.line) if self.page else None

    def private_label(self, entry: Entry) -> str:
        """The tag that says that an entry is not for a shared audience, empty without one."""
        private = self._request.private_tags
        return next((f"#{tag}" for tag in entry.tags if notes.has_label(f"#{tag}", private)), "")

    @property
    def says(self) -> set[str]:
        """Return the content of the rows that are shown in full at their own place (rows.said)."""
        taken = self.chosen.taken if self.chosen else {}
        return {rows.said(self.rows, at) for at, text in taken.items() if text == self.rows[at].text}

    def leave_out(self, seen: Collection[str]) -> None:
        """Show nothing again that was `seen` in another part (rows.said)."""
        self.told = {at for at in self.page.telling if (said := rows.said(self.rows, at)) and said in seen}
        self._all = None

    def tell(self, rows: Collection[int]) -> None:
        """Show nothing again, further on, of these rows: another section has told them."""
        self.told = {*self.told, *rows}

    # What it costs and what is taken

    def frame(self, measure: Measure) -> int:
        """Units of its title and of the empty line behind it."""
        return measure(self.title) + measure("\n")

    def need(self, measure: Measure) -> int:
        """Units that the whole of it costs, with its title and the empty line behind."""
        if not self.page.telling:
            return 0
        if self._all is None:
            if self.can_be_whole:
                self._all = measure(self.page.text)
            else:
                self._all = self._every(measure).units - self.frame(measure)
        return self.frame(measure) + self._all

    @property
    def can_be_whole(self) -> bool:
        """Return whether the file may be shown as it is."""
        is_own = self.source.role in _CHANGING or not self._outside
        return is_own and not self.page.hidden and not self.told

    @property
    def inside(self) -> list[int]:
        """The rows that may stand at its own place: what seldom changes is taken for the agent's own word."""
        if self.source.role in _CHANGING:
            return self.page.telling
        return [index for index in self.page.telling if index not in self.told and index not in self._outside]

    @property
    def _outside(self) -> set[int]:
        """The rows that are from outside, or what has to stand above them is: that comes before them."""
        if self._strange is None:
            self._strange = set()
            for at, row in enumerate(self.rows):
                if row.is_outside or row.above in self._strange:
                    self._strange.add(at)
        return self._strange

    def take_whole(self, measure: Measure) -> int:
        """Show the file as it is; returns the units used."""
        self._whole = self.can_be_whole
        self.chosen = self._every(measure)
        if self._whole:
            self.chosen.units = self.need(measure)
        return self.chosen.units

    def _every(self, measure: Measure) -> Selection:
        """All that may stand at its own place, unshortened."""
        every = Selection(self.rows, measure, frame=self.frame(measure))
        every.fill(self.inside, 1 << 60)
        return every

    def selection(self, measure: Measure) -> Selection:
        """The selection, to add to."""
        if self.chosen is None:
            self.chosen = self.trial(measure)
        return self.chosen

    def choose(self, order: Order, grant: int, measure: Measure, *, at_least: bool = False) -> int:
        """Take what `grant` units allow, all of it or what comes first in `order`; returns the units used."""
        if not self.page.telling:
            return 0
        if self.chosen is None and self.need(measure) <= grant:
            return self.take_whole(measure)
        ranked = order(self)
        made = self.selection(measure)
        used = made.fill(ranked, grant, stops=self.source.role == IN_FLIGHT)
        return used or (made.fill_cut(ranked, grant) if at_least else 0)

    def choose_more(self, order: Order, grant: int, measure: Measure) -> int:
        """Take of what is not shown, for a second helping at the end; returns the units used."""
        shown = self._shown
        return self._second(measure).fill((at for at in order(self) if at not in shown), grant)

    def _second(self, measure: Measure) -> Selection:
        """What is chosen for the end, to add to."""
        if self.more is None:
            frame = measure(self.title_of_more) + measure("\n")
            self.more = Selection(self.rows, measure, frame=frame, together=self._together)
        return self.more

    def trial(self, measure: Measure) -> Selection:
        """A selection that is not shown."""
        return Selection(self.rows, measure, frame=self.frame(measure), most=self.most, together=self._together)

    @property
    def _together(self) -> dict[int, list[int]]:
        """Of what seldom changes, the lines that say one thing: half of a rule may be the wrong half."""
        return {} if self.source.role in _CHANGING else rows.together(self.rows, self.inside)

    # What is shown

    def sign(self, word: str, *, avoid: str = "") -> None:
        """End the heading of its section in the mark `word`, and break the word `avoid` in it."""
        self._marks = (word, self._marks[1])
        if not self.is_read:
            return
        self._title = frame_mark.escaped(self.title, avoid)
        if self._whole:
            self.page.text = frame_mark.escaped(self.page.text, avoid)
        if self.chosen:
            self.chosen.taken = {at: frame_mark.escaped(text, avoid) for at, text in self.chosen.taken.items()}

    def sign_more(self, word: str, *, avoid: str = "") -> None:
        """The same for its second helping."""
        self._marks = (self._marks[0], word)
        if self.more:
            self.more.taken = {at: frame_mark.escaped(text, avoid) for at, text in self.more.taken.items()}

    @property
    def text_shown(self) -> str:
        """The text of its section, empty where nothing of it is shown there."""
        if not self.chosen or not self.chosen.taken:
            return ""
        text = self.page.text if self._whole else self.chosen.text()
        return f"{frame_mark.signed(self.title, self._marks[0])}{text}\n"

    @property
    def text_shown_more(self) -> str:
        """The text of its second helping."""
        if not self.more or not self.more.taken:
            return ""
        return f"{frame_mark.signed(self.title_of_more, self._marks[1])}{self.more.text()}\n"

    @property
    def kept(self) -> str:
        """The text that is shown, without headings, so that omissions can be counted exactly."""
        if self._whole:
            return self.page.text
        return "".join(text for at, text in sorted(self._shown.items()) if self.rows[at].kind != markdown.HEADING)

    @property
    def _shown(self) -> dict[int, str]:
        """What is shown of each row, here or where another part has told it."""
        shown = {at: self.rows[at].text for at in self.told}
        for piece in (self.chosen, self.more):
            shown.update(piece.taken if piece else {})
        return shown

    @property
    def shown(self) -> int:
        """The number of entries that are shown."""
        return len({self.rows[at].unit for at in self._shown})

    @property
    def is_whole(self) -> bool:
        """Return whether nothing of the file is missing or shortened."""
        if not self.is_read:
            return False
        shown = self._shown
        return bool(shown) and (
            self._whole
            or (not self.page.hidden and all(shown.get(at) == self.rows[at].text for at in self.page.telling))
        )

    @property
    def title_of_more(self) -> str:
        """The title of its second helping."""
        return frame_mark.heading(f"{inset.of_line(self.source.path)}, continued") if self.chosen else self.title


def _title(
    source: Source, own_title: str, request: Request, *, brief: bool, small: bool, usual: Collection[str]
) -> str:
    """The title of a source's section. A log's own title says more than its date only now and then."""
    if brief:
        return _headed(one_line(source.brief), 40)
    parts = [source.title or source.path, _SAYS.get(source.role, "") if not (source.title or small) else ""]
    if source.role == DAY:
        other = source.author if source.author and source.author.casefold() != request.name.casefold() else ""
        parts += [_telling(own_title, usual), f"written by {one_line(other)}, not by you" if other else ""]
    return _headed(one_line(" · ".join(part for part in parts if part)), LONGEST_TITLE_CHARS)


def _headed(words: str, most: int) -> str:
    """The heading of so many characters, cut between two words; it keeps the origin of what it says."""
    if len(words) <= most:
        return frame_mark.heading(inset.inline(words))
    ending = origin.ending(origin.within(words))
    shown = words[:most]
    shown = f"{(shown.rpartition(' ')[0] or shown).rstrip(' ·')}…"
    return frame_mark.heading(inset.inline(shown if ending in shown else f"{shown}{ending}"))


def usual_words(sources: Sequence[Source]) -> set[str]:
    """The words that stand in the own titles of several logs."""
    seen: set[str] = set()
    usual: set[str] = set()
    for source in sources:
        first = source.text.lstrip().partition("\n")[0]
        if source.role == DAY and markdown.heading_level(first) == 1:
            words = set(_words(first))
            usual |= words & seen
            seen |= words
    return usual


def _telling(title: str, usual: Collection[str]) -> str:
    """What a log's own title says besides its date, empty where other logs say it too."""
    if all(word in usual for word in _words(title)):
        return ""
    plain = " ".join(part for part in title.split() if not any(map(str.isdigit, part)))
    if plain.count("(") != plain.count(")"):
        plain = plain.replace("(", "").replace(")", "")
    plain = plain.strip(" -–—:·#,()")[:_LONGEST_TITLE_CHARS]
    return plain if " " in plain or len(plain) >= _TELLING_TITLE_CHARS else ""  # one short word is a weekday, mostly


def _words(title: str) -> list[str]:
    words = "".join(char if char.isalnum() else " " for char in title.casefold()).split()
    return [word for word in words if not any(map(str.isdigit, word))]
