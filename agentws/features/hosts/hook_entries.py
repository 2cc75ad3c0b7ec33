"""Adds and removes agentws's hook entries in the JSON nesting of several hosts: `hooks` → event → groups. Pure.

{"hooks": {"SessionStart": [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]}}
"""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts import plan
from agentws.errors import DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Group = dict[str, Any]
    Wanted = Mapping[str, Sequence[Group]]
    """Event → the groups of hook entries of agentws that it should have."""

HOOKS = "hooks"
NOT_PLAIN = "not plain JSON (a comment, or an extra comma)"


def with_hooks(text: str, host: str, wanted: Wanted, *, where: str) -> str:
    """Return the settings with exactly the `wanted` hook entries of agentws; right ones keep their bytes."""
    for event in _events(text, where):
        if _ours(text, host, event, where) != list(wanted.get(event, ())):
            text = _without_event(text, host, event, where, keep=event in wanted)
    for event, groups in wanted.items():
        if not _ours(text, host, event, where):
            for group in groups:
                text = _with_group(text, event, group, where)
    return text


def check_plain(text: str, title: str, *, where: str) -> None:
    """Raise DamagedError, naming the line, for settings that are not plain JSON: `title` would ignore them."""
    line = odd_line(text)
    if line:
        raise DamagedError(
            f"{where}:{line}: {NOT_PLAIN}: {title} would ignore the file and run no hook.",
            hint="Nothing was changed. Remove the comment or comma, then re-run.",
        )


def odd_line(text: str) -> int:
    """Return the first line of a settings file that is not plain JSON, 0 if all is."""
    import json

    bare = text.removeprefix("\ufeff")
    try:
        json.loads(bare if bare.strip() else "{}")
    except json.JSONDecodeError as error:
        return error.lineno
    return 0


def missing(text: str, host: str, events: Sequence[str], *, where: str) -> list[str]:
    """Return the events without a hook entry of agentws."""
    return [event for event in events if not _ours(text, host, event, where)]


def without_hooks(text: str, host: str, *, where: str) -> str:
    """Return the settings without agentws's hook entries, and without groups and events that this empties."""
    for event in _events(text, where):
        text = _without_event(text, host, event, where, keep=False)
    return text


def wired(text: str, host: str, *, where: str) -> list[plan.Wired]:
    """Return the wiring in each hook entry of agentws."""
    groups = (group for event in _events(text, where) for _, group in _groups(text, event, where))
    return [connection for group in groups for _, connection in _commands(group, host)]


def _events(text: str, where: str) -> list[str]:
    hooks = splice.value_at(text, (HOOKS,), where=where)
    return list(hooks) if isinstance(hooks, dict) else []


def _groups(text: str, event: str, where: str) -> list[tuple[int, Group]]:
    result = splice.value_at(text, (HOOKS, event), where=where)
    items = enumerate(result) if isinstance(result, list) else ()
    return [(place, group) for place, group in items if isinstance(group, dict)]


def _commands(group: Group, host: str) -> Iterator[tuple[int, plan.Wired]]:
    """Yield each agentws command in the group, with its index."""
    commands = group.get(HOOKS)
    for place, hook in enumerate(commands if isinstance(commands, list) else ()):
        command = hook.get("command") if isinstance(hook, dict) else None
        connection = plan.read(command, host) if isinstance(command, str) else None
        if connection is not None:
            yield place, connection


def _ours(text: str, host: str, event: str, where: str) -> list[Group]:
    return [group for _, group in _groups(text, event, where) if any(_commands(group, host))]


def _with_group(text: str, event: str, group: Group, where: str) -> str:
    there = splice.value_at(text, (HOOKS, event), where=where)
    place = len(there) if isinstance(there, list) else 0
    return splice.with_value(text, (HOOKS, event, place), group, where=where)


def _without_event(text: str, host: str, event: str, where: str, *, keep: bool) -> str:
    """Return the settings without agentws's commands in `event`, and what this empties; `keep` keeps the event."""
    before = text
    for place, group in reversed(_groups(text, event, where)):
        ours = [at for at, _ in _commands(group, host)]
        for at in reversed(ours):
            text = splice.without(text, (HOOKS, event, place, HOOKS, at), where=where)
        if ours and len(ours) == len(group[HOOKS]):
            text = splice.without(text, (HOOKS, event, place), where=where)
    if keep or text == before:
        return text
    for path in ((HOOKS, event), (HOOKS,)):
        if not splice.value_at(text, path, where=where):
            text = splice.without(text, path, where=where)
    return text
