"""Lists the hosts for `install`: whether each is found here, and which workspace its settings are connected to."""

from __future__ import annotations

from agentws import features
from agentws.core import Result
from agentws.core.disk import external_files, locate
from agentws.core.disk.inspect import programs
from agentws.core.hosts import plan
from agentws.errors import AgentwsError
from agentws.features import hosts
from agentws.features.hosts import install_record
from agentws.features.hosts.install import target
from agentws.features.hosts.obstacles import HostFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.install.target import Target


_MISSING = "its command or workspace is missing"


class Wire:
    """Settings connected to a workspace: at a `level`, in `folder`, to `workspace`; `ours` if that is this one.

    `hindered` says what keeps the hooks from working, empty for nothing: that workspace or the command is gone, or an
    obstacle in the settings; `allowed`: the agent may run agentws commands without asking, None if the host has no such
    setting.
    """

    __slots__ = ("allowed", "folder", "hindered", "level", "ours", "workspace")

    def __init__(self, where: Target, workspace: str, *, ours: bool) -> None:
        self.level = where.level
        self.folder = where.folder
        self.workspace = workspace
        self.ours = ours
        self.hindered = ""
        self.allowed = where.allowed()

    @property
    def works(self) -> bool:
        """Return whether nothing is known that keeps the hooks from working."""
        return not self.hindered


class Known(Result):
    """A host in the list: `found` if it `is_on_machine` or this project uses it; `wires` are its connected settings."""

    __slots__ = ("found", "is_on_machine", "name", "title", "wires")

    def __init__(self, name: str, root: str, variables: Mapping[str, str]) -> None:
        self.name = name
        self.title = features.HOSTS[name].title
        self.is_on_machine = is_on_machine(name, variables)
        self.found = is_found(root, name, variables)
        self.wires: list[Wire] = []


class Listed(Result):
    """The list of hosts, and notices."""

    __slots__ = ("hosts", "notices")

    def __init__(self) -> None:
        self.hosts: list[Known] = []
        self.notices: list[str] = []


def list_hosts(stores: Stores, *, variables: Mapping[str, str]) -> Listed:
    """Return every host that `install` knows, with the settings that are connected to a workspace."""
    listed = Listed()
    for name in features.HOSTS:
        known = Known(name, stores.root, variables)
        listed.hosts.append(known)
        for level, folder in levels(stores, name, variables):
            try:
                where = target.find(stores, name, level=level, folder=folder, variables=variables)
                known.wires += _wires(stores, where)
            except AgentwsError as error:
                listed.notices.append(error.message)
    return listed


def is_found(root: str, name: str, variables: Mapping[str, str]) -> bool:
    """Return whether a host is on this machine, or signs of it are in the folder `root`."""
    host = features.host(name)
    signs = host.signs or host.project_files
    return is_on_machine(name, variables) or any(external_files.stands(root, sign) for sign in signs)


def is_on_machine(name: str, variables: Mapping[str, str]) -> bool:
    """Return whether the folder of a host's settings is in the user's home."""
    home = hosts.settings(name).home(variables)
    return home is not None and external_files.is_folder(home)


def levels(stores: Stores, name: str, variables: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield (level, folder) of all settings of this host that may be connected here, as `target.find` takes them."""
    yield plan.PROJECT, None
    project = locate.project(stores.root)
    for record in install_record.all_of(stores.files):
        is_other = record.folder != project  # of an `.agentmem`, the project's folder has a record too
        if record.host == name and record.level == plan.FOLDER and is_other and external_files.is_folder(record.folder):
            yield plan.FOLDER, record.folder
    if hosts.settings(name).home(variables) is not None:
        yield plan.USER, None


def _wires(stores: Stores, where: Target) -> list[Wire]:
    wires: dict[str, Wire] = {}
    for wired in where.wired():
        workspace = where.workspace(wired)
        script = not wired.script.startswith("/") or external_files.stands("/", wired.script.lstrip("/"))
        wire = wires.setdefault(workspace, Wire(where, workspace, ours=workspace == stores.root))
        if not (script and programs.is_workspace(workspace)):
            wire.hindered = _MISSING
    says = _hindered(where) if wires else ""
    for wire in wires.values():
        wire.hindered = wire.hindered or says
    return list(wires.values())


def _hindered(where: Target) -> str:
    """Return the first obstacle that the connected settings show, except missing trust; empty for none."""
    level = plan.USER if where.level == plan.USER else plan.PROJECT
    present = HostFiles(level, {level: where.folder}, lambda at, place: where.present.get(place, "") * (at == level))
    return next((obstacle.says for obstacle in where.settings.obstacles(present) if not obstacle.untrusted), "")
