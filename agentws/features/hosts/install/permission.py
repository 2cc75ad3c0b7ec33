"""The permission to run our commands without being asked, and what stands against it."""

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
    """Return whether the agent in `host` may run our commands without being asked, None where it cannot be told so."""
    return target.find(stores, host, level=level, folder=folder, variables=variables).allowed()


def check_known(where: Target, allow: bool | None) -> None:
    """UsageError where the host cannot be told so."""
    if allow and where.allowed() is None:
        raise UsageError(
            f"{features.HOSTS[where.host].title} has no setting to allow only these commands.",
            hint=f"Leave out --allow: agentws install {where.host}",
        )


def check(where: Target, wiring: Wiring, *, home: str) -> None:
    """UsageError where a permission would be one for anything, or cannot be written down."""
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
    """The folders in which the agent works or soon may: the workspace, the target, and what a person stands in now.

    A home folder is not for work, also where it is a repository of its own.
    """
    here = locate.here()
    around = [here, locate.nearest(here, lambda folder: os.path.lexists(os.path.join(folder, ".git"))) or here]
    projects = [folder for folder in around if not f"{home}/".startswith(f"{folder.rstrip('/')}/")]
    return [os.path.realpath(where.folder), os.path.realpath(wiring.workspace), *projects]


def written(where: Target, wiring: Wiring, after: Texts) -> list[str]:
    """The rules of ours among those that stand `after` this: those of before, and what is new."""
    present = where.rules()
    return [rule for rule in where.rules(after) if rule in wiring.written.rules or rule not in present]


def left(where: Target, wiring: Wiring, after: Texts) -> list[str]:
    """A word about rules that look like ours where they were to go: who wrote them is not known, so they stay."""
    found: list[str] = []
    for name, text in after.items() if wiring.allows is False else ():
        if count := len(where.rules({name: text})):
            rules, them = ("rules", "them") if count > 1 else ("rule", "it")
            found.append(
                f"{count} permission {rules} for agentws in {where.folder}/{name}: not written by install, so kept. "
                f"Remove {them} yourself if not wanted."
            )
    return found
