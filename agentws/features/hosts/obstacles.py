"""Obstacles that keep a host from running its hooks: switched off, or not trusted. Pure.

The `obstacles.py` in a host's folder finds them in the host's files; a host without that module has none.
"""

from __future__ import annotations

from agentws import features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from agentws.core.hosts.plan import Texts

    class Teller(Protocol):
        """The functions of a host's `obstacles.py`."""

        def places(self, level: str) -> Sequence[str]:
            """Return the files that may show an obstacle, at the levels PROJECT and USER."""

        def find(self, settings: Settings) -> Sequence[Obstacle]:
            """Return the obstacles to the hooks, as far as these settings show them."""


class Settings:
    """Files searched for obstacles: `texts` and their absolute `folders`, by level; `level` is that of the hooks.

    `install` is the command that installs the hooks again.
    """

    __slots__ = ("folders", "install", "level", "texts")

    def __init__(
        self, level: str, texts: Mapping[str, Texts], folders: Mapping[str, str], *, install: str = "agentws install"
    ) -> None:
        self.install = install
        self.level = level
        self.texts = texts
        self.folders = folders

    def text(self, level: str, place: str) -> str:
        """Return the text of the settings file at this place, empty if there is none."""
        return self.texts.get(level, {}).get(place, "")


class Obstacle:
    """An obstacle to a host's hooks: `says` which, in the file `place` (absolute); `untrusted` if trust is missing.

    `asks`: the host itself asks for trust when somebody starts it, and runs the hooks in headless runs anyway.
    """

    __slots__ = ("asks", "place", "remedy", "says", "untrusted")

    def __init__(self, says: str, *, place: str, remedy: str, untrusted: bool = False, asks: bool = False) -> None:
        self.asks = asks
        self.says = says
        self.place = place
        self.remedy = remedy
        self.untrusted = untrusted


def teller(host: str) -> Teller | None:
    """Return the `obstacles` module of this host, None if it has none."""
    if not features.has_module(host, "obstacles"):
        return None
    host_module: Teller = features.host_module(host, "obstacles")
    return host_module
