"""The plan by which `agentws init` adopts a folder: files to add and findings to report, as plain values."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core.formats import layout, manifest
from agentws.core.formats.layout import RelPath

BARE = {
    layout.SOUL: b"# Soul\n",
    layout.USER: b"# User\n",
    layout.AGENTS: b"# How I work here\n",
    layout.MEMORY: b"# Memory\n",
}
"""Text for each missing file of an adopted workspace: a title alone."""

_ATTRIBUTES = b"# Line ends are part of what was written: git keeps them as they are.\n* -text\n"
_IGNORE = b"# Tool outputs do not belong in a repository that something may push.\n/journal/\n/checkpoints/\n"


def plan(
    *,
    existing: Collection[str],
    template: Mapping[str, bytes],
    name: str,
    agent_id: str,
    timezone: str,
    created: str,
    settings: Mapping[str, manifest.Value],
    new_repository: bool,
    user: str = "",
    before: bytes = b"",
) -> ChangeSet:
    """Plan the adoption of a folder by `init`: its missing files of the `template`, then the manifest.

    No existing file is changed. The manifest is written last, since it makes the folder a workspace. `before` is the
    manifest of an agent that lived here earlier: it is written as it was. `user` is the name of the person.
    """
    wanted = {path: data.replace(b"{{name}}", name.encode("utf-8", "replace")) for path, data in template.items()}
    if user:
        wanted[layout.USER] = _named(wanted.get(layout.USER, BARE[layout.USER]), user.encode("utf-8", "replace"))
    wanted["memory/.gitattributes"] = _ATTRIBUTES
    if new_repository:
        wanted[".gitignore"] = _IGNORE
    text = manifest.encode_new(
        agent_id=agent_id, name=name, timezone=timezone, created=created, settings=dict(settings)
    )
    writes = [Write(path, data, expects=ABSENT) for path, data in sorted(wanted.items()) if path not in existing]
    return ChangeSet("init", (*writes, Write(layout.MANIFEST, before or text.encode(), expects=ABSENT)))


def _named(text: bytes, user: bytes) -> bytes:
    """Return USER.md with the person's name, in the template's line for it or in a new one."""
    line = b"- **Name:**"
    return text.replace(line, line + b" " + user, 1) if line in text else text + b"\n" + line + b" " + user + b"\n"


def days(existing: Collection[str]) -> list[str]:
    """Return the days that have a daily log among an adopted folder's `existing` files, sorted, without duplicates."""
    names = [path.removeprefix(f"{layout.DAYS}/") for path in existing if path.startswith(f"{layout.DAYS}/")]
    return sorted({name[:10] for name in layout.daily_logs(names) if "/" not in name})


def not_days(existing: Collection[str]) -> list[str]:
    """Return files of an adopted folder named like a daily log of an impossible date: `memory/2026-02-31.md`."""
    result = []
    for path in layout.markdown_files(sorted(existing)):
        folder, _, name = path.rpartition("/")
        date_like = len(name) >= 13 and name[:4].isdigit() and name[4] == "-" and name[5:7].isdigit()
        if (
            folder == layout.DAYS
            and name.endswith(".md")
            and date_like
            and not (layout.day_of(name) or layout.is_copy_of_day(name))
        ):
            result.append(path)
    return result


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
