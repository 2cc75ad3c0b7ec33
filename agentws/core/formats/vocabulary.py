"""A workspace's own words: the `[vocabulary]` table of the manifest. See docs/format/vocabulary.md."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LISTS = ("open", "todo", "waiting", "rules", "candidates")
KINDS = ("todo", "waiting", "done", "dropped", "decision", "lesson", "preference", "fact", "rule", "question", "error")
_EARLIER = {
    "vocabulary.headings.open": "open",
    "vocabulary.markers.todo": "todo",
    "vocabulary.markers.waiting": "waiting",
    **{f"vocabulary.markers.{kind}": f"kinds.{kind}" for kind in KINDS if kind not in LISTS},
}
"""Lists of the tables of earlier versions, by what they are now; the others have no use any more."""
_EARLIER_TABLES = ("headings", "markers", "items")
TABLES = ("kinds", *_EARLIER_TABLES)


def read(table: object) -> tuple[dict[str, list[str]], list[str], str]:
    """Return a vocabulary's word lists by name (`open`, `kinds.decision`), unknown keys, and first invalid key."""
    own: dict[str, list[str]] = {}
    unknown: list[str] = []
    if not isinstance(table, dict):
        return own, unknown, "vocabulary"
    for key, name, words in _lists(table):
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            return own, unknown, key
        if name:
            own.setdefault(name, []).extend(words)
        elif not key.startswith(tuple(f"vocabulary.{each}." for each in _EARLIER_TABLES)):
            unknown.append(key)
    return own, unknown, ""


def _lists(table: dict[str, object]) -> Iterator[tuple[str, str, object]]:
    """Each list: its dotted key, the name of the list, empty where it is unknown or has no use any more, its words."""
    for part, value in table.items():
        if part not in TABLES:
            yield f"vocabulary.{part}", part if part in LISTS else "", value
        elif not isinstance(value, dict):
            yield f"vocabulary.{part}", "", None
        else:
            for name, words in value.items():
                key = f"vocabulary.{part}.{name}"
                is_kind = part == "kinds" and name in KINDS
                yield key, f"kinds.{name}" if is_kind else _EARLIER.get(key, ""), words
