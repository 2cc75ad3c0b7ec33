"""search: answers one question with hits from the workspace. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentws.core import several
from agentws.core.stores.stores import Stores
from agentws.errors import UsageError
from agentws.features.search.filters import Filter
from agentws.features.search.plan import query, rank, unit
from agentws.features.search.plan.unit import DOCUMENTS, Unit
from agentws.features.search.searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.search.indexed import Progress
    from agentws.features.search.result import Found


MOST_HITS = 1000


def search(
    stores: Stores,
    question: str = "",
    *,
    k: int = 10,
    since: str | None = None,
    until: str | None = None,
    kinds: str | Sequence[str] = (),
    tags: str | Sequence[str] = (),
    task: str | None = None,
    rooms: str | Sequence[str] = (),
    audience: str | None = None,
    budget: int | None = None,
    context: int = 0,
    now: str | None = None,
    fits: Callable[[Unit], bool] | None = None,
    progress: Progress | None = None,
) -> Found:
    """Return the best `k` hits for `question`, the best first; any text is a question, and no file is changed.

    Other arguments limit the search: moments `since` and `until`, `kinds`, `tags`, a `task`, `rooms`
    (features/search/plan/unit.py), and what an `audience` may hear. Without a question the newest entries are returned.
    `fits` decides for each unit (features/search/plan/unit.py) whether it is searched.
    `budget` is how many tokens the hits may have, `context` how many entries before and after each are returned.
    `progress` is called with (bytes read for the index, bytes in all).
    """
    if not 0 < k <= MOST_HITS:
        raise UsageError(f"-k must be 1 to {MOST_HITS}, not {k}.")
    heard = stores.visible_to(audience)
    wanted = _parts(rooms)
    if unknown := [room for room in wanted if room not in (*unit.ROOMS, _ALL)]:
        raise UsageError(f"Unknown --in: {unknown[0]!r}.", hint=f"Choose one of: {', '.join((*unit.ROOMS, _ALL))}.")
    filters = Filter(
        rooms=() if _ALL in wanted else wanted,
        kinds=_parts(kinds),
        tags=[tag for tag in several(tags) if tag.strip()],
        task=task or "",
        since=_day(heard, since),
        until=_day(heard, until),
        fits=fits,
    )
    among = filters or None
    if not question.strip() and among is None:
        raise UsageError("Missing QUERY.", hint='agentws search "why SQLite"')
    searcher = Searcher(heard, progress=progress)
    try:
        result = searcher.find(question, k=k, now=now, among=among)
        if context:
            searcher.tell_beside(result, context)
        elif question.strip() and budget is None:
            searcher.tell_around(result)
        result.unread = searcher.unread()
        result.notices = [*stores.notices, *result.unread]
    finally:
        searcher.close()
    if budget is not None:
        _fit(stores, result, budget)
    if among is not None and not result.hits:
        result.notices.append(f"Searched only within these limits: {among.told()}.")
    if heard is not stores:
        result.notices += heard.not_told()
    return result


def searcher(stores: Stores, *, audience: str | None = None) -> Searcher:
    """Return a Searcher for several questions in a row, over what an `audience` may hear."""
    return Searcher(stores.visible_to(audience))


_ALL = "all"


def _parts(texts: str | Sequence[str]) -> list[str]:
    """Return the words of texts that are lists with commas."""
    return [word.strip() for text in several(texts) for word in text.split(",") if word.strip()]


def _day(stores: Stores, message: str | None) -> str:
    if not message:
        return ""
    from agentws.core.disk import clock

    now = stores.clock.now()
    return clock.moment(message, now=now).astimezone(now.tzinfo).date().isoformat()


def _fit(stores: Stores, result: Found, budget: int) -> None:
    """Cut a search's hits to the `budget` of tokens asked for; the best one is shortened if it alone is too long."""
    if budget < 1:
        raise UsageError(f"--budget must be at least 1, not {budget}.")
    from agentws.core.disk.system import shipped
    from agentws.core.tokens import counters

    name = stores.manifest.setting("boot.tokenizer")
    counter = counters.counter_or_bytes(name, shipped.open_o200k, result.notices)
    kept, left = [], budget
    for hit in result.hits:
        size = counters.tokens(counter, hit.text)
        if size <= left:
            kept.append(hit)
            left -= size
        elif not kept:
            hit.text = hit.snippet(_longest(hit.text, lambda text: counters.tokens(counter, text), budget))
            kept.append(hit)
            left = 0
    result.left_out = len(result.hits) - len(kept)
    result.hits = kept


def _longest(text: str, tokens: Callable[[str], int], budget: int) -> int:
    """Return about how many characters of a text fit in `budget` tokens."""
    most = len(text)
    while most > 1 and tokens(text[:most]) > budget:
        most = most * 3 // 4
    return most


def texts(stores: Stores, question: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """Return the numbers of the texts that hold words of `question`, each with its score, the best first."""
    parsed = query.parse(question, now=stores.here().day)
    units: list[Unit] = []
    same: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        same.setdefault(text, []).append(number)
        if len(same[text]) == 1:
            unit = Unit(2 * number, str(number), 1, 1, text)  # no other has a number beside it
            unit.room = DOCUMENTS
            units.append(unit)
    counts = Counter(term for unit in units for term in unit.indexed)
    length = sum(len(unit.terms) for unit in units) / max(len(units), 1)
    stats = rank.Stats(len(units), length, counts, lambda terms: {term: counts[term] for term in terms})
    wanted = set(parsed.terms)
    matches = [unit for unit in units if wanted & unit.indexed or _begins(unit, parsed.prefixes)]
    ranked = rank.rank(parsed, matches, stats)
    return [(number, hit.score) for hit in ranked for number in same[hit.unit.text]]


def _begins(unit: Unit, prefixes: Sequence[str]) -> bool:
    return bool(prefixes) and any(term.startswith(tuple(prefixes)) for term in unit.indexed)
