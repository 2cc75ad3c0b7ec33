"""`Nested`: settings of a family host as `install` writes them, hooks nested in one file as Claude Code's are. Pure."""

from __future__ import annotations

from agentws.core.hosts import allowance, plan
from agentws.core.hosts.plan import NOTHING, USER
from agentws.features.hosts import hook_entries, skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.hosts.plan import After, Texts, Wired, Wiring, Written
    from agentws.features.hosts.hook_entries import Group

_RULE, _RULE_END = "run_shell_command(", ")"
"""The form of a permission, around a command's beginning."""


class Nested:
    """Settings functions of a family host: its hooks are in `file`, below a project's `folder` or the user's `home`.

    `homes` are the variables that may name the user's folder, each with a subfolder. `timeouts` has the timeouts of
    events that differ from the `usual_timeout`, in the host's unit; `starts` matches the ways a session may begin;
    `signs` show that a project uses the host; `project` is the variable with the project's folder that it sets for
    hooks, empty for none. `permissions` is the path of the list of commands in `file` that the agent may run without
    asking, empty if the host has no such list. `named`: each hook has a name.
    """

    __slots__ = (
        "events", "file", "folder", "homes", "host", "named", "permissions", "project", "signs_", "starts", "timeouts",
        "usual_timeout",
    )  # fmt: skip

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
        timeouts: Mapping[str, int],
        usual_timeout: int = 10,
        project: str = "",
        permissions: Sequence[str] = (),
        named: bool = False,
    ) -> None:
        self.host = host
        self.events = events
        self.folder = folder
        self.file = file
        self.homes = homes
        self.signs_ = signs
        self.starts = starts
        self.timeouts = timeouts
        self.usual_timeout = usual_timeout
        self.project = project
        self.permissions = tuple(permissions)
        self.named = named

    def home(self, variables: Mapping[str, str]) -> str | None:
        """Return the folder of the user's settings of this family host."""
        return plan.folder(variables, *self.homes)

    def signs(self) -> Sequence[str]:
        """Return the files that show that a project uses this family host."""
        return self.signs_

    def places(self, level: str) -> tuple[str, ...]:
        """Return the files that install reads and writes for this family host: its settings file and the skill."""
        return (self._at(level, self.file), self._at(level, skill.FILE))

    def install(self, present: Texts, wiring: Wiring, *, lists: bool = True) -> After:
        """Return the family host's settings file with agentws's hooks and permissions nested in it, and the skill.

        The permissions are taken out unless it `lists` them.
        """
        place = self._at(wiring.level, self.file)
        wanted = {event: [self._group(event, wiring)] for event in self.events}
        text = hook_entries.with_hooks(present.get(place, ""), self.host, wanted, where=place)
        if self.permissions and wiring.allows is not None:
            commands = allowance.typed(wiring) if wiring.allows and lists else []
            rules = [f"{_RULE}{command}{_RULE_END}" for command in commands]
            known = wiring.written.rules.__contains__
            text = allowance.with_entries(text, self.permissions, rules, known, where=place)
        texts = {place: text}
        skill.put(texts, present, self._at(wiring.level, skill.FILE), wiring)
        return plan.changed(present, texts)

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return the family host's settings file without agentws; None for a file that held nothing else."""
        place, texts = self._at(level, self.file), dict(present)
        if place in present:
            text = hook_entries.without_hooks(present[place], self.host, where=place)
            if self.permissions:
                text = allowance.without_entries(text, self.permissions, written.rules.__contains__, where=place)
            texts[place] = text
        skill.take_out(texts, self._at(level, skill.FILE))
        return plan.without_empty(plan.changed(present, texts))

    def wired(self, present: Texts, level: str) -> list[Wired]:
        """Return the wiring of each agentws hook in the family host's settings file."""
        place = self._at(level, self.file)
        return hook_entries.wired(present.get(place, ""), self.host, where=place)

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return whether the family host's permissions cover every agentws command that may be allowed.

        None if it has no such list: what its rules let through was not tried.
        """
        return allowance.covers(map(_command, self.rules(present, level))) if self.permissions else None

    def rules(self, present: Texts, level: str) -> list[str]:
        """Return the permissions for agentws commands in the family host's settings file."""
        place = self._at(level, self.file)
        if not self.permissions:
            return []
        return [
            entry
            for entry in allowance.entries(present.get(place, ""), self.permissions, where=place)
            if entry.startswith(_RULE) and entry.endswith(_RULE_END) and allowance.is_ours(_command(entry))
        ]

    def _at(self, level: str, place: str) -> str:
        return place if level == USER else f"{self.folder}/{place}"

    def _group(self, event: str, wiring: Wiring) -> Group:
        hook = {
            **({"name": f"agentws {event}"} if self.named else {}),
            "type": "command",
            "command": wiring.command(self.host, event, project=self.project),
            "timeout": self.timeouts.get(event, self.usual_timeout),
        }
        matcher = {"matcher": self.starts} if self.starts and event == "SessionStart" else {}
        return {**matcher, "hooks": [hook]}


def _command(rule: str) -> str:
    return rule[len(_RULE) : -len(_RULE_END)]
