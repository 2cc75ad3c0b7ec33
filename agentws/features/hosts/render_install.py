"""Renders the results of `install` and `uninstall`: lines for people, and JSON fields for scripts."""

from __future__ import annotations

import os

from agentws import features
from agentws.core.terminal import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.hosts.install.hosts import Known, Listed, Wire
    from agentws.features.hosts.install.install import Installed
    from agentws.features.hosts.install.target import Change
    from agentws.features.hosts.install.uninstall import Uninstalled

VERBS = "boot, status, search, log, todo, done, drop, remember, task, handoff and curate"
"""The agentws commands that `install --allow` permits."""
TOOLS = "the tools of agentws"
"""What it permits in a host that starts `agentws mcp`."""
_ASKS = "Next: to let the agent run agentws commands without asking, re-run with --allow."
_NOTHING_YET = "Nothing was changed (--dry-run)."


# install


def installed_fields(done: Installed) -> dict[str, object]:
    """Return the fields of `agentws/install@1`."""
    names = """
        host title level folder workspace script launcher dry_run already=!changes changes events parts
        cost[tokens boot_tokens=boot block_tokens=block counter=.[name=counter trust] parts took_ms] replaced allowed
        next_steps notices
    """
    return output.fields(done, names, changes=[change_fields(change, diff=done.dry_run) for change in done.changes])


def installed_lines(done: Installed) -> Iterator[str]:
    """Yield the lines that `install` prints."""
    if not done.changes:
        yield f"{done.title} already uses {done.workspace}: nothing was changed in {done.folder}."
    elif done.dry_run:
        yield from _diffs(done.changes)
        yield ""
    else:
        yield f"Connected {done.title} to {done.workspace}"
        yield ""
        yield from _written(done.folder, done.changes)
    if done.launcher is not None:
        yield f"  {'would make' if done.dry_run else 'launcher':<9} {done.launcher}: starts hooks faster"
    for other in done.replaced:
        yield f"  {'would replace' if done.dry_run else 'replaced':<9} {other}, used by this host before"
    yield ""
    is_client = features.HOSTS[done.host].starts_mcp
    if is_client:
        yield f"The tools cost 1,000 tokens, a boot {done.cost.boot:,} ({done.cost.counter}, {done.cost.trust})."
    else:
        yield from _cost_lines(done)
    if done.allowed:
        commands = f"run these agentws commands without asking: {VERBS}"
        yield f"The agent may {f'use {TOOLS} without asking' if is_client else commands}."
    if done.changes and not done.dry_run:
        yield from (f"Next: {step}" for step in done.next_steps)
        if done.allowed is False:
            yield _ASKS
    if done.changes and done.dry_run:
        yield _NOTHING_YET


def _cost_lines(done: Installed) -> Iterator[str]:
    cost = done.cost
    block = f" and {cost.block:,} of instructions" if cost.block else ""
    yield f"A session begins with {cost.tokens:,} tokens: {cost.boot:,} of boot{block} ({cost.counter}, {cost.trust})."
    parts = f" in {cost.parts} parts" if cost.parts > 1 else ""
    room = f" {done.title} asks for up to {done.parts} parts." if done.parts > 1 else ""
    yield f"Boot{parts} takes {cost.took_ms:,} ms (measured now).{room}"


# uninstall

UNINSTALLED = "host title level folder dry_run already=!changes changes folders_removed=folders notices"


def uninstalled_lines(done: Uninstalled) -> Iterator[str]:
    """Yield the lines that `uninstall` prints."""
    if not done.changes:
        yield f"{done.title} is not installed in {done.folder}: nothing was changed."
        return
    if done.dry_run:
        yield from _diffs(done.changes)
        yield ""
        yield _NOTHING_YET
        return
    yield f"Removed agentws from {done.title}"
    yield ""
    for change in done.changes:
        place = _place(done.folder, change)
        if change.after is None:
            yield f"  removed   {place}"
        elif change.place in done.restored:
            yield f"  restored  {place}: identical to before install"
        else:
            yield f"  changed   {place}: edited since install; only the parts of agentws were removed"


# install without a host

HOST = "host=name title found installed wired=wires[level folder workspace ours works allowed]"


def list_lines(listed: Listed) -> Iterator[str]:
    """Yield the table of hosts that `install` prints without a host."""
    name = max(len(known.name) for known in listed.hosts)
    title = max(len(known.title) for known in listed.hosts)
    for known in listed.hosts:
        presence = "found" if known.found else "not found"
        yield f"{known.name:<{name}}  {known.title:<{title}}  {presence:<9}  {_wired(known)}".rstrip()
    if not any(known.wires for known in listed.hosts):
        yield ""
        yield "Nothing is installed yet. Preview: agentws install HOST --dry-run"


def _wired(known: Known) -> str:
    return "; ".join(map(_wire, known.wires))


def _wire(wire: Wire) -> str:
    whose = "installed" if wire.ours else f"connected to {wire.workspace}"
    where = {"user": "for every folder", "project": "in the workspace"}.get(wire.level, f"in {wire.folder}")
    return f"{whose} {where}{f', but {wire.hindered}' if wire.hindered else ''}"


# Files


def change_fields(change: Change, *, diff: bool) -> dict[str, object]:
    """Return the fields of a changed file; with `diff` also the difference."""
    fields: dict[str, object] = {"path": change.spot.full, "what": _what(change)}
    return {**fields, "diff": "\n".join(_diff(change))} if diff else fields


def _what(change: Change) -> str:
    if change.after is None:
        return "removed"
    return "made" if change.before is None else "changed"


def _written(folder: str, changes: list[Change]) -> Iterator[str]:
    for change in changes:
        yield f"  {_what(change):<9} {_place(folder, change)}"


def _place(folder: str, change: Change) -> str:
    """Return the path of a changed settings file, followed by the real path if a link leads there."""
    named = os.path.join(folder, change.place)
    full = change.spot.full
    return full if named.lower() == full.lower() else f"{named} (a link to {full})"


def _diffs(changes: list[Change]) -> Iterator[str]:
    for change in changes:
        yield from _diff(change)


def _diff(change: Change) -> Iterator[str]:
    from difflib import unified_diff

    path = change.spot.full
    names = "/dev/null" if change.before is None else path, "/dev/null" if change.after is None else path
    before, after = _lines(change.before or ""), _lines(change.after or "")
    for line in unified_diff(before, after, *names):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
