"""boot: the start-up context, assembled from the files within a budget. Reads only, needs no lock and no git.

What was made before is given again where nothing that it was made of has changed; only else is anything assembled.
"""

from __future__ import annotations

from agentws.operations.boot.result import AUDIENCES, BEHIND, MAIN, SHARED, Booted, restored
from agentws.storage.disk import read_trace
from agentws.storage.installation import installation
from agentws.storage.workspace import boot_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.storage.disk.local_time import LocalTime
    from agentws.storage.workspace.stores import Stores

__all__ = ["AUDIENCES", "MAIN", "SHARED", "Booted", "boot"]


def boot(
    stores: Stores,
    *,
    budget: int | None = None,
    tokenizer: str | None = None,
    audience: str = MAIN,
    context_name: str | None = None,
    host: str | None = None,
    part: int | None = None,
    elsewhere: bool = False,
    whole: bool = False,
    command: str = "agentws",
) -> Booted:
    """The start-up context. Damaged or odd files become notices; only a call that makes no sense is an error.

    For a `host` it leaves out what that loads itself, and is one text that the host takes whole, or the `part` of
    several such texts (from 1; empty behind the last). A host that stands `elsewhere` than in the workspace loads none
    of its files; one that was told to take a text of any size takes it `whole`. `command` is what its agent has to type
    for `agentws`. As of an earlier moment, documents are
    as history had them then.
    """
    if audience in AUDIENCES:
        audience = stores.audience(audience)
    then = _as_it_was(stores) if stores.environment.as_of else None
    here = (then or stores).here()
    question = ["boot", budget, tokenizer, audience, context_name, host, elsewhere, whole, command]
    question += _of_this_installation(stores)

    def known() -> Booted | None:
        return _known(stores, question, here, part) if then is None else None

    def made() -> Booted:
        from agentws.operations.boot import assembly

        watched = read_trace.Watched(stores.root)
        booted, now = assembly.assemble(
            (then or stores.through(watched)).heard(audience),
            here.moment,
            budget=budget,
            tokenizer=tokenizer,
            audience=audience,
            context_name=context_name,
            host=host,
            part=part,
            elsewhere=elsewhere,
            whole=whole,
            command=command,
        )
        # What another process is about to settle may also be left by it as it is, and nothing would tell.
        for each in booted.all_parts() if then is None and not stores.is_recording() else ():
            answer = each.plain(now, here)
            if answer is not None:
                boot_cache.keep(stores, _name(stores, question, here, each.kept_as), answer, watched)
        return booted

    found = known()
    if found is not None or part is None or then is not None:
        return found or made()
    from agentws.operations.boot import exclusive

    # A host asks for all parts at once: who is first makes them all, and nobody else makes any.
    with exclusive.alone(stores):
        return known() or made()


def _name(stores: Stores, question: list[Any], here: LocalTime, part: int | None) -> str:
    return boot_cache.key(stores, [*question, part], here)


def _known(stores: Stores, question: list[Any], here: LocalTime, part: int | None) -> Booted | None:
    """What was made before, where nothing has changed since; what is behind the last part is kept once."""
    found = boot_cache.find(stores, _name(stores, question, here, part))
    if found is None and part is not None and part > 1:
        found = boot_cache.find(stores, _name(stores, question, here, BEHIND))
        if found is not None and found["parts"] >= part:
            return None
    if found is None or 0 < (found["until"] or 0) <= here.second or not _holds(stores, found["asked"]):
        return None
    booted = restored(found, here)
    booted.part = part
    return booted


def _as_it_was(stores: Stores) -> Stores | None:
    """The workspace as history had it at that moment, None where it tells nothing."""
    if not stores.keeps_history():
        return None
    from agentws.operations.boot import past

    return past.of(stores)


def _of_this_installation(stores: Stores) -> list[str]:
    """What boot depends on that lies outside of the workspace: whose installation this is, and what it agreed to."""
    if not stores.adopted:
        return []
    return installation.token(stores.files, stores.manifest.agent_id, stores.environment.state)


def _holds(stores: Stores, asked: list[Any]) -> bool:
    """Return whether this machine still says what it said of the sessions that had not ended; mostly there are none."""
    if not asked:
        return True
    from agentws.operations.boot import world

    return world.holds(stores, asked)
