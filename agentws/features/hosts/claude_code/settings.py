"""Claude Code's settings as `install` writes them: hooks, CLAUDE.md's block, permissions, own memory's folder. Pure.

Facts of Claude Code 2.1: timeouts are in seconds; a session's end waits 1.5 s, unless the hook's own says more. It
checks each part of a compound command.
"""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts import block, plan
from agentws.core.hosts.plan import NOTHING, PROJECT, USER, Wiring, Written
from agentws.features.hosts import hook_entries, obstacles
from agentws.features.hosts.hook_settings import Nested
from agentws.features.hosts.obstacles import Obstacle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import After, Texts
    from agentws.features.hosts.obstacles import HostFiles

_MEMORY = "autoMemoryDirectory"
_LOCAL = ".claude/settings.local.json"
_INSTRUCTIONS, _ASIDE, _AGENTS = "CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"
_IMPORT = f"@{_AGENTS}"
_STATES = (".claude.json", "../.claude.json")
"""Claude Code's list of trusted folders: in its settings folder if CLAUDE_CONFIG_DIR names that, else beside it."""
_TRUSTED = "hasTrustDialogAccepted"


class ClaudeCode(Nested):
    """Claude Code's settings."""

    name = "claude-code"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied",
        "PreCompact", "PostCompact", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
    )  # fmt: skip
    folder, file = ".claude", "settings.json"
    starts = "startup|resume|clear|compact|fork"
    timeouts = (*Nested.timeouts, ("PostCompact", 30))
    project = "CLAUDE_PROJECT_DIR"
    permissions = ("permissions", "allow")
    rule = ("Bash(", ":*)")
    in_parts = is_plain = True
    switches = ((PROJECT, _LOCAL), (PROJECT, ".claude/settings.json"), (USER, "settings.json"))
    steps = ("Start `claude` in that folder, and trust the folder when asked. `claude -p` never asks.",)
    user_steps = ("Running sessions do not use agentws yet: start a new session.",)

    def places(self, level: str) -> tuple[str, ...]:
        """Return the files that install reads and writes for Claude Code."""
        aside = () if level == USER else (_LOCAL, _ASIDE, _AGENTS)
        return (self.place(level), _INSTRUCTIONS, *aside, self.skill(level))

    def list_place(self, level: str) -> str:
        """Return the settings file that is the user's alone: rules in a project's count only in a trusted folder."""
        return self.place(level) if level == USER else _LOCAL

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return Claude Code's settings files with agentws in them: hooks, block, permission rules and skill."""
        if _LOCAL in present:
            hook_entries.check_plain(present[_LOCAL], "Claude Code", where=_LOCAL)
        texts = {**present, **super().install(present, wiring)}
        own = self.list_place(wiring.level)
        if wiring.auto_memory and self._memory(texts, own) != (memory := _memory_folder(wiring.workspace)):
            # A project's shared settings may not name the memory's folder.
            texts[own] = splice.with_value(texts.get(own) or "", (_MEMORY,), memory, where=own)
        page = _page(present, wiring.level)
        texts[page] = block.with_block(present.get(page, ""), self.name, self._body(present, page, wiring))
        after = plan.changed(present, texts)
        # The rules that were removed may have been all that this file held.
        return {**after, **plan.without_empty({_LOCAL: after[_LOCAL]})} if _LOCAL in after else after

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return Claude Code's settings files without agentws; None for a file that held nothing else."""
        texts = {**present, **super().uninstall(present, level, written)}
        workspaces = [plan.in_folder(connection.workspace, written.folder) for connection in self.wired(present, level)]
        memories = list(map(_memory_folder, workspaces))
        for place in {self.place(level), _LOCAL} & present.keys():
            if texts[place] and place == _LOCAL:
                texts[place] = hook_entries.without_hooks(texts[place] or "", self.name, where=place)
            if self._memory(texts, place) in memories:
                texts[place] = splice.without(texts[place] or "", (_MEMORY,), where=place)
        for place in {_INSTRUCTIONS, _ASIDE} & present.keys():
            texts[place] = block.without_block(present[place], self.name)
        return plan.without_empty(plan.changed(present, texts))

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return what keeps Claude Code from running the hooks, and the agent from knowing what they do."""
        off = obstacles.switched_off(files, self.switches)
        return [*self.gaps(files), *self._no_block(files), *(off or self.untrusted(files))]

    def _no_block(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacle that no instructions file has agentws's block any more."""
        pages = (_INSTRUCTIONS, _ASIDE) if files.level == PROJECT else (_INSTRUCTIONS,)
        if any(block.body_of(files.text(files.level, page), self.name) is not None for page in pages):
            return []
        where = files.path(files.level, _INSTRUCTIONS)
        return [Obstacle("their instructions for the agent are missing", place=where, remedy=files.install)]

    def untrusted(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacle of an untrusted folder; `claude -p` never asks for trust, and runs the hooks anyway."""
        place = next((place for place in _STATES if files.text(USER, place)), "")
        if files.level != PROJECT or not place:
            return []
        folder, own = files.folders[PROJECT], files.folders[USER]
        value = files.value(USER, place, "projects")
        above = [folder[:at] for at, char in enumerate(folder) if char == "/" and at] + [folder]
        projects = [value.get(path) for path in above] if isinstance(value, dict) else []
        if any(isinstance(project, dict) and project.get(_TRUSTED) is True for project in projects):
            return []
        says = f"{folder} is not trusted yet; headless runs work anyway"
        where = f"{own.rpartition('/')[0]}/{place[3:]}" if place.startswith("../") else f"{own}/{place}"
        remedy = "Start claude there once and trust the folder."
        return [Obstacle(says, place=where, remedy=remedy, untrusted=True, asks=True)]

    def memory(self, files: HostFiles) -> tuple[str, str]:
        """Return (the folder of Claude Code's own memory, the file that names it); both empty if none does."""
        for level, place in self.switches:
            value = files.value(level, place, _MEMORY)
            if isinstance(value, str) and value:
                return value, files.path(level, place)
        return "", ""

    def _memory(self, texts: After, place: str) -> object:
        return splice.value_at(texts.get(place) or "", (_MEMORY,), where=place)

    def _body(self, present: Texts, page: str, wiring: Wiring) -> str:
        """Return the block's body. Beside a CLAUDE.md, AGENTS.md is not read: one made by agentws imports it."""
        text = present.get(page, "")
        imported = (block.body_of(text, self.name) or "")[: len(_IMPORT)].upper() == _IMPORT.upper()
        ours = imported or not block.without_block(text, self.name).strip()
        imports = f"@{wiring.agents}\n\n" if wiring.level != USER and ours and _AGENTS in present else ""
        return imports + block.told_by_hooks(wiring)


SETTINGS = ClaudeCode()


def _memory_folder(workspace: str) -> str:
    """Return the folder for Claude Code's own memory: apart, since it loads its MEMORY.md and rewrites it whole."""
    return f"{workspace}/memory/claude-code"


def _page(present: Texts, level: str) -> str:
    """Return the instructions file that Claude Code reads; CLAUDE.md if there is none yet."""
    return _ASIDE if level != USER and _INSTRUCTIONS not in present and _ASIDE in present else _INSTRUCTIONS
