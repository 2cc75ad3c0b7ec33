"""Claude Code's settings as `install` writes them: hooks, CLAUDE.md's block, permissions, own memory's folder. Pure.

Facts of Claude Code 2.1: timeouts are in seconds; a session's end waits 1.5 s, unless the hook's own says more.
"""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts import allowance, block, plan
from agentws.core.hosts.plan import NOTHING, USER, Wired, Wiring, Written
from agentws.features.hosts import hook_entries, skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.hosts.plan import After, Texts
    from agentws.features.hosts.hook_entries import Group

HOST = "claude-code"
_TITLE = "Claude Code"
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied",
    "PreCompact", "PostCompact", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
)  # fmt: skip
_STARTS = "startup|resume|clear|compact|fork"
_TIMEOUTS_S = {"SessionStart": 30, "PreCompact": 30, "PostCompact": 30, "SessionEnd": 15}
_USUAL_TIMEOUT_S = 10
_MEMORY = "autoMemoryDirectory"
_SETTINGS, _LOCAL = ".claude/settings.json", ".claude/settings.local.json"
INSTRUCTIONS, ASIDE, _AGENTS = "CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"
_IMPORT = f"@{_AGENTS}"
_ALLOWED = ("permissions", "allow")
_RULE, _RULE_END = "Bash(", ":*)"
"""The form of a permission rule around a command's beginning. Claude Code checks each part of a compound command."""


def home(variables: Mapping[str, str]) -> str | None:
    """Return the folder of the user's Claude Code settings."""
    return plan.folder(variables, ("CLAUDE_CONFIG_DIR", ""), ("HOME", ".claude"))


def signs() -> tuple[str, ...]:
    """Return the files that show that a project uses Claude Code."""
    return (INSTRUCTIONS, ".claude")


def places(level: str) -> tuple[str, ...]:
    """Return the files that install reads and writes for Claude Code."""
    if level == USER:
        return ("settings.json", INSTRUCTIONS, skill.FILE)
    return (_SETTINGS, _LOCAL, INSTRUCTIONS, ASIDE, _AGENTS, _skill(level))


def install(present: Texts, wiring: Wiring) -> After:
    """Return Claude Code's settings files with agentws in them: hooks, block, permission rules and skill."""
    settings = hooks_file(wiring.level)
    texts = dict(present)
    for place in {settings, _LOCAL} & present.keys():
        hook_entries.check_plain(present[place], _TITLE, where=place)
    texts[settings] = hook_entries.with_hooks(present.get(settings, ""), HOST, hooks(wiring), where=settings)
    wanted = [f"{_RULE}{command}{_RULE_END}" for command in allowance.typed(wiring)] if wiring.allows else []
    own = _own(wiring.level)
    if wanted or (own in texts and wiring.allows is not None):
        known = wiring.written.rules.__contains__
        texts[own] = allowance.with_entries(texts.get(own, ""), _ALLOWED, wanted, known, where=own)
    if wiring.auto_memory:
        # A project's shared settings may not name the memory's folder.
        texts[own] = _with_memory(texts.get(own, ""), wiring.workspace, own)
    page = _page(present, wiring.level)
    texts[page] = block.with_block(present.get(page, ""), HOST, _body(present, page, wiring))
    skill.put(texts, present, _skill(wiring.level), wiring)
    after = plan.changed(present, texts)
    # The rules that were removed may have been all that this file held.
    return {**after, **plan.without_empty({_LOCAL: after[_LOCAL]})} if _LOCAL in after else after


def uninstall(present: Texts, level: str, written: Written = NOTHING) -> After:
    """Return Claude Code's settings files without agentws; None for a file that held nothing else."""
    texts = dict(present)
    settings = hooks_file(level)
    memories = {_memory(plan.in_folder(connection.workspace, written.folder)) for connection in wired(present, level)}
    for place in {settings, _LOCAL} & present.keys():
        texts[place] = hook_entries.without_hooks(texts[place], HOST, where=place)
        if place == _own(level):
            texts[place] = allowance.without_entries(texts[place], _ALLOWED, written.rules.__contains__, where=place)
        if splice.value_at(texts[place], (_MEMORY,), where=place) in memories:
            texts[place] = splice.without(texts[place], (_MEMORY,), where=place)
    for place in {INSTRUCTIONS, ASIDE} & present.keys():
        texts[place] = block.without_block(texts[place], HOST)
    skill.take_out(texts, _skill(level))
    return plan.without_empty(plan.changed(present, texts))


def wired(present: Texts, level: str) -> list[Wired]:
    """Return the script and workspace of each agentws hook in Claude Code's settings."""
    settings = hooks_file(level)
    return hook_entries.wired(present.get(settings, ""), HOST, where=settings)


def allowed(present: Texts, level: str) -> bool:
    """Return whether Claude Code's permission rules cover every agentws command that may be allowed."""
    return allowance.covers(map(_command, rules(present, level)))


def rules(present: Texts, level: str) -> list[str]:
    """Return the permission rules for agentws commands in Claude Code's settings."""
    own = _own(level)
    return [entry for entry in allowance.entries(present.get(own, ""), _ALLOWED, where=own) if _is_ours(entry)]


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Claude Code after install."""
    if wiring.level == USER:
        return ("Running sessions do not use agentws yet: start a new session.",)
    return ("Start `claude` in that folder, and trust the folder when asked. `claude -p` never asks.",)


def hooks_file(level: str) -> str:
    """Return the settings file with the hooks."""
    return "settings.json" if level == USER else _SETTINGS


def _skill(level: str) -> str:
    return skill.FILE if level == USER else f".claude/{skill.FILE}"


def hooks(wiring: Wiring) -> dict[str, list[Group]]:
    """Return the value of `hooks` for Claude Code's settings, and for a plugin of it alike."""
    return {event: [_group(event, wiring)] for event in EVENTS}


def _own(level: str) -> str:
    """Return the settings file that is the user's alone: rules in a project's count only once the folder is trusted."""
    return "settings.json" if level == USER else _LOCAL


def _group(event: str, wiring: Wiring) -> Group:
    is_start = event == "SessionStart"
    numbers: list[int | None] = [*range(1, wiring.parts + 1)] if is_start else [None]
    timeout_s = _TIMEOUTS_S.get(event, _USUAL_TIMEOUT_S)
    commands = (wiring.command(HOST, event, part=number, project="CLAUDE_PROJECT_DIR") for number in numbers)
    hooks = [{"type": "command", "command": command, "timeout": timeout_s} for command in commands]
    return {"matcher": _STARTS, "hooks": hooks} if is_start else {"hooks": hooks}


def _memory(workspace: str) -> str:
    """Return the folder for Claude Code's own memory: apart, since it loads its MEMORY.md and rewrites it whole."""
    return f"{workspace}/memory/claude-code"


def _with_memory(text: str, workspace: str, where: str) -> str:
    if splice.value_at(text, (_MEMORY,), where=where) == _memory(workspace):
        return text
    return splice.with_value(text, (_MEMORY,), _memory(workspace), where=where)


def _page(present: Texts, level: str) -> str:
    """Return the instructions file that Claude Code reads; CLAUDE.md if there is none yet."""
    if level != USER and INSTRUCTIONS not in present and ASIDE in present:
        return ASIDE
    return INSTRUCTIONS


def _body(present: Texts, page: str, wiring: Wiring) -> str:
    """Return the block's body. Beside a CLAUDE.md, AGENTS.md is not read: a CLAUDE.md made by agentws imports it."""
    text = present.get(page, "")
    imported = (block.body_of(text, HOST) or "")[: len(_IMPORT)].upper() == _IMPORT.upper()
    ours = imported or not block.without_block(text, HOST).strip()
    imports = f"@{wiring.agents}\n\n" if wiring.level != USER and ours and _AGENTS in present else ""
    return imports + block.told_by_hooks(wiring)


def _is_ours(rule: str) -> bool:
    is_rule = rule.startswith(_RULE) and rule.endswith(_RULE_END)
    return is_rule and allowance.is_ours(_command(rule))


def _command(rule: str) -> str:
    return rule[len(_RULE) : -len(_RULE_END)]
