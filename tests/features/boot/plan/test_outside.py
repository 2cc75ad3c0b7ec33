"""Nothing from outside is told as the agent's own: in a derived handoff, of events."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agentws.core.formats.documents import handoff
from agentws.core.formats.journal.event import Event
from agentws.core.journal.events import replay
from agentws.core.text import origin
from agentws.features.handoff.plan import derive
from tests import outside, table
from tests.features.handoff.plan.test_render import Recorder

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
DAY, BEFORE = "2026-11-20", "2026-11-19"
OWN = "## Work\n- Watered the roses\n- [decision] Compost only\n\n## Next\n- Send the report of room 12 to Sam\n"


def from_(src: str, one: Event) -> Event:
    one.src = src
    return one


def said_of(sections: dict[str, str]) -> list[str]:
    """The lines of the handoff that name the canary and do not say where it comes from."""
    lines = [line for text in sections.values() for line in text.split("\n")]
    return [line for line in lines if outside.CANARY in line and not origin.of_line(line)]


@pytest.mark.parametrize("source", outside.SOURCES)
def test_events_from_outside_carry_their_origin_and_decide_nothing(source: str) -> None:
    def is_marked(claim: str) -> None:
        event = Recorder()
        plain = [
            from_(source, event(kind, text=claim, importance=9)) for kind in ("note", "thought", "plan", "decision")
        ]
        call = event("action", call="a", tool="fetch", input={"url": "x"})
        ended = from_(source, event("result", call="a", tool="fetch", output=claim))
        failed = event("action", call="b", tool="fetch", input={"url": "y"})
        wrong = from_(source, event("error", call="b", tool="fetch", text=claim))
        found = derive.derive(derive.Facts([*plain, call, ended, failed, wrong]), NOW)[0]
        assert said_of(found) == []
        assert outside.CANARY not in found.get(handoff.DECISIONS, "") + found.get(handoff.AT_RISK, "")
        assert not [text for text in found.values() if "!9" in text]
        state = replay.replay(plain)
        assert (state.plan, state.decisions) == (None, [])

    table.holds(is_marked, outside.CLAIMS)
