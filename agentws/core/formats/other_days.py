"""Days in the names that other programs give their daily notes: `2026_11_23.md`, `2026/11/23.md`, `23.11.2026.md`.

The folders with such files are named by `log.folders` of the manifest. Pure; docs/format/layout.md has the table.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from agentws.core.formats import layout
from agentws.core.formats.layout import RelPath

FOLDER_NAMES = (
    "daily", "daily notes", "daily-notes", "dailies", "days", "diary", "journal", "journals", "log", "logs",
    "tagebuch", "tagesnotizen", "diario", "dagboek", "dagbok", "dziennik", "дневник", "日記", "日记",
)  # fmt: skip
"""Dated files in a folder with one of these names are daily notes."""
ROOT = "."
"""The folder of daily notes that are in the root of a vault."""
_OURS = (layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, layout.APPROVALS)


def day_at(path: RelPath) -> str:
    """Return the day (`YYYY-MM-DD`) that a path names, alone or with a slug behind it; empty for none."""
    if not path.endswith(".md"):
        return ""
    above, _, name = path.removesuffix(".md").rpartition("/")
    for tail in (name, "/".join([*above.split("/")[-1:], name]), "/".join([*above.split("/")[-2:], name])):
        if day := _day(tail):
            return day
    return ""


def _day(text: str) -> str:
    """Return the day at the beginning of `2026-11-23`, `2026_11_23 slug`, `20261123`, `2026/11/23`, `23.11.2026`."""
    digits = text.replace("/", "-")
    if digits[:8].isdigit() and not digits[8:9].isdigit():
        parts, rest = (digits[:4], digits[4:6], digits[6:8]), digits[8:]
    elif text[2:3] + text[5:6] == "..":
        parts, rest = (text[6:10], text[3:5], text[:2]), text[10:]
    elif digits[4:5] == digits[7:8] and digits[4:5] in ("-", "_", "."):
        parts, rest = (digits[:4], digits[5:7], digits[8:10]), digits[10:]
    else:
        return ""
    day = "-".join(parts)
    return day if layout.is_day(day) and rest[:1] in ("", "-", "_", ".", " ") else ""


def folder_of(path: RelPath) -> RelPath:
    """Return the folder of daily notes in which a dated file is: without the folders of its year and month."""
    parts = path.split("/")[:-1]
    while parts and _is_period(parts[-1]):
        parts.pop()
    return "/".join(parts)


def _is_period(name: str) -> bool:
    """Return whether a folder is named by a year, a month, or both: `2026`, `11`, `2026-11`."""
    return len(name) in (2, 4, 7) and name.replace("-", "", 1).isdigit()


def folders(paths: Iterable[RelPath], *, named: Iterable[str] = ()) -> tuple[list[RelPath], dict[RelPath, int]]:
    """Return (folders with daily notes of other programs, the number of dated files in each folder that may be one).

    `paths` are all Markdown files; `named` are folders that a program's own settings call those of its daily notes.
    """
    dated: dict[RelPath, int] = {}
    others: set[RelPath] = set()
    for path in paths:
        folder = folder_of(path) or ROOT
        is_ours = path.rpartition("/")[0] == layout.DAYS and layout.day_of(path.rpartition("/")[2])
        if is_ours or folder == layout.ARCHIVE or folder.partition("/")[0] in _OURS:
            continue
        if day_at(path):
            dated[folder] = dated.get(folder, 0) + 1
        else:
            others.add(folder)
    sure = [folder for folder in dated if folder in named or _is_sure(folder, others)]
    return sorted(sure), {folder: dated[folder] for folder in sorted(dated) if folder not in sure}


def likely(names: Iterable[str]) -> list[RelPath]:
    """Return the folders of daily notes that the names of files and folders in `memory/` show."""
    paths = set()
    for name in names:
        if name.casefold() in FOLDER_NAMES:
            paths.add(f"{layout.DAYS}/{name}")
        elif layout.day_of(name) is None and (day_at(name) or (_is_period(name) and len(name) > 2)):
            paths.add(layout.DAYS)
    return sorted(paths)


def _is_sure(folder: RelPath, others: Container[RelPath]) -> bool:
    if folder.casefold() == layout.JOURNAL:
        return False  # agentws keeps events there
    is_usual = folder.rpartition("/")[2].casefold() in FOLDER_NAMES
    return folder == layout.DAYS or is_usual or (folder.startswith(f"{layout.DAYS}/") and folder not in others)
