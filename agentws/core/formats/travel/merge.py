"""How sync merges two versions of a file, by the file's path. Pure.

Features declare rules for their files (`merge_rules`), sync applies them: docs/format/sync.md.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from agentws.core.formats import layout
from agentws.core.formats.documents import sources

if TYPE_CHECKING:
    from collections.abc import Mapping

DAY, MONTH, TEXT = "{day}", "{month}", "{text}"
"""What a pattern may end in: the name of a daily log, of a file about archived days, of a long text of checkpoints."""


class Merge(StrEnum):
    """The ways to merge two versions of a file. A file without a rule is merged by its suffix."""

    WHOLE = "whole"  # one version stays, the other one is kept in a conflict: text that a person signed
    ANSWER = "answer"  # the version that knows more stays; two different answers of people are a conflict
    RECORD = "record"  # a record of a conflict, gone where one side resolved it
    KEPT = "kept"  # stays while one side has it
    LINES = "lines"  # the lines of both sides
    LOG = "log"  # the entries of both sides by time; equal ones stand twice
    FACTS = "facts"  # as a document, but a fact that both sides added stands once in it
    DIGEST = "digest"  # made by compaction, in the order of its own writer
    MADE = "made"  # made by compaction, line by line: a side that has no such file took its lines away


def rule(path: str, rules: Mapping[str, Merge]) -> Merge | None:
    """Return the merge rule for a path, None without one.

    The first pattern that matches: the path itself, a folder that ends in `/` with all below it, or a folder with DAY,
    MONTH or TEXT.
    """
    if (exact := rules.get(layout.usual(path))) is not None:
        return exact
    return next((rule for pattern, rule in rules.items() if _is_named(path, pattern)), None)


def _is_named(path: str, pattern: str) -> bool:
    folder, _, kind = pattern.rpartition("/")
    if not path.startswith(f"{folder}/"):
        return False
    if kind == DAY:
        return layout.day_of(path.removeprefix(f"{folder}/")) is not None
    if kind == MONTH:
        return sources.is_month(path.rpartition("/")[2])
    return layout.is_checkpoint_text(path) if kind == TEXT else not kind
