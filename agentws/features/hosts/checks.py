"""The doctor's checks of hosts: hooks that call a missing command or cannot run, files that are loaded twice."""

from __future__ import annotations

from agentws import features
from agentws.core.disk import external_files, locate
from agentws.core.disk.inspect import programs, scan
from agentws.core.findings import ADVICE, LAUNCH, PROBLEM, WARNING, Finding, Mend, of_error, quoted
from agentws.core.formats import layout
from agentws.core.hosts import loading, plan
from agentws.errors import AgentwsError, DiskError
from agentws.features import hosts
from agentws.features.hosts import install_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.hosts.loading import Host
    from agentws.core.hosts.plan import Wired
    from agentws.core.stores.seen import Seen
    from agentws.features.hosts.obstacles import HostFiles


_MOST_RECORDS = 50
_NOTHING = "nothing is recorded, no start-up context is shown"
_SEE = "Check the settings file and re-run."


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about hooks that start nothing, though `install` connected a host."""
    return [hook for hook in _hooks(seen) if hook.severity == PROBLEM]


def deep_findings(seen: Seen) -> list[Finding]:
    """Return the doctor's other findings about hooks, about files that hosts load, and tool rules without a hook."""
    is_told = seen.stores.files.exists(install_record.FOLDER)  # by `findings`
    hooks = [hook for hook in _hooks(seen) if not (is_told and hook.severity == PROBLEM)]
    is_wired = _is_wired(seen)
    return [*_loaded_twice(seen), *hooks, *_rules(seen, is_wired=is_wired), *(_unrecorded(seen) if is_wired else ())]


def _unrecorded(seen: Seen) -> Iterator[Finding]:
    from agentws.features.hosts import transcripts

    return transcripts.unrecorded(seen)


def _rules(seen: Seen, *, is_wired: bool) -> list[Finding]:
    if is_wired or not any(count(seen) for count in features.each("hook_rules")):
        return []
    says = "There are rules for tools, but no hook serves this workspace, so nothing enforces them."
    return [Finding("rules-unkept", WARNING, says, remedy="agentws install HOST")]


def _hooks(seen: Seen) -> list[Finding]:
    """Return the findings about hooks: in this workspace's settings, its projects' and the user's."""
    faults: list[Finding] = []
    records = install_record.all_of(seen.stores.files)[:_MOST_RECORDS]
    for host in filter(lambda name: _may_be_wired(seen, name, records), features.HOSTS):
        folders = _folders(seen, host, records)
        for level, folder in folders:
            faults += _of_level(seen, host, level, folder)
        faults += _twice(seen, host, folders) if not features.host(host).once else []
    return faults + _memory(seen)


def _is_wired(seen: Seen) -> bool:
    """Return whether hooks of any agent program serve this workspace."""
    records = install_record.all_of(seen.stores.files)[:_MOST_RECORDS]
    return any(
        _serves(seen, host, level, folder)
        for host in filter(lambda name: _may_be_wired(seen, name, records), features.with_hooks())
        for level, folder in _folders(seen, host, records)
    )


def _folders(seen: Seen, host: str, records: Sequence[install_record.Record]) -> list[tuple[str, str]]:
    """Return (level, folder) of all settings of this host that may hold hooks for this workspace."""
    pairs = [(plan.PROJECT, seen.stores.root)]
    if (project := locate.project(seen.stores.root)) != seen.stores.root:
        pairs.append((plan.FOLDER, project))
        records = [record for record in records if record.folder != project]
    pairs += [(plan.FOLDER, record.folder) for record in records if (record.host, record.level) == (host, plan.FOLDER)]
    home = hosts.settings(host).home(seen.variables)
    return [*pairs, (plan.USER, home)] if home is not None else pairs


def _may_be_wired(seen: Seen, host: str, records: Sequence[install_record.Record]) -> bool:
    """Return whether a file exists that may hold hooks of this host; its module is loaded only then."""
    named = any((record.host, record.level) == (host, plan.FOLDER) for record in records)
    return named or any(map(external_files.may_be, hosts.paths(features.host(host), seen.stores.root, seen.variables)))


def _of_level(seen: Seen, host: str, level: str, folder: str) -> list[Finding]:
    settings = hosts.settings(host)
    closed: list[Finding] = []
    present = _texts(folder, settings.places(level), anywhere=level == plan.USER, closed=closed)
    if not present or closed:
        return closed
    try:
        wired = _filled(settings.wired(present, level), folder)
    except AgentwsError as error:
        finding = of_error(
            "host-settings", WARNING, error.message, remedy=error.hint or "Correct the file in an editor."
        )
        finding.path = f"{folder}/{finding.path or next(iter(present))}"
        return [finding]
    distinct = {(connection.script, connection.workspace, connection.launcher): connection for connection in wired}
    where = f"{folder}/{next(iter(present))}"
    faults = [fault for each in distinct.values() for fault in _of_hook(seen, host, level, folder, where, each)]
    # Obstacles matter only for hooks that call an existing command.
    if not wired or any(fault.severity == PROBLEM for fault in faults):
        return faults
    asks = not features.host(host).allows_all and settings.allowed(present, level) is False
    faults += _hindered(seen, host, level, folder)
    if asks:
        title = features.HOSTS[host].title
        says = f"{title} asks a person before each agentws command, and refuses the command if nobody can answer"
        remedy = f"Ignore this if intended. To allow the agent: {_install(host, level, folder)} --allow"
        faults.append(Finding("agent-asked", ADVICE, says, remedy=remedy, path=where))
    return faults


def _twice(seen: Seen, host: str, folders: Sequence[tuple[str, str]]) -> list[Finding]:
    """Return a finding for each folder whose hooks serve this workspace, if the user's hooks of that host do so too."""
    serving = [(level, folder, file) for level, folder in folders if (file := _serves(seen, host, level, folder))]
    user = next((file for level, _, file in serving if level == plan.USER), "")
    command = f"agentws uninstall {host}"
    says = (
        f"agentws is installed for {features.HOSTS[host].title} here and in {user}: "
        "every session gets its start-up text twice and is recorded twice"
    )
    return [
        Finding(
            "hook-twice",
            WARNING,
            says,
            remedy=f"Remove one of the two: {command}{_option(level, folder)}, or: {command} --user",
            path=file,
        )
        for level, folder, file in serving
        if user and level != plan.USER and not programs.is_same(file, user)  # a home folder may be the workspace
    ]


def _serves(seen: Seen, host: str, level: str, folder: str) -> str:
    """Return the settings file with hooks for this workspace, empty for none."""
    settings = hosts.settings(host)
    present = _texts(folder, settings.places(level), anywhere=level == plan.USER)
    try:
        wired = _filled(settings.wired(present, level), folder) if present else []
    except AgentwsError:
        return ""  # already reported as a finding
    result = any(
        not connection.workspace.startswith("/") or programs.is_same(connection.workspace, seen.stores.root)
        for connection in wired
    )
    return f"{folder}/{next(iter(present))}" if result else ""


def _filled(wired: Sequence[Wired], folder: str) -> list[Wired]:
    """Return each wiring with what its hook file says."""
    if not wired:
        return []
    from agentws.features.hosts import hook_file

    return [hook_file.filled(connection, folder) for connection in wired]


def _texts(
    folder: str, places: Sequence[str], *, anywhere: bool, closed: list[Finding] | None = None
) -> dict[str, str]:
    """Return the texts of the settings files that exist and can be read; `anywhere` also allows links to outside.

    A finding for each file that the disk cannot read is added to `closed`.
    """
    texts: dict[str, str] = {}
    for place in places:
        try:
            text = external_files.read(external_files.locate(folder, place, anywhere=anywhere))
        except DiskError as error:
            if closed is not None:
                closed.append(of_error("host-settings", WARNING, error.message, remedy=error.hint or _SEE))
            continue
        except AgentwsError:
            continue
        if text is not None:
            texts[place] = text
    return texts


def _of_hook(seen: Seen, host: str, level: str, folder: str, place: str, wired: Wired) -> list[Finding]:
    """Return the finding about an installed hook: outdated, for another workspace or agentws, or slow.

    A script or workspace without absolute path is found when the hook runs.
    """
    title = f"the {'hooks' if features.HOSTS[host].has_hooks else 'settings'} of {features.HOSTS[host].title}"
    install, script, workspace = _install(host, level, folder), wired.script, wired.workspace
    full, named = script.startswith("/"), workspace.startswith("/")
    if full and not programs.runs(script):
        says = f"{title} call {script}, which no longer exists: {_NOTHING}"
        return [Finding("hook-stale", PROBLEM, says, remedy=install, path=place)]
    if named and not programs.is_workspace(workspace):
        says = f"{title} serve {workspace}, which is no longer a workspace: {_NOTHING}"
        return [Finding("hook-stale", PROBLEM, says, remedy=install, path=place)]
    if named and not programs.is_same(workspace, seen.stores.root):
        severity = ADVICE if level == plan.USER else WARNING
        remedy = f"Ignore this if intended. To serve this workspace: {install}"
        return [
            Finding(
                "hook-elsewhere", severity, f"{title} serve another workspace: {workspace}", remedy=remedy, path=place
            )
        ]
    if full and seen.script is not None and not programs.is_same(script, seen.script):
        says = f"{title} call {script}, another agentws than this one"
        remedy = f"Ignore this if intended. To call this agentws: {install}"
        return [Finding("hook-other", ADVICE, says, remedy=remedy, path=place)]
    return _of_launcher(seen, title, install, wired) if wired.launcher else []


def _of_launcher(seen: Seen, title: str, install: str, wired: Wired) -> list[Finding]:
    from agentws.cli import launcher  # needed only if a hook has one

    quick = launcher.find(seen.stores.environment.cache, seen.stores.root, wired.script)
    is_renewable = quick is not None and quick.path == wired.launcher
    if quick.is_current() if quick is not None and is_renewable else programs.runs(wired.launcher):
        return []
    says = f"{title} start slowly: their launcher is missing or outdated"
    mends = [Mend(LAUNCH, base=wired.script)] if is_renewable else []
    return [Finding("hook-launcher", ADVICE, says, remedy=install, path=wired.launcher, mends=mends)]


def _install(host: str, level: str, folder: str) -> str:
    """Return the command that installs the hooks again."""
    return f"agentws install {host}{_option(level, folder)}"


def _option(level: str, folder: str) -> str:
    return {plan.PROJECT: "", plan.FOLDER: f" --folder {quoted(folder)}", plan.USER: " --user"}[level]


def _hindered(seen: Seen, host: str, level: str, folder: str) -> list[Finding]:
    """Return a finding for each obstacle that keeps the hooks in `folder` from running, as the host's files say."""
    return [
        Finding(
            "hook-untrusted" if obstacle.untrusted else "hooks-disabled",
            ADVICE if obstacle.asks else WARNING,  # the host runs them, once its user has agreed
            f"the hooks of {features.HOSTS[host].title}: {obstacle.says}",
            remedy=obstacle.remedy,
            path=obstacle.place,
        )
        for obstacle in hosts.settings(host).obstacles(_host_files(seen, host, level, folder))
    ]


def _host_files(seen: Seen, host: str, level: str, folder: str) -> HostFiles:
    from agentws.features.hosts.obstacles import HostFiles

    home = hosts.settings(host).home(seen.variables)
    # A project's settings apply to its own folder, the user's settings to every folder.
    folders = {} if level == plan.USER else {plan.PROJECT: folder}
    folders |= {plan.USER: home} if home is not None else {}

    def read(at: str, place: str) -> str:
        return _texts(folders[at], (place,), anywhere=at == plan.USER).get(place, "") if at in folders else ""

    at = plan.USER if level == plan.USER else plan.PROJECT
    return HostFiles(at, folders, read, install=_install(host, level, folder))


def _memory(seen: Seen) -> list[Finding]:
    """Return a finding for each host that keeps its own memory in this workspace."""
    faults = []
    home = seen.variables.get("HOME", "")
    for host in features.all_hosts():
        if not host.own_memory or not _may_be_wired(seen, host.name, ()):
            continue
        present = _host_files(seen, host.name, plan.PROJECT, seen.stores.root)
        folder, place = hosts.settings(host.name).memory(present)
        named = f"{home}/{folder.removeprefix('~/')}" if folder.startswith("~/") and home else folder
        if named.startswith("/") and programs.is_same(named, seen.stores.root):
            says = f"{host.title} keeps its own memory here: it loads MEMORY.md in addition to boot"
            remedy = "Ignore this if intended. Otherwise remove autoMemoryDirectory, or install without --auto-memory."
            faults.append(Finding("double-loading", ADVICE, says, remedy=remedy, path=place))
    return faults


_HOME = "~/"
_FOLDERS = (f"{layout.DAYS}/", f"{layout.TASKS}/", f"{layout.HANDOFFS}/")


def _loaded_twice(seen: Seen) -> list[Finding]:
    """Return the findings about files that a host in use here loads itself, and that boot shows too."""
    folder = scan.Folder(seen.stores.files)
    names = [entry.path for entry in seen.look.entries.values() if not entry.folder]
    shown = (*map(seen.stores.files.real, layout.AGENT_FILES), *seen.stores.manifest.setting("boot.pinned"))
    faults: list[Finding] = []
    for host, loads in hosts.recognised(names):
        whole = loading.loaded(host, folder).whole
        says = f"{host.title} loads only the beginning, so boot --for shows the file too: some tokens are spent twice"
        faults += [
            Finding("host-cuts", ADVICE, says, remedy=f"Shorten {path}.", path=path)
            for path in loads
            if path in shown and path not in whole
        ]
        if host.reach.imports:
            for path in loads:
                text = folder.text(path) or ""
                faults += _beyond(seen, host, path, text, shown)
                faults += _imported(host, path, text, sorted(whole.difference(loads)), shown)
    return faults


def _beyond(seen: Seen, host: Host, path: str, text: str, shown: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding for each shown file that this one imports by an absolute path or from the home folder."""

    for target in dict.fromkeys(loading.targets(text)):
        there = _beneath(seen, target)
        if _is_shown(there, shown):
            says = (
                f"{host.title} loads {there} through @{target}, and boot shows {there} too: the tokens are spent twice"
            )
            way = f"make it relative to that file: boot --for {host.name} then leaves the target out"
            remedy = f"Delete @{target} from {path}. Or {way}."
            yield Finding("double-loading", WARNING, says, remedy=remedy, path=path, line=_line_of(text, target))


def _imported(host: Host, path: str, text: str, whole: Sequence[str], shown: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding for each shown file that this one imports in a way that boot --for knows.

    AGENTS.md is excepted: it is meant to be imported.
    """

    lines = {loading.resolved(path, target): _line_of(text, target) for target in loading.targets(text)}
    for name in whole:
        if layout.usual(name) != layout.AGENTS and _is_shown(name, shown):
            without = f"without --for {host.name}, boot shows the file again"
            says = f"{host.title} itself loads {name}, outside the budget; {without}"
            remedy = f"Delete the import of {name} from {path}: boot shows it."
            yield Finding("double-loading", ADVICE, says, remedy=remedy, path=path, line=lines.get(name, 0))


def _line_of(text: str, target: str) -> int:
    """Return the first line (from 1) that imports `target`, 0 for none."""
    at = text.find(f"@{target}")
    return text.count("\n", 0, at) + 1 if at >= 0 else 0


def _is_shown(path: str, shown: Sequence[str]) -> bool:
    """Return True for what a boot shows: the usual files, what is pinned, and days, tasks and handoffs."""
    return path in shown or path.startswith(_FOLDERS)


def _beneath(seen: Seen, target: str) -> str:
    """Return the workspace path of an import by absolute path or from the home folder, empty if it is elsewhere."""
    home = seen.variables.get("HOME", "")
    if target.startswith(_HOME) and home:
        target = f"{home}/{target.removeprefix(_HOME)}"
    root = seen.stores.root.rstrip("/") + "/"
    return target.removeprefix(root) if target.startswith(root) else ""
