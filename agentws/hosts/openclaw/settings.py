"""What `agentws install openclaw` writes: a hook folder, both files of which are wholly ours. Pure.

OpenClaw 2026.9 looks for it in `hooks/` of an agent's workspace, and for all agents in its own folder. It loads
neither before somebody enabled the hook by its name; that stands in a file which OpenClaw guards, so it is left to it.
"""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.hosts import javascript, loading, plan, skill
from agentws.hosts.openclaw import handler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "openclaw"
EVENTS = handler.EVENTS
DESCRIPTION = f"hooks/{handler.NAME}/HOOK.md"
HANDLER = f"hooks/{handler.NAME}/handler.ts"


def home(variables: Mapping[str, str]) -> str | None:
    """OpenClaw's own folder."""
    state = variables.get("OPENCLAW_STATE_DIR", "")
    if state.startswith("/"):
        return state.rstrip("/")
    user = variables.get("OPENCLAW_HOME", "") or variables.get("HOME", "")
    return f"{user.rstrip('/')}/.openclaw" if user.startswith("/") else None


def signs() -> tuple[str, ...]:
    """The files of a workspace of OpenClaw."""
    return loading.named(HOST).signs


def places(level: str) -> tuple[str, ...]:
    """The two files of the hook and the skill, the same at each level."""
    return (DESCRIPTION, HANDLER, skill.FILE)


def install(present: plan.Texts, wiring: plan.Wiring) -> plan.After:
    """The hook as this version writes it, in place of an older one; one of somebody else's is not replaced."""
    for place, text in present.items():
        if place in (DESCRIPTION, HANDLER) and not _ours(place, text):
            raise UsageError(f"{place} is not of the hook of agentws.", hint="Rename its folder, then install again.")
    source = handler.text(wiring.words(HOST, "EVENT")[:-1], wiring.launcher)
    after = {DESCRIPTION: handler.description(), HANDLER: source}
    skill.put(after, present, skill.FILE, wiring)
    return plan.changed(present, after)


def uninstall(present: plan.Texts, level: str) -> plan.After:
    """The files go, where they are ours."""
    return {place: None for place in places(level) if place in present and _ours(place, present[place])}


def wired(present: plan.Texts, level: str) -> tuple[plan.Wired, ...]:
    """What the handler calls."""
    text = present.get(HANDLER, "")
    found = javascript.wired(text, HOST) if _ours(HANDLER, text) else None
    return () if found is None else (found,)


def allowed(present: plan.Texts, level: str) -> None:
    """None: OpenClaw allows a program with all that it can do, and ours can do more than an agent should."""


def next_steps(wiring: plan.Wiring) -> tuple[str, ...]:
    """The hook has to be enabled; and what it does not do."""
    where = "this folder" if wiring.level != plan.USER else wiring.workspace
    return (
        "Run `openclaw hooks enable agentws` where OpenClaw's gateway runs: it loads no hook that is not enabled.",
        "Where no hook was named before, look at `openclaw hooks list` first: naming one turns off those not named.",
        f"It speaks to the agents whose workspace is {where}, and to no others.",
        "OpenClaw tells hooks of no tools: messages and sessions are recorded, what the agent does is not.",
    )


def _ours(place: str, text: str) -> bool:
    if place == skill.FILE:
        return skill.is_ours(text)
    return handler.description_is_ours(text) if place == DESCRIPTION else text.startswith(handler.MARK)
