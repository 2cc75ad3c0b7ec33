"""Files shared by two hosts that are installed in the same folder: the last one to be uninstalled removes them."""

from __future__ import annotations

from agentws import features
from agentws.core.hosts import plan
from agentws.errors import AgentwsError
from agentws.features import hosts
from agentws.features.hosts import install_record, skill
from agentws.features.hosts.install import target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.disk.files import Files
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.install.target import Target
    from agentws.features.hosts.install_record import Record

    Heirs = Mapping[str, Target]
    """Place → another installed host that still reads the shared file."""


def heirs(stores: Stores, where: Target, variables: Mapping[str, str]) -> dict[str, Target]:
    """Return the other installed hosts that still read the skill of `where`, by its place."""
    targets = {}
    for host in features.HOSTS:
        names = [name for name in hosts.settings(host).places(where.level) if name.endswith(skill.FILE)]
        if host == where.host or not where.spots.keys() & set(names):
            continue
        folder = None if where.level == plan.USER else where.folder
        try:
            other = target.find(stores, host, level=where.level, folder=folder, variables=variables)
            wired = other.folder == where.folder and other.wired()
        except AgentwsError:
            continue  # settings that cannot be read need no shared file
        targets.update(dict.fromkeys(names if wired else (), other))
    return targets


def edited(where: Target) -> list[str]:
    """Return a notice for each skill of agentws that somebody edited: it is theirs, so it stays as it is."""
    return [
        f"{where.folder}/{name} was edited after install wrote it, so agentws left it unchanged."
        for name, text in where.present.items()
        if name.endswith(skill.FILE) and skill.is_edited(text)
    ]


def hand_over(files: Files, record: Record, heirs: Heirs) -> None:
    """Record for the heirs of shared files what was there before install, and which folders were made."""
    for name, other in heirs.items():
        if name not in record.after:
            continue
        kept = other.record or install_record.Record(other.host, other.level, other.folder)
        was_first = kept.holds(name, record.before.get(name))
        if not was_first:
            kept.before[name] = record.before.get(name)
        if was_first or name not in kept.after:
            kept.after[name] = record.after[name]
        kept.folders += [folder for folder in record.folders if folder not in kept.folders]
        kept.folders.sort(key=len, reverse=True)
        install_record.keep(files, kept)
