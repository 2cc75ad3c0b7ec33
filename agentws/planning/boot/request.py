"""The request for a boot: the files as they were read, each with its role, and the budget. Plain values."""

from __future__ import annotations

from agentws.formats import digest
from agentws.formats.secrets import secrets
from agentws.planning.notes import vocabulary
from agentws.planning.tokens import counters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.planning.boot.omissions import Omission
    from agentws.planning.notes.vocabulary import Vocabulary
    from agentws.ports import TokenCounter

SMALLEST_BUDGET = 200
"""Tokens. Below this not even a name, the newest note and an account of the rest fit."""

LONGEST_TITLE_CHARS = 160
"""Of a section's heading; more is cut."""

IDENTITY, USER, INSTRUCTIONS, MEMORY = "identity", "user", "instructions", "memory"
PINNED, CONTEXT, HANDOFF, TASK, DAY = "pinned", "context", "handoff", "task", "day"
IN_FLIGHT, ACTIVITY, DIGEST = "in flight", "activity", "digest"


class Source:
    """A file as it was read for boot, or what was drawn from the journal.

    `text` is what was read of its body, with so many secrets `hidden`; `title` is the section's (without `## `),
    `brief` the one for a tiny budget; `labels` are its own tags, which may hide the whole file from a shared audience;
    `author` is who wrote it, where its front matter says so. `weights` say of each of its lines how much it matters,
    where that is known better than its words tell; `read_with` is the command that shows more, where `cat` does not.
    """

    __slots__ = (
        *("_hidden", "_raw", "_text", "author", "brief", "labels", "path", "read_with", "role", "title", "weights"),
    )

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
        weights: Sequence[float] = (),
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
        self.weights = tuple(weights)
        self.read_with = read_with

    @property
    def text(self) -> str:
        """The text; see the class."""
        if self._text is None:
            self._text, self._hidden = secrets.hide(self._raw)
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text

    @property
    def hidden(self) -> int:
        """The number of hidden entries; see the class."""
        if self._text is None:
            self._text, self._hidden = secrets.hide(self._raw)
        return self._hidden

    @hidden.setter
    def hidden(self, count: int) -> None:
        self._hidden = count

    def seal(self, salt: str) -> str:
        """A digest of what was read, of what is asked of its lines, and of `salt`."""
        told = f"{salt}\0{self.role}\0{self.brief}\0{self._raw}"
        return digest.quick(told.encode("utf-8", "surrogatepass"))

    def take(self, text: str | None, hidden: int) -> None:
        """Take it from an earlier look what was read is without secrets, None for the same, and how many there were."""
        self._text = self._raw if text is None else text
        self._hidden = hidden


class Request:
    """The request for a boot.

    `sources` in the order of the text (days newest first); `now` is the line that says when and where, `today` (ISO)
    the day that ages are counted from; `unread` are files that were not opened at all; `notices` are findings that the
    agent must know; entries with one of `tags` come first; `words` are those of headings and markers;
    `index` (planning/boot/index.py) knows what was read of these files before, None where nothing is remembered;
    `recorded` says what the host records by itself, None where there is no host; `command` is what the agent types for
    `agentws`.
    """

    __slots__ = (
        "_own", "budget", "command", "counter", "index", "name", "notices", "now", "private_tags", "recorded", "shared",
        "sources", "tags", "today", "unread", "words",
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
        tags: Sequence[str] = (),
        today: str = "",
        words: Vocabulary = vocabulary.USUAL,
        index: Any = None,
        recorded: str | None = None,
        command: str = "agentws",
    ) -> None:
        self.name = name
        self.words = words
        self.index = index
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
        self.tags = tuple(tags)
        self.today = today
        self._own: frozenset[str] | None = None

    def is_own(self, name: str) -> bool:
        """Return whether the agent's own files use `name`: it may be what the agent is called besides."""
        if self._own is None:
            texts = [source.text for source in self.sources if source.role in (IDENTITY, MEMORY)]
            self._own = frozenset(word for text in (self.name, *texts) for word in _words(text))
        return _words(name) <= self._own


def _words(text: str) -> set[str]:
    return set("".join(char if char.isalnum() else " " for char in text).split())
