"""A handoff that nobody wrote shows the job: requests, failures, notes and decisions, files written, open calls."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from agentws.core.formats.documents import handoff
from agentws.core.formats.journal import event as kinds, thread
from agentws.core.formats.journal.event import Event
from agentws.features.handoff.plan import derive as deriving
from agentws.features.handoff.plan.derive import written_files
from tests import table
from tests.features.handoff.plan.test_render import Recorder

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)


@pytest.fixture
def event() -> Recorder:
    return Recorder()


def asked(event: Recorder, text: str) -> Event:
    one = event("note", text=text)
    one.src = kinds.USER
    return one


def hosted(one: Event) -> Event:
    one.src = "agent:codex"
    return one


def call(event: Recorder, name: str, tool: str = "Edit", **given: object) -> list[Event]:
    """A call of a tool that went well."""
    begun = event("action", call=name, tool=tool, input=given or {"file_path": f"{name}.py"})
    return [begun, event("result", call=name, tool=tool, output="ok")]


def sections(events: list[Event], **facts: Any) -> dict[str, str]:
    return deriving.derive(deriving.Facts(events, **facts), NOW)[0]


def doing(events: list[Event]) -> list[str]:
    lines = sections(events).get(handoff.DOING, "").splitlines()
    return [line.partition(": ")[2] for line in lines if line.startswith(f"- {deriving.ASKED}")]


# What was asked

THANKS = (
    ("Mend the pump in the cellar", "thanks, great"),
    ("Pumpe im Keller richten", "danke, toll!"),
    ("修理地下室的水泵", "谢谢,做得很好"),
    ("Починить насос в подвале", "спасибо, отлично"),
    ("أصلح المضخة في القبو", "شكرا جزيلا"),
)


def test_sessions_that_end_with_thanks_show_the_job_in_any_language() -> None:
    def shows(row: tuple[str, str]) -> None:
        job, thanks = row
        event = Recorder()
        events = [asked(event, job), *call(event, "a"), event("note", text="Done."), asked(event, thanks)]

        assert doing([*events, event("note", text="Gladly.")]) == [job]

    table.holds(shows, THANKS)


def test_the_first_request_and_the_last_one_with_work_behind_it_are_shown(event: Recorder) -> None:
    events = [asked(event, "Good morning"), asked(event, "Mend the pump"), *call(event, "a")]
    events += [asked(event, "And the gutter"), *call(event, "b"), asked(event, "thanks, great")]

    assert doing(events) == ["Good morning", "And the gutter"]


def test_a_later_request_that_is_long_enough_is_shown_though_nothing_was_done_yet(event: Recorder) -> None:
    text = "Now write to Sam that the pump runs again, please"
    events = [asked(event, "Mend the pump"), *call(event, "a"), asked(event, "thanks, great"), asked(event, text)]

    assert doing(events) == ["Mend the pump", text]


def test_a_call_of_agentws_is_no_work_behind_a_request(event: Recorder) -> None:
    events = [asked(event, "Mend the pump"), *call(event, "a"), asked(event, "thanks, great")]
    events += call(event, "b", "Bash", command='agentws log "The pump runs"')

    assert doing(events) == ["Mend the pump"]


def test_a_session_that_only_talks_shows_its_first_request_and_the_last_long_one(event: Recorder) -> None:
    long = "Which of the two roses grows better in the shade?"
    events = [asked(event, "Hello"), event("note", text="Hello Leo"), asked(event, long), asked(event, "thanks, great")]

    assert doing(events) == ["Hello", long]


# What came of it


def test_calls_are_one_line_with_the_last_and_what_came_of_it(event: Recorder) -> None:
    events = [*call(event, "a"), *call(event, "b"), event("action", call="c", tool="push")]

    assert sections(events)[handoff.DOING] == "- 3 tool calls until 11-19 20:05, last: Edit b.py → ok\n"
    events.append(event("error", call="c", tool="push", text="rejected"))
    assert sections(events)[handoff.DOING] == "- 3 tool calls until 11-19 20:05, last: push → rejected\n"


def test_a_refused_call_does_not_count(event: Recorder) -> None:
    events = call(event, "a")
    events += [event("action", call="b", tool="push"), event("error", call="b", tool="push", text="No.", refused=True)]

    assert sections(events)[handoff.DOING].endswith("- 1 tool call until 11-19 20:01, last: Edit a.py → ok\n")


def test_a_repeated_call_of_unknown_outcome_has_written_no_file(event: Recorder) -> None:
    action, result = call(event, "a")
    result.body = {"v": 1, "call": "a", "text": thread.REPEATED}

    assert written_files([action, result]) == []


def test_what_failed_was_refused_or_interrupted_is_listed_the_newest_first(event: Recorder) -> None:
    failed = [event("action", call="a", tool="test"), event("error", call="a", tool="test", text="3 failed")]
    refused = [event("action", call="b", tool="push"), event("error", call="b", tool="push", text="No.", refused=True)]
    stopped = [hosted(event("action", call="c", tool="deploy")), asked(event, "Stop that")]

    lines = sections([*failed, *refused, *stopped])[handoff.FAILED].splitlines()

    assert [line.partition(": ")[2] for line in lines] == [
        "deploy → refused, interrupted or still running; the host reported no result",
        "refused: push → No.",
        "test → 3 failed",
    ]


def test_an_error_that_was_overcome_is_not_listed(event: Recorder) -> None:
    again: dict[str, Any] = {"tool": "test", "input": {"suite": "all"}}
    events = [event("action", call="a", **again), event("error", call="a"), event("action", call="b", **again)]

    assert handoff.FAILED not in sections([*events, event("result", call="b", tool="test")])


def test_all_notes_and_decisions_are_shown_the_newest_first(event: Recorder) -> None:
    events = [event("decision", text="SQLite"), event("note", text="One"), event("decision", text="One file")]
    outside = event("note", text="Buy now")
    outside.src = "tool:mail"

    found = sections([*events, event("note", text="Two"), outside])

    assert [line.split()[1] for line in found[handoff.DECISIONS].splitlines()] == ["One", "SQLite"]
    assert [line.split()[1] for line in found[handoff.NOTES].splitlines()] == ["Two", "One"]


def test_actions_without_a_result_are_shown_here_or_where_boot_lists_them(event: Recorder) -> None:
    flying = event("action", call="mail", tool="send_mail", input={"to": "sam"})
    facts = deriving.Facts([flying], open=[flying])

    alone = deriving.derive(facts, NOW)[0][handoff.IN_FLIGHT]
    beside = deriving.derive(facts, NOW, in_flight="see below")[0][handoff.IN_FLIGHT]

    assert (alone, beside) == ("- 11-19 20:01 send_mail sam · call mail\n", "- see below\n")


def test_nothing_is_read_into_a_sentence(event: Recorder) -> None:
    sentences = (
        "We decided to keep the fence",
        "I still need to call Kim",
        "It failed twice",
        "The draft is not pushed",
    )

    found = sections([event("note", text=text) for text in sentences])

    assert list(found) == [handoff.NOTES]


def test_the_same_events_give_the_same_words(event: Recorder) -> None:
    events = [asked(event, "Mend the pump"), *call(event, "a"), event("decision", text="b"), event("note", text="c")]

    assert sections(events) == sections(list(events))


def test_no_list_and_no_line_is_endless(event: Recorder) -> None:
    events = [event("decision", text=f"{n} " + "very " * 400) for n in range(300)]
    events += [event("note", text="not pushed " * 300) for _ in range(300)]
    events += [one for n in range(100) for one in call(event, f"c{n}")]

    body = handoff.body(sections(events))

    assert len(body) < 26_000
    assert "260 more" in body


def test_odd_bodies_are_shown_all_the_same(event: Recorder) -> None:
    found = sections([
        event("plan", text=7), event("decision", text=["x"]), event("action", call="a", tool=[], input="\x1b[31m"),
        event("error", call="a", text=None), event("note", text="\x00\n# no heading"),
    ])  # fmt: skip

    text = handoff.body(found)
    assert "\x1b" not in text
    assert "\n# no" not in text


def test_a_secret_is_hidden_where_it_is_cut(event: Recorder) -> None:
    token = "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    events = [event("decision", text="x" * 140 + f" {token} " + "y" * 200)]

    sections, hidden = deriving.derive(deriving.Facts(events), NOW)

    assert "ghp_9f3K" not in handoff.body(sections)
    assert hidden


# Which files were written

PATCH = "*** Begin Patch\n*** Update File: src/pump.py\n@@\n-a\n+b\n*** Add File: new.md\n+x\n*** End Patch"
WRITES: tuple[tuple[str, object, list[str]], ...] = (
    ("Write", {"file_path": "a.py", "content": "x"}, ["a.py"]),
    ("MultiEdit", {"file_path": "a.py"}, ["a.py"]),
    ("NotebookEdit", {"notebook_path": "a.ipynb"}, ["a.ipynb"]),
    ("write_file", {"path": "a.py"}, ["a.py"]),
    ("replace", {"file_path": "a.py"}, ["a.py"]),
    ("str_replace_based_edit_tool", {"command": "insert", "path": "a.py"}, ["a.py"]),
    ("apply_patch", {"input": PATCH}, ["src/pump.py", "new.md"]),
    ("shell", {"command": ["apply_patch", PATCH]}, ["src/pump.py", "new.md"]),
    ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}, []),
    ("Read", {"file_path": "a.py"}, []),
    ("read_file", {"absolute_path": "a.py"}, []),
    ("Grep", {"path": "src", "pattern": "x"}, []),
    ("Bash", {"command": "cat a.py"}, []),
    ("creature_list", {"path": "a.py"}, []),
    ("Write", "nothing", []),
)


def test_only_files_that_were_written_are_shown() -> None:
    def tells(row: tuple[str, object, list[str]]) -> None:
        tool, given, wanted = row
        event = Recorder()
        events = [event("action", call="a", tool=tool, input=given), event("result", call="a", tool=tool)]

        assert written_files(events) == wanted

    table.holds(tells, WRITES)


def test_a_file_whose_writing_failed_was_refused_or_has_no_result_is_not_shown(event: Recorder) -> None:
    def written(name: str) -> Event:
        return event("action", call=name, tool="Write", input={"file_path": f"{name}.py"})

    events = [
        written("a"),
        event("error", call="a"),
        written("b"),
        event("error", call="b", refused=True),
        written("c"),
    ]

    assert written_files([*events, *call(event, "d"), *call(event, "e"), *call(event, "d")]) == ["d.py", "e.py"]


# Below a handoff that the session wrote


def since(events: list[Event], **facts: Any) -> list[str]:
    found = deriving.since(deriving.Facts(events, **facts), NOW)[0]
    assert set(found) <= {handoff.SINCE}
    return [line.removeprefix("- ") for line in found.get(handoff.SINCE, "").splitlines()]


def test_later_calls_are_one_line_and_what_went_wrong_is_listed(event: Recorder) -> None:
    went_well = [*call(event, "a"), *call(event, "b")]
    flying = event("action", call="m", tool="send_mail")
    failed = [event("action", call="t", tool="test"), event("error", call="t", text="3 failed")]

    lines = since([*went_well, flying, *failed], open=[flying])

    assert lines[0] == "4 tool calls until 11-19 20:06, last: test → 3 failed"
    assert [line.partition(" ")[2].partition(" ")[2] for line in lines[1:]] == ["test → 3 failed", "send_mail · call m"]


def test_thanks_and_calls_of_agentws_leave_no_line(event: Recorder) -> None:
    ours = call(event, "b", "Bash", command="agentws remember 'Leo takes oat milk'")

    assert since([asked(event, "thanks, great"), event("note", text="Gladly."), *ours]) == []


def test_a_request_that_came_later_is_shown(event: Recorder) -> None:
    assert since([asked(event, "Now the gutter"), *call(event, "a")])[0].endswith(": Now the gutter")
