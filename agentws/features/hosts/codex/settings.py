"""Codex's settings as `install` writes them: hooks.json and the skill; if allowed, rules and config.toml. Pure.

Facts of Codex 0.171: timeouts are in seconds, at most 3 at an interruption and at the end of a session; a hook may say
how many tokens of its text are taken, 2,500 if it does not; keys that it does not know are errors.

The user's config.toml lists what Codex trusts: the reviewed hash of each hook, under the file's path and the hook's
position in it. Only Codex can tell whether that hash still matches the hook.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson, splice
from agentws.core.hosts import allowance, plan
from agentws.core.hosts.plan import NOTHING, PROJECT, USER, Wiring, Written
from agentws.errors import DamagedError
from agentws.features.hosts import skill
from agentws.features.hosts.codex import roots, rules
from agentws.features.hosts.hook_settings import Nested
from agentws.features.hosts.host_settings import SKILL
from agentws.features.hosts.obstacles import Obstacle, is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.hosts.plan import After, Texts
    from agentws.features.hosts.obstacles import HostFiles

_CONFIG = "config.toml"
_REVIEW = 'wait for "Hooks need review", press 2, then Enter.'
_SWITCHES = ("hooks", "codex_hooks")
_MOST_CHARS = 1 << 18


class Codex(Nested):
    """Codex's settings."""

    name = "codex"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact",
        "SubagentStop", "Interrupt", "Stop", "SessionEnd",
    )  # fmt: skip
    folder, file = ".codex", "hooks.json"
    starts = "startup|resume|clear|compact"
    timeouts = (("SessionStart", 30), ("Interrupt", 3), ("SessionEnd", 3))
    # More than any boot has. It does not follow the budget, because a changed hook must be trusted again.
    start_fields = (("additionalContextLimit", 100_000),)
    is_plain = True
    in_full = True  # a login shell has the system's PATH

    def skill(self, level: str) -> str:
        """Return the place of the skill: in a project, where several hosts find it."""
        return SKILL if level == USER else skill.AGENTS

    def places(self, level: str) -> tuple[str, ...]:
        """Return hooks.json, the skill, the rules and the user's config.toml."""
        return (*super().places(level), self._rules(level), *([_CONFIG] if level == USER else []))

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return Codex's settings files with agentws in them: hooks.json, skill, rules file and config.toml."""
        page = self._rules(wiring.level)
        ours = self._is_ours(present, page, wiring.written)
        rule_file = allowance.file_change(page, rules.text(wiring), present, wiring, ours=ours)
        return {**super().install(present, wiring), **_with_root(present, wiring), **rule_file}

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return Codex's settings files without agentws; None for a file that held nothing else."""
        after = {**super().uninstall(present, level, written)}
        if self._is_ours(present, self._rules(level), written):
            after[self._rules(level)] = None
        if level == USER and _CONFIG in present:
            left = {_CONFIG: roots.without_roots(present[_CONFIG], where=_CONFIG)}
            after |= plan.without_empty(plan.changed(present, left))
        return after

    def allowed(self, present: Texts, level: str) -> bool:
        """Return whether agentws's rules file is among Codex's settings, and whole."""
        return rules.is_whole(present.get(self._rules(level), ""))

    def next_steps(self, wiring: Wiring) -> tuple[str, ...]:
        """Return what a person still has to do in Codex after install."""
        known = () if wiring.level == USER else ("The folder must be a project that Codex trusts.",)
        trust = f"Codex runs only trusted hooks: start `codex`, {_REVIEW}"
        steps = (*known, trust, "Codex asks again after an install that changes the hooks.")
        if wiring.level == PROJECT or wiring.allows:
            return steps
        out = (
            "To let the agent write its memory from the sandbox, use --allow, or set in Codex's config.toml, under "
            f"[sandbox_workspace_write]: writable_roots = {plainjson.dumps([wiring.workspace])}"
        )
        return (*steps, out)

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacles: hooks switched off, the project not trusted, or the hooks never reviewed."""
        gaps = self.gaps(files)
        user = _table(files.text(USER, _CONFIG))
        if user is None or USER not in files.folders:
            return gaps  # settings that cannot be read show no obstacle
        where = files.path(USER, _CONFIG)
        off = [name for name in _SWITCHES if _within(user, "features").get(name) is False]
        if off:
            remedy = f"Set {off[0]} = true under [features] in {where}."
            return [*gaps, Obstacle(f"features.{off[0]} is false: no hook runs", place=where, remedy=remedy)]
        projects = _within(user, "projects")
        trusted = [path for path in projects if _within(projects, path).get("trust_level") == "trusted"]
        if files.asked and not is_below(files.asked, trusted):
            says = f"{files.asked} is not trusted by Codex, so none of its hooks run"
            return [*gaps, *files.untrusted(says, _CONFIG, "Start codex there, and trust the folder.")]
        return [*gaps, *self._unreviewed(files, user)]

    def _unreviewed(self, files: HostFiles, user: dict[str, Any]) -> list[Obstacle]:
        place = self.place(files.level)
        hooks = files.path(files.level, place)
        states = _within(_within(user, "hooks"), "state")
        ours = [_within(states, f"{hooks}:{key}") for key in _keys(files.text(files.level, place), place)]
        missing = sum(not state.get("trusted_hash") for state in ours)
        if missing:
            says = f"{missing} of the {len(ours)} hooks in {hooks} were never trusted"
            return files.untrusted(says, _CONFIG, f"Start codex, {_REVIEW}")
        off = sum(state.get("enabled") is False for state in ours)
        if off:
            says, where = f"{off} of the {len(ours)} hooks in {hooks} are switched off", files.path(USER, _CONFIG)
            return [Obstacle(says, place=where, remedy="Switch the hooks on in Codex: /hooks")]
        return []

    def _rules(self, level: str) -> str:
        return self.at(level, "rules/agentws.rules")

    def _is_ours(self, present: Texts, page: str, written: Written) -> bool:
        return page in present and (page in written.files or rules.is_ours(present[page]))


SETTINGS = Codex()


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


def _keys(text: str, place: str) -> list[str]:
    """Return Codex's key of each agentws hook in a file: event, group, index in it, like `session_start:0:0`."""
    try:
        events = splice.value_at(text, ("hooks",), where=place)
    except DamagedError:
        return []
    return [
        f"{_snake(event)}:{number}:{at}"
        for event, groups in (events.items() if isinstance(events, dict) else ())
        for number, group in enumerate(groups if isinstance(groups, list) else ())
        for at, hook in enumerate(group.get("hooks", ()) if isinstance(group, dict) else ())
        if isinstance(hook, dict) and plan.read(str(hook.get("command")), "codex")
    ]


def _snake(event: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")


def _within(table: dict[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _table(text: str) -> dict[str, Any] | None:
    """Return the content of config.toml, None if it cannot be read."""
    import tomllib

    if len(text) > _MOST_CHARS:
        return None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
