"""The plan by which `agentws init` adopts a folder: files to add and findings to report, as plain values."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core.formats import layout, manifest

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
