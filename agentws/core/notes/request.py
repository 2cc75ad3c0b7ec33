"""The request for a boot: the files as read, each with its role, and the budget. Plain values."""

from __future__ import annotations

from agentws.core.formats.secrets import secrets
from agentws.core.notes import vocabulary
from agentws.core.tokens import counters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.notes.omissions import Omission
    from agentws.core.notes.vocabulary import Vocabulary
    from agentws.core.ports import TokenCounter

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
        is_old: bool = False,
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
        self.is_old = is_old
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
