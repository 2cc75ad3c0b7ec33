"""Front-matter fields shared by several formats, read leniently: a value of the wrong shape counts as not set."""

from __future__ import annotations

from agentws.core.formats.documents.document import Document


def text(document: Document, key: str) -> str:
    """Return a front-matter field as one text, empty if it is not set."""
    value = document.fields.get(key)
    return value.strip() if isinstance(value, str) else ""


def words(document: Document, key: str) -> tuple[str, ...]:
    """Return a front-matter field as a list of texts: a YAML list, or one text divided by commas."""
    value = document.fields.get(key)
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    if isinstance(value, list):
        return tuple(item.strip() for item in value if isinstance(item, str) and item.strip())
    return ()


def source(document: Document) -> str:
    """Return the field with a document's outside source as one word; empty for the agent's own documents."""
    if "src" not in document.fields:
        return ""
    from agentws.core.text import origin

    words = text(document, "src").split()
    mark = origin.mark(words[0]) if words and origin.class_of_mark(words[0]) in origin.OUTSIDE else None
    return mark or ""


def labels(document: Document) -> tuple[str, ...]:
    """Return the tags in a document's front-matter fields, in lower case without `#`; `private:` adds `private`."""
    if "tags" not in document.fields and "private" not in document.fields:
        return ()
    names = [tag.strip().lstrip("#").casefold() for tag in words(document, "tags")]
    private = document.fields.get("private", "no")
    if not (isinstance(private, str) and private.strip().casefold() in ("no", "false", "off", "0")):
        names.append("private")
    return tuple(names)
