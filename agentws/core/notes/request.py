"""The request for a boot: the files as read, each with its role, and the budget; and what boot did not show (P10).

Omissions name every file for JSON and `--explain`, in the text only files without a section. Plain values.
"""

from __future__ import annotations

from agentws.core import Record, Result
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import inset
from agentws.core.notes import vocabulary

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


class Source(Record):
    """A file as read for a boot request, or an extract of the journal.

    `raw` is its body as in the file; `title` is the section's title (without `## `), `brief` the one for a tiny budget;
    `labels` are its own tags, which may hide the whole file from a shared audience; `author` is its writer, if its
    front matter names one; `read_with` is the command that shows more, if not `cat`; `is_old`: a handoff for which one
    line is enough.
    """

    path: str
    role: str
    raw: str
    title: str = ""
    brief: str = ""
    labels: Sequence[str] = ()
    author: str = ""
    read_with: str = ""
    is_old: bool = False
    _read: tuple[str, int] | None = None

    @property
    def text(self) -> str:
        """The text of the requested file without its secrets, which are looked for when it is first needed."""
        self._read = self._read or secrets.hide(self.raw)
        return self._read[0]

    @property
    def hidden(self) -> int:
        """The number of hidden secrets in the requested file."""
        self._read = self._read or secrets.hide(self.raw)
        return self._read[1]

    @hidden.setter
    def hidden(self, count: int) -> None:
        self._read = self.text, count

    def with_text(self, text: str) -> Source:
        """Return the same source with another text, whose secrets are hidden already."""
        return Source(**{**vars(self), "_read": (text, self.hidden)})

    @property
    def command(self) -> str:
        """The command that shows all of it."""
        return self.read_with or cat(self.path)


class Request(Record):
    """The request for a boot: sources, budget and settings.

    `sources` in the order of the text (days newest first); `now` is the line with time and place, `today` (ISO) the day
    that ages are counted from; `unread` are files that were not opened at all; `notices` are findings for the agent;
    `words` are those of headings, markers and rules; `recorded` is what the host records by itself, None without a
    host; `command` is what the agent types for `agentws`.
    """

    name: str
    now: str
    sources: Sequence[Source]
    budget: int
    counter: TokenCounter
    unread: Sequence[Omission] = ()
    notices: Sequence[str] = ()
    shared: bool = False
    private_tags: Sequence[str] = ()
    today: str = ""
    words: Vocabulary = vocabulary.USUAL
    recorded: str | None = None
    command: str = "agentws"

    @property
    def private_labels(self) -> tuple[str, ...]:
        """The labels that hide content from a shared audience."""
        return ("private", *(tag.lstrip("#").casefold() for tag in self.private_tags))

    def hides(self, source: Source) -> bool:
        """Return whether a source's own labels hide it from the request's audience."""
        return self.shared and any(label in self.private_labels for label in source.labels)


NOT_PINNED = "not pinned"
"""Why a file is not shown that a host reads, whatever the budget: the one reason that is not a lack of room."""
EMPTY = "no text of its own"
"""Why a file of headings, comments, placeholders, or of what `install` wrote has no mark."""
_MOST_NAMED = 10


class Omission(Record, Result):
    """An omission: content that boot did not show, or not in full.

    `tokens` is exact for a file that was read, None for one that was not opened; `why` and `read_with` are for people.
    The text has the size, or else `why`, and the command, unless a gap mark stands for the omission (`is_marked`).
    `cut` is False if the agent has the content anyway.
    """

    source: str
    tokens: int | None
    why: str
    read_with: str
    cut: bool = True
    is_marked: bool = False


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
