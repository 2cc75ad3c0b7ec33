"""Settings of hosts with hooks: `Nested` in a JSON file as Claude Code's are, `PluginFile` for a plugin in a file."""

from __future__ import annotations

from agentws import features
from agentws.core.formats.json import plainjson
from agentws.core.hosts import allowance, plan
from agentws.core.hosts.plan import NOTHING
from agentws.errors import UsageError
from agentws.features.hosts import hook_entries, javascript, obstacles, skill
from agentws.features.hosts.host_settings import HostSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.json.splice import Path
    from agentws.core.hosts.plan import After, Texts, Wired, Wiring, Written
    from agentws.features.hosts.hook_entries import Group
    from agentws.features.hosts.obstacles import HostFiles, Obstacle

_START = "SessionStart"


class Nested(HostSettings):
    """Settings with hooks nested in `file`: `hooks` → event → groups.

    Fields:
        timeouts: those of events that differ from the `usual_timeout`, in the host's unit.
        starts: matches the ways in which a session may begin.
        start_fields: more fields of the hook of a session's start.
        in_parts: whether there is a hook for each part of a boot.
        named: whether each hook has a name.
        project: the variable with the project's folder that the host sets for hooks, empty for none.
        permissions: the path of the list of commands that the agent may run without asking, empty for no such list.
        rule: the form of a permission, around a command's beginning.
        is_plain: whether the host ignores a file that is not plain JSON.
        in_full: whether the agent is given the absolute path of the command.
        switches: the files that may set `disableAllHooks` (level, place); the first one that does decides.
    """

    timeouts: tuple[tuple[str, int], ...] = ((_START, 30), ("PreCompact", 30), ("SessionEnd", 15))
    usual_timeout = 10
    starts = ""
    start_fields: tuple[tuple[str, object], ...] = ()
    in_parts = named = is_plain = in_full = False
    project = ""
    permissions: Path = ()
    rule = ("", "")
    switches: tuple[tuple[str, str], ...] = ()

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return the settings file with agentws's hooks and permissions nested in it, and the skill."""
        place = self.place(wiring.level)
        text = present.get(place, "")
        if self.is_plain:
            hook_entries.check_plain(text, features.HOSTS[self.name].title, where=place)
        text = hook_entries.with_hooks(text, self.name, self.hooks(wiring), where=place)
        texts = {**present, place: text}
        skill.put(texts, present, self.skill(wiring.level), wiring, in_full=self.in_full)
        place, wanted, known = self.list_place(wiring.level), self.listed(wiring), wiring.written.rules.__contains__
        if self.permissions and (wanted or (wiring.allows is not None and place in texts)):
            texts[place] = allowance.with_entries(texts.get(place, ""), self.permissions, wanted, known, where=place)
        return plan.changed(present, texts)

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return the settings file without agentws; None for a file that held nothing else."""
        place, texts = self.place(level), dict(present)
        if place in present:
            texts[place] = hook_entries.without_hooks(present[place], self.name, where=place)
        place = self.list_place(level)
        if self.permissions and place in present:
            known = written.rules.__contains__
            texts[place] = allowance.without_entries(texts[place], self.permissions, known, where=place)
        skill.take_out(texts, self.skill(level))
        return plan.without_empty(plan.changed(present, texts))

    def wired(self, present: Texts, level: str) -> Sequence[Wired]:
        """Return the wiring of each agentws hook in the settings file."""
        place = self.place(level)
        return hook_entries.wired(present.get(place, ""), self.name, where=place)

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return whether the permissions cover every agentws command that may be allowed.

        None if the host has no such list: what its rules let through was not tried.
        """
        return allowance.covers(map(self._command, self.rules(present, level))) if self.permissions else None

    def rules(self, present: Texts, level: str) -> Sequence[str]:
        """Return the permissions for agentws commands in the settings."""
        place, (begin, end) = self.list_place(level), self.rule
        entries = allowance.entries(present.get(place, ""), self.permissions, where=place) if self.permissions else ()
        return [
            entry
            for entry in entries
            if entry.startswith(begin) and entry.endswith(end) and allowance.is_ours(self._command(entry))
        ]

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacles in the file with the hooks, a switch, and missing trust."""
        return [*self.gaps(files), *obstacles.switched_off(files, self.switches), *self.untrusted(files)]

    def gaps(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacles in the file with the hooks: it is not plain JSON, or hooks are missing."""
        title = features.HOSTS[self.name].title if self.is_plain else ""
        return obstacles.gaps(files, self.place(files.level), self.name, self.events, plain_for=title)

    def untrusted(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacle of a folder that the host does not trust."""
        return []

    def hooks(self, wiring: Wiring) -> dict[str, list[Group]]:
        """Return the value of `hooks` in the settings, and in a plugin of the host alike."""
        return {event: [self._group(event, wiring)] for event in self.events}

    def list_place(self, level: str) -> str:
        """Return the place of the list of permissions."""
        return self.place(level)

    def listed(self, wiring: Wiring) -> list[str]:
        """Return the permissions that are wanted in the list."""
        begin, end = self.rule
        return [f"{begin}{command}{end}" for command in allowance.typed(wiring)] if wiring.allows else []

    def _command(self, rule: str) -> str:
        return rule[len(self.rule[0]) : -len(self.rule[1])]

    def _group(self, event: str, wiring: Wiring) -> Group:
        is_start = event == _START
        parts: Sequence[int | None] = range(1, wiring.parts + 1) if is_start and self.in_parts else (None,)
        hooks = [
            {
                **({"name": f"agentws {event}"} if self.named else {}),
                "type": "command",
                "command": wiring.command(self.name, event, part=part, project=self.project),
                "timeout": dict(self.timeouts).get(event, self.usual_timeout),
                **dict(self.start_fields if is_start else ()),
            }
            for part in parts
        ]
        return {**({"matcher": self.starts} if self.starts and is_start else {}), "hooks": hooks}


class PluginFile(HostSettings):
    """Settings with a plugin in one file, all of it agentws's, in place of hooks.

    Fields:
        source: the plugin's source is shipped at this path; `@MARK@` in it stands for the `mark`.
        mark: the beginning of the plugin's first line, which shows that the file is agentws's.
        allows: whether the plugin can allow commands, listed in place of `@ALLOWED@`.
    """

    source = mark = ""
    allows = False

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return this version's plugin and the skill; UsageError if the plugin's file is not agentws's."""
        place = self.place(wiring.level)
        before = present.get(place)
        if before is not None and not self._is_ours(before):
            raise UsageError(f"{place} is not a plugin of agentws.", hint="Rename that file, then install again.")
        commands = allowance.typed(wiring) if wiring.allows else []
        if self.allows and wiring.allows is None:
            commands = javascript.listed(before or "")
        texts = {place: self.text(wiring.words(self.name, "EVENT")[:-1], wiring.launcher, commands)}
        skill.put(texts, present, self.skill(wiring.level), wiring)
        return plan.changed(present, texts)

    def text(self, command: Sequence[str], launcher: Sequence[str] = (), allowed: Sequence[str] = ()) -> str:
        """Return the plugin's source: it calls `command` and the event, by the `launcher` if that exists.

        A shell command that begins with one of the `allowed` commands runs without asking.
        """
        source = javascript.shipped(self.source).replace("@MARK@", self.mark)
        return javascript.wired_to(command, launcher, source.replace("@ALLOWED@", plainjson.dumps(list(allowed))))

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return None for the plugin and the skill, each only if it is agentws's."""
        known = {self.place(level): self._is_ours, self.skill(level): skill.is_ours}
        return {place: None for place, is_ours in known.items() if is_ours(present.get(place, ""))}

    def wired(self, present: Texts, level: str) -> Sequence[Wired]:
        """Return the script and workspace of the plugin."""
        text = present.get(self.place(level), "")
        wired = javascript.wired(text, self.name) if self._is_ours(text) else None
        return () if wired is None else (wired,)

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return whether the plugin allows every agentws command that may be allowed; None if it cannot allow any."""
        text = present.get(self.place(level), "")
        return self._is_ours(text) and allowance.covers(javascript.listed(text)) if self.allows else None

    def _is_ours(self, text: str) -> bool:
        return text.startswith(self.mark)
