"""The Agent Skill that install writes into a host's folder of skills: one file, all of it agentws's. Pure.

The format is the open standard's, `<skills>/<name>/SKILL.md` (agentskills.io): a host shows the model its name and
description, and the rest on request.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.hosts import block
from agentws.core.text import sh
from agentws.errors import UsageError
from agentws.features.hosts.host_settings import SKILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import Texts, Wiring

AGENTS = f".agents/{SKILL}"
"""The skill's path in a project, where several hosts find it."""
_MARK, _END = "---\nname: agentws\n", "\n---\n"
_WRITTEN, _DIGEST = "\n  written-by: agentws\n", "  digest: sha256-"
"""In the metadata: the mark of agentws's skill (a person's may have the same name), and a digest of the rest."""
_DIGEST_CHARS = 16
_CALLED, _CALLED_SO = "Run it as `agentws`.", "Run it as `{}`."


def text(wiring: Wiring, *, in_full: bool = False) -> str:
    """Return the skill, with the command as the agent has to type it; `in_full`: by its absolute path."""
    ways = (wiring.script,) if wiring.is_found else (wiring.script, "-C", wiring.workspace)
    called = sh.join(ways) if in_full else block.command(wiring)
    return signed(wiring.skill.replace(_CALLED, _CALLED_SO.format(called), 1))


def signed(skill: str) -> str:
    """Return the skill with a digest of itself, which shows whether somebody edits it later."""
    return skill.replace(_WRITTEN, f"{_WRITTEN}{_DIGEST}{_digest(skill)}\n", 1)


def put(texts: dict[str, str], present: Texts, place: str, wiring: Wiring, *, in_full: bool = False) -> None:
    """Add the skill to `texts`, unless somebody edited the installed one; UsageError if another file is at `place`."""
    there = present.get(place, "")
    if not wiring.skill or is_edited(there):
        return
    if place in present and not is_ours(there):
        raise UsageError(
            f"{place} is not a skill of agentws.", hint="Rename the folder of that file, then install again."
        )
    # If two hosts read the same file, the one that needs the full path decides.
    wanted = text(wiring, in_full=in_full)
    texts[place] = there if there == text(wiring, in_full=True) else wanted


def take_out(texts: dict[str, str], place: str) -> None:
    """Empty the skill at `place` among `texts`, if it is agentws's."""
    if is_ours(texts.get(place, "")):
        texts[place] = ""


def is_ours(text: str) -> bool:
    """Return whether the file is agentws's skill, and nobody has edited it."""
    plain = text.replace("\r\n", "\n")
    before, _, behind = plain.partition(f"{_WRITTEN}{_DIGEST}")
    message, _, rest = behind.partition("\n")
    return _is_made(plain) and message == _digest(f"{before}{_WRITTEN}{rest}")


def is_edited(text: str) -> bool:
    """Return whether the file was agentws's skill and somebody has edited it, so that it is theirs."""
    return _is_made(text.replace("\r\n", "\n")) and not is_ours(text)


def _is_made(plain: str) -> bool:
    """Return whether the skill's metadata says that agentws wrote it."""
    head = plain.partition(_END)[0] + "\n"
    return head.startswith(_MARK) and _WRITTEN in head


def _digest(plain: str) -> str:
    return digest.of(plain.encode("utf-8", "surrogateescape"))[:_DIGEST_CHARS]
