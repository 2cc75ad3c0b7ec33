"""Assembles boot's text: reads the files, and fits the start-up context into the budget."""

from __future__ import annotations

from agentws.core.disk import locate
from agentws.core.disk.system import shipped as _vocabulary
from agentws.core.formats import agent_name, layout
from agentws.core.notes import request, sources, vocabulary
from agentws.core.tokens import counters
from agentws.errors import UsageError
from agentws.features.boot.plan import assemble as _assemble
from agentws.features.boot.reading import Reading
from agentws.features.boot.result import AUDIENCES, Booted, BootOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.core.disk.cache import Cache
    from agentws.core.ports import TokenCounter
    from agentws.core.stores.stores import Stores

_CHEAP = ("bytes", "chars4")
_MOST_CHARS = 1 << 18


def assemble(stores: Stores, moment: datetime, options: BootOptions) -> tuple[Booted, str]:
    """Return the start-up context, newly made at `moment`, and the text of that moment."""
    odd: list[str] = []
    budget = options.budget
    if budget is None:
        budget = stores.manifest.setting("boot.budget")
        if budget < request.SMALLEST_BUDGET:
            odd.append(f"boot.budget in agentws.toml is {budget}; using the minimum, {request.SMALLEST_BUDGET}.")
            budget = request.SMALLEST_BUDGET
    preset = None
    if options.host is not None or options.part is not None:
        from agentws.features.boot import host_preset

        preset = host_preset.Preset(stores, options)
    usual = (preset and preset.tokenizer) or stores.manifest.setting("boot.tokenizer")
    counter = _counter(options.tokenizer or usual, odd, stores.cache)
    if budget < request.SMALLEST_BUDGET:
        raise UsageError(
            f"--budget must be at least {request.SMALLEST_BUDGET}, not {budget}.",
            hint="For example: agentws boot --budget 2000",
        )
    if options.audience not in AUDIENCES:
        raise UsageError(f"Unknown audience: {options.audience!r}.", hint=f"Choose one of: {', '.join(AUDIENCES)}.")
    reading = Reading(stores, moment, shared=options.is_shared)
    reading.notices += odd
    reading.read(options.context_name, counter)
    if preset:
        preset.apply(reading, lambda: _counter(counters.NAMES[0], reading.notices, stores.cache))
    now = sources.now_line(moment, audience=options.audience)
    apart = [f"files in {layout.OWN_FOLDER}/"] if locate.project(stores.root) != stores.root else []
    waiting = [*apart, *(words for say in reading.waiting if (words := say()))]
    wanted = request.Request(
        name=stores.manifest.name or reading.name or agent_name.from_folder(stores.root),
        now=now + "".join(f" · {words}" for words in waiting) + (preset.says if preset else ""),
        sources=reading.sources,
        unread=reading.unread,
        notices=[*reading.notices],
        budget=budget,
        counter=counter,
        shared=options.is_shared,
        private_tags=stores.manifest.setting("boot.private_tags"),
        today=moment.date().isoformat(),
        words=vocabulary.extended(stores.manifest.vocabulary),
        recorded=preset.recorded if preset else None,
        command=options.command,
    )
    reading.notices += sources.hidden(reading.sources)  # boot's text names only those that it shows
    made, texts = preset.fit(wanted) if preset else (_assemble.fit(wanted), [])
    if isinstance(counter, counters.ByLines) and len(counter.learned) * 16 >= len(counter.known):
        from agentws.core.tokens import o200k

        costs = counter.known if sum(map(len, counter.known)) <= _MOST_CHARS else counter.learned
        made_by = [counters.__file__, o200k.__file__, _vocabulary.O200K_PATH]
        stores.cache.put(f"costs-{counter.name}", costs, made_by=made_by)
    booted = Booted(
        texts=[(made.text, made.tokens), *((text, counters.tokens(counter, text)) for text in texts)],
        cut=made.cut,
        budget=budget,
        counter=counter.name,
        exact=counter.exact,
        trust=counter.trust,
        notices=reading.notices,
        audience=options.audience,
        host=options.host,
        part=options.part,
        asked=reading.asked,
        until=round(reading.turns.timestamp()) if reading.turns else None,
        _context=made,
    )
    return booted, now


def _counter(name: str, odd: list[str], cache: Cache) -> TokenCounter:
    """The counter called `name`, which knows what the lines of earlier boots cost."""
    token_counter = counters.counter_or_bytes(name, _vocabulary.open_o200k, odd)
    is_cheap = token_counter.name in _CHEAP
    return token_counter if is_cheap else counters.ByLines(token_counter, cache.get(f"costs-{name}") or {})
