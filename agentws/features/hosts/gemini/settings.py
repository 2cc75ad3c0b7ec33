"""Gemini CLI's settings as `install` writes them: hooks and allowed commands in settings.json, the skill. Pure.

Facts of Gemini CLI 0.6x: timeouts are in milliseconds, hooks may have a name; it takes a text of any size.
"""

from __future__ import annotations

from agentws.core.hosts import allowance, plan
from agentws.core.hosts.plan import NOTHING, USER, Wired, Wiring, Written
from agentws.features.hosts import hook_entries, skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.hosts.plan import After, Texts
    from agentws.features.hosts.hook_entries import Group

HOST = "gemini"
EVENTS = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd")
_TIMEOUTS_MS = {"SessionStart": 30_000, "PreCompress": 30_000}
_USUAL_TIMEOUT_MS = 10_000
_ALLOWED = ("tools", "allowed")
_RULE, _RULE_END = "run_shell_command(", ")"
"""The form of an allowed command, around its beginning; Gemini CLI still asks about redirects and chains."""


def home(variables: Mapping[str, str]) -> str | None:
    """Return the folder of the user's Gemini CLI settings."""
    return plan.folder(variables, ("GEMINI_CLI_HOME", ".gemini"), ("HOME", ".gemini"))


def signs() -> tuple[str, ...]:
    """Return the files that show that a project uses Gemini CLI."""
    return ("GEMINI.md", ".gemini")


def places(level: str) -> tuple[str, ...]:
    """Return the files that install reads and writes for Gemini CLI: settings.json and the skill."""
    return (_settings(level), _skill(level))


def install(present: Texts, wiring: Wiring) -> After:
    """Return Gemini CLI's settings.json with agentws's hooks and allowed commands, and the skill."""
    place = _settings(wiring.level)
    hooks = {event: [_group(event, wiring)] for event in EVENTS}
    text = hook_entries.with_hooks(present.get(place, ""), HOST, hooks, where=place)
    if wiring.allows is not None:
        wanted = [f"{_RULE}{command}{_RULE_END}" for command in allowance.typed(wiring)] if wiring.allows else []
        text = allowance.with_entries(text, _ALLOWED, wanted, wiring.written.rules.__contains__, where=place)
    texts = {place: text}
    skill.put(texts, present, _skill(wiring.level), wiring)
    return plan.changed(present, texts)


def uninstall(present: Texts, level: str, written: Written = NOTHING) -> After:
    """Return Gemini CLI's settings.json without agentws; None for a file that held nothing else."""
    place, texts = _settings(level), dict(present)
    if place in present:
        text = hook_entries.without_hooks(present[place], HOST, where=place)
        texts[place] = allowance.without_entries(text, _ALLOWED, written.rules.__contains__, where=place)
    skill.take_out(texts, _skill(level))
    return plan.without_empty(plan.changed(present, texts))


def wired(present: Texts, level: str) -> list[Wired]:
    """Return the script and workspace of each agentws hook in Gemini CLI's settings.json."""
    place = _settings(level)
    return hook_entries.wired(present.get(place, ""), HOST, where=place)


def allowed(present: Texts, level: str) -> bool:
    """Return whether Gemini CLI's allowed commands cover every agentws command that may be allowed."""
    return allowance.covers(map(_command, rules(present, level)))


def rules(present: Texts, level: str) -> list[str]:
    """Return the entries for agentws commands among Gemini CLI's allowed commands."""
    place = _settings(level)
    return [one for one in allowance.entries(present.get(place, ""), _ALLOWED, where=place) if _is_ours(one)]


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Gemini CLI after install."""
    shown = "`/hooks panel` in Gemini CLI shows the hooks and whether they ran."
    if wiring.level == USER:
        return (shown,)
    trust = "Gemini CLI runs hooks only in trusted folders: start `gemini`, then /permissions trust."
    return (trust, "With --skip-trust the session runs without the folder's hooks.", shown)


def _settings(level: str) -> str:
    return "settings.json" if level == USER else ".gemini/settings.json"


def _skill(level: str) -> str:
    return skill.FILE if level == USER else f".gemini/{skill.FILE}"


def _is_ours(entry: str) -> bool:
    is_rule = entry.startswith(_RULE) and entry.endswith(_RULE_END)
    return is_rule and allowance.is_ours(_command(entry))


def _command(entry: str) -> str:
    return entry[len(_RULE) : -len(_RULE_END)]


def _group(event: str, wiring: Wiring) -> Group:
    timeout_ms = _TIMEOUTS_MS.get(event, _USUAL_TIMEOUT_MS)
    command = wiring.command(HOST, event, project="GEMINI_PROJECT_DIR")
    return {"hooks": [{"name": f"agentws {event}", "type": "command", "command": command, "timeout": timeout_ms}]}
