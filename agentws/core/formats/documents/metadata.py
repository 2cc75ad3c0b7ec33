"""Metadata of a remembered entry: marks in its line, and plain values in its row of sources.jsonl."""

from __future__ import annotations

from agentws.core.formats.documents import daily
from agentws.core.formats.json import plainjson
from agentws.core.text import origin
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

KEY = "metadata"
"""The key of the row."""
MARKS = ("kind", "importance", "tags", "task")
"""The keys that are marks in the line of an entry."""
WORDS = ("section", "via", "source", "about")
"""What a call may also be given by name; `source` is `via`."""
TOLD = ("path", "line", "end_line", "created_at", "room", "heading", "context", "tag", "since", "until")
"""Fields that every search hit has, or that `where` filters by."""
_MOST_KEYS = 32
_MOST_KEY_CHARS = 64
_MOST_CHARS = 2000
_HINT = 'For example: {"customer": "Acme", "score": 0.9, "checked": True}'


class Metadata:
    """The metadata of an entry by place: `marks` for the line, `words` for the call, `values` for its row."""

    __slots__ = ("marks", "values", "words")

    def __init__(self, fields: Mapping[str, Any] | None) -> None:
        fields = fields or {}
        self.marks = {key: fields[key] for key in MARKS if fields.get(key) is not None}
        self.words = {key: fields[key] for key in WORDS if fields.get(key) is not None}
        self.values = {key: value for key, value in fields.items() if key not in (*MARKS, *WORDS)}


def read(fields: Mapping[str, Any] | None) -> Metadata:
    """Return the metadata of an entry, checked; UsageError for a value that cannot be stored."""
    if fields is not None and not all(isinstance(key, str) for key in fields):
        raise UsageError("Keys of metadata must be texts.", hint=_HINT)
    metadata = Metadata(fields)
    for key, value in metadata.values.items():
        _check(key, value)
    for key, value in metadata.words.items():
        if not isinstance(value, str) or not value:
            raise UsageError(f"metadata: {key} must be a text, not {value!r}.")
    if len(metadata.values) > _MOST_KEYS or len(plainjson.dumps(metadata.values)) > _MOST_CHARS:
        raise UsageError(
            f"metadata: at most {_MOST_KEYS} values, and {_MOST_CHARS:,} characters of JSON.",
            hint="Save more in a file, and name the file.",
        )
    return metadata


def head_and_tail(marks: Mapping[str, Any], source: str | None) -> tuple[str, str]:
    """Return an entry's metadata as marks before and after its text; UsageError for an invalid one.

    A text from outside may not have any: UsageError.
    """
    if marks and origin.is_outside(source):
        raise UsageError(
            f"metadata: a text from outside ({source}) cannot have {', '.join(marks)}.",
            hint="Use a key of your own, such as topic.",
        )
    kind, importance, task = (marks.get(key) for key in ("kind", "importance", "task"))
    tags = marks.get("tags") or ()
    tags = [tags] if isinstance(tags, str) else tags
    texts = [each for each in (kind, task) if each is not None]
    if not isinstance(tags, list | tuple) or not all(isinstance(each, str) and each for each in (*tags, *texts)):
        raise UsageError("metadata: kind and task must be texts, tags a list of texts.")
    if importance is not None and type(importance) is not int:
        raise UsageError(f"metadata: importance must be a whole number from 1 to 10, not {importance!r}.")
    words = daily.marks(kind=kind, importance=importance, tags=tags, task=task)
    return " ".join(words[0]), " ".join(words[1])


def of_row(more: Mapping[str, object]) -> dict[str, Any]:
    """Return the metadata values that a row of sources.jsonl holds; a value that is not plain is left out."""
    stated = more.get(KEY)
    return {key: value for key, value in stated.items() if is_plain(value)} if isinstance(stated, dict) else {}


def is_plain(value: object) -> bool:
    """Return whether a metadata value can be stored: a text, a number, true, false or null."""
    if isinstance(value, float):
        return abs(value) < float("inf")  # which no NaN is either
    return value is None or isinstance(value, str | int)


def is_same(value: object, other: object) -> bool:
    """Return whether two metadata values are equal: true is not 1."""
    return value == other and isinstance(value, bool) is isinstance(other, bool)


def _check(key: str, value: object) -> None:
    if not key or len(key) > _MOST_KEY_CHARS or not key.isprintable():
        raise UsageError(
            f"metadata: {key[:_MOST_KEY_CHARS]!r} is not a key: use 1 to {_MOST_KEY_CHARS} printable characters."
        )
    if key in TOLD:
        raise UsageError(
            f"metadata: {key} is what every hit tells by itself.", hint=f"Give that key another name, such as my_{key}."
        )
    if not is_plain(value):
        raise UsageError(
            f"metadata: {key} must be a text, a finite number, true, false or null, not {type(value).__name__}.",
            hint=_HINT,
        )
