"""Hosts, the programs that run agents: their hooks, and `install`. Finds a host's folder here by its name."""

from __future__ import annotations

from agentws import features
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from agentws.core.hosts.loading import Host
    from agentws.features.hosts.host_settings import HostSettings


def settings(name: str) -> HostSettings:
    """Return the settings of the host called `name`; UsageError lists the known hosts."""
    if name not in features.HOSTS:
        raise UsageError(f"Unknown host: {name!r}.", hint=f"Choose one of: {', '.join(features.HOSTS)}.")
    module = features.host_module(name, "settings")
    host_settings: HostSettings = module if features.HOSTS[name].starts_mcp else module.SETTINGS
    return host_settings


def paths(host: Host, folder: str, variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the absolute path of each file that may hold this host's hooks, in `folder` or for the user."""
    yield from (f"{folder}/{place}" for place in host.project_files)
    for variable, below in host.homes:
        if base := variables.get(variable, ""):
            yield from (f"{base.rstrip('/')}{below}/{place}" for place in host.user_files)


def recognised(names: Collection[str]) -> list[tuple[Host, tuple[str, ...]]]:
    """Return the hosts with a sign among the `names` in the root folder, each with those of `names` that it loads."""
    return [(host, host.files(names)) for host in features.all_hosts() if any(sign in names for sign in host.signs)]
