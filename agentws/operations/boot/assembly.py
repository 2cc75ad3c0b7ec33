"""Boot in full: the files are read, and the start-up context is fitted into the budget."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.operations.boot import counting, index_store
from agentws.operations.boot.booted import AUDIENCES, MAIN, SHARED, Booted
from agentws.operations.boot.reading import Reading
from agentws.planning import context, naming, request, sources, tokens
from agentws.planning.notes import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.operations.boot.preset import Preset
    from agentws.storage.stores import Stores

_LEAST_LOGS_BYTES = 3 << 13
_BYTES_PER_TOKEN = 5
"""So many bytes of logs are read for each token that may be shown: half as much again as prose needs."""


def assemble(
    stores: Stores,
    moment: datetime,
    *,
    budget: int | None,
    tokenizer: str | None,
    audience: str,
    context_name: str | None,
    host: str | None,
    part: int | None,
    elsewhere: bool = False,
    whole: bool = False,
) -> tuple[Booted, str]:
    """The start-up context, made anew at `moment`, and how it tells that moment; the arguments are those of `boot`."""
    odd: list[str] = []
    if budget is None:
        budget = stores.manifest.setting("boot.budget")
        if budget < request.SMALLEST_BUDGET:
            odd.append(f"boot.budget = {budget} in agentws.toml is too small: {request.SMALLEST_BUDGET} is used.")
            budget = request.SMALLEST_BUDGET
    preset = _preset(stores, host, part, shared=audience == SHARED, elsewhere=elsewhere, whole=whole)
    usual = (preset and preset.tokenizer) or stores.manifest.setting("boot.tokenizer")
    counter = counting.opened(tokenizer or usual, odd, stores.cache)
    if budget < request.SMALLEST_BUDGET:
        raise UsageError(
            f"A budget of {budget} is too small to wake up in.", hint=f"Give at least {request.SMALLEST_BUDGET}."
        )
    if audience not in AUDIENCES:
        raise UsageError(f"No audience is called {audience!r}.", hint=f"Choose one of: {', '.join(AUDIENCES)}.")
    reading = Reading(stores, moment.date().isoformat(), shared=audience == SHARED)
    reading.notices += odd
    reading.usual()
    reading.pinned()
    reading.virtual_context(context_name)
    reading.handoffs()
    reading.journal(moment)
    reading.tasks(moment)
    reading.days(room_bytes=max(budget * _BYTES_PER_TOKEN, _LEAST_LOGS_BYTES))
    reading.digest()
    known = None
    if audience == MAIN:
        known = index_store.opened(stores, counter)
        known.recognise(reading.sources)
    reading.once()
    reading.broken(moment)
    reading.others()
    reading.warnings(shared=audience == SHARED)
    reading.notices += sources.hidden(reading.sources)
    if preset:
        preset.apply(reading, lambda: counting.opened(tokens.NAMES[0], reading.notices, stores.cache))
    now = sources.now_line(moment, audience=audience, logged=reading.logged)
    asked = request.Request(
        name=stores.manifest.name or reading.name or naming.from_folder(stores.root),
        now=now + reading.curation() + (preset.says if preset else ""),
        sources=reading.sources,
        unread=reading.unread,
        notices=reading.notices,
        budget=budget,
        counter=counter,
        shared=audience == SHARED,
        private_tags=stores.manifest.setting("boot.private_tags"),
        tags=reading.tags,
        today=moment.date().isoformat(),
        words=vocabulary.extended(stores.manifest.vocabulary),
        index=known,
    )
    made, texts = preset.fit(asked) if preset else (context.fit(asked), [])
    counting.keep(counter, stores.cache)
    if known:
        index_store.keep(known, stores, reading.sources)
    booted = Booted(made, budget=budget, counter=counter, notices=reading.notices, host=host, part=part, texts=texts)
    booted.asked = reading.asked
    booted.until = round(reading.turns.timestamp()) if reading.turns else None
    return booted, now


def _preset(
    stores: Stores, host: str | None, part: int | None, *, shared: bool, elsewhere: bool, whole: bool
) -> Preset | None:
    if host is None and part is None:
        return None
    from agentws.operations.boot import preset

    return preset.Preset(stores, host, part, shared=shared, elsewhere=elsewhere, whole=whole)
