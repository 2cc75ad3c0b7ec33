"""Virtual contexts, `contexts/<name>.md`: extra files and tasks that boot loads. See docs/format/context.md."""

from __future__ import annotations

from agentws.core.formats.documents import document as _document, fields
from agentws.core.markdown import escape
from agentws.core.text import origin


class VirtualContext:
    """A virtual context: its files (RelPaths) and tasks (slugs) to load, its tags, and its own text.

    `src` is the source of a text from outside, else empty.
    """

    def __init__(self, name: str, document: _document.Document) -> None:
        self.name = name
        self.files = fields.words(document, "files")
        self.tags = fields.words(document, "tags")
        self.tasks = fields.words(document, "tasks")
        self.labels = fields.labels(document)
        self.src = fields.source(document)
        self.body = document.body


def decode(data: bytes, *, name: str, where: str) -> VirtualContext:
    """Return the virtual context in `data`; DamagedError if its front matter is unreadable."""
    return VirtualContext(name, _document.decode(data, where=where))


def new(
    name: str, *, files: tuple[str, ...] = (), tags: tuple[str, ...] = (), text: str = "", src: str | None = None
) -> bytes:
    """Return the file of a new virtual context; `src` is the source of its text."""
    body = (escape.quoted(src, text.strip()) or f"# {name}").encode("utf-8", "surrogateescape") + b"\n"
    document = _document.decode(body, where=name)
    wanted: dict[str, _document.Value] = {"files": list(files), "tags": list(tags)}
    if mark := origin.mark(src):
        wanted["src"] = mark
    return _document.encode(_document.with_fields(document, wanted, where=name))
