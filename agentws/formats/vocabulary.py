"""A workspace's own words of headings, markers and items: `[vocabulary]`. See docs/format/vocabulary.md."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Own = dict[str, dict[str, list[str]]]

NONE = "none"
"""The kind of words that say nothing, although they begin with a word that says something: "never mind"."""
HEADING_KINDS = (
    *("open", "waiting", "done", "dropped", "decisions", "rules", "lessons", "preferences", "facts", "questions"),
    *("errors", "identity", NONE),
)
MARKER_KINDS = (
    *("todo", "waiting", "done", "dropped", "decision", "rule", "lesson", "preference", "fact", "question", "error"),
    NONE,
)
ITEM_KINDS = ("nothing",)
"""Kinds of texts that an item consists of: below "Next steps", an item "none" is no item."""
KINDS = {"headings": HEADING_KINDS, "markers": MARKER_KINDS, "items": ITEM_KINDS}


def read(table: object) -> tuple[Own, list[str], str]:
    """Return the words of the table by part and kind, dotted keys that are unknown, and the first that is wrong."""
    own: Own = {}
    unknown: list[str] = []
    if not isinstance(table, dict):
        return own, unknown, "vocabulary"
    for part, kinds in table.items():
        if part not in KINDS:
            unknown.append(f"vocabulary.{part}")
        elif not isinstance(kinds, dict):
            return own, unknown, f"vocabulary.{part}"
        else:
            wrong = _read_part(part, kinds, own, unknown)
            if wrong:
                return own, unknown, wrong
    return own, unknown, ""


def _read_part(part: str, kinds: Mapping[str, object], own: Own, unknown: list[str]) -> str:
    for kind, words in kinds.items():
        key = f"vocabulary.{part}.{kind}"
        if kind not in KINDS[part]:
            unknown.append(key)
        elif not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            return key
        else:
            own.setdefault(part, {})[kind] = words
    return ""
