"""How a budget is split: by weight, none above its need, what one leaves over flowing on. Pure."""

from __future__ import annotations

from agentws.planning import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.ports import TokenCounter

_ROOMY_LINES = 25
_LEAST_LINES = 10
_SMALL_LINES = 60
_ACCOUNT_SHARE = (16, 1000)


class Scale:
    """A budget of `room` units, seen in lines of text, so that it splits alike under every counter.

    `brief`: so small that titles are cut to the bone. `least`: below this nothing worth reading fits. `floor`: what
    the first claim gets at least. `small`: so small that nothing is said twice. `account`: for what was left out.
    `line`: what a usual line costs. `tiny`: so small that not even notices are told.
    """

    __slots__ = ("account", "brief", "floor", "least", "line", "small", "tiny")

    def __init__(self, counter: TokenCounter, room: int) -> None:
        line = tokens.yardstick(counter)
        self.line = line
        self.brief = room < _ROOMY_LINES * line
        self.tiny = room < _LEAST_LINES * line
        self.small = room < _SMALL_LINES * line
        self.least = line // 2
        self.floor = line * 6 // 5
        self.account = 0 if self.small else room * _ACCOUNT_SHARE[0] // _ACCOUNT_SHARE[1]


def fair(needs: Sequence[int], weights: Sequence[int], total: int) -> list[int]:
    """Split `total` by weight, none above its need; what is not needed is split among the others."""
    grants = [0] * len(needs)
    waiting = [index for index, need in enumerate(needs) if need > 0]
    while waiting and total > 0:
        weight = sum(weights[index] for index in waiting)
        satisfied = [index for index in waiting if needs[index] <= total * weights[index] // weight]
        if not satisfied:
            for index in waiting:
                grants[index] = total * weights[index] // weight
            break
        for index in satisfied:
            grants[index] = needs[index]
            total -= needs[index]
            waiting.remove(index)
    return grants
