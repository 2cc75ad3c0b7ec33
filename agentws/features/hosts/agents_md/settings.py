"""What `install` writes into AGENTS.md, for a program without hooks: what the agent does by itself. Pure."""

from __future__ import annotations

from agentws.core.hosts import block, plan
from agentws.core.hosts.plan import NOTHING, PROJECT, Wired, Wiring, Written, no_rules
from agentws.core.text import sh
from agentws.features.hosts import skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.hosts.plan import After, Texts

HOST = "agents-md"
EVENTS: tuple[str, ...] = ()
_AGENTS = "AGENTS.md"
rules = no_rules


def home(variables: Mapping[str, str]) -> None:
    """None: there is no AGENTS.md that all programs read for a user."""


def signs() -> tuple[str, ...]:
    """Return what shows that a program reads it in a project."""
    return (_AGENTS,)


def places(level: str) -> tuple[str, ...]:
    """Each place that may be read or written."""
    return (_AGENTS, skill.AGENTS)


def install(present: Texts, wiring: Wiring) -> After:
    """AGENTS.md with our block, and the skill."""
    texts = {_AGENTS: block.with_block(present.get(_AGENTS, ""), HOST, _body(wiring))}
    skill.put(texts, present, skill.AGENTS, wiring)
    return plan.changed(present, texts)


def uninstall(present: Texts, level: str, written: Written = NOTHING) -> After:
    """AGENTS.md without our block."""
    texts = dict(present)
    if _AGENTS in texts:
        texts[_AGENTS] = block.without_block(texts[_AGENTS], HOST)
    skill.take_out(texts, skill.AGENTS)
    return plan.without_empty(plan.changed(present, texts))


def wired(present: Texts, level: str) -> list[Wired]:
    """Return what the block names."""
    body = block.body_of(present.get(_AGENTS, ""), HOST)
    return [] if body is None else [_read(body)]


def allowed(present: Texts, level: str) -> None:
    """None: a program of any kind reads this file."""


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person has still to know."""
    return ("AGENTS.md has no hooks: the agent must follow these instructions, and `agentws` must be on its PATH.",)


def _body(wiring: Wiring) -> str:
    agentws = block.command(wiring)
    return f"""\
## Your memory: agentws

Your files live in {"this folder" if wiring.level == PROJECT else "another folder"} and are kept by `agentws`.

- First of all in a session, run `{agentws} boot` and follow its output. That is SOUL, USER, MEMORY, the newest
  handoff, the tasks and the latest daily logs, within a budget. If other instructions say to read these files at the
  start, that is done: open one only for what boot says it left out. If a hook has given you that text already, do not
  run it.
- While you work, `{agentws} log "…"` for what happened, with `--kind decision` or `--kind lesson` where it is one, and
  `{agentws} remember "…"` for a fact that should last.
- `{agentws} todo "…"` for what is still to be done, `{agentws} done` and two words of it once it is done.
- If boot says that something waits for MEMORY.md, `{agentws} curate`: you are its author.
- Before you stop, or when your context is nearly full: `{agentws} handoff --doing "…" --next "…"`.
"""


def _read(body: str) -> Wired:
    """The workspace that the commands in the block name."""
    command = body.partition(" boot`")[0].rpartition("`")[2]
    try:
        words = sh.split(command)
    except ValueError:
        words = []
    return Wired("agentws", words[2] if words[1:2] == ["-C"] and len(words) > 2 else "")
