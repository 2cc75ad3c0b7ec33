"""`Nested`: settings of a family host as `install` writes them, hooks nested in one file as Claude Code's are. Pure."""

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
    """Settings functions of a family host: its hooks are in `file`, below a project's `folder` or the user's `home`.

    `homes` are the variables that may name the user's folder, each with a subfolder. `timeouts_s` has the timeouts of
    events that differ from `usual_s`; `starts` matches the ways a session may begin; `signs` show that a project uses
    the host; `project` is the variable with the project's folder that it sets for hooks, empty for none.
    """

    __slots__ = ("events", "file", "folder", "homes", "host", "project", "signs_", "starts", "timeouts_s", "usual_s")

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
        project: str = "",
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
        self.project = project

    def home(self, variables: Mapping[str, str]) -> str | None:
        """Return the folder of the user's settings of this family host."""
        return plan.folder(variables, *self.homes)

    def signs(self) -> Sequence[str]:
        """Return the files that show that a project uses this family host."""
        return self.signs_

    def places(self, level: str) -> tuple[str, ...]:
        """Return the files that install reads and writes for this family host: its settings file and the skill."""
        return (self._at(level, self.file), self._at(level, skill.FILE))

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return the family host's settings file with agentws's hooks nested in it, and the skill."""
        place = self._at(wiring.level, self.file)
        wanted = {event: [self._group(event, wiring)] for event in self.events}
        texts = {place: hook_entries.with_hooks(present.get(place, ""), self.host, wanted, where=place)}
        skill.put(texts, present, self._at(wiring.level, skill.FILE), wiring)
        return plan.changed(present, texts)

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return the family host's settings file without agentws's hooks; None for a file that held nothing else."""
        place, texts = self._at(level, self.file), dict(present)
        if place in present:
            texts[place] = hook_entries.without_hooks(present[place], self.host, where=place)
        skill.take_out(texts, self._at(level, skill.FILE))
        return plan.without_empty(plan.changed(present, texts))

    def wired(self, present: Texts, level: str) -> list[Wired]:
        """Return the script and workspace of each agentws hook in the family host's settings file."""
        place = self._at(level, self.file)
        return hook_entries.wired(present.get(place, ""), self.host, where=place)

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return None: what this host's permission rules let through was not tried."""
        return None

    def _at(self, level: str, place: str) -> str:
        return place if level == USER else f"{self.folder}/{place}"

    def _group(self, event: str, wiring: Wiring) -> Group:
        timeout_s = self.timeouts_s.get(event, self.usual_s)
        command = wiring.command(self.host, event, project=self.project)
        hook = {"type": "command", "command": command, "timeout": timeout_s}
        matcher = {"matcher": self.starts} if self.starts and event == "SessionStart" else {}
        return {**matcher, "hooks": [hook]}
