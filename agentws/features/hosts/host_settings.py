"""`HostSettings`: a host's settings files as `install` writes them, and what keeps its hooks from running. Pure."""

from __future__ import annotations

from agentws import features
from agentws.core.hosts.plan import NOTHING, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.hosts.plan import After, Texts, Wired, Wiring, Written
    from agentws.features.hosts.obstacles import HostFiles, Obstacle

SKILL = "skills/agentws/SKILL.md"
"""The path of agentws's skill below a host's settings folder."""


class HostSettings:
    """The settings of a host; its `settings.py` has an object of a subclass, `SETTINGS`.

    A place is a path below the folder of the settings: the user's, or a project's, whose settings are in its `folder`.

    Fields:
        name: the host's name on the command line.
        events: the host's events that get hooks; empty if it has no hooks.
        file: the place of its hooks, without the `folder`.
        steps, user_steps: what a person still has to do or to know after install in a project, and for the user.
        readers: hosts with hooks that read these settings too.
    """

    name = ""
    events: tuple[str, ...] = ()
    folder = ""
    file = ""
    steps: tuple[str, ...] = ()
    user_steps: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()

    def home(self, variables: Mapping[str, str]) -> str | None:
        """Return the absolute folder of the host's user settings, None if it has none."""
        for variable, below in features.host(self.name).homes:
            if (base := variables.get(variable, "")).startswith("/"):
                return f"{base.rstrip('/')}{below}" or "/"
        return None

    def place(self, level: str) -> str:
        """Return the place of the hooks."""
        return self.at(level, self.file)

    def at(self, level: str, name: str) -> str:
        """Return the place of a file in the folder of the host's settings."""
        return name if level == USER else f"{self.folder}/{name}"

    def skill(self, level: str) -> str:
        """Return the place of agentws's skill."""
        return self.at(level, SKILL)

    def places(self, level: str) -> tuple[str, ...]:
        """Return each place that install or uninstall may read or write."""
        return (self.place(level), self.skill(level))

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return the settings files with agentws in them; an earlier one is replaced; empty if all is right."""
        raise NotImplementedError

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return the host's settings files without agentws; None for a file that held nothing else."""
        raise NotImplementedError

    def wired(self, present: Texts, level: str) -> Sequence[Wired]:
        """Return the wiring of each agentws hook or block in these settings."""
        raise NotImplementedError

    def next_steps(self, wiring: Wiring) -> tuple[str, ...]:
        """Return what a person still has to do or to know after install, a sentence each."""
        return self.user_steps if wiring.level == USER else self.steps

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return whether the settings let the agent run agentws commands without asking; None for no such rule."""
        return None

    def rules(self, present: Texts, level: str) -> Sequence[str]:
        """Return the rules for agentws commands in a person's list of permissions, also the person's own."""
        return ()

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return what keeps the host from running the hooks, as far as these files show it."""
        return []

    def memory(self, files: HostFiles) -> tuple[str, str]:
        """Return (the folder of the host's own memory, the file that names it); both empty if none does."""
        return "", ""
