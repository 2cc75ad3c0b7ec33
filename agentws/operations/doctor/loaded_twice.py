"""Files that an agent program loads by itself and that a boot shows as well."""

from __future__ import annotations

from agentws.formats import layout
from agentws.hosts import imports, loading
from agentws.planning.doctor import documents
from agentws.storage.inspect import host_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.hosts.loading import Host
    from agentws.operations.doctor.report import Seen
    from agentws.planning.doctor.finding import Finding

_HOME = "~/"
_FOLDERS = (f"{layout.DAYS}/", f"{layout.TASKS}/", f"{layout.HANDOFFS}/")


def findings(seen: Seen) -> list[Finding]:
    """All that is loaded twice, by the hosts that are in use here."""
    folder = host_view.Folder(seen.stores.files)
    names = [entry.path for entry in seen.look.entries.values() if not entry.folder]
    shown = (*layout.AGENT_FILES, *seen.stores.manifest.setting("boot.pinned"))
    found: list[Finding] = []
    for host, loads in loading.recognised(names):
        whole = loading.loaded(host, folder).whole
        found += [documents.cut_by_host(host.title, path) for path in loads if path in shown and path not in whole]
        if host.reach.imports:
            for path in loads:
                text = folder.text(path) or ""
                found += _beyond(seen, host, path, text, shown)
                found += _imported(host, path, text, sorted(whole.difference(loads)), shown)
    return found


def _beyond(seen: Seen, host: Host, path: str, text: str, shown: Sequence[str]) -> Iterator[Finding]:
    """What it imports in a way that boot cannot know of."""
    for target in dict.fromkeys(imports.targets(text)):
        there = _beneath(seen, target)
        if _is_shown(there, shown):
            line = documents.line_of(text, f"@{target}")
            yield documents.twice(host.title, host.name, path=path, line=line, target=target, shown=there)


def _imported(host: Host, path: str, text: str, whole: Sequence[str], shown: Sequence[str]) -> Iterator[Finding]:
    """What it imports as boot --for knows. AGENTS.md is meant to be imported: so this host is told of it."""
    lines = {imports.resolved(path, target): documents.line_of(text, f"@{target}") for target in imports.targets(text)}
    for one in whole:
        if one != layout.AGENTS and _is_shown(one, shown):
            yield documents.by_itself(host.title, host.name, path=path, line=lines.get(one, 0), shown=one)


def _is_shown(path: str, shown: Sequence[str]) -> bool:
    """True for what a boot shows: the usual files, what is pinned, and days, tasks and handoffs."""
    return path in shown or path.startswith(_FOLDERS)


def _beneath(seen: Seen, target: str) -> str:
    """The path in this workspace that an absolute path or one below the home folder names, empty where it is none."""
    home = seen.variables.get("HOME", "")
    if target.startswith(_HOME) and home:
        target = f"{home}/{target.removeprefix(_HOME)}"
    root = seen.stores.root.rstrip("/") + "/"
    return target.removeprefix(root) if target.startswith(root) else ""
