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
_MARK, _END = "---\nname: agentws\n", "\n---\n"
_WRITTEN = "\n  written-by: agentws\n"
"""In the metadata: each skill in a folder of that name has the name, a person's too."""
_CALLED, _CALLED_SO = "Run it as `agentws`.", "Run it as `{}`."


def text(wiring: Wiring) -> str:
    """The skill, with the command as the agent has to type it."""
    return wiring.skill.replace(_CALLED, _CALLED_SO.format(block.command(wiring)), 1)


def put(texts: dict[str, str], present: Texts, place: str, wiring: Wiring) -> None:
    """Put the skill among `texts`; UsageError where something else stands there."""
    if not wiring.skill:
        return
    if place in present and not is_ours(present[place]):
        raise UsageError(f"{place} is no skill of agentws.", hint="Rename its folder, then install again.")
    texts[place] = text(wiring)


def take_out(texts: dict[str, str], place: str) -> None:
    """Leave nothing of the skill at `place`, where it is ours."""
    if is_ours(texts.get(place, "")):
        texts[place] = ""


def is_ours(text: str) -> bool:
    """Return whether the file is our skill, as it says itself."""
    head = text.replace("\r\n", "\n").partition(_END)[0] + "\n"
    return head.startswith(_MARK) and _WRITTEN in head
