"""The request for a boot: the files as read, each with its role, and the budget; and what boot did not show (P10).

Omissions name every file for JSON and `--explain`, in the text only files without a section. Plain values.
"""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import inset
from agentws.core.notes import vocabulary
from agentws.core.tokens import counters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.notes.vocabulary import Vocabulary
    from agentws.core.ports import TokenCounter
    from agentws.core.tokens.counters import Measure


SMALLEST_BUDGET = 200
"""Tokens. Below this not even a name, the newest note and an account of the rest fit."""

LONGEST_TITLE_CHARS = 160
"""Of a section's heading; more is cut."""

IDENTITY, USER, INSTRUCTIONS, MEMORY = "identity", "user", "instructions", "memory"
PINNED, CONTEXT, HANDOFF, TASK, DAY = "pinned", "context", "handoff", "task", "day"
IN_FLIGHT, ACTIVITY, DIGEST, OPEN, NEXT, EARLIER = "in flight", "activity", "digest", "open", "next", "earlier"
STABLE = (IDENTITY, USER, INSTRUCTIONS, PINNED, CONTEXT, MEMORY)
CHANGING = (HANDOFF, IN_FLIGHT, TASK, OPEN, EARLIER, NEXT, ACTIVITY, DAY)
"""Roles in the order of the text; EARLIER lists handoffs that are not shown whole. A digest has no section: its open
items are listed with the others.
"""
FROM_END = (ACTIVITY, DAY)
"""Roles of which the end is kept."""


class Source:
    """A file as read for a boot request, or an extract of the journal.

    `text` is its body, with so many secrets `hidden`; `title` is the section's title (without `## `), `brief` the one
    for a tiny budget; `labels` are its own tags, which may hide the whole file from a shared audience; `author` is its
    writer, if its front matter names one; `read_with` is the command that shows more, if not `cat`; `is_old`: a handoff
    for which one line is enough.
    """

    __slots__ = (
        "_hidden", "_raw", "_text", "author", "brief", "is_old", "labels", "path", "read_with", "role", "title",
    )  # fmt: skip

    def __init__(
        self,
        path: str,
        role: str,
        text: str,
        *,
        title: str = "",
        brief: str = "",
        labels: Sequence[str] = (),
        author: str = "",
        read_with: str = "",
    ) -> None:
        self.path = path
        self.role = role
        self._raw = text
        self._text: str | None = None
        self._hidden = 0
        self.title = title
        self.brief = brief or path
        self.labels = tuple(labels)
        self.author = author
        self.is_old = False
        self.read_with = read_with

    @property
    def text(self) -> str:
        """The text of the requested file, read when first needed."""
        if self._text is None:
            self._text, self._hidden = secrets.hide(self._raw)
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text

    @property
    def hidden(self) -> int:
        """The number of hidden secrets in the requested file."""
        if self._text is None:
            self._text, self._hidden = secrets.hide(self._raw)
        return self._hidden

    @hidden.setter
    def hidden(self, count: int) -> None:
        self._hidden = count


class Request:
    """The request for a boot: sources, budget and settings.

    `sources` in the order of the text (days newest first); `now` is the line with time and place, `today` (ISO) the day
    that ages are counted from; `unread` are files that were not opened at all; `notices` are findings for the agent;
    `words` are those of headings, markers and rules; `recorded` is what the host records by itself, None without a
    host; `command` is what the agent types for `agentws`.
    """

    __slots__ = (
        "budget", "command", "counter", "name", "notices", "now", "private_tags", "recorded", "shared", "sources",
        "today", "unread", "words",
    )  # fmt: skip

    def __init__(
        self,
        *,
        name: str,
        now: str,
        sources: Sequence[Source],
        budget: int,
        counter: TokenCounter,
        unread: Sequence[Omission] = (),
        notices: Sequence[str] = (),
        shared: bool = False,
        private_tags: Sequence[str] = (),
        today: str = "",
        words: Vocabulary = vocabulary.USUAL,
        recorded: str | None = None,
        command: str = "agentws",
    ) -> None:
        self.name = name
        self.words = words
        self.recorded = recorded
        self.command = command
        self.now = now
        self.sources = tuple(sources)
        self.budget = budget
        self.counter = counter if isinstance(counter, counters.ByLines) else counters.Remembering(counter)
        self.unread = tuple(unread)
        self.notices = tuple(notices)
        self.shared = shared
        self.private_tags = ("private", *(tag.lstrip("#").casefold() for tag in private_tags))
        self.today = today


NOT_PINNED = "not pinned"
"""Why a file is not shown that a host reads, whatever the budget: the one reason that is not a lack of room."""
EMPTY = "no text of its own"
"""Why a file of headings, comments, placeholders, or of what `install` wrote has no mark."""
_MOST_NAMED = 10


class Omission(Result):
    """An omission: content that boot did not show, or not in full.

    `tokens` is exact for a file that was read, None for one that was not opened; `why` and `read_with` are for people.
    The text has the size, or else `why`, and the command, unless a gap mark stands for the omission (`is_marked`).
    `cut` is False if the agent has the content anyway.
    """

    __slots__ = ("cut", "is_marked", "read_with", "source", "tokens", "why")

    def __init__(
        self,
        source: str,
        tokens: int | None,
        why: str,
        read_with: str,
        *,
        cut: bool = True,
        is_marked: bool = False,
    ) -> None:
        self.cut = cut
        self.is_marked = is_marked
        self.source = source
        self.tokens = tokens
        self.why = why
        self.read_with = read_with


def cat(path: str) -> str:
    """Return the command that shows a file that boot's omissions name, safe to run for any file name."""
    return f"cat {quoted(f'./{path}' if path.startswith('-') else path)}"


def quoted(word: str) -> str:
    """Return a word quoted for a shell, in the command that shows an omission."""
    plain = word.translate(dict.fromkeys(map(ord, "_/.-")))
    return word if plain.isalnum() else "'" + word.replace("'", "'\\''") + "'"


def footer(omitted: Sequence[Omission], room: int, measure: Measure, *, shared: bool = False) -> str:
    """Return the account of omissions without a gap mark: a line each if they fit in `room` units, else their number.

    A `shared` audience is told elsewhere what is not for it.
    """
    if not any(omission.cut for omission in omitted):
        return elsewhere(omitted) + ("Nothing else was left out.\n" if shared else "Nothing was left out.\n")
    rows = [omission for omission in omitted if omission.cut and not omission.is_marked]
    by_host = elsewhere(omitted)
    if not rows:
        return by_host
    lines = "".join(f"[… {_size(row)}: {inset.of_line(row.read_with)}]\n" for row in rows)
    for text in (f"{lines}{by_host}", f"{_counted(rows)}{by_host}"):
        if measure(text) <= room:
            return text
    return _counted(rows)


def elsewhere(omitted: Sequence[Omission]) -> str:
    """Return a line for those omissions of boot that the agent has anyway, empty without any."""
    omitted = [omission for omission in omitted if not (omission.cut or omission.is_marked)]
    if not omitted:
        return ""
    names = ", ".join(inset.of_line(omission.source) for omission in omitted[:_MOST_NAMED])
    more = f" and {len(omitted) - _MOST_NAMED} more" if len(omitted) > _MOST_NAMED else ""
    why = omitted[0].why
    return f"{why[:1].upper()}{why[1:]}: {names}{more}.\n"


def _size(row: Omission) -> str:
    if row.tokens is None:
        return inset.of_line(row.why)
    return f"{row.tokens:,} tokens{f', {NOT_PINNED}' if row.why == NOT_PINNED else ''}"


def _counted(rows: Sequence[Omission]) -> str:
    return f"[… {len(rows)} more: agentws boot --explain]\n"
