"""Settings of agents-md: the block of instructions that `install` writes into AGENTS.md, and the skill. Pure."""

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
    """Return None: no user-level AGENTS.md is read by all programs."""


def signs() -> tuple[str, ...]:
    """Return the file that shows that a project uses AGENTS.md: the file itself."""
    return (_AGENTS,)


def places(level: str) -> tuple[str, ...]:
    """Return the files that install reads and writes for agents-md: AGENTS.md and the skill."""
    return (_AGENTS, skill.AGENTS)


def install(present: Texts, wiring: Wiring) -> After:
    """Return AGENTS.md with agentws's block of instructions, and the skill."""
    texts = {_AGENTS: block.with_block(present.get(_AGENTS, ""), HOST, _body(wiring))}
    skill.put(texts, present, skill.AGENTS, wiring)
    return plan.changed(present, texts)


def uninstall(present: Texts, level: str, written: Written = NOTHING) -> After:
    """Return AGENTS.md without agentws's block; None for a file that is empty then, as for the skill."""
    texts = dict(present)
    if _AGENTS in texts:
        texts[_AGENTS] = block.without_block(texts[_AGENTS], HOST)
    skill.take_out(texts, skill.AGENTS)
    return plan.without_empty(plan.changed(present, texts))


def wired(present: Texts, level: str) -> list[Wired]:
    """Return the workspace that agentws's block in AGENTS.md names."""
    body = block.body_of(present.get(_AGENTS, ""), HOST)
    return [] if body is None else [_read(body)]


def allowed(present: Texts, level: str) -> None:
    """Return None: AGENTS.md holds no permissions, and any program may read it."""


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person has to know once AGENTS.md is written: `agentws` must be on the agent's PATH."""
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
    """Return the workspace that the commands in AGENTS.md's block name."""
    command = body.partition(" boot`")[0].rpartition("`")[2]
    try:
        words = sh.split(command)
    except ValueError:
        words = []
    return Wired("agentws", words[2] if words[1:2] == ["-C"] and len(words) > 2 else "")
