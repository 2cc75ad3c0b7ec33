"""install: connects a host to the workspace, so that its sessions begin with boot and are recorded."""

from __future__ import annotations

from agentws import features
from agentws.cli import launcher
from agentws.core import Result
from agentws.core.disk.inspect import programs
from agentws.core.disk.system import shipped
from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.hosts import block, loading, plan
from agentws.core.tokens import counters
from agentws.errors import AgentwsError, OutsideProgramError, UsageError
from agentws.features.boot import idle_parts
from agentws.features.hosts import hook_file
from agentws.features.hosts.install import changes as writing, permission, target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from agentws.core.hosts.plan import Wiring
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.install.target import Change, Target

_GNU = b"GNU coreutils"


class Installed(Result):
    """The result of install, or of its dry run, for the settings of `host` in `folder`.

    `changes` are the files with their text before and after, empty if all was right already; `launcher` is the file of
    the faster start that hooks use, None if there can be none. `events` are the host's events with hooks; a boot may
    have up to `parts` texts; `next_steps` are for a person. `replaced` names the workspaces that the settings served
    before. `allowed`: the agent may run agentws commands without asking, None if the host has no such setting.
    """

    __slots__ = (
        "allowed", "changes", "cost", "dry_run", "events", "folder", "host", "launcher", "level", "next_steps",
        "notices", "parts", "replaced", "script", "title", "workspace",
    )  # fmt: skip

    def __init__(self, where: Target, wiring: Wiring, changes: list[Change], cost: Cost, *, dry_run: bool) -> None:
        self.host = where.host
        self.title = features.HOSTS[where.host].title
        self.level = where.level
        self.folder = where.folder
        self.script = wiring.script
        self.launcher = wiring.launcher[-1] if wiring.launcher else None
        self.workspace = wiring.workspace
        self.parts = wiring.parts
        self.events: Sequence[str] = where.settings.events
        self.next_steps = where.settings.next_steps(wiring)
        self.allowed: bool | None = None
        self.changes = changes
        self.cost = cost
        self.dry_run = dry_run
        self.replaced: list[str] = []
        self.notices: list[str] = []


def install(
    stores: Stores,
    host: str,
    *,
    script: str | None,
    variables: Mapping[str, str],
    level: str = plan.PROJECT,
    folder: str | None = None,
    auto_memory: bool = False,
    replace: bool = False,
    allow: bool | None = None,
    named: bool = False,
    dry_run: bool = False,
) -> Installed:
    """Connect `host` to this workspace by its settings; nothing else in them changes, a second call changes nothing.

    `script` is the absolute path of the console script, which is run once to measure what a session costs; `variables`
    are those of the environment. With `allow` the agent may run agentws commands without asking, with None that stays
    as it is; `named`: the script is the one that is called `agentws` on the PATH. NeedsYouError if the settings serve
    another workspace, unless `replace`; DamagedError, naming the line, if settings cannot be parsed: then nothing was
    changed.
    """
    stores.check_writable()
    if not dry_run:
        stores.settle()
    script = _checked(script, stores.root)
    where = target.find(stores, host, level=level, folder=folder, variables=variables)
    if auto_memory and not features.host(host).own_memory:
        raise UsageError(
            f"{features.HOSTS[host].title} has no auto-memory to redirect.", hint="Leave out --auto-memory."
        )
    if not where.spots:
        raise UsageError(f"{features.HOSTS[host].title} has user settings only.", hint=f"agentws install {host} --user")
    permission.check_known(where, allow)
    replaced = where.others(stores.root) if replace else where.check_ours(stores.root, hint=_hint(host, where.level))
    cost, quick = _measured(stores, where, script, dry_run=dry_run)
    parts = plan.parts(most_chars(host), cost.budget, now=cost.parts)
    former = writing.former(where, replaced)
    wiring = plan.Wiring(
        script, stores.root, level=where.level, parts=parts, auto_memory=auto_memory, launcher=quick,
        skill=shipped.skill(), allows=allow, is_named=named, written=where.written(former.values()),
        below=_below(where, stores.root), agents=_agents(where), is_booted=_is_booted(stores, where, variables),
        sync=_sync(),
    )  # fmt: skip
    permission.check(where, wiring, home=variables.get("HOME", "/"))
    changes = where.changes(where.with_us(wiring))
    after = _texts(where, changes)
    if where.settings.events and not dry_run:
        hook_file.write(stores.files, wiring)
    if changes and not dry_run:
        ours = permission.written(where, wiring, after)
        writing.remember(stores, where, changes, list(former.values()), ours)
        writing.apply(stores, "install", where, changes)
        stores.notices += writing.forget(former)
    if not dry_run:
        idle_parts.forget(stores.files)
    count_blocks(cost, host, after.items())
    done = Installed(where, wiring, changes, cost, dry_run=dry_run)
    done.allowed = where.settings.allowed(after, where.level)
    done.replaced = replaced
    done.notices += [*stores.notices, *permission.left(where, wiring, after), *target.edited(where)]
    done.notices += _twice(stores, where, variables)
    return done


def _sync() -> str:
    """Return the program `sync` if it syncs single files, as that of GNU coreutils does; else empty."""
    import shutil

    path = shutil.which("sync") or ""
    try:
        return path if path.startswith("/") and _GNU in programs.try_run([path, "--version"])[0] else ""
    except AgentwsError:
        return ""


def _agents(where: Target) -> str:
    """Return the name of AGENTS.md in the folder of the settings, in the letters that it has there."""
    spot = where.spots.get(layout.AGENTS)
    return spot.path if spot is not None and layout.usual(spot.path) == layout.AGENTS else layout.AGENTS


def _is_booted(stores: Stores, where: Target, variables: Mapping[str, str]) -> bool:
    """Return whether hooks of a host that reads these settings too serve the workspace, so that they bring the boot."""
    for reader in where.settings.readers:
        for level, folder in ((where.level, where.folder), (plan.USER, None)):
            try:
                hooks = target.find(stores, reader, level=level, folder=folder, variables=variables)
                if any(hooks.workspace(wired) == stores.root for wired in hooks.wired()):
                    return True
            except AgentwsError:
                continue  # this call is not about those settings
    return False


def _below(where: Target, workspace: str) -> str | None:
    """Return the workspace's path in the folder of a project's settings, None if it is elsewhere."""
    if where.level == plan.USER:
        return None
    if workspace == where.folder:
        return ""
    return workspace.removeprefix(f"{where.folder}/") if workspace.startswith(f"{where.folder}/") else None


def _texts(where: Target, changes: Sequence[Change]) -> dict[str, str]:
    """Return the text of each settings file after the changes."""
    after = {**where.present, **{change.place: change.after or "" for change in changes}}
    return {name: text for name, text in after.items() if text}


def _measured(stores: Stores, where: Target, script: str, *, dry_run: bool) -> tuple[Cost, Sequence[str]]:
    """Return what a session costs, and the words of the launcher that hooks can use, empty if there is none.

    Except in a dry run, the launcher is made and tried.
    """
    quick = launcher.find(stores.environment.cache, stores.root, script) if where.settings.events else None
    if quick is not None and not dry_run:
        try:
            if quick.make():
                return measure(quick.words, stores.root, where.host), quick.words
        except OutsideProgramError:
            launcher.remove(stores.environment.cache, stores.root)  # hooks work without a launcher
        quick = None
    return measure([script], stores.root, where.host), quick.words if quick is not None else ()


def _checked(script: str | None, workspace: str) -> str:
    if script is None:
        raise UsageError(
            "Hooks need an installed `agentws` command, and this one runs from source.",
            hint="Install agentws (pipx install agentws), then run: agentws install …",
        )
    for path in (script, workspace):
        if not path.isprintable():
            raise UsageError(
                f"{path!r}: settings cannot contain this path: it has unprintable characters or is not UTF-8.",
                hint="Rename the folder.",
            )
    return script


def _hint(host: str, level: str) -> str:
    instead = "To connect the host to this workspace instead, add --replace."
    return (
        f"{instead} To connect a single project: agentws install {host} --folder DIR" if level == plan.USER else instead
    )


def _twice(stores: Stores, where: Target, variables: Mapping[str, str]) -> list[str]:
    """Return a notice if settings at another level are connected as well, since the hooks of both run."""
    if features.host(where.host).once:
        return []
    other = plan.USER if where.level != plan.USER else plan.PROJECT
    try:
        twin = target.find(stores, where.host, level=other, folder=None, variables=variables)
        wired = twin.wired()
    except AgentwsError:
        return []  # no such settings, or unreadable ones that this call is not about
    known = {spot.full for spot in where.spots.values()}
    if not wired or any(spot.full in known for spot in twin.spots.values()):  # a home folder may be the workspace
        return []
    option = " --user" if other == plan.USER else ""
    return [
        f"{features.HOSTS[where.host].title} is also installed in {twin.folder}, so the agent gets everything twice. "
        f"Remove one of the two: agentws uninstall {where.host}{option}"
    ]


_MARKDOWN = ".md"


class Cost(Result):
    """The cost of a session's start: `boot` and `block` of instructions, in tokens of `counter`; the boot's `parts`.

    `took_ms` is how long the slowest part took here, its process included; hosts run them side by side.
    """

    __slots__ = ("block", "boot", "budget", "counter", "parts", "took_ms", "trust")

    def __init__(self, first: dict[str, Any], took_ms: int) -> None:
        self.boot: int = first["tokens"]
        self.block = 0
        self.budget: int = first["budget"]
        self.counter: str = first["counter"]["name"]
        self.trust: str = first["counter"]["trust"]
        self.parts: int = first["parts"]
        self.took_ms = took_ms

    @property
    def tokens(self) -> int:
        """The cost in tokens of boot and block together."""
        return self.boot + self.block


def measure(start: Sequence[str], workspace: str, host: str) -> Cost:
    """Return the cost of a boot for `host`, run by the command `start`; OutsideProgramError if that fails."""
    words = [*start, "-C", workspace, "boot", "--json"]
    described = features.host(host)
    if features.HOSTS[host].has_hooks:
        words += ["--for", host]
    if not (described.in_parts or described.in_one):
        return Cost(*_run(words))
    cost = Cost(*_run([*words, "--part", "1"]))
    for part in range(2, cost.parts + 1):
        fields, took_ms = _run([*words, "--part", str(part)])
        cost.boot += fields["tokens"]
        cost.took_ms = max(cost.took_ms, took_ms)
    return cost


def count_blocks(cost: Cost, host: str, texts: Iterable[tuple[str, str]]) -> None:
    """Add to the cost the tokens of agentws's block in the instruction files among `texts` (place, text)."""
    bodies = [block.body_of(text, host) for name, text in texts if name.endswith(_MARKDOWN)]
    if not any(bodies):
        return
    try:
        counter = counters.counter(cost.counter, shipped.open_o200k)
    except AgentwsError:
        return  # boot has reported already that the vocabulary is missing
    cost.block = sum(-(-counter.units(body) // counter.units_per_token) for body in bodies if body)


def most_chars(host: str) -> int:
    """Return how many characters each part of a boot for `host` may have, 0 if it gets a single text."""
    described = features.host(host)
    cap = described.cap if described.in_parts else None
    if cap is None:
        return 0
    return cap.most * (loading.BYTES_PER_TOKEN if cap.unit == loading.TOKENS else 1)


def _run(words: list[str]) -> tuple[dict[str, Any], int]:
    printed, took_ms = programs.try_run(words)
    try:
        decoded = plainjson.loads(printed)
        if decoded["schema"].startswith("agentws/boot@"):
            return decoded, took_ms
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise OutsideProgramError(
        f"{words[0]}: hooks cannot use this command: it does not print boot.",
        hint="Nothing was changed. Run `install` with the `agentws` that the agent should use.",
    )
