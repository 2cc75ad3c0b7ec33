"""What `install` writes for a host of the family: hooks in one file of settings, nested as Claude Code's are. Pure."""

from __future__ import annotations

from agentws.hosts import hook_entries, plan
from agentws.hosts.plan import USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.hosts.hook_entries import Group
    from agentws.hosts.plan import After, Texts, Wired, Wiring


class Nested:
    """A host's row: its hooks stand in `project` below a project's folder, and in `user` below its `home`.

    `homes` are the variables that name that folder, each with what follows below it. `timeouts_s` says how long an
    event may take where that is not `usual_s`; `starts` is what a session may begin by; `signs` show that it is used.
    """

    __slots__ = ("events", "homes", "host", "project", "signs_", "starts", "timeouts_s", "user", "usual_s")

    def __init__(
        self,
        host: str,
        events: Sequence[str],
        *,
        project: str,
        user: str,
        homes: Sequence[tuple[str, str]],
        signs: Sequence[str],
        starts: str = "",
        timeouts_s: Mapping[str, int],
        usual_s: int = 10,
    ) -> None:
        self.host = host
        self.events = events
        self.project = project
        self.user = user
        self.homes = homes
        self.signs_ = signs
        self.starts = starts
        self.timeouts_s = timeouts_s
        self.usual_s = usual_s

    def home(self, variables: Mapping[str, str]) -> str | None:
        """The folder of the user's settings."""
        return plan.folder(variables, *self.homes)

    def signs(self) -> Sequence[str]:
        """What shows that it is in use in a project."""
        return self.signs_

    def places(self, level: str) -> tuple[str, ...]:
        """Each place that may be read or written."""
        return (self.place(level),)

    def install(self, present: Texts, wiring: Wiring) -> After:
        """The texts with us in them."""
        place = self.place(wiring.level)
        wanted = {event: [self._group(event, wiring)] for event in self.events}
        text = hook_entries.with_hooks(present.get(place, ""), self.host, wanted, where=place)
        return plan.changed(present, {place: text})

    def uninstall(self, present: Texts, level: str) -> After:
        """The texts without us."""
        place = self.place(level)
        if place not in present:
            return {}
        text = hook_entries.without_hooks(present[place], self.host, where=place)
        return plan.without_empty(plan.changed(present, {place: text}))

    def wired(self, present: Texts, level: str) -> list[Wired]:
        """What is wired in there."""
        place = self.place(level)
        return hook_entries.wired(present.get(place, ""), self.host, where=place)

    def place(self, level: str) -> str:
        """The file with the hooks."""
        return self.user if level == USER else self.project

    def _group(self, event: str, wiring: Wiring) -> Group:
        timeout_s = self.timeouts_s.get(event, self.usual_s)
        hook = {"type": "command", "command": wiring.command(self.host, event), "timeout": timeout_s}
        matcher = {"matcher": self.starts} if self.starts and event == "SessionStart" else {}
        return {**matcher, "hooks": [hook]}
