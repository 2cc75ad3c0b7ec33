"""A recovered handoff is a union of the journal, the newest part of the newest log and what is open, each line once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.formats.documents import handoff
from agentws.formats.journal.event import Event
from agentws.planning.handoff import derive as deriving
from agentws.planning.handoff import render as planning
from tests import table
from tests.planning.handoff.test_render import Recorder, noted

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
LOGS = (
    "# Day\n\n## Work\n\n- planted roses\n- the pump failed\n\n## Next steps\n\n- [ ] mend the pump\n  - by noon\n",
    "# Tag\n\n## Arbeit\n\n- zwölf Rosen gepflanzt\n- die Pumpe ist ausgefallen\n\n## Offen\n\n- [ ] Pumpe richten\n",
    "# 十一月十九日\n\n## 工作\n\n- 种了十二株玫瑰\n- 水泵坏了\n\n- [ ] 修水泵\n",
    "# اليوم\n\n- زرعت اثنتي عشرة وردة\n- تعطلت المضخة\n- [ ] إصلاح المضخة\n",
    "# День\n\nПосадил двенадцать роз. Насос сломался.\n\n- [ ] починить насос\n",
    "Just prose, of a day without any heading.\n\nIt was a long one.\n",
)


def calls() -> list[Event]:
    """What hooks record of any session: calls, and what came of them."""
    event = Recorder()
    found = []
    for at in range(40):
        found += [event("action", call=f"c{at}", tool="read", input={"path": f"{at}.txt"})]
        found += [event("result", call=f"c{at}", tool="read", output="ok")]
    return found


def derive(*logs: str, events: list[Event] | None = None) -> dict[str, str]:
    return deriving.derive(deriving.Facts(events or [], **noted(*logs)), NOW).sections


def words(line: str) -> str:
    return line.strip().lstrip("-#").strip().removeprefix("[ ] ")


def test_every_line_of_a_log_that_fits_is_told_once_in_any_script_with_calls_and_without() -> None:
    def is_told_once(log: str) -> None:
        for events in ([], calls()):
            body = handoff.body(derive(log, events=events))
            for line in filter(str.strip, log.split("\n")[1:]):
                assert body.count(words(line)) == 1 or words(line) in ("Next steps", "Offen"), line

    table.holds(is_told_once, LOGS)


def test_calls_of_the_journal_take_nothing_from_what_the_notes_tell() -> None:
    for log in LOGS:
        alone, beside = derive(log), derive(log, events=calls())

        assert {heading: beside[heading] for heading in alone} == alone
        assert set(beside) - set(alone) == {handoff.DOING, handoff.FILES}


def test_what_is_open_is_pending_and_what_is_over_is_not() -> None:
    text = "- [ ] order nails\n- [x] water the roses\n- ✅ mow\n- ~~sell the boat~~\n- 09:00 [todo] call Kim\n"

    found = derive(text, "- [ ] paint the fence\n- [ ] water the roses\n- [todo] mow\n")

    assert found[handoff.PENDING].splitlines() == [
        "- order nails · memory/2026-11-19.md",
        "- call Kim · memory/2026-11-19.md",
        "- paint the fence · memory/2026-11-18.md",
    ]
    assert "order nails" not in found[handoff.LOG]
    assert "[x] water the roses" in found[handoff.LOG]


def test_an_item_keeps_what_it_is_a_part_of_and_what_is_nested_in_it() -> None:
    text = "- the roof\n  - [ ] nails\n    - the long ones\n    - [x] asked for the price\n"
    text += "- [ ] the hedge\n  - [ ] the west side\n"

    found = derive(text)

    assert found[handoff.PENDING] == (
        "- the roof: nails · memory/2026-11-19.md\n  - the long ones\n  - [x] asked for the price\n"
        "- the hedge · memory/2026-11-19.md\n  - [ ] the west side\n"
    )
    assert found[handoff.LOG] == "memory/2026-11-19.md\n\n- the roof\n"


def test_what_is_too_long_for_a_line_stays_whole_in_the_log() -> None:
    text = f"order nails {'of the long sort ' * 40}and screws"

    found = derive(f"- [ ] {text}\n- [ ] call Kim\n  {'about the roof ' * 40}and the fence\n")

    assert found[handoff.PENDING].count("…") == 2
    assert text in found[handoff.LOG]
    assert "and the fence" in found[handoff.LOG]


def test_nothing_is_read_into_a_sentence() -> None:
    sentences = (
        "We decided to keep the fence", "I still need to call Kim", "The draft is not pushed", "It failed twice",
        "Next to the shed stands a pump", "Kim said that it is done",
    )  # fmt: skip
    found = derive("# Day\n\n" + "\n\n".join(f"{one}." for one in sentences) + "\n")

    assert list(found) == [handoff.LOG]


def test_the_newest_part_of_a_long_log_is_told_and_how_much_stands_before_it() -> None:
    text = "# Day\n\n" + "".join(f"## Part {at}\n\n{f'It was part {at} of that day. ' * 9}\n\n" for at in range(90))

    log = derive(text)[handoff.LOG]

    assert "part 89 of that day" in log
    assert "part 1 of that day" not in log
    told = log.count("### Part")
    assert log.startswith(f"memory/2026-11-19.md · its end, after {1 + 2 * (90 - told) - 1} other lines\n")
    assert 7_000 < len(log) < 8_200


def test_many_open_items_are_counted() -> None:
    old = "".join(f"- [ ] matter {at} of the old list\n" for at in range(4))
    logs = ["".join(f"- [ ] errand {at} of today\n" for at in range(33)), *["- rain\n"] * 20, old]

    pending = derive(*logs)[handoff.PENDING].splitlines()

    assert len(pending) == 35
    assert pending[30:] == [
        *(f"- matter {at} of the old list · memory/2026-10-29.md" for at in range(4)),
        "- 3 more: agentws todo",
    ]


def test_what_was_taken_from_notes_that_are_told_elsewhere_is_left_out() -> None:
    event = Recorder()
    found = derive(LOGS[0], "- [ ] paint the fence\n", events=[event("plan", text="The roof")])
    body = handoff.body(found)

    without = planning.without_told(body, ["memory/2026-11-19.md", "memory/2026-11-18.md"])

    assert without == handoff.body({handoff.DOING: found[handoff.DOING]})
    assert planning.without_told(body, ["memory/2026-11-17.md"]) == body
    part = handoff.sections(planning.without_told(body, ["memory/2026-11-19.md"]))
    assert part[handoff.PENDING] == "- paint the fence · memory/2026-11-18.md\n"


@pytest.mark.parametrize("room", range(60, 700, 40))
def test_where_room_is_short_the_end_of_the_log_stays_and_what_is_open_stays_longer(room: int) -> None:
    found = derive("# Day\n\n" + "".join(f"- step {at}\n" for at in range(40)) + "- [ ] order nails\n")

    kept, left_out = planning.bounded(found, room, len)

    assert len(handoff.body(kept)) <= room
    assert "order nails" in kept[handoff.PENDING]
    if handoff.LOG in kept:
        shown = kept[handoff.LOG].split("\n\n", 1)
        assert shown[0].startswith("memory/2026-11-19.md")
        assert found[handoff.LOG].endswith("".join(shown[1:]))
        assert left_out in (0, 40 - kept[handoff.LOG].count("step"))


@given(st.text(alphabet="-*[]x #~✅\nab日।:|`>", max_size=200))
def test_of_any_log_no_line_is_lost_and_its_headings_stay_below_ours(text: str) -> None:
    found = derive(text)
    body = handoff.body(found)

    assert handoff.sections(body) == found
    for line in text.split("\n"):
        bare = "".join(char for char in line if char.isalnum())
        if len(bare) > 6:
            assert bare in "".join(char for char in body if char.isalnum())


OURS = (
    "agentws handoff --auto",
    "agentws handoff --auto\n",
    "/home/leo/.local/bin/agentws -C '/home/leo/my robin' handoff --doing 'Moving & sorting; see (2) | 3' --next x",
    'agentws --workspace=/home/leo/robin -q handoff --doing "First line\nand its second"',
)
MORE_THAN_OURS = (
    "agentws handoff --auto && rsync -a photos/ sam@heron:photos/",
    "agentws handoff --auto&&rsync -a photos/ sam@heron:photos/",
    "agentws handoff --auto; send-invoice kim",
    "agentws handoff --auto | mail -s handoff kim@example.org",
    "agentws handoff --auto & send-invoice kim",
    "agentws handoff --auto\nsend-invoice kim",
    'agentws handoff --doing "$(send-invoice kim)"',
    "agentws handoff --doing `send-invoice kim`",
    "agentws handoff --doing x > /mnt/new/handoff.md",
    "send-invoice kim --note agentws handoff",
    "send-invoice kim && agentws handoff --auto",
    "ssh sam@heron agentws handoff --auto",
    "agentws -C handoff migrate sam@heron:robin",
    "agentws log 'no handoff yet'",
    "agentws handoff --doing 'no end",
)


def test_only_a_call_that_is_nothing_but_our_handoff_is_no_longer_in_flight() -> None:
    def left(command: str) -> int:
        event = Recorder()
        earlier = event("action", call="c1", tool="Bash", input={"command": "make"})
        newest = event("action", call="c2", tool="Bash", input={"command": command})
        return len(deriving.without_this([newest, earlier]))

    assert {command: left(command) for command in OURS} == dict.fromkeys(OURS, 1)
    assert {command: left(command) for command in MORE_THAN_OURS} == dict.fromkeys(MORE_THAN_OURS, 2)
    assert deriving.without_this([]) == []
