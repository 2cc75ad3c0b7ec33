"""A task: active work in `tasks/<slug>.md`, its state in the front matter. Specified in docs/format/task.md."""

from __future__ import annotations

from agentws.formats import document as _document
from agentws.formats import fields, markdown

OPEN, ACTIVE, WAITING, PAUSED, DONE, CANCELLED = "open", "active", "waiting", "paused", "done", "cancelled"
STATUSES = (OPEN, ACTIVE, WAITING, PAUSED, DONE, CANCELLED)
LIVE = (ACTIVE, WAITING, PAUSED, OPEN)
"""States of tasks that are not over, in the order in which boot shows them."""
OVER = (DONE, CANCELLED, "canceled", "closed", "complete", "completed", "archived", "dropped")
"""States of tasks that are over, in the words that people use. Any other word of a user's own is not over."""


class Task:
    """One task as its file says. `status` may be a word of the user's own; `steps` counts check boxes (done, all)."""

    __slots__ = ("body", "labels", "next_step", "slug", "status", "step", "steps", "title", "waiting_on")

    def __init__(self, slug: str, document: _document.Document) -> None:
        boxes = [line.strip() for line in document.body.split("\n") if _box(line)]
        unchecked = [box for box in boxes if _box(box) == " "]
        self.slug = slug
        self.title = fields.text(document, "title") or _title(document.body) or slug.replace("-", " ")
        self.status = fields.text(document, "status") or OPEN
        self.step = fields.text(document, "step")
        self.waiting_on = fields.text(document, "waiting_on")
        self.labels = fields.labels(document)
        self.steps = (len(boxes) - len(unchecked), len(boxes))
        self.next_step = unchecked[0][5:].strip() if unchecked else ""
        self.body = document.body


def decode(data: bytes, *, slug: str, where: str) -> Task:
    """The task that `data` holds; DamagedError where its front matter cannot be read."""
    return Task(slug, _document.decode(data, where=where))


def _box(line: str) -> str:
    """What is in the check box of a list item, the empty string where there is none."""
    at = markdown.marker(line)
    box = line[at : at + 3]
    return box[1] if at and len(box) == 3 and box[0] == "[" and box[2] == "]" else ""


def _title(body: str) -> str:
    for line in body.split("\n"):
        if markdown.heading_level(line) == 1:
            return line.lstrip("#").strip()
    return ""
