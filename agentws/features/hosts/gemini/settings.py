"""Gemini CLI's settings as `install` writes them: hooks in settings.json, the skill, allowed commands. Pure.

Facts of Gemini CLI 0.6x: timeouts are in milliseconds, hooks may have a name; it takes a text of any size. It asks
about redirects and chains of allowed commands. Policy files count in the user's folder alone; in a project only
`tools.allowed` does, which is deprecated.
"""

from __future__ import annotations

from agentws.core.hosts import allowance
from agentws.core.hosts.plan import NOTHING, USER, Wiring
from agentws.features.hosts.family.nested import Nested
from agentws.features.hosts.gemini import policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import After, Texts, Written

HOST = "gemini"
EVENTS = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd")

_ROW = Nested(
    HOST,
    EVENTS,
    folder=".gemini",
    file="settings.json",
    homes=(("GEMINI_CLI_HOME", ".gemini"), ("HOME", ".gemini")),
    signs=("GEMINI.md", ".gemini"),
    timeouts={"SessionStart": 30_000, "PreCompress": 30_000},
    usual_timeout=10_000,
    project="GEMINI_PROJECT_DIR",
    permissions=("tools", "allowed"),
    named=True,
)
home, signs, wired, rules = _ROW.home, _ROW.signs, _ROW.wired, _ROW.rules


def places(level: str) -> tuple[str, ...]:
    """Return the files that install reads and writes for Gemini CLI: settings, skill, the user's policy."""
    return (*_ROW.places(level), *([policy.PLACE] if level == USER else []))


def install(present: Texts, wiring: Wiring) -> After:
    """Return Gemini CLI's settings with agentws in them; the user's permissions are in a policy file."""
    if wiring.level != USER:
        return _ROW.install(present, wiring)
    text = policy.text(allowance.typed(wiring))
    ours = _is_ours(present, wiring.written)
    rule_file = allowance.file_change(policy.PLACE, text, present, wiring, ours=ours)
    return {**_ROW.install(present, wiring, lists=False), **rule_file}


def uninstall(present: Texts, level: str, written: Written = NOTHING) -> After:
    """Return Gemini CLI's settings without agentws; None for a file that held nothing else."""
    after = _ROW.uninstall({place: text for place, text in present.items() if place != policy.PLACE}, level, written)
    return {**after, policy.PLACE: None} if _is_ours(present, written) else after


def allowed(present: Texts, level: str) -> bool | None:
    """Return whether Gemini CLI's permissions cover every agentws command that may be allowed."""
    commands = policy.commands(present.get(policy.PLACE, ""))
    return (level == USER and allowance.covers(commands)) or _ROW.allowed(present, level)


def _is_ours(present: Texts, written: Written) -> bool:
    place = policy.PLACE
    return place in present and (place in written.files or bool(policy.commands(present[place])))


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Gemini CLI after install."""
    shown = "`/hooks panel` in Gemini CLI shows the hooks and whether they ran."
    if wiring.level == USER:
        return (shown,)
    trust = "Gemini CLI runs hooks only in trusted folders: start `gemini`, then /permissions trust."
    return (trust, "With --skip-trust the session runs without the folder's hooks.", shown)
