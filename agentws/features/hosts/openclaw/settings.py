"""OpenClaw's settings as `install` writes them: the plugin, whose files are all agentws's, and the skill. Pure.

OpenClaw 2026.9 runs plugins inside its gateway, so the command is called from there: the plugin reports events to `hook
openclaw EVENT`, and passes the replies to the agent. Some events are internal ones of OpenClaw (`agent:bootstrap`), the
others hooks for plugins; `calls` reads the payloads.

OpenClaw looks for plugins in `.openclaw/extensions/` of an agent's workspace, and for all agents in its own folder. It
loads a workspace's plugin only if somebody enabled it, in a file which OpenClaw guards, so install does not do that.
Earlier versions of agentws installed a hook: its files are removed.
"""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts import plan
from agentws.core.hosts.plan import NOTHING, USER
from agentws.errors import DamagedError, UsageError
from agentws.features.hosts import javascript, skill
from agentws.features.hosts.host_settings import SKILL, HostSettings
from agentws.features.hosts.obstacles import Obstacle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from agentws.core.hosts.plan import After, Texts, Wired, Wiring, Written
    from agentws.features.hosts.obstacles import HostFiles

NAME = "agentws"
MARK = "// agentws plugin for OpenClaw"
"""The beginning of the module's first line, which shows that the plugin is agentws's."""
MANIFEST, PACKAGE, MODULE = "openclaw.plugin.json", "package.json", "index.js"
_VERSION = "2.0.0"
"""The version of what OpenClaw loads of agentws: the earlier hook was the first."""
_INSTALLED = "written by `agentws install openclaw`. `agentws uninstall openclaw` removes it."
_ABOUT = "Starts the agent with the context of its workspace, and records its work there"
_DESCRIPTION, _HANDLER = "hooks/agentws/HOOK.md", "hooks/agentws/handler.ts"
_HOOK = "// agentws hook for OpenClaw"
"""The beginning of the earlier hook's handler."""
_OWN = "openclaw.json"
_ENABLE = f"openclaw plugins enable {NAME}"


class OpenClaw(HostSettings):
    """OpenClaw's settings."""

    name = "openclaw"
    events = (
        "agent:bootstrap", "message:received", "before_prompt_build", "before_tool_call", "after_tool_call",
        "subagent_ended", "agent_end", "before_compaction", "after_compaction", "session_end", "gateway:pre-restart",
        "gateway:shutdown",
    )  # fmt: skip
    folder = ".openclaw"

    def home(self, variables: Mapping[str, str]) -> str | None:
        """Return OpenClaw's own folder."""
        state = variables.get("OPENCLAW_STATE_DIR", "")
        user = variables.get("OPENCLAW_HOME", "")
        return None if user and user[0] != "/" and state[:1] != "/" else super().home(variables)

    def skill(self, level: str) -> str:
        """Return the place of the skill."""
        return SKILL

    def places(self, level: str) -> tuple[str, ...]:
        """Return the files that install reads and writes for OpenClaw: plugin, earlier hook and skill."""
        return (*self._files(level), _DESCRIPTION, _HANDLER, SKILL)

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return this version's OpenClaw plugin, and the skill; UsageError if a file of the plugin is not agentws's."""
        names = self._files(wiring.level)
        for place, name in names.items():
            if place in present and not _is_ours(name, present[place]):
                raise UsageError(
                    f"{place} does not belong to the agentws plugin.",
                    hint="Rename the folder of that file, then install again.",
                )
        made = files(wiring.words(self.name, "EVENT")[:-1], wiring.launcher)
        texts = {place: made[name] for place, name in names.items()}
        skill.put(texts, present, SKILL, wiring)
        return {**plan.changed(present, texts), **_without_hook(present)}

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return None for the OpenClaw plugin, the earlier hook and the skill, each file only if it is agentws's."""
        ours = [place for place, name in self._files(level).items() if _is_ours(name, present.get(place, ""))]
        ours += [SKILL] if skill.is_ours(present.get(SKILL, "")) else []
        return {**dict.fromkeys(ours), **_without_hook(present)}

    def wired(self, present: Texts, level: str) -> Sequence[Wired]:
        """Return the script and workspace of the OpenClaw plugin, and of the earlier hook."""
        module = next(place for place, name in self._files(level).items() if name == MODULE)
        marks = ((module, MARK), (_HANDLER, _HOOK))
        texts = (text for place, mark in marks if (text := present.get(place, "")).startswith(mark))
        return tuple(wired for text in texts if (wired := javascript.wired(text, self.name)) is not None)

    def next_steps(self, wiring: Wiring) -> tuple[str, ...]:
        """Return what a person still has to do in OpenClaw after install, such as enabling the plugin."""
        where = "this folder" if wiring.level != USER else wiring.workspace
        return (
            f"Run `{_ENABLE}` where OpenClaw's gateway runs, and restart the gateway.",
            f"To record conversations too: `openclaw config set plugins.entries.{NAME}.hooks.allowConversationAccess "
            "true`. By default, the plugin sees tools, sessions and channel messages.",
            f"The plugin serves only agents whose workspace is {where}.",
        )

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return what keeps OpenClaw from loading the plugin: never enabled, or switched off, by its own settings.

        None is found without these, since the gateway runs elsewhere then, nor if they are JSON5 that is not JSON.
        """
        text = files.text(USER, _OWN)
        if not text.strip():
            return []
        try:
            table = _table(splice.value_at(text, ("plugins",), where=_OWN))
        except DamagedError:
            return []
        allowed, denied = ([*named] if isinstance(named := table.get(key), list) else [] for key in ("allow", "deny"))
        enabled = _table(_table(table.get("entries")).get(NAME)).get("enabled")
        if table.get("enabled") is False:
            says = "plugins.enabled is false: no plugin is loaded"
        elif enabled is False or NAME in denied:
            says = f"{NAME} is switched off"
        elif allowed and NAME not in allowed:
            says = f"plugins.allow does not name {NAME}"
        elif enabled is True or files.level == USER or allowed:
            # It loads the plugins in its own folder unless forbidden, those in a workspace only if enabled.
            return []
        else:
            return files.untrusted(f"{NAME} was never enabled, so it is not loaded", _OWN, _ENABLE)
        return [Obstacle(says, place=files.path(USER, _OWN), remedy=_ENABLE)]

    def _files(self, level: str) -> dict[str, str]:
        """Return place → name of each file of the OpenClaw plugin."""
        return {self.at(level, f"extensions/{NAME}/{name}"): name for name in (MANIFEST, PACKAGE, MODULE)}


SETTINGS = OpenClaw()


def files(command: Sequence[str], launcher: Sequence[str] = (), *, by: str = _INSTALLED) -> dict[str, str]:
    """Return the OpenClaw plugin's files; its module calls `command` and the event, by the `launcher` if that exists.

    A command with no workspace serves each agent whose own folder is one; `by` says who wrote the plugin.
    """
    import json

    manifest = {
        "id": NAME,
        "name": NAME,
        "description": _ABOUT,
        "version": _VERSION,
        "activation": {"onStartup": True},
        "configSchema": {"type": "object", "additionalProperties": False, "properties": {}},
    }
    package = {
        "name": NAME,
        "version": _VERSION,
        "description": _ABOUT,
        "type": "module",
        "openclaw": {"extensions": [f"./{MODULE}"]},
    }
    source = javascript.shipped("openclaw/plugin.js").replace("@MARK@", MARK).replace("@BY@", by)
    return {
        MANIFEST: json.dumps(manifest, indent=2) + "\n",
        PACKAGE: json.dumps(package, indent=2) + "\n",
        MODULE: javascript.wired_to(command, launcher, source),
    }


def _is_ours(name: str, text: str) -> bool:
    """Return whether this is a file of the OpenClaw plugin of agentws, of any version."""
    if name == MODULE:
        return text.startswith(MARK)
    import json

    try:
        decoded = json.loads(text)
    except ValueError:
        return False
    return isinstance(decoded, dict) and decoded.get("id", decoded.get("name")) == NAME


def _without_hook(present: Texts) -> After:
    """Return None for each file of the earlier hook that is agentws's."""
    description = present.get(_DESCRIPTION, "")
    is_ours = description.startswith("---\nname: agentws\n") and "agentws uninstall openclaw" in description
    gone = [_DESCRIPTION] if is_ours else []
    return dict.fromkeys([*gone, *([_HANDLER] if present.get(_HANDLER, "").startswith(_HOOK) else [])])


def _table(result: Any) -> dict[str, Any]:
    return result if isinstance(result, dict) else {}
