"""Tasks, `tasks/<slug>.md`: active work, its state in the front matter. Specified in docs/format/task.md."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.documents import document as _document, fields
from agentws.core.markdown import markdown, notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.core.formats.documents.document import Document, Value

OPEN, ACTIVE, WAITING, PAUSED, DONE, CANCELLED = "open", "active", "waiting", "paused", "done", "cancelled"
STATUSES = (OPEN, ACTIVE, WAITING, PAUSED, DONE, CANCELLED)
LIVE = (ACTIVE, WAITING, PAUSED, OPEN)
"""States of tasks that are not over, in the order in which boot shows them."""
OVER = (DONE, CANCELLED, "canceled", "closed", "complete", "completed", "archived", "dropped")
"""States of tasks that have ended, in the words that people use. Any other word of a user's own is not over."""
HIGH, NORMAL, LOW = "high", "normal", "low"
PRIORITIES = (HIGH, NORMAL, LOW)

_PATH = "path"
APPROVAL, COMMAND, URL, PROCESS, EVENT = "approval", "command", "url", "process", "event"
CONDITIONS = (APPROVAL, COMMAND, URL, PROCESS, EVENT)
"""Further conditions to wait for: each is the first key of a mapping."""
_BESIDE = frozenset((*CONDITIONS, "writer", "after", "since", "started", "boot", "host", "namespace"))
"""The keys of such a mapping. One with a key of the user's own is the user's."""
_GIVEN_UP = (CANCELLED, "canceled", "dropped")


class Task(Result):
    """A task as read from its file; unset fields are empty, and `priority` is normal.

    `status` may be a word of the user's own; `boxes` are the check boxes, (text, checked), and `steps` counts them
    (done, all). `waiting_on` is shown as written; a time in it is `until`, a file of the workspace is `path`. `src` is
    the source of a task from outside.
    """

    __slots__ = ("_boxes", "_document", "_due", "body", "slug", "status")
    SHOWN = ("slug", "title", "status", "steps", "body")

    def __init__(self, slug: str, document: Document) -> None:
        # Of many tasks most fields are never asked for.
        self._document = document
        self._boxes: list[tuple[str, bool]] | None = None
        self._due: str | None = None
        self.slug = slug
        self.status = fields.text(document, "status") or OPEN
        self.body = document.body

    @property
    def title(self) -> str:
        """The task's title: from the front matter, else from the body, else made from the slug."""
        return fields.text(self._document, "title") or _title(self.body) or self.slug.replace("-", " ")

    @property
    def step(self) -> str:
        """The current step of the task."""
        return fields.text(self._document, "step")

    @property
    def priority(self) -> str:
        """The task's priority: one of PRIORITIES, or a word of the user's own."""
        return fields.text(self._document, "priority") or NORMAL

    @property
    def due(self) -> str:
        """The day or moment by which the task is due, as its file says; empty if it is not a time."""
        if self._due is None:
            due = self._document.fields.get("due")
            self._due = due.strip() if due and isinstance(due, str) and is_time(due.strip()) else ""
        return self._due

    @property
    def was(self) -> tuple[str, ...]:
        """The task's earlier slugs, oldest first."""
        return fields.words(self._document, "was")

    @property
    def created(self) -> str:
        """The moment at which the task was created."""
        return fields.text(self._document, "created")

    @property
    def updated(self) -> str:
        """The moment of the task's last change."""
        return fields.text(self._document, "updated")

    @property
    def session(self) -> str:
        """The session that last worked on the task."""
        return fields.text(self._document, "session")

    @property
    def src(self) -> str:
        """The source of a task that comes from outside."""
        return fields.source(self._document)

    @property
    def labels(self) -> tuple[str, ...]:
        """The task's tags, in lower case."""
        return fields.labels(self._document)

    @property
    def waiting_on(self) -> str:
        """The condition that the task waits for, in one line."""
        return shown(self._document.fields.get("waiting_on", ""))

    @property
    def until(self) -> str:
        """The time that the task waits for."""
        waiting = self._document.fields.get("waiting_on", "")
        return waiting.strip() if isinstance(waiting, str) and is_time(waiting.strip()) else ""

    @property
    def path(self) -> str:
        """The file of the workspace that the task waits for."""
        waiting = self._document.fields.get("waiting_on", "")
        if not isinstance(waiting, dict) or set(waiting) != {_PATH}:
            return ""
        path = waiting[_PATH]
        return path.strip() if isinstance(path, str) else ""

    @property
    def condition(self) -> Mapping[str, str]:
        """The condition that the task waits for, a key of CONDITIONS first; empty for an unknown one."""
        waiting = self._document.fields.get("waiting_on", "")
        if not isinstance(waiting, dict) or not _is_condition(waiting):
            return {}
        return {key: value for key, value in waiting.items() if isinstance(value, str)}

    @property
    def boxes(self) -> list[tuple[str, bool]]:
        """The task's check boxes: (text, checked)."""
        if self._boxes is None:
            self._boxes = _boxes(self.body)
        return self._boxes

    @property
    def steps(self) -> tuple[int, int]:
        """The numbers of the task's checked boxes and of all its boxes."""
        boxes = self.boxes
        return sum([checked for _, checked in boxes]), len(boxes)

    @property
    def next_step(self) -> str:
        """The text of the task's first unchecked box."""
        for text, checked in self.boxes:
            if not checked:
                return text
        return ""

    @property
    def state(self) -> str:
        """The task's status as one of STATUSES: a user's own word is mapped to the one it means, else to open."""
        word = self.status.lower()
        if word in STATUSES:
            return word
        return OPEN if word not in OVER else CANCELLED if word in _GIVEN_UP else DONE

    @property
    def is_over(self) -> bool:
        """Return whether the task is finished or cancelled."""
        return self.status.lower() in OVER


def decode(data: bytes, *, slug: str, where: str) -> Task:
    """Return the task in `data`; DamagedError if its front matter is unreadable."""
    return Task(slug, _document.decode(data, where=where))


def new(title: str, *, goal: str, steps: Sequence[str], state: Mapping[str, Value | None]) -> bytes:
    """Return the document of a new task: state as front matter, then title, goal and check list."""
    parts = [f"# {title}\n"]
    if goal.strip():
        parts.append(f"{goal.strip()}\n")
    if steps:
        parts.append("".join(f"- [ ] {step}\n" for step in steps))
    document = _document.decode("\n".join(parts).encode("utf-8", "surrogateescape"), where=title)
    return _document.encode(_document.with_fields(document, state, where=title))


def changed(
    document: Document, *, state: Mapping[str, Value | None], checked: Collection[int] = (), where: str
) -> Document:
    """Return the task's document with these fields set and the boxes of these numbers (from 1) checked."""
    return _document.with_fields(_document.with_body(document, _checked(document.body, checked)), state, where=where)


def titled(document: Document, title: str, *, where: str) -> Document:
    """Return the task file with this title, in the front matter or heading that holds it, else as a new heading."""
    if fields.text(document, "title"):
        return _document.with_fields(document, {"title": title}, where=where)
    lines = document.body.split("\n")
    at = next((at for at, line in enumerate(lines) if _is_title(line)), None)
    if at is None:
        lines[:0] = [f"# {title}", ""]
    else:
        lines[at] = f"# {title}"
    return _document.with_body(document, "\n".join(lines))


def with_goal(document: Document, goal: str) -> Document:
    """Return the task file with this goal, between its title and its first list or further heading."""
    lines = document.body.split("\n")
    start = next((at + 1 for at, line in enumerate(lines) if _is_title(line)), 0)
    ends = (at for at, line in enumerate(lines[start:], start) if markdown.marker(line) or markdown.heading_level(line))
    end = next(ends, len(lines))
    middle = ["", *goal.strip().split("\n"), ""] if goal.strip() else [""]
    return _document.with_body(document, "\n".join([*lines[:start], *middle, *lines[end:]]).lstrip("\n"))


def for_path(path: str) -> Value:
    """Return the `waiting_on` value of a task that waits for a file of the workspace."""
    return {_PATH: path}


def shown(value: Value) -> str:
    """Return a task's `waiting_on` value of any shape in one line; an unknown shape is shown too."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    if _is_condition(value):
        kind = next(iter(value))
        by = f" by {shown(value['writer'])}" if "writer" in value else ""
        return f"{kind} {shown(value[kind])}{by}"
    return ", ".join(f"{key}: {shown(item)}" for key, item in value.items())


def _is_condition(value: Mapping[str, Value]) -> bool:
    return next(iter(value), "") in CONDITIONS and _BESIDE.issuperset(value)


def is_time(text: str) -> bool:
    """Return True for an ISO 8601 date or moment, as a task's `waiting_on` and `due` hold it."""
    if text[4:5] != "-" or not text[:4].isdigit():
        return False
    from datetime import datetime

    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _checked(body: str, numbers: Collection[int]) -> str:
    """The body with the boxes of these numbers checked, each on its line."""
    lines = body.split("\n")
    places = [at for at, line in enumerate(lines) if _box_at(line)]
    for number in numbers:
        line = lines[places[number - 1]]
        at = _box_at(line) + 1
        lines[places[number - 1]] = line[:at] + "x" + line[at + 1 :]
    return "\n".join(lines)


def _boxes(body: str) -> list[tuple[str, bool]]:
    if "[" not in body:
        return []
    has_marks = notes.has_marks(body)
    return [
        (line[at + 3 :].strip(), line[at + 1] != " " or (has_marks and notes.marked(line) is True))
        for line in body.split("\n")
        if "[" in line and (at := _box_at(line))
    ]


def _box_at(line: str) -> int:
    """Return the position of a list item's check box, 0 without one."""
    if "[" not in line:
        return 0
    at = 2 if line.startswith("- [") else markdown.marker(line)
    return at if at and line[at : at + 1] == "[" and line[at + 2 : at + 3] == "]" else 0


def _title(body: str) -> str:
    for line in body.split("\n"):
        if _is_title(line):
            return line.lstrip("#").strip()
    return ""


def _is_title(line: str) -> bool:
    return line.startswith("#") and markdown.heading_level(line) == 1
