"""The Agent Skill that a host finds in its folder of skills: one file, wholly ours. Pure.

The form is the open standard's, `<skills>/<name>/SKILL.md` (agentskills.io): a host shows the model its name and
description, and hands it the rest where it asks for it.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.hosts import block
from agentws.core.hosts.plan import PROJECT
from agentws.core.text import sh
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import Texts, Wiring

FILE = "skills/agentws/SKILL.md"
"""Below the folder in which a host keeps such things."""
AGENTS = f".agents/{FILE}"
"""Where several programs look in a project."""
_MARK, _END = "---\nname: agentws\n", "\n---\n"
_WRITTEN, _DIGEST = "\n  written-by: agentws\n", "  digest: sha256-"
"""In the metadata: each skill in a folder of that name has the name, a person's too. The digest is of all the rest."""
_DIGEST_CHARS = 16
_CALLED, _CALLED_SO = "Run it as `agentws`.", "Run it as `{}`."


def text(wiring: Wiring, *, in_full: bool = False) -> str:
    """The skill, with the command as the agent has to type it; `in_full` where its shell may not find our name."""
    ways = (wiring.script,) if wiring.level == PROJECT else (wiring.script, "-C", wiring.workspace)
    called = sh.join(ways) if in_full else block.command(wiring)
    return signed(wiring.skill.replace(_CALLED, _CALLED_SO.format(called), 1))


def signed(skill: str) -> str:
    """The skill with the digest of itself, by which it is told from one that somebody has edited."""
    return skill.replace(_WRITTEN, f"{_WRITTEN}{_DIGEST}{_digest(skill)}\n", 1)


def put(texts: dict[str, str], present: Texts, place: str, wiring: Wiring, *, in_full: bool = False) -> None:
    """Put the skill among `texts`, but where somebody has edited ours; UsageError where something else stands there."""
    there = present.get(place, "")
    if not wiring.skill or is_edited(there):
        return
    if place in present and not is_ours(there):
        raise UsageError(
            f"{place} is not a skill of agentws.", hint="Rename the folder of that file, then install again."
        )
    # Of two hosts that read the same file, the one that needs the full path has its way.
    wanted = text(wiring, in_full=in_full)
    texts[place] = there if there == text(wiring, in_full=True) else wanted


def take_out(texts: dict[str, str], place: str) -> None:
    """Leave nothing of the skill at `place`, where it is ours."""
    if is_ours(texts.get(place, "")):
        texts[place] = ""


def is_ours(text: str) -> bool:
    """Return whether the file is our skill, and nobody has edited it."""
    plain = text.replace("\r\n", "\n")
    before, _, behind = plain.partition(f"{_WRITTEN}{_DIGEST}")
    said, _, rest = behind.partition("\n")
    return _is_made(plain) and said == _digest(f"{before}{_WRITTEN}{rest}")


def is_edited(text: str) -> bool:
    """Return whether the file was our skill, and somebody has edited it: then it is theirs."""
    return _is_made(text.replace("\r\n", "\n")) and not is_ours(text)


def _is_made(plain: str) -> bool:
    """Return whether it says of itself that we wrote it."""
    head = plain.partition(_END)[0] + "\n"
    return head.startswith(_MARK) and _WRITTEN in head


def _digest(plain: str) -> str:
    return digest.of(plain.encode("utf-8", "surrogateescape"))[:_DIGEST_CHARS]
