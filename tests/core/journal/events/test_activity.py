"""What the journal tells an agent that wakes up: what is in flight, and what happened lately."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from agentws.core.disk.system import shipped
from agentws.core.formats.journal.event import Event
from agentws.core.journal.events import activity
from agentws.core.journal.events.activity import Journal, Open
from agentws.core.notes import request as roles
from agentws.core.notes.request import Request, Source
from agentws.core.tokens import counters
from agentws.features.boot.plan import assemble

NOW = datetime(2026, 11, 20, 8, 15, tzinfo=timezone(timedelta(hours=1)))
WRITER = "01a1f9a2db8375d4"


def event(
    seq: int, kind: str, at: str = "2026-11-20T06:12", *, src: str = "agent", session: str = "s1", **body: object
) -> Event:
    fields = {
        "agentws": 1,
        "seq": seq,
        "id": f"id-{seq}",
        "at": f"{at}:00.000000Z",
        "kind": kind,
        "session": session,
        "src": src,
        "prev": "",
        "digest": "",
        "salt": "",
        "body": {"v": 1, **body},
    }
    return Event(fields, writer=WRITER, hash="", segment=1, offset=0)


def in_flight(*actions: Event, **more: object) -> Source:
    opened = [Open(WRITER, one.seq, one.call or "", one) for one in actions]
    (found,) = activity.sources([Journal(open=opened, **more)], NOW)  # type: ignore[arg-type]
    return found


def recent(*events: Event, **more: object) -> list[str]:
    (found,) = activity.sources([Journal(recent=events, **more)], NOW)  # type: ignore[arg-type]
    assert found.role == roles.ACTIVITY
    return found.text.splitlines()


def fitted(*sources: Source, budget: int = 2000, shared: bool = False, counter_name: str = "bytes") -> assemble.Context:
    counter = counters.counter(counter_name, shipped.open_o200k)
    return assemble.fit(
        Request(name="Robin", now="Fri", sources=sources, budget=budget, counter=counter, shared=shared)
    )


def log(count: int) -> Source:
    text = "".join(f"- note {n}: something happened that takes a few words\n" for n in range(count))
    return Source("memory/2026-11-19.md", roles.DAY, text, title="2026-11-19", brief="2026-11-19")


# In flight


def test_an_action_in_flight_says_what_when_and_that_it_must_be_checked_first() -> None:
    action = event(7, "action", tool="pay", input={"to": "Bob", "sum": 12}, call="c7")

    found = in_flight(action)

    assert found.title.startswith("In flight: 1 action, result unknown. Check before you repeat one")
    assert found.text == '- 07:12 pay {"to":"Bob","sum":12} · call c7 · no result recorded\n'


def test_an_action_of_another_day_says_how_long_ago_that_was() -> None:
    found = in_flight(event(7, "action", "2026-11-18T23:30", tool="pay", call="c7"))

    assert found.text.startswith("- 11-19 00:30 (yesterday) pay · call c7")


def test_sessions_are_named_where_there_are_several() -> None:
    one, other = event(7, "action", tool="pay", call="a"), event(8, "action", tool="pay", call="b", session="s2")

    assert "session" not in in_flight(one).text
    assert [line.split(" · ")[2] for line in in_flight(one, other).text.splitlines()] == ["session s1", "session s2"]


def test_the_newest_actions_are_listed_first_and_the_others_counted() -> None:
    actions = [event(n, "action", f"2026-11-20T05:{n:02d}", tool="pay", call=f"c{n}") for n in range(20)]

    found = in_flight(*actions, more_open=3, forgotten=2)

    lines = found.text.splitlines()
    assert "23 actions" in found.title
    assert [line.split(" · ")[1] for line in lines[:16]] == [f"call c{n}" for n in range(19, 3, -1)]
    assert lines[16:] == [
        "- 7 older: agentws journal list",
        "- 2 older actions are not listed, finished or not: agentws journal list",
    ]


def test_an_action_whose_line_cannot_be_read_is_in_flight_all_the_same() -> None:
    (found,) = activity.sources([Journal(open=[Open(WRITER, 17, "c17", None)])], NOW)

    assert f"{WRITER}:17" in found.text
    assert "call c17 · no result recorded" in found.text


@pytest.mark.parametrize("budget", [250, 400, 800, 2000, 6000])
def test_in_flight_has_a_line_at_any_budget_behind_the_handoff_and_before_tasks(budget: int) -> None:
    flying = in_flight(*(event(n, "action", tool="pay", input=f"bill {n}" * 9, call=f"c{n}") for n in range(9)))
    handoff = Source("handoffs/a.md", roles.HANDOFF, "- go on with the bills\n" * 40, title="Handoff", brief="Handoff")
    task = Source("tasks/a.md", roles.TASK, "- [ ] bills\n" * 40, title="Task: bills", brief="Task")

    made = fitted(handoff, flying, task, log(90), budget=budget, counter_name="o200k_base")

    assert made.tokens <= budget
    assert "- 07:12 pay bill " in made.text
    places = [made.text.find(heading) for heading in ("## Handoff", "## In flight", "## Task")]
    assert [place for place in places if place >= 0] == sorted(place for place in places if place >= 0)


@pytest.mark.parametrize("budget", [300, 500, 800, 3000])
def test_the_title_counts_all_that_is_in_flight_at_any_budget(budget: int) -> None:
    for count, says in ((1, "1 action, "), (4, "4 actions, ")):
        flying = in_flight(*(event(n, "action", tool="pay", input=f"bill {n}", call=f"c{n}") for n in range(count)))

        assert f"## In flight: {says}" in fitted(flying, log(90), budget=budget, counter_name="o200k_base").text


def test_what_is_in_flight_and_does_not_fit_is_left_out_with_a_way_to_read_it() -> None:
    flying = in_flight(*(event(n, "action", tool="pay", input=f"bill {n}" * 9, call=f"c{n}") for n in range(9)))

    made = fitted(flying, log(90), budget=1200)

    (left,) = [one for one in made.omitted if one.source == "journal/, in flight"]
    assert left.tokens
    assert left.read_with == "agentws journal list"
    assert 0 < next(one.shown for one in made.sections if one.source == left.source) < 9


# Recent activity


def test_an_action_and_its_result_are_one_line() -> None:
    lines = recent(
        event(1, "action", tool="web_search", input={"query": "weather in Paris"}, call="c1"),
        event(2, "result", tool="web_search", output="12 degrees\nand rain", call="c1"),
    )

    assert lines == ["- 07:12 web_search weather in Paris → 12 degrees and rain"]


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (event(1, "note", text="mail came", src="net:example.com"), "- 07:12 mail came (via net:example.com)"),
        (event(1, "decision", text="Chose SQLite", importance=8), "- 07:12 [decision] Chose SQLite !8"),
        (event(1, "task.closed", text="all bills", task="bills"), "- 07:12 [task.closed] bills: all bills"),
        (event(1, "error", text="no network", tool="fetch", call="x"), "- 07:12 [error] fetch → no network"),
        (event(1, "result", tool="fetch", call="x"), "- 07:12 fetch → ok"),
        (event(1, "action", blob="ab", size=70_000, tool="fetch"), "- 07:12 fetch (70,000 bytes)"),
        (event(1, "weighed", kilos=[1, None, True]), '- 07:12 [weighed] {"kilos":[1,null,true]}'),
        (event(1, "note", "2026-11-18T05:00", text="a\nb\x1b[31m"), "- 11-18 06:00 a b\\u{1b}[31m"),
        (event(1, "note", "no time at", text="a"), "- (no time) a"),
    ],
)
def test_an_event_is_one_inert_line(told: Event, line: str) -> None:
    assert recent(told) == [line]


def test_an_action_that_failed_is_marked_as_an_error() -> None:
    lines = recent(
        event(1, "action", tool="fetch", input="http://x", call="c1"), event(2, "error", text="Timeout", call="c1")
    )

    assert lines == ["- 07:12 [error] fetch http://x → Timeout"]


def test_structure_is_no_activity_and_what_is_in_flight_is_told_there_alone() -> None:
    kinds = ("segment.opened", "session.started", "session.ended", "seal", "purged")
    flying = event(9, "action", tool="pay", call="c9")
    journal = Journal(
        recent=[*(event(n, kind) for n, kind in enumerate(kinds)), flying], open=[Open(WRITER, 9, "c9", flying)]
    )

    found = activity.sources([journal], NOW)

    assert [source.role for source in found] == [roles.IN_FLIGHT]


def test_what_agentws_did_itself_is_no_activity() -> None:
    kinds = (
        "compaction.began",
        "change.undone",
        "change.redone",
        "handoff.written",
        "file.restored",
        "memory.stated",
        "memory.curated",
    )
    kinds = *kinds, "migration.began", "writer.joined", "forgotten"
    for kind in kinds:
        own = event(1, kind, text="nightly")

        assert recent(own, event(2, "note", text="now")) == ["- 07:12 now"], kind
        assert not activity.sources([Journal(recent=[own])], NOW), kind


def test_what_was_taken_back_is_no_activity_though_taking_it_back_is_none_either() -> None:
    closed = event(1, "task.done", text="Move the books")
    gone = event(2, "change.undone", events=[closed.cursor])

    assert recent(closed, gone, event(3, "note", text="now")) == ["- 07:12 now"]


def test_events_of_the_same_moment_are_listed_in_the_order_of_their_numbers() -> None:
    paid = event(9, "note", text="It is paid")
    used = event(8, "approval.used", id="k3x9q2")

    assert recent(paid, significant=[used]) == ["- 07:12 [approval.used] k3x9q2", "- 07:12 It is paid"]


def test_calls_of_agentws_are_no_activity() -> None:
    commands = (
        "agentws log tea", "'/opt/a b/agentws' -C /home/leo todo", "/usr/bin/agentws boot", "cd a && agentws todo",
        "agentws log tea && make test",
    )  # fmt: skip
    events = [event(n, "action", tool="Bash", input={"command": each}) for n, each in enumerate(commands, 1)]

    assert recent(*events) == ["- 07:12 Bash agentws log tea && make test"]


def test_a_result_is_not_listed_without_its_action_but_a_failure_is() -> None:
    ends = [event(seq, "result", tool="Bash", call=f"c{seq}", output="tasks/order-the-tin.md") for seq in (7, 9)]
    said = event(8, "note", text="It is ordered")

    assert recent(ends[0], said, ends[1], older=6) == ["- 07:12 It is ordered"]
    assert recent(ends[0], said) == ["- 07:12 Bash → tasks/order-the-tin.md", "- 07:12 It is ordered"]
    failed = event(11, "error", tool="Bash", call="d", text="no network")
    assert recent(failed, older=6) == ["- 07:12 [error] Bash → no network"]
    important = event(12, "result", tool="Bash", call="e", output="the roof leaks", importance=9)
    assert recent(important, older=6) == ["- 07:12 Bash → the roof leaks !9"]


@pytest.mark.parametrize(("kind", "words", "mark"), [("result", "output", ""), ("error", "text", "[error] ")])
def test_a_significant_action_has_its_end_though_only_that_is_recent(kind: str, words: str, mark: str) -> None:
    first, last = (event(seq, "action", "2026-11-20T05:00", tool="deploy", call="a", importance=9) for seq in (1, 2))
    end = event(70, kind, tool="deploy", call="a", **{words: "deployed version 42"})

    lines = recent(end, event(71, "note", text="now"), significant=[first, last], older=20)

    assert lines == ["- 06:00 deploy !9", f"- 06:00 {mark}deploy → deployed version 42 !9", "- 07:12 now"]


def test_a_result_without_words_says_whether_there_was_output() -> None:
    empty = (event(7, "action", tool="Bash", input="echo"), event(8, "result", tool="Bash", output=""))

    assert recent(*(event(each.seq, each.kind, **{**(each.body or {}), "call": "a"}) for each in empty)) == [
        "- 07:12 Bash echo → no output"
    ]


def test_what_the_handoff_says_is_no_recent_activity() -> None:
    events = [
        event(1, "decision", text="Two pear trees by the wall", importance=8),
        event(2, "note", text="The ladder is at the shed"),
    ]
    text = "## Decisions\n\n- Two pear trees by the wall\n"
    handoff = Source("handoffs/a.md", roles.HANDOFF, text, title="Handoff", read_with="agentws handoff show a")

    made = fitted(handoff, *activity.sources([Journal(recent=events)], NOW), log(2), budget=4000)

    assert made.text.count("Two pear trees") == 1
    assert "The ladder is at the shed" in made.text


def test_of_recent_activity_the_end_is_shown() -> None:
    events = [event(n, "note", f"2026-11-20T05:{n:02d}", text=f"nothing much {n}") for n in range(40)]

    made = fitted(*activity.sources([Journal(recent=events)], NOW), log(90), budget=4000)

    assert "nothing much 39" in made.text
    assert "nothing much 6\n" not in made.text


def test_recent_activity_takes_a_modest_share_from_the_logs() -> None:
    events = [event(n, "note", f"2026-11-20T05:{n:02d}", text="much happened here " * 5) for n in range(60)]

    made = fitted(*activity.sources([Journal(recent=events)], NOW), log(400), budget=8000)

    shares = {section.source: section.tokens for section in made.sections}
    assert shares["journal/"] <= 1000
    assert shares["memory/2026-11-19.md"] >= 5500


def test_a_shared_audience_is_shown_what_was_read_for_it() -> None:
    flying = event(9, "action", tool="pay", call="c9")
    journal = Journal(recent=[event(1, "note", text="said in the group")], open=[Open(WRITER, 9, "c9", flying)])

    made = fitted(*activity.sources([journal], NOW), log(2), shared=True)

    assert "said in the group" in made.text
    assert "In flight" in made.text


def test_half_a_secret_is_not_shown_where_a_text_is_cut() -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    action = event(7, "action", tool="curl", input="x" * 130 + " " + token, call="c7")

    found = in_flight(action)

    assert token[:12] not in found.text
    assert found.hidden == 1


@pytest.mark.parametrize(
    "value", [["[" * 10], [[[[[[[[[1]]]]]]]]], {"k" * 9000: 1}, "y" * 60_000, 1.5, list(range(9999))]
)
def test_a_body_of_any_shape_is_told_in_a_short_line(value: object) -> None:
    (line,) = recent(event(1, "action", tool="t", input=value), event(2, "result", output=value, call=f"{WRITER}:1"))

    assert len(line) < 250
    assert line.startswith("- 07:12 t ")


def test_what_is_not_told_one_by_one_is_counted() -> None:
    old = event(5, "decision", "2026-11-20T03:10", text="Chose SQLite")

    (left,) = activity.left_out([Journal(significant=[old], older=1006, counted={(WRITER, 5)})], NOW)

    assert (left.source, left.why) == ("journal/", "1,005 older events")
    assert left.read_with == "agentws journal list"
    assert activity.left_out([Journal(recent=[old])], NOW) == []
    assert activity.left_out([Journal(significant=[old], older=1, counted={(WRITER, 5)})], NOW) == []


def test_what_was_not_counted_or_is_not_listed_is_not_taken_from_the_count() -> None:
    moves = [event(n, "task.changed", f"2026-11-20T03:{n:02d}", task="gate", text=f"move {n}") for n in (1, 2, 3)]
    upkeep = event(4, "handoff.written", "2026-11-20T03:10")
    flying, own = (event(n, "action", "2026-11-20T03:20", tool="pay", call=f"c{n}") for n in (5, 6))
    ends = [event(n, "result", call=f"c{n}") for n in (10, 11)]
    opened = [Open(WRITER, each.seq, each.call or "", each) for each in (flying, own)]
    counted = {(WRITER, n) for n in range(1, 6)}

    (left,) = activity.left_out(
        [Journal(recent=ends, significant=[*moves, upkeep], open=opened, older=5, counted=counted)], NOW
    )

    assert left.why == "5 older events", "two moves, the upkeep, and two results whose actions are older"


def test_journals_of_several_writers_are_told_in_the_order_of_time() -> None:
    one, other = event(7, "note", "2026-11-20T05:00", text="first"), event(1, "note", "2026-11-20T06:00", text="second")

    (found,) = activity.sources([Journal(recent=[other]), Journal(recent=[one])], NOW.astimezone(UTC))

    assert found.text == "- 05:00 first\n- 06:00 second\n"
