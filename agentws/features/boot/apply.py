"""agentws boot: the start-up context, assembled from the files within a budget. Reads only; no lock, no git.

Returns the cached text if no input changed (ADR 9); otherwise assembles it. Question, day and zone, and how the
workspace was opened are the key of a cached text; the files that were read are checked each time.
"""

from __future__ import annotations

from agentws.core.disk import cache, read_trace
from agentws.core.disk.system import shipped
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation
from agentws.errors import AgentwsError
from agentws.features.boot.result import AUDIENCES, MAIN, SHARED, Booted, BootOptions, restored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack
    from typing import Any

    from agentws.core.stores.stores import Stores

__all__ = ["AUDIENCES", "MAIN", "SHARED", "Booted", "boot"]

_TIMEOUT_S = 5.0
"""Less than a hook has for its answer, so that one that waited for the parts in vain still gives it."""


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
    """Return the start-up context; damaged or odd files become notices, only an invalid call is an error.

    For a `host` it leaves out the files that the host loads itself, and is one text that the host accepts whole, or the
    `part` of several such texts (from 1; empty after the last). A host that works `elsewhere` than in the workspace
    loads none of its files; one that accepts a text of any size gets it `whole`. `command` is what its agent types for
    `agentws`. As of an earlier moment, documents are as history had them then.
    """
    if audience in AUDIENCES:
        audience = stores.audience(audience)
    then = None
    if stores.environment.as_of and stores.keeps_history():
        from agentws.features.boot import past

        then = past.of(stores)
    local = (then or stores).here()
    options = BootOptions(budget, tokenizer, audience, context_name, host, part, elsewhere, whole, command)
    question = ["boot", *{**vars(options), "part": part is not None}.values()]
    if stores.adopted:  # the inputs outside of the workspace: this installation's identity and consent
        question += installation.token(stores.files, stores.manifest.agent_id, stores.environment.state)
    opened = [stores.root, stores.adopted, stores.manifest_digest, stores.odd, stores.environment.as_of]
    day = [local.day, local.offset_s, local.zone]
    name = "answer-" + digest.quick(plainjson.dumps([question, opened, day]).encode())

    def known() -> Booted | None:
        """Return the cached boot, with all of its parts, if none of its inputs has changed."""
        cached = stores.cache.get(name) if then is None else None
        if cached is None:
            return None
        steps, value = cached
        if not read_trace.holds(stores.root, steps):
            return None
        if 0 < (value["until"] or 0) <= local.second or not _holds(stores, value["asked"]):
            return None
        return restored(value, local, part)

    def made() -> Booted:
        from agentws.features.boot import assembly

        watched = read_trace.Watched(stores.root)
        heard = (then or stores.through(watched)).visible_to(audience)
        booted, now = assembly.assemble(heard, local.moment, options)
        # What another process is about to settle may also be left by it as it is, and nothing would tell.
        answer = booted.plain(now, local) if then is None and not stores.is_recording() else None
        if answer is not None and watched.is_whole:
            made_by = [*cache.program("agentws."), shipped.O200K_PATH, shipped.WORDS_PATH]
            stores.cache.put(name, [watched.steps, answer], made_by=made_by)
        return booted

    remembered = known()
    if remembered is not None or part is None or then is not None:
        return remembered or made()
    # A host asks for all parts at once: who is first makes them all, and nobody else makes any.
    with _alone(stores):
        return known() or made()


def _alone(stores: Stores) -> ExitStack:
    """Nobody else makes parts of a boot meanwhile; where that cannot be had, they are made all the same."""
    from contextlib import ExitStack

    from agentws.core.disk import local_dir, lock

    held = ExitStack()
    try:
        local_dir.prepare(stores.files)
        held.enter_context(lock.Lock(stores.files, "boot", timeout_s=_TIMEOUT_S, idle=True))
    except AgentwsError:
        pass  # what cannot be written can be read
    return held


def _holds(stores: Stores, asked: list[Any]) -> bool:
    """Return whether the facts about unended sessions are still the same on this machine."""
    if not asked:
        return True
    from agentws.core.installation import host_info

    *place, processes = asked
    own_place = [stores.own_session, host_info.name(), host_info.boot_id(), host_info.namespace()]
    return place == own_place and all(host_info.lives(pid, began) == alive for pid, began, alive in processes)
