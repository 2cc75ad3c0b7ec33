"""Search: hits with their places, by words and limits."""

from __future__ import annotations

from agentws.features.search.plan.unit import JOURNAL, ROOMS
from agentws.features.ui.page import Page, never, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentws.features.search.plan.unit import Unit
    from agentws.features.search.result import Found, Hit
    from agentws.workspace import Workspace

_STEP = 20
_SNIPPET = 600
_FEW = 3
_FILTERS = ("kind", "since", "until", "state", "origin", "room", "tag", "task")
KINDS = ("decision", "lesson", "rule", "preference", "fact", "question", "todo")
STATES = ("open", "waiting", "done", "dropped")
OWN, OUTSIDE = "own", "outside"


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the hits for the words `q` within the limits of the query; nothing without both."""
    given = {name: query.get(name, "").strip() for name in ("q", *_FILTERS)}
    limit = number(query, "limit", _STEP, most=1000)
    frame = {
        "given": given,
        "choices": {"kind": KINDS, "state": STATES, "origin": (OWN, OUTSIDE), "room": ROOMS},
        "hits": [],
        "says": "",
        "more": 0,
        "notices": [],
        "is_filtered": any(given[name] for name in _FILTERS),
    }
    if not any(given.values()):
        return frame
    result = workspace.search(
        given["q"],
        k=limit,
        since=given["since"] or None,
        until=given["until"] or None,
        kinds=given["kind"] or (),
        tags=given["tag"] or (),
        task=given["task"] or None,
        rooms=given["room"] or (),
        fits=_fits(given["state"], given["origin"]),
    )
    return {
        **frame,
        "hits": [_hit(hit) for hit in result.hits],
        "says": " ".join(_says(result)),
        "more": limit + _STEP if len(result.hits) == limit else 0,
        "notices": result.notices,
    }


def _fits(state: str, origin: str) -> Callable[[Unit], bool] | None:
    if not state and not origin:
        return None
    return lambda unit: (not state or unit.state == state) and (not origin or (origin == OUTSIDE) == bool(unit.src))


def _says(result: Found) -> Iterator[str]:
    if result.query.spans:
        yield f"Looking at {', '.join(a if a == b else f'{a} to {b}' for a, b in result.query.spans)}."
    if not result.hits:
        yield "Nothing found."
    elif result.unknown_words:
        yield f"No entry contains: {', '.join(result.unknown_words)}. Nearest:"
    elif not result.is_certain:
        yield "Nothing certain was found. Nearest:"


def _hit(hit: Hit) -> Mapping[str, object]:
    unit = hit.unit
    text = hit.text if len(hit.text) <= _SNIPPET and unit.room != JOURNAL else hit.snippet(_SNIPPET)
    return {
        "path": unit.path,
        "line": hit.line,
        "day": hit.at.replace("T", " "),
        "headings": " › ".join(heading for heading in unit.headings if not (unit.day and unit.day in heading)),
        "kind": unit.kind,
        "state": hit.state,
        "closed_by": hit.closed_by,
        "src": unit.src,
        "pieces": list(_pieces(text, hit.matches(text))),
        "also": [(each.path, each.line) for each in hit.also[:_FEW]],
        "also_more": len(hit.also[_FEW:]),
    }


def _pieces(text: str, matches: Sequence[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Yield (text, whether it matches) of the parts of a text, in order."""
    at = 0
    for start, end in matches:
        if at < start:
            yield text[at:start], False
        yield text[max(at, start) : end], True
        at = max(at, end)
    if at < len(text):
        yield text[at:], False


PAGE = Page("search", "Search", view, exported=never)
