"""How sync treats a file, by its path: whether it is transferred, and how two versions are merged. Pure.

The table of features declares a rule for their files, sync applies them. Specified in docs/format/sync.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from agentws.core.formats import layout
from agentws.core.formats.documents import sources

CONFLICTS = "conflicts"
"""The folder of the records of what people must decide."""
_WHOLE = (f"{layout.JOURNAL}/", f"{layout.ARCHIVE}/", f"{CONFLICTS}/", f"{layout.DATA}/")
_FOLDERS = (
    *("memory", "tasks", "contexts", "handoffs", "approvals", "identity"),
    *(layout.JOURNAL, layout.CHECKPOINTS, CONFLICTS, layout.DATA),
)
_NEVER = (layout.MOVED,)
_DOTTED = (".gitignore", ".gitattributes")
_LONGEST_BYTES = 4096
_LONGEST_NAME_BYTES = 255
_DEEPEST = 64


def is_safe(path: str) -> bool:
    """Return whether a path from another machine is a place in the workspace where a file may be written."""
    # One name of ten years of days is looked at as often as all the others.
    if not (path.isascii() and path.isprintable() and len(path) <= _LONGEST_NAME_BYTES) and not _is_writable(path):
        return False
    parts = path.split("/")
    if "\\" in path or len(parts) > _DEEPEST or path in _NEVER:
        return False
    return all(_is_name(part) for part in parts[:-1]) and (
        _is_name(parts[-1]) or (parts[-1] in _DOTTED and layout.is_document(path))
    )


def travels(path: str, include: Collection[str] = ()) -> bool:
    """Return whether sync transfers the file at this path.

    Documents, the journal, archives, checkpoints, conflicts, logs of rows, and files that a glob of `include` matches.
    """
    if not is_safe(path):
        return False
    if path.startswith(_WHOLE) or layout.is_document(path) or layout.is_checkpoint(path):
        return True
    return any(_ends(glob.split("/"), path.split("/"))[-1] for glob in include)


def is_visited(folder: str, include: Collection[str] = ()) -> bool:
    """Return whether sync may transfer anything in the folder at this path."""
    return folder.partition("/")[0] in _FOLDERS or any(_leads(folder, glob) for glob in include)


def _is_name(part: str) -> bool:
    return bool(part) and part[0] != "."


def _is_writable(path: str) -> bool:
    """Return whether each name is short enough and has no character that acts on a terminal."""
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    if len(encoded) > _LONGEST_BYTES or any(len(part) > _LONGEST_NAME_BYTES for part in encoded.split(b"/")):
        return False
    return not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in path)


def _leads(folder: str, glob: str) -> bool:
    """Return whether a glob may name something within a folder."""
    parts, names = glob.split("/"), folder.split("/")
    for at, name in enumerate(names):
        if at >= len(parts):
            return False
        if parts[at] == "**":
            return True
        if not _is_like(name, parts[at]):
            return False
    return len(parts) > len(names)


def _ends(parts: list[str], names: list[str]) -> list[bool]:
    """For each number of names from none on, whether so many of them are what the parts say."""
    reached = [True] + [False] * len(names)
    for part in parts:
        if part == "**":
            for at in range(1, len(reached)):
                reached[at] = reached[at] or reached[at - 1]
        else:
            reached = [False, *(reached[at] and _is_like(name, part) for at, name in enumerate(names))]
    return reached


def _is_like(name: str, part: str) -> bool:
    """Return whether a name is what a part of a glob says, in linear steps of its stars."""
    at = mark = 0
    star = -1
    while at < len(name):
        position = at - mark + star + 1 if star >= 0 else at
        if position < len(part) and part[position] == "*":
            star, mark = position, at
        elif position < len(part) and part[position] in ("?", name[at]):
            at += 1
        elif star >= 0:
            mark += 1
            at = mark
        else:
            return False
    position = at - mark + star + 1 if star >= 0 else at
    return not part[position:].strip("*")


DAY, MONTH, TEXT = "{day}", "{month}", "{text}"
"""Ends of a pattern: the name of a daily log, of a file about archived days, of a long text of checkpoints."""


class Merge(StrEnum):
    """The ways to merge two versions of a file. A file without a rule is merged by its suffix."""

    WHOLE = "whole"  # one version stays, the other one is kept in a conflict: text that a person signed
    ANSWER = "answer"  # the version that knows more stays; two different answers of people are a conflict
    RECORD = "record"  # a record of a conflict, gone where one side resolved it
    KEPT = "kept"  # stays while one side has it
    LINES = "lines"  # the lines of both sides
    ROWS = "rows"  # the rows of both sides; equal ones that both added stand twice
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
