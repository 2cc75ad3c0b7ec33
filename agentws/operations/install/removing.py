"""uninstall: the settings of an agent program as they were before install, byte for byte."""

from __future__ import annotations

from agentws.hosts import catalogue, plan
from agentws.operations.install import target, writing
from agentws.storage import elsewhere, installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.hosts.plan import After
    from agentws.operations.install.target import Change, Target
    from agentws.storage.stores import Stores


class Uninstalled:
    """What uninstall did, or would do: `changes` of files, none where nothing of ours was there.

    `restored` are the places that are again, byte for byte, what they were before install; in the others somebody has
    written since, so only what is ours was taken out. `folders` were made by install and are gone.
    """

    __slots__ = ("changes", "dry_run", "folder", "folders", "host", "level", "notices", "restored", "title")

    def __init__(self, where: Target, changes: list[Change], *, dry_run: bool) -> None:
        self.host = where.host
        self.title = catalogue.TITLES[where.host]
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
    """Take what install wrote out of the settings of `host`, and leave everything else as it is.

    NeedsYouError where they are wired to another workspace that is still there.
    """
    stores.check_writable()
    if not dry_run:
        stores.settle()
    where = target.find(stores, host, level=level, folder=folder, variables=variables)
    where.check_ours(stores.root, hint=f"Take it out there: agentws -C {{}} uninstall {host}{_option(where)}")
    changes = where.changes(_after(where))
    done = Uninstalled(where, changes, dry_run=dry_run)
    if changes and not dry_run:
        writing.apply(stores, "uninstall", where, changes)
    if where.record is not None and not dry_run:
        done.folders = [made for made in where.record.folders if elsewhere.remove_folder(made)]
        installed.forget(stores.files, where.record)
    done.notices += stores.notices
    return done


def _after(where: Target) -> After:
    """Each file as it was before, where nobody has written since; else without what is ours."""
    after = where.without_us()
    for name in where.spots:
        if where.record is not None and _is_as_left(where, name):
            after[name] = where.record.before.get(name)
    return after


def _is_as_left(where: Target, name: str) -> bool:
    return where.record is not None and where.record.holds(name, where.present.get(name))


def _option(where: Target) -> str:
    return {plan.USER: " --user", plan.FOLDER: f" --folder {where.folder}"}.get(where.level, "")
