"""The agentws commands that an agent may run without being asked, as a host's permission rules list them. Pure.

Each host has its own form for such rules, which its folder knows. No verb here runs another program, changes who the
agent is, undoes, sends away or deletes: one allowed command must not open a way to all others.
"""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts.plan import FOLDER
from agentws.core.text import sh
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentws.core.formats.json.splice import Path
    from agentws.core.hosts.plan import After, Texts, Wiring

    Ours = Callable[[str], bool]

VERBS = ("boot", "status", "search", "log", "todo", "done", "drop", "remember", "task", "handoff", "curate")
_NAME = "agentws"
_OPTION = "-C"
_PATTERN_CHARS = '()*?"\\'
"""Characters that have a special meaning in some host's patterns."""


def prefixes(wiring: Wiring, *, named: bool = True) -> list[tuple[str, ...]]:
    """Return the words before an allowed verb: the name (if `named` and on the PATH) or the script, and `-C`.

    In another project than the workspace a call without `-C` would find no workspace.
    """
    programs = [_NAME] if named and wiring.is_named else []
    ways: list[tuple[str, ...]] = [] if wiring.level == FOLDER and not wiring.is_found else [()]
    ways.append((_OPTION, wiring.workspace))
    return [(program, *way) for program in (*programs, wiring.script) for way in ways]


def typed(wiring: Wiring) -> list[str]:
    """Return each allowed agentws command as typed into a shell, unless a host's pattern cannot express it."""
    lines = (sh.join((*prefix, verb)) for prefix in prefixes(wiring) for verb in VERBS)
    return [line for line in lines if not any(char in line for char in _PATTERN_CHARS)]


def is_ours(command: str) -> bool:
    """Return whether this is an allowed command as `typed` returns it, for any script and workspace."""
    try:
        words = sh.split(command)
    except ValueError:
        return False
    if not words or words[0].rpartition("/")[2] != _NAME or words[-1] not in VERBS:
        return False
    return len(words) == 2 or (len(words) == 4 and words[1] == _OPTION)


def covers(commands: Iterable[str]) -> bool:
    """Return whether these commands of agentws include every allowed verb."""
    return {command.rpartition(" ")[2] for command in commands} >= set(VERBS)


def file_change(place: str, text: str, present: Texts, wiring: Wiring, *, ours: bool) -> After:
    """Return the change of a rules file that agentws alone writes; `ours` says that the present one is its own.

    UsageError if the file of somebody else would be replaced.
    """
    if not wiring.allows:
        return {place: None} if ours and wiring.allows is False else {}
    if place in present and not ours:
        raise UsageError(f"{place} is not a file of agentws.", hint="Rename that file, then install again.")
    return {} if present.get(place) == text else {place: text}


# Lists in settings that are JSON


def with_entries(text: str, path: Path, wanted: Sequence[str], ours: Ours, *, where: str) -> str:
    """Return the host's settings with exactly the `wanted` permissions of agentws in the list at `path`."""
    if not wanted:
        return without_entries(text, path, ours, where=where)
    there = entries(text, path, where=where)
    if sorted(filter(ours, there)) == sorted(wanted):
        return text
    for place in reversed([at for at, name in enumerate(there) if ours(name) and name not in wanted]):
        text = splice.without(text, (*path, place), where=where)
    for name in wanted:
        if name not in there:
            text = splice.with_value(text, (*path, _length(text, path, where)), name, where=where)
    return text


def without_entries(text: str, path: Path, ours: Ours, *, where: str) -> str:
    """Return the host's settings without agentws's permissions, and without a list and objects that this empties."""
    ats = [at for at, name in enumerate(entries(text, path, where=where)) if ours(name)]
    for place in reversed(ats):
        text = splice.without(text, (*path, place), where=where)
    for end in range(len(path), 0, -1) if ats else ():
        if not splice.value_at(text, path[:end], where=where):
            text = splice.without(text, path[:end], where=where)
    return text


def entries(text: str, path: Path, *, where: str) -> list[str]:
    """Return the permissions in the list at `path` of a host's settings, an empty text for each that is not a text."""
    result = splice.value_at(text, path, where=where)
    return [item if isinstance(item, str) else "" for item in result] if isinstance(result, list) else []


def _length(text: str, path: Path, where: str) -> int:
    return len(entries(text, path, where=where))
