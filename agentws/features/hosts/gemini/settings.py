"""Gemini CLI's settings as `install` writes them: hooks in settings.json, the skill, allowed commands. Pure.

Facts of Gemini CLI 0.6x: timeouts are in milliseconds, hooks may have a name; it takes a text of any size. It asks
about redirects and substitutions, and about each part of a chain. Policy files count in the user's folder alone; in a
project only `tools.allowed` does, which is deprecated.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.hosts import allowance
from agentws.core.hosts.plan import NOTHING, PROJECT, USER, Wiring
from agentws.features.hosts.hook_settings import Nested
from agentws.features.hosts.obstacles import Obstacle, is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.hosts.plan import After, Texts, Written
    from agentws.features.hosts.obstacles import HostFiles

_POLICY = "policies/agentws.toml"
_BEGINS = "commandPrefix = "
_TEXT = """\
# Rules of agentws, written by `agentws install gemini --user --allow`; `agentws uninstall gemini --user` removes them.
[[rule]]
toolName = "run_shell_command"
{}{}
decision = "allow"
priority = 100
"""
_FOLDERS = "trustedFolders.json"
_SWITCHES = (("hooksConfig", "enabled"), ("tools", "enableHooks"))


class Gemini(Nested):
    """Gemini CLI's settings."""

    name = "gemini"
    events = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd")
    folder, file = ".gemini", "settings.json"
    timeouts = (("SessionStart", 30_000), ("PreCompress", 30_000))
    usual_timeout = 10_000
    project = "GEMINI_PROJECT_DIR"
    permissions = ("tools", "allowed")
    rule = ("run_shell_command(", ")")
    named = True
    user_steps = ("`/hooks panel` in Gemini CLI shows the hooks and whether they ran.",)
    steps = (
        "Gemini CLI runs hooks only in trusted folders: start `gemini`, then /permissions trust.",
        "With --skip-trust the session runs without the folder's hooks.",
        *user_steps,
    )

    def places(self, level: str) -> tuple[str, ...]:
        """Return the files that install reads and writes for Gemini CLI: settings, skill, the user's policy."""
        return (*super().places(level), *([_POLICY] if level == USER else []))

    def listed(self, wiring: Wiring) -> list[str]:
        """Return the permissions of a project; the user's are in a policy file."""
        return [] if wiring.level == USER else super().listed(wiring)

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return Gemini CLI's settings with agentws in them; the user's permissions are in a policy file."""
        after = super().install(present, wiring)
        if wiring.level != USER:
            return after
        text, ours = _policy(allowance.typed(wiring)), _is_ours(present, wiring.written)
        return {**after, **allowance.file_change(_POLICY, text, present, wiring, ours=ours)}

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return Gemini CLI's settings without agentws; None for a file that held nothing else."""
        after = super().uninstall(present, level, written)
        return {**after, _POLICY: None} if _is_ours(present, written) else after

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return whether Gemini CLI's permissions cover every agentws command that may be allowed."""
        commands = _commands(present.get(_POLICY, ""))
        return (level == USER and allowance.covers(commands)) or super().allowed(present, level)

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacles: hooks switched off, all or single ones, or a folder that Gemini CLI does not trust."""
        found = self.gaps(files)
        for level in (PROJECT, USER):
            place = self.place(level)
            where = files.path(level, place)
            for path in _SWITCHES:
                if files.value(level, place, *path) is False:
                    name = ".".join(path)
                    found.append(Obstacle(f"{name} is false: no hook runs", place=where, remedy=f"Set {name} to true."))
            named = files.value(level, place, "hooksConfig", "disabled")
            listed = named if isinstance(named, list) else ()
            off = [item for item in listed if isinstance(item, str) and "agentws" in item]
            if off:
                says = f"{len(off)} of the agentws hooks are switched off: {off[0]}"
                found.append(Obstacle(says, place=where, remedy="Run in Gemini CLI: /hooks enable-all"))
        return found + self.untrusted(files)

    def untrusted(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacle of a folder that Gemini CLI does not trust: its hooks do not run unless trust is off."""
        is_off = files.value(USER, self.file, "security", "folderTrust", "enabled") is False
        if not files.asked or is_off or is_trusted(files.asked, files.value(USER, _FOLDERS)):
            return []
        says = f"the folder {files.asked} is not trusted, so none of its hooks run"
        return files.untrusted(says, _FOLDERS, "Start gemini there, and trust the folder: /permissions trust")


SETTINGS = Gemini()


def _is_ours(present: Texts, written: Written) -> bool:
    return _POLICY in present and (_POLICY in written.files or bool(_commands(present[_POLICY])))


def _policy(commands: Sequence[str]) -> str:
    """Return the policy file that allows these agentws commands."""
    return _TEXT.format(_BEGINS, plainjson.dumps(list(commands)))


def _commands(value: str) -> list[str]:
    """Return the commands that a policy file of agentws allows; none if it is not agentws's, or was edited."""
    line = next((line for line in value.split("\n") if line.startswith(_BEGINS)), "")
    try:
        listed = plainjson.loads(line.removeprefix(_BEGINS))
    except ValueError:
        return []
    if not isinstance(listed, list) or not all(isinstance(each, str) and allowance.is_ours(each) for each in listed):
        return []
    return listed if _policy(listed) == value else []
