"""What `install` writes for a host of the family: hooks in one file of settings, nested as Claude Code's are. Pure."""

from __future__ import annotations

from agentws.core.hosts import plan
from agentws.core.hosts.plan import NOTHING, USER
from agentws.features.hosts import hook_entries, skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.hosts.plan import After, Texts, Wired, Wiring, Written
    from agentws.features.hosts.hook_entries import Group


class Nested:
    """A host's row: its hooks stand in `file`, below `folder` in a project, and below its `home` for the user.

    `homes` are the variables that name that folder, each with what follows below it. `timeouts_s` says how long an
    event may take where that is not `usual_s`; `starts` is what a session may begin by; `signs` show that it is used.
    """

    __slots__ = ("events", "file", "folder", "homes", "host", "signs_", "starts", "timeouts_s", "usual_s")

    def __init__(
        self,
        host: str,
        events: Sequence[str],
        *,
        folder: str,
        file: str,
        homes: Sequence[tuple[str, str]],
        signs: Sequence[str],
        starts: str = "",
        timeouts_s: Mapping[str, int],
        usual_s: int = 10,
    ) -> None:
        self.host = host
        self.events = events
        self.folder = folder
        self.file = file
        self.homes = homes
        self.signs_ = signs
        self.starts = starts
        self.timeouts_s = timeouts_s
        self.usual_s = usual_s

    def home(self, variables: Mapping[str, str]) -> str | None:
        """The folder of the user's settings."""
        return plan.folder(variables, *self.homes)

    def signs(self) -> Sequence[str]:
        """Return what shows that it is in use in a project."""
        return self.signs_

    def places(self, level: str) -> tuple[str, ...]:
        """Each place that may be read or written."""
        return (self._at(level, self.file), self._at(level, skill.FILE))

    def install(self, present: Texts, wiring: Wiring) -> After:
        """The texts with us in them."""
        place = self._at(wiring.level, self.file)
        wanted = {event: [self._group(event, wiring)] for event in self.events}
        texts = {place: hook_entries.with_hooks(present.get(place, ""), self.host, wanted, where=place)}
        skill.put(texts, present, self._at(wiring.level, skill.FILE), wiring)
        return plan.changed(present, texts)

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """The texts without us."""
        place, texts = self._at(level, self.file), dict(present)
        if place in present:
            texts[place] = hook_entries.without_hooks(present[place], self.host, where=place)
        skill.take_out(texts, self._at(level, skill.FILE))
        return plan.without_empty(plan.changed(present, texts))

    def wired(self, present: Texts, level: str) -> list[Wired]:
        """Return what is wired in these settings."""
        place = self._at(level, self.file)
        return hook_entries.wired(present.get(place, ""), self.host, where=place)

    def allowed(self, present: Texts, level: str) -> bool | None:
        """None: what its form of a permission lets through was not tried."""
        return None

    def _at(self, level: str, place: str) -> str:
        return place if level == USER else f"{self.folder}/{place}"

    def _group(self, event: str, wiring: Wiring) -> Group:
        timeout_s = self.timeouts_s.get(event, self.usual_s)
        hook = {"type": "command", "command": wiring.command(self.host, event), "timeout": timeout_s}
        matcher = {"matcher": self.starts} if self.starts and event == "SessionStart" else {}
        return {**matcher, "hooks": [hook]}
