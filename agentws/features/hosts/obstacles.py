"""Why hooks that stand in a host's settings would not run: switched off, or not trusted. Pure.

What a host's files say of that is known to the `obstacles.py` in its folder; a host that has none hides nothing.
"""

from __future__ import annotations

from agentws import features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from agentws.core.hosts.plan import Texts

    class Teller(Protocol):
        """What a host's `obstacles.py` offers."""

        def places(self, level: str) -> Sequence[str]:
            """Each place that may say something of it, at the levels PROJECT and USER."""

        def find(self, settings: Settings) -> Sequence[Obstacle]:
            """Return what keeps the hooks from running, as far as these settings say."""


class Settings:
    """A host's settings: `texts` and the absolute `folders` they are in, by level; `level` is where our hooks stand."""

    __slots__ = ("folders", "level", "texts")

    def __init__(self, level: str, texts: Mapping[str, Texts], folders: Mapping[str, str]) -> None:
        self.level = level
        self.texts = texts
        self.folders = folders

    def text(self, level: str, place: str) -> str:
        """The text of the file at this place, empty where there is none."""
        return self.texts.get(level, {}).get(place, "")


class Obstacle:
    """An obstacle for hooks: `says` what, `place` (absolute) says where; `untrusted` where trust is missing.

    `asks` where the host asks for it by itself when somebody starts it, and runs them headless.
    """

    __slots__ = ("asks", "place", "remedy", "says", "untrusted")

    def __init__(self, says: str, *, place: str, remedy: str, untrusted: bool = False, asks: bool = False) -> None:
        self.asks = asks
        self.says = says
        self.place = place
        self.remedy = remedy
        self.untrusted = untrusted


def teller(host: str) -> Teller | None:
    """Return who can name the obstacles of this host, None for nobody."""
    from importlib.util import find_spec

    if find_spec(f"{features.host_module(host).__name__}.obstacles") is None:
        return None
    found: Teller = features.host_module(host, "obstacles")
    return found
