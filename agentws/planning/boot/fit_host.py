"""A start-up context for a reader that caps the texts it is given: fitted to one text, or split into several. Pure."""

from __future__ import annotations

from agentws.formats.markdown.inset import inline
from agentws.formats.text.sanitize import one_line
from agentws.planning.boot import assemble, caps, frame_mark, split_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.planning.boot.assemble import Context
    from agentws.planning.boot.request import Request

_MOST_PARTS = 999
_SPARES = (1, 2, 4)


class Cap:
    """The most that one text may have, `most` by `size`; `in_all` for all texts together, 0 for no limit."""

    __slots__ = ("in_all", "most", "size")

    def __init__(self, most: int, size: Callable[[str], int], *, in_all: int = 0) -> None:
        self.most = min(most, in_all or most)
        self.size = size
        self.in_all = in_all


def in_one(request: Request, cap: Cap | None) -> Context:
    """The best context that is one text within the budget and `cap`."""
    if cap is None:
        return assemble.fit(request)
    return assemble.fit(request, under=caps.one_text(request.counter, request.budget, size=cap.size, most=cap.most))


def in_parts(request: Request, cap: Cap | None) -> tuple[Context, list[str]]:
    """The best context within the budget, and its texts, each within `cap`.

    Where there are several, each begins with a line that says which part it is, and an empty line: they may reach the
    reader in any order. Without these lines they are the context's text; with them they keep the budget.
    """
    if cap is None:
        made = assemble.fit(request)
        return made, [made.text]
    widest = _heading(request.name, _MOST_PARTS, _MOST_PARTS, frame_mark.BLANK)
    for spare in _SPARES:
        under = caps.in_parts(
            request.counter,
            request.budget,
            size=cap.size,
            most=cap.most,
            in_all=cap.in_all,
            heading=widest,
            spare=spare,
        )
        made = assemble.fit(request, under=under)
        texts = _texts(request.name, _split(made.text, cap, widest), made.marks[0])
        if _keeps(texts, request, cap):
            break
    return made, texts


def _split(text: str, cap: Cap, heading: str) -> list[str]:
    if cap.size(text) <= cap.most:
        return [text]
    return split_text.split(text, most=cap.most - cap.size(heading), size=cap.size)


def _texts(name: str, bodies: list[str], stable_mark: str) -> list[str]:
    if len(bodies) == 1:
        return bodies
    return [_heading(name, number, len(bodies), stable_mark) + body for number, body in enumerate(bodies, start=1)]


def _keeps(texts: list[str], request: Request, cap: Cap) -> bool:
    units = sum(map(request.counter.units, texts))
    size = sum(map(cap.size, texts))
    return units <= request.budget * request.counter.units_per_token and size <= (cap.in_all or size)


def _heading(name: str, part: int, of: int, stable_mark: str) -> str:
    says = f"{inline(one_line(name)[:60]) or 'Agent'} · start-up context, part {part} of {of}"
    return frame_mark.signed(frame_mark.heading(says, level=1), stable_mark) + "\n"
