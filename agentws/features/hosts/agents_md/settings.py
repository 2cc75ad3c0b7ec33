"""Settings of agents-md: the block of instructions that `install` writes into AGENTS.md, and the skill. Pure."""

from __future__ import annotations

from agentws.core.hosts import block, plan
from agentws.core.hosts.plan import NOTHING, PROJECT, Wired, Wiring, Written
from agentws.core.text import sh
from agentws.features.hosts import skill
from agentws.features.hosts.host_settings import HostSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import After, Texts

_AGENTS = "AGENTS.md"


class AgentsMd(HostSettings):
    """AGENTS.md, for programs without hooks."""

    name = "agents-md"
    steps = user_steps = (
        "AGENTS.md has no hooks: the agent must follow these instructions, and `agentws` must be on its PATH.",
    )

    def place(self, level: str) -> str:
        """Return AGENTS.md."""
        return _AGENTS

    def skill(self, level: str) -> str:
        """Return where several hosts find the skill."""
        return skill.AGENTS

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return AGENTS.md with agentws's block of instructions, and the skill."""
        texts = {_AGENTS: block.with_block(present.get(_AGENTS, ""), self.name, _body(wiring))}
        skill.put(texts, present, skill.AGENTS, wiring)
        return plan.changed(present, texts)

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return AGENTS.md without agentws's block; None for a file that is empty then, as for the skill."""
        texts = dict(present)
        if _AGENTS in texts:
            texts[_AGENTS] = block.without_block(texts[_AGENTS], self.name)
        skill.take_out(texts, skill.AGENTS)
        return plan.without_empty(plan.changed(present, texts))

    def wired(self, present: Texts, level: str) -> list[Wired]:
        """Return the workspace that the commands in agentws's block name."""
        body = block.body_of(present.get(_AGENTS, ""), self.name)
        if body is None:
            return []
        try:
            words = sh.split(body.partition(" boot`")[0].rpartition("`")[2])
        except ValueError:
            words = []
        return [Wired("agentws", words[2] if words[1:2] == ["-C"] and len(words) > 2 else "")]


SETTINGS = AgentsMd()


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
