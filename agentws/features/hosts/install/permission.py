"""The permission to run agentws commands without asking (`install --allow`), and the reasons to refuse it."""

from __future__ import annotations

import os

from agentws import features
from agentws.core.disk import locate
from agentws.core.hosts import allowance, plan
from agentws.errors import UsageError
from agentws.features.hosts.install import target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.hosts.plan import Texts, Wiring
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.install.target import Target


def is_allowed(
    stores: Stores, host: str, *, variables: Mapping[str, str], level: str = plan.PROJECT, folder: str | None = None
) -> bool | None:
    """Return whether the agent in `host` may run agentws commands without asking, None if there is no such setting."""
    return target.find(stores, host, level=level, folder=folder, variables=variables).allowed()


def check_known(where: Target, allow: bool | None) -> None:
    """Raise UsageError if `allow` is given, and the host has no setting for that permission."""
    if allow and where.allowed() is None:
        raise UsageError(
            f"{features.HOSTS[where.host].title} has no setting to allow only these commands.",
            hint=f"Leave out --allow: agentws install {where.host}",
        )


def check(where: Target, wiring: Wiring, *, home: str) -> None:
    """Raise UsageError if the agent could replace the permitted command, or if no rule can express the permission."""
    if not wiring.allows:
        return
    scripts = (wiring.script, os.path.realpath(wiring.script))
    for folder in _worked_in(where, wiring, os.path.realpath(home)):
        inside = [path for path in scripts if path.startswith(f"{folder}/")]
        if inside:
            raise UsageError(
                f"{inside[0]} is in {folder}, where the agent works: the agent could replace the command.",
                hint="Install agentws elsewhere (pipx install agentws), or leave out --allow.",
            )
    if not allowance.typed(wiring):
        raise UsageError(
            f"{wiring.script} -C {wiring.workspace}: permission rules cannot contain some of these characters.",
            hint="Rename the folder, or leave out --allow.",
        )


def _worked_in(where: Target, wiring: Wiring, home: str) -> list[str]:
    """Return the folders where the agent may work: the workspace, the target, the current folder and its repository.

    A folder that holds the home folder, or is it, is left out, also if it is a repository.
    """
    path = locate.here()
    around = [path, locate.nearest(path, lambda folder: os.path.lexists(os.path.join(folder, ".git"))) or path]
    projects = [folder for folder in around if not f"{home}/".startswith(f"{folder.rstrip('/')}/")]
    return [os.path.realpath(where.folder), os.path.realpath(wiring.workspace), *projects]


def written(where: Target, wiring: Wiring, after: Texts) -> list[str]:
    """Return the permission rules that are agentws's in the texts `after`: those of earlier installs, and new ones."""
    present = where.rules()
    return [rule for rule in where.rules(after) if rule in wiring.written.rules or rule not in present]


def left(where: Target, wiring: Wiring, after: Texts) -> list[str]:
    """Return a notice for each file with permission rules that --no-allow keeps, because install did not write them."""
    result: list[str] = []
    for name, text in after.items() if wiring.allows is False else ():
        if count := len(where.rules({name: text})):
            rules, them = ("rules", "them") if count > 1 else ("rule", "it")
            result.append(
                f"{count} permission {rules} for agentws in {where.folder}/{name}: not written by install, so kept. "
                f"Remove {them} yourself if not wanted."
            )
    return result
