"""OpenClaw's settings as `install` writes them: the plugin, whose files are all agentws's, and the skill. Pure.

OpenClaw 2026.9 looks for plugins in `.openclaw/extensions/` of an agent's workspace, and for all agents in its own
folder. It loads a workspace's plugin only if somebody enabled it, in a file which OpenClaw guards, so install does not
do that. Earlier versions of agentws installed a hook: its files are removed.
"""

from __future__ import annotations

from agentws.core.hosts import plan
from agentws.errors import UsageError
from agentws.features.hosts import javascript, skill
from agentws.features.hosts.openclaw import host, plugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "openclaw"
EVENTS = plugin.EVENTS
_FOLDER = f"extensions/{plugin.NAME}"
_DESCRIPTION, _HANDLER = "hooks/agentws/HOOK.md", "hooks/agentws/handler.ts"
_HOOK = "// agentws hook for OpenClaw"
"""The beginning of the earlier hook's handler."""
rules = plan.no_rules


def home(variables: Mapping[str, str]) -> str | None:
    """Return OpenClaw's own folder."""
    state = variables.get("OPENCLAW_STATE_DIR", "")
    if state.startswith("/"):
        return state.rstrip("/")
    user = variables.get("OPENCLAW_HOME", "") or variables.get("HOME", "")
    return f"{user.rstrip('/')}/.openclaw" if user.startswith("/") else None


def signs() -> tuple[str, ...]:
    """Return the files that show a workspace of OpenClaw."""
    return host().signs


def places(level: str) -> tuple[str, ...]:
    """Return the files that install reads and writes for OpenClaw: plugin, earlier hook and skill."""
    return (*_files(level), _DESCRIPTION, _HANDLER, skill.FILE)


def install(present: plan.Texts, wiring: plan.Wiring) -> plan.After:
    """Return this version's OpenClaw plugin, and the skill; UsageError if a file of the plugin is not agentws's."""
    names = _files(wiring.level)
    for place, name in names.items():
        if place in present and not plugin.is_ours(name, present[place]):
            raise UsageError(
                f"{place} does not belong to the agentws plugin.",
                hint="Rename the folder of that file, then install again.",
            )
    files = plugin.files(wiring.words(HOST, "EVENT")[:-1], wiring.launcher)
    texts = {place: files[name] for place, name in names.items()}
    skill.put(texts, present, skill.FILE, wiring)
    return plan.changed(present, texts) | _without_hook(present)


def uninstall(present: plan.Texts, level: str, written: plan.Written = plan.NOTHING) -> plan.After:
    """Return None for the OpenClaw plugin, the earlier hook and the skill, each file only if it is agentws's."""
    ours = [place for place, name in _files(level).items() if plugin.is_ours(name, present.get(place, ""))]
    ours += [skill.FILE] if skill.is_ours(present.get(skill.FILE, "")) else []
    return dict.fromkeys(ours) | _without_hook(present)


def wired(present: plan.Texts, level: str) -> tuple[plan.Wired, ...]:
    """Return the script and workspace of the OpenClaw plugin, and of the earlier hook."""
    module = next(place for place, name in _files(level).items() if name == plugin.MODULE)
    marks = ((module, plugin.MARK), (_HANDLER, _HOOK))
    texts = (text for place, mark in marks if (text := present.get(place, "")).startswith(mark))
    return tuple(connection for text in texts if (connection := javascript.wired(text, HOST)) is not None)


def allowed(present: plan.Texts, level: str) -> None:
    """Return None: OpenClaw allows a program with all its commands, and agentws has some that no agent should run."""


def next_steps(wiring: plan.Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in OpenClaw after install, such as enabling the plugin."""
    where = "this folder" if wiring.level != plan.USER else wiring.workspace
    return (
        "Run `openclaw plugins enable agentws` where OpenClaw's gateway runs, and restart the gateway.",
        f"To record conversations too: `openclaw config set {_HEARS} true`. By default, the plugin sees "
        "tools, sessions and channel messages.",
        f"The plugin serves only agents whose workspace is {where}.",
    )


_HEARS = f"plugins.entries.{plugin.NAME}.hooks.allowConversationAccess"


def _files(level: str) -> dict[str, str]:
    """Return place → name of each file of the OpenClaw plugin."""
    folder = _FOLDER if level == plan.USER else f".openclaw/{_FOLDER}"
    return {f"{folder}/{name}": name for name in (plugin.MANIFEST, plugin.PACKAGE, plugin.MODULE)}


def _without_hook(present: plan.Texts) -> plan.After:
    """Return None for each file of the earlier hook that is agentws's."""
    description = present.get(_DESCRIPTION, "")
    is_ours = description.startswith("---\nname: agentws\n") and "agentws uninstall openclaw" in description
    gone = [_DESCRIPTION] if is_ours else []
    return dict.fromkeys([*gone, *([_HANDLER] if present.get(_HANDLER, "").startswith(_HOOK) else [])])
