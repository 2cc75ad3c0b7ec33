"""Front-matter fields that several formats share, read leniently: what has another shape counts as not set."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.documents.document import Document


def text(document: Document, key: str) -> str:
    """The field as one text, empty where it is not set."""
    value = document.fields.get(key)
    return value.strip() if isinstance(value, str) else ""


def words(document: Document, key: str) -> tuple[str, ...]:
    """The field as a list of texts: a YAML list, or one text divided by commas."""
    value = document.fields.get(key)
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    if isinstance(value, list):
        return tuple(item.strip() for item in value if isinstance(item, str) and item.strip())
    return ()


def source(document: Document) -> str:
    """The source of a document that comes from outside, as one word; empty for any other, whatever it says."""
    if "src" not in document.fields:
        return ""
    from agentws.core.text import origin

    words = text(document, "src").split()
    mark = origin.mark(words[0]) if words and origin.class_of_mark(words[0]) in origin.OUTSIDE else None
    return mark or ""


def labels(document: Document) -> tuple[str, ...]:
    """Return its tags in lower case, without `#`; `private` is one of them where `private:` says anything but no."""
    if "tags" not in document.fields and "private" not in document.fields:
        return ()
    found = [tag.strip().lstrip("#").casefold() for tag in words(document, "tags")]
    private = document.fields.get("private", "no")
    if not (isinstance(private, str) and private.strip().casefold() in ("no", "false", "off", "0")):
        found.append("private")
    return tuple(found)
