"""Tables of the manifest: a workspace's own words (`[vocabulary]`), and how long archived files are kept. Pure.

See docs/format/vocabulary.md. Nothing is deleted without a rule, and rules apply only to the archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from agentws.core.formats import layout
from agentws.errors import UsageError

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


def read_vocabulary(table: object) -> tuple[dict[str, list[str]], list[str], str]:
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


RETENTIONS = ("archive", "handoffs", "tasks", "approvals")
"""The settings below `retention`."""
_DAYS = {"d": 1, "y": 366}
"""A year is never too short."""


def retention_rules(settings: Mapping[str, str], today: str) -> dict[str, str]:
    """Return the last day (ISO) whose files retention deletes, by setting; empty if that setting deletes nothing.

    UsageError, with the name of the setting, for an invalid duration.
    """
    return {
        name: last_retained_day(text, f"retention.{name}", today) if text else "" for name, text in settings.items()
    }


def last_retained_day(text: str, key: str, today: str) -> str:
    """Return the last day (ISO) beyond a retention such as `730d` or `2y`; UsageError for an invalid one."""
    word = text.strip().lower()
    number, days = word[:-1], _DAYS.get(word[-1:], 0)
    if not days or not (number.isascii() and number.isdigit()) or len(number) > 6:
        raise UsageError(
            f"{layout.MANIFEST}: {key}: {text!r} is not a number of days or years.",
            hint="Write a time such as 365d or 2y, or leave the setting empty.",
        )
    age = timedelta(days=int(number) * days)
    start = date.fromisoformat(today)
    return (start - age).isoformat() if age < start - date.min else date.min.isoformat()
