"""Codex's settings as `install` writes them: hooks.json and the skill; if allowed, rules and config.toml. Pure.

Facts of Codex 0.171: timeouts are in seconds, at most 3 at an interruption and at the end of a session; a hook may say
how many tokens of its text are taken, 2,500 if it does not; keys that it does not know are errors.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.hosts import allowance, plan
from agentws.core.hosts.plan import NOTHING, PROJECT, USER, Wired, Wiring, Written, no_rules
from agentws.features.hosts import hook_entries, skill
from agentws.features.hosts.codex import roots, rules as _file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.hosts.plan import After, Texts
    from agentws.features.hosts.hook_entries import Group

HOST = "codex"
_TITLE = "Codex"
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact",
    "SubagentStop", "Interrupt", "Stop", "SessionEnd",
)  # fmt: skip
_STARTS = "startup|resume|clear|compact"
_TIMEOUTS_S = {"SessionStart": 30, "Interrupt": 3, "SessionEnd": 3}
_USUAL_TIMEOUT_S = 10
_CONFIG = "config.toml"
_MOST_TOKENS = 100_000
"""More than any boot has. It does not follow the budget, because a changed hook must be trusted again."""
rules = no_rules


def home(variables: Mapping[str, str]) -> str | None:
    """Return the folder of the user's Codex settings."""
    return plan.folder(variables, ("CODEX_HOME", ""), ("HOME", ".codex"))


def signs() -> tuple[str, ...]:
    """Return the folder that shows that a project uses Codex."""
    return (".codex",)


def places(level: str) -> tuple[str, ...]:
    """Return the files that install reads and writes for Codex: hooks.json, skill, rules, the user's config.toml."""
    return (_hooks(level), _skill(level), _rules(level), *([_CONFIG] if level == USER else []))


def install(present: Texts, wiring: Wiring) -> After:
    """Return Codex's settings files with agentws in them: hooks.json, skill, rules file and config.toml."""
    place = _hooks(wiring.level)
    hook_entries.check_plain(present.get(place, ""), _TITLE, where=place)
    texts = {place: hook_entries.with_hooks(present.get(place, ""), HOST, _wanted(wiring), where=place)}
    # A login shell has the system's PATH.
    skill.put(texts, present, _skill(wiring.level), wiring, in_full=True)
    page = _rules(wiring.level)
    ours = _is_ours(present, page, wiring.written)
    rule_file = allowance.file_change(page, _file.text(wiring), present, wiring, ours=ours)
    return {**plan.changed(present, texts), **_with_root(present, wiring), **rule_file}


def uninstall(present: Texts, level: str, written: Written = NOTHING) -> After:
    """Return Codex's settings files without agentws; None for a file that held nothing else."""
    place, texts = _hooks(level), dict(present)
    if place in present:
        texts[place] = hook_entries.without_hooks(present[place], HOST, where=place)
    skill.take_out(texts, _skill(level))
    if _is_ours(present, _rules(level), written):
        texts[_rules(level)] = ""
    if level == USER and _CONFIG in present:
        texts[_CONFIG] = roots.without_roots(present[_CONFIG], where=_CONFIG)
    return plan.without_empty(plan.changed(present, texts))


def wired(present: Texts, level: str) -> list[Wired]:
    """Return the script and workspace of each agentws hook in Codex's hooks.json."""
    place = _hooks(level)
    return hook_entries.wired(present.get(place, ""), HOST, where=place)


def allowed(present: Texts, level: str) -> bool:
    """Return whether agentws's rules file is among Codex's settings, and whole."""
    return _file.is_whole(present.get(_rules(level), ""))


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Codex after install."""
    trust = 'Codex runs only trusted hooks: start `codex`, wait for "Hooks need review", press 2, then Enter.'
    again = "Codex asks again after an install that changes the hooks."
    known = () if wiring.level == USER else ("The folder must be a project that Codex trusts.",)
    return (*known, trust, again, *_ways_out(wiring))


def _ways_out(wiring: Wiring) -> tuple[str, ...]:
    """Return how the agent can write its memory from another folder despite Codex's sandbox; empty if it can."""
    if wiring.level == PROJECT or wiring.allows:
        return ()
    roots = plainjson.dumps([wiring.workspace])
    return (
        "To let the agent write its memory from the sandbox, use --allow, or set in Codex's config.toml, under "
        f"[sandbox_workspace_write]: writable_roots = {roots}",
    )


def _with_root(present: Texts, wiring: Wiring) -> After:
    """Return the user's config.toml, with the workspace among the sandbox's writable roots if that is allowed.

    A project gets none: its own list would replace the user's.
    """
    if wiring.level != USER or wiring.allows is None:
        return {}
    text = present.get(_CONFIG, "")
    if not wiring.allows or roots.ours(text) not in ([], [wiring.workspace]):
        text = roots.without_roots(text, where=_CONFIG)
    if wiring.allows:
        text = roots.with_root(text, wiring.workspace, where=_CONFIG)
    return {} if text == present.get(_CONFIG, "") else plan.without_empty({_CONFIG: text})


def _hooks(level: str) -> str:
    return "hooks.json" if level == USER else ".codex/hooks.json"


def _skill(level: str) -> str:
    return skill.FILE if level == USER else skill.AGENTS


def _rules(level: str) -> str:
    return "rules/agentws.rules" if level == USER else ".codex/rules/agentws.rules"


def _is_ours(present: Texts, page: str, written: Written) -> bool:
    return page in present and (page in written.files or _file.is_ours(present[page]))


def _wanted(wiring: Wiring) -> dict[str, list[Group]]:
    return {event: [_group(event, wiring)] for event in EVENTS}


def _group(event: str, wiring: Wiring) -> Group:
    timeout_s = _TIMEOUTS_S.get(event, _USUAL_TIMEOUT_S)
    hook: dict[str, object] = {"type": "command", "command": wiring.command(HOST, event), "timeout": timeout_s}
    if event != "SessionStart":
        return {"hooks": [hook]}
    return {"matcher": _STARTS, "hooks": [{**hook, "additionalContextLimit": _MOST_TOKENS}]}
