"""OpenCode's settings as `install` writes them: the plugin, one file that is all agentws's, and the skill. Pure.

Paths and the plugin's form are those of OpenCode 1.18, which reads `plugin/` and `plugins/` alike; older versions read
the first only.
"""

from __future__ import annotations

from agentws.core.hosts import allowance, plan
from agentws.errors import UsageError
from agentws.features.hosts import javascript, skill
from agentws.features.hosts.opencode import host, plugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "opencode"
EVENTS = (
    "chat.message",
    "event",
    "experimental.chat.system.transform",
    "experimental.session.compacting",
    "tool.execute.before",
    "tool.execute.after",
    "dispose",
)
FILE = "plugin/agentws.js"
rules = plan.no_rules


def home(variables: Mapping[str, str]) -> str | None:
    """Return OpenCode's own folder among the user's settings."""
    configured, user = variables.get("XDG_CONFIG_HOME", ""), variables.get("HOME", "")
    if configured.startswith("/"):
        return f"{configured.rstrip('/')}/opencode"
    return f"{user.rstrip('/')}/.config/opencode" if user.startswith("/") else None


def signs() -> tuple[str, ...]:
    """Return the files that show that a project uses OpenCode."""
    return host().signs


def places(level: str) -> tuple[str, ...]:
    """Return the files that install reads and writes for OpenCode: the plugin and the skill."""
    return (_plugin(level), _skill(level))


def install(present: plan.Texts, wiring: plan.Wiring) -> plan.After:
    """Return this version's OpenCode plugin, and the skill; UsageError if the plugin's file is not agentws's."""
    place = _plugin(wiring.level)
    before = present.get(place)
    if before is not None and not _ours(before):
        raise UsageError(f"{place} is not a plugin of agentws.", hint="Rename that file, then install again.")
    allows = plugin.allowed(before or "") if wiring.allows is None else []
    allows = allowance.typed(wiring) if wiring.allows else allows
    after = plugin.text(wiring.words(HOST, "EVENT")[:-1], wiring.launcher, allows)
    texts = {place: after}
    skill.put(texts, present, _skill(wiring.level), wiring)
    return plan.changed(present, texts)


def uninstall(present: plan.Texts, level: str, written: plan.Written = plan.NOTHING) -> plan.After:
    """Return None for the OpenCode plugin and the skill, each only if it is agentws's."""
    known = {_plugin(level): _ours, _skill(level): skill.is_ours}
    return {place: None for place, is_ours in known.items() if is_ours(present.get(place, ""))}


def wired(present: plan.Texts, level: str) -> tuple[plan.Wired, ...]:
    """Return the script and workspace of the OpenCode plugin."""
    found = _wired(present.get(_plugin(level), ""))
    return () if found is None else (found,)


def allowed(present: plan.Texts, level: str) -> bool:
    """Return whether the OpenCode plugin allows every agentws command that may be allowed."""
    text = present.get(_plugin(level), "")
    return _ours(text) and allowance.covers(plugin.allowed(text))


def next_steps(wiring: plan.Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in OpenCode after install: restart it, so that it loads the plugin."""
    return ("Restart OpenCode, which loads plugins only at its start.",)


def _plugin(level: str) -> str:
    return FILE if level == plan.USER else f".opencode/{FILE}"


def _skill(level: str) -> str:
    return skill.FILE if level == plan.USER else f".opencode/{skill.FILE}"


def _ours(text: str) -> bool:
    return text.startswith(plugin.MARK)


def _wired(text: str) -> plan.Wired | None:
    return javascript.wired(text, HOST) if _ours(text) else None
