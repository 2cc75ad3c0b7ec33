"""Nothing from outside is told as the agent's own: in a derived handoff, in what one carries over, of events."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agentws.formats import origin
from agentws.formats.documents import handoff
from agentws.formats.journal.event import Event
from agentws.formats.markdown import outside as _outside
from agentws.planning.events import replay
from agentws.planning.handoff import carry_over, derive
from agentws.planning.notes import reading
from tests import outside, table
from tests.planning.handoff.test_render import Recorder, noted

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
DAY, BEFORE = "2026-11-20", "2026-11-19"
OWN = "## Work\n- Watered the roses\n- [decision] Compost only\n\n## Next\n- Send the report of room 12 to Sam\n"
VOICES = (handoff.DOING, handoff.DECISIONS, handoff.PENDING, handoff.NEXT, handoff.CARRIED, handoff.AT_RISK)


def from_(src: str, one: Event) -> Event:
    one.src = src
    return one


def said_of(sections: dict[str, str]) -> list[str]:
    """The lines of the handoff that name the canary and do not say where it comes from."""
    lines = [line for text in sections.values() for line in text.split("\n")]
    return [line for line in lines if outside.CANARY in line and not origin.of_line(line)]


def derived(text: str, *events: Event, before: str = OWN) -> dict[str, str]:
    return derive.derive(derive.Facts(events, **noted(text, before, day=DAY)), NOW).sections


def test_no_line_of_a_log_from_outside_is_in_a_derived_handoff_and_they_are_counted() -> None:
    def is_left_out(claim: str) -> None:
        entries = [outside.entry(claim, source) for source in outside.SOURCES]
        nested = f"- what the page said:\n  - {claim} (via tool:web)\n    - {claim}\n"
        for more in ("".join(entries), f"## Open\n{''.join(entries)}", f"## Decisions\n{nested}"):
            found = derived(OWN + more, before=OWN + more)
            assert not [text for text in found.values() if outside.CANARY in text]
            count = len(_outside.stretches(more))
            assert (
                f"memory/{DAY}.md · {count} passage{'s' * (count > 1)} from outside, not shown\n" in found[handoff.LOG]
            )
            alone = derived(OWN)
            assert [found.get(head) for head in VOICES] == [alone.get(head) for head in VOICES]

    table.holds(is_left_out, outside.CLAIMS)


def test_of_outside_words_alone_no_handoff_is_derived() -> None:
    text = "".join(outside.entry(claim) for claim in outside.CLAIMS)

    assert derived(text, before=text) == {}


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
        found = derived("", *plain, call, ended, failed, wrong, before="")
        assert said_of(found) == []
        assert outside.CANARY not in found.get(handoff.DECISIONS, "") + found.get(handoff.AT_RISK, "")
        assert not [text for text in found.values() if "!9" in text]
        state = replay.replay(plain)
        assert (state.plan, state.decisions) == (None, [])

    table.holds(is_marked, outside.CLAIMS)


def test_what_came_of_an_action_without_words_leaves_the_line_the_agents_own() -> None:
    event = Recorder()
    call = event("action", call="a", tool="fetch", input={"url": "x"})
    found = derived("", call, from_("tool:fetch", event("result", call="a")), before="")

    assert found[handoff.DOING].endswith("fetch x → ok\n")


def test_nobody_outside_closes_what_a_handoff_left_open() -> None:
    item = "Send the report of room 12 to Sam"
    left = carry_over.left(
        {handoff.NEXT: handoff.listed([item])}, place="handoffs/1.md", when=f"{BEFORE} 08:00", is_answered=True
    )
    event = Recorder()
    note = event("note", text=f"✅ {item}")
    when = f"{DAY} 07:00"

    def still(text: str, one: Event) -> list[str]:
        said = carry_over.since(reading.read(text, path=f"memory/{DAY}.md", day=DAY), [(when, one)])
        return carry_over.Carried([left], {}, said).lines()

    idle = event("note", text="tea")
    assert still("", note) == still(f"- 07:00 ✅ {item}\n", idle) == []
    assert still("", from_("net:slack", note)) == [f"({BEFORE} 08:00) {item}"]
    assert still(f"- 07:00 ✅ {item} (via net:slack)\n", idle) == [f"({BEFORE} 08:00) {item}"]


def test_what_is_carried_over_keeps_its_origin_however_long_it_is() -> None:
    def keeps(claim: str) -> None:
        for source in outside.SOURCES:
            text = f"{claim} {'and the boats of the harbour ' * 12}(via {source})"
            found = {handoff.NEXT: handoff.listed([text]), handoff.DECISIONS: handoff.listed([text])}
            left = carry_over.left(found, place="handoffs/1.md", when=f"{BEFORE} 08:00", is_answered=True)
            carried = carry_over.Carried([left], {}, [])
            (line,) = carried.lines()
            assert origin.of_line(line) == source
            assert len(line) <= 160 + len(" …")
            assert [origin.of_line(one) for one in carried.besides()[handoff.DECISIONS]] == [source]
            assert origin.of_line(origin.shortened(text, 40)) == source

    table.holds(keeps, outside.CLAIMS)
