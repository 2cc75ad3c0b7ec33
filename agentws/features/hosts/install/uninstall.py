"""uninstall: disconnects a host, and makes its settings what they were before install, byte for byte."""

from __future__ import annotations

import shlex

from agentws import features
from agentws.cli import launcher
from agentws.core import Result
from agentws.core.disk import external_files
from agentws.core.hosts import plan
from agentws.errors import AgentwsError, MayNotWriteError
from agentws.features.hosts import hook_file, install_record
from agentws.features.hosts.install import changes as writing, hosts, target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.hosts.plan import After
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.install.target import Change, Target


class Uninstalled(Result):
    """The result of uninstall, or of its dry run: the `changes` of files, empty if agentws was not installed there.

    `restored` are the files that are again, byte for byte, what they were before install; the others were edited since,
    so only agentws's part was removed. `folders` were made by install and are removed.
    """

    __slots__ = ("changes", "dry_run", "folder", "folders", "host", "level", "notices", "restored", "title")

    def __init__(self, where: Target, changes: list[Change], *, dry_run: bool) -> None:
        self.host = where.host
        self.title = features.HOSTS[where.host].title
        self.level = where.level
        self.folder = where.folder
        self.changes = changes
        self.dry_run = dry_run
        self.restored = [change.place for change in changes if _is_as_left(where, change.place)]
        self.folders: list[str] = []
        self.notices: list[str] = []


def uninstall(
    stores: Stores,
    host: str,
    *,
    variables: Mapping[str, str],
    level: str = plan.PROJECT,
    folder: str | None = None,
    dry_run: bool = False,
) -> Uninstalled:
    """Remove what install wrote from the settings of `host`, and leave everything else as it is.

    That works also if the agent has moved away or was retired, since its hooks would be called in vain. NeedsYouError
    if the settings serve another workspace that still exists.
    """
    stores.check_adopted()
    at_rest = _is_at_rest(stores)
    if not dry_run and not at_rest:
        stores.settle()
    where = target.find(stores, host, level=level, folder=folder, variables=variables)
    where.check_ours(stores.root, hint=f"Remove agentws from there: agentws -C {{}} uninstall {host}{_option(where)}")
    heirs = target.heirs(stores, where, variables)
    changes = where.changes({name: text for name, text in _after(where).items() if name not in heirs})
    done = Uninstalled(where, changes, dry_run=dry_run)
    if changes and not dry_run:
        writing.apply(stores, "uninstall", where, changes, at_rest=at_rest)
    if where.record is not None and not dry_run:
        target.hand_over(stores.files, where.record, heirs)
        done.folders = [made for made in where.record.folders if external_files.remove_folder(made)]
        install_record.forget(stores.files, where.record)
    if not dry_run and not _is_used(stores, variables):
        launcher.remove(stores.environment.cache, stores.root)
        hook_file.remove(stores.files)
    done.notices += [*stores.notices, *target.edited(where)]
    if not changes:
        done.notices += _elsewhere(stores, where, variables)
    return done


def _elsewhere(stores: Stores, where: Target, variables: Mapping[str, str]) -> list[str]:
    """Return a notice for each other place where the host is installed: the caller may have meant that one."""
    result = []
    for level, folder in hosts.levels(stores, where.host, variables):
        try:
            other = target.find(stores, where.host, level=level, folder=folder, variables=variables)
            is_ours = any(other.workspace(wired) == stores.root for wired in other.wired())
        except AgentwsError:
            continue  # this call is not about those settings
        if is_ours and other.folder != where.folder:
            result.append(f"agentws is installed in {other.folder}: agentws uninstall {where.host}{_option(other)}")
    return result


def _is_used(stores: Stores, variables: Mapping[str, str]) -> bool:
    """Return whether hooks of some host still use this workspace's launcher or hook file, or that cannot be told."""
    for host in features.HOSTS:
        for level, folder in hosts.levels(stores, host, variables):
            try:
                wired = target.find(stores, host, level=level, folder=folder, variables=variables).wired()
            except AgentwsError:
                return True
            needing = [connection for connection in wired if connection.launcher or connection.file]
            if any(external_files.resolved(connection.workspace) == stores.root for connection in needing):
                return True
    return False


def _is_at_rest(stores: Stores) -> bool:
    """Return whether nothing may be written in the workspace here, any more or yet."""
    try:
        stores.check_writable()
    except MayNotWriteError:
        return True
    return False


def _after(where: Target) -> After:
    """Return each settings file as before install if nobody edited it since, else without agentws's part."""
    after = where.without_us()
    for name in where.spots:
        if where.record is not None and _is_as_left(where, name):
            after[name] = where.record.before.get(name)
    return after


def _is_as_left(where: Target, name: str) -> bool:
    return where.record is not None and where.record.holds(name, where.present.get(name))


def _option(where: Target) -> str:
    return {plan.USER: " --user", plan.FOLDER: f" --folder {shlex.quote(where.folder)}"}.get(where.level, "")
