"""The Agent Skill that a host finds in its folder of skills: one file, wholly ours. Pure.

The form is the open standard's, `<skills>/<name>/SKILL.md` (agentskills.io): a host shows the model its name and
description, and hands it the rest where it asks for it.
"""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.hosts import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.hosts.plan import Texts, Wiring

FILE = "skills/agentws/SKILL.md"
"""Below the folder in which a host keeps such things."""
AGENTS = f".agents/{FILE}"
"""Where several programs look in a project."""
_MARK = "---\nname: agentws\n"
_CALLED, _CALLED_SO = "Run it as `agentws`.", "Run it as `{}`."


def text(wiring: Wiring) -> str:
    """The skill, with the command as the agent has to type it."""
    return wiring.skill.replace(_CALLED, _CALLED_SO.format(block.command(wiring)), 1)


def put(texts: dict[str, str], present: Texts, place: str, wiring: Wiring) -> None:
    """Put the skill among `texts`; UsageError where something else stands there."""
    if not wiring.skill:
        return
    if not is_ours(present.get(place, _MARK)):
        raise UsageError(f"{place} is no skill of agentws.", hint="Rename its folder, then install again.")
    texts[place] = text(wiring)


def take_out(texts: dict[str, str], place: str) -> None:
    """Leave nothing of the skill at `place`, where it is ours."""
    if is_ours(texts.get(place, "")):
        texts[place] = ""


def is_ours(text: str) -> bool:
    """Return whether the file is our skill, as it says itself."""
    return text.replace("\r\n", "\n").startswith(_MARK)
