"""A program of the user's that answers a brief: it speaks the operations of any author, and is checked as they are."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats.secrets import secrets
from agentws.operations.curate import answer, material
from agentws.operations.curate import brief as _brief
from agentws.planning.curate import operations
from agentws.storage.system.summarizer import TIMEOUT_S, Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.curate.answer import Curated
    from agentws.ports import Summarizer
    from agentws.storage.workspace.stores import Stores

_ORDER = """\
You are the author of an agent's long-term memory. Below is a brief. Answer only with operations, one per line, as
its last section says: no introduction, no remarks.

"""
_MOST_NAMED = 3
_MOST_CHARS = 80


def ask(stores: Stores, command: str, *, timeout_s: float = TIMEOUT_S) -> list[str]:
    """Give a brief to the program of this command line and apply what holds of its answer; what to say of that.

    It is asked where there is anything to decide. Nothing it does is an error: then MEMORY.md stays as it is.
    """
    return ask_of(stores, Command(command, timeout_s=timeout_s))


def ask_of(stores: Stores, summarizer: Summarizer) -> list[str]:
    """Return the same as `ask`, of any summarizer."""
    try:
        stores.check_writable()
        stores.manifest.check("compaction", "retention")
        with material.alone(stores, "curate"):
            shown = _brief.made(stores, material.Material(stores))
        if not shown.candidates:
            return []
        said = summarizer.summarize(_ORDER + secrets.hide(shown.text)[0])
        if said.failure:
            return [f"The summarizer failed: {said.failure}. MEMORY.md is unchanged."]
        if not operations.parse(said.text):
            return ["The summarizer gave no answer. MEMORY.md is unchanged."]
        return _told(answer.curate(stores, said.text, by=answer.SUMMARIZER))
    except AgentwsError as error:
        return [f"The summarizer changed nothing: {error.message}"]


def _told(done: Curated) -> list[str]:
    """What a person should know of an answer."""
    told = []
    changed = [one for one in done.applied if one.verb != operations.NONE]
    if changed:
        told.append(f"Summarizer operations applied: {len(changed)}. To undo all: agentws undo")
    if done.refused:
        named = "; ".join(f"“{one.raw[:_MOST_CHARS]}”: {why}" for one, why in done.refused[:_MOST_NAMED])
        more = f"; and {len(done.refused) - _MOST_NAMED} more" if len(done.refused) > _MOST_NAMED else ""
        told.append(f"Summarizer operations refused: {len(done.refused)}. {named}{more}.")
    return told
