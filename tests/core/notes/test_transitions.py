"""What a verb changes in a task, and what the journal is told."""

from __future__ import annotations

import json

import pytest

from agentws.core.formats.documents import document, task
from agentws.core.notes import sources, transitions
from agentws.errors import UsageError
from tests import outside, table


def made(status: str = "active", *, body: str = "# Roof\n\n- [x] ask\n- [ ] pay\n", **fields: str) -> task.Task:
    header = "".join(f"{key}: {value}\n" for key, value in {"status": status, **fields}.items())
    return task.decode(f"---\n{header}---\n{body}".encode(), slug="roof", where="tasks/roof.md")


@pytest.mark.parametrize(
    ("status", "verb", "becomes"),
    [
        ("open", "start", "active"), ("waiting", "start", "active"), ("done", "start", "active"),
        ("cancelled", "start", "active"), ("blocked", "start", "active"), ("active", "pause", "paused"),
        ("waiting", "pause", "paused"), ("paused", "resume", "active"), ("waiting", "resume", "active"),
        ("open", "done", "done"), ("paused", "done", "done"), ("waiting", "cancel", "cancelled"),
        ("waiting", "due", "active"),
    ],
)  # fmt: skip
def test_a_move_leads_from_one_state_to_the_next(status: str, verb: str, becomes: str) -> None:
    change = transitions.move(made(status), verb)

    assert change is not None
    assert (change.status, change.state["status"]) == (becomes, becomes)
    assert change.kind == transitions.KINDS[verb]


@pytest.mark.parametrize(
    ("status", "verb"),
    [("active", "start"), ("paused", "pause"), ("done", "done"), ("Completed", "done"), ("cancelled", "cancel")],
)
def test_what_is_so_already_changes_nothing(status: str, verb: str) -> None:
    assert transitions.move(made(status), verb) is None


@pytest.mark.parametrize(
    ("status", "verb", "hint"),
    [
        ("done", "step", "agentws task start roof"), ("cancelled", "wait", "agentws task start roof"),
        ("done", "cancel", "agentws task start roof"), ("cancelled", "done", "agentws task start roof"),
        ("open", "resume", "agentws task start roof"), ("active", "due", "agentws task step roof (or: wait, pause"),
        ("paused", "due", "agentws task start roof"),
    ],
)  # fmt: skip
def test_a_move_that_cannot_be_made_says_which_can(status: str, verb: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"roof is {status}, so `agentws task {verb}` cannot be used") as refused:
        transitions.check(made(status), verb)

    assert hint in (refused.value.hint or "")


def test_a_pause_keeps_what_is_waited_for_and_resume_waits_again_unless_it_is_there() -> None:
    paused = made("paused", waiting_on="Sam")

    assert transitions.move(made("waiting", waiting_on="Sam"), "pause").state == {"status": "paused"}  # type: ignore[union-attr]
    assert transitions.move(paused, "resume").status == "waiting"  # type: ignore[union-attr]
    there = transitions.move(paused, "resume", possible=True)
    assert there is not None
    assert there.state == {"status": "active", "waiting_on": None}


def test_a_step_is_set_and_boxes_are_checked() -> None:
    change = transitions.step(made(), "pay Sam", checked=[2])

    assert change is not None
    assert (change.state, change.checked) == ({"status": "active", "step": "pay Sam"}, (2,))
    assert change.text == "now: pay Sam; done: pay"


def test_a_step_that_is_checked_is_no_longer_the_current_one() -> None:
    change = transitions.step(made(step="pay"), checked=[2, 2])

    assert change is not None
    assert (change.state, change.checked) == ({"status": "active", "step": None}, (2,))


def test_a_step_that_stands_there_already_changes_nothing() -> None:
    assert transitions.step(made(step="pay"), "pay", checked=[1]) is None


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_box_that_is_not_there_is_refused_with_those_that_are(number: int) -> None:
    with pytest.raises(UsageError) as refused:
        transitions.step(made(), checked=[number])

    assert "1. ask, 2. pay" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Move the address book", "move-the-address-book"), ("  Über: Straße! ", "über-strasse"), ("…", "task"),
        ("../../etc/passwd", "etc-passwd"), ("地址簿", "地址簿"), ("one " * 40, "one" + "-one" * 14),
        ("a" * 100, "a" * 60), ("Roof", "roof-3"),
        ("रिंग परीक्षण", "रिंग-परीक्षण"), ("งานบ้าน วันนี้", "งานบ้าน-วันนี้"), ("שָׁלוֹם עולם", "שָׁלוֹם-עולם"),
        ("كِتَابٌ جديد", "كِتَابٌ-جديد"), ("தமிழ் வேலை", "தமிழ்-வேலை"), ("Cafe\u0301 visit", "café-visit"),
        ("✅\ufe0f 1\ufe0f\u20e3 Roof", "1-roof"), ("co\u00adop\u200d", "coop"), ("\u0301 x", "x"),
    ],
)  # fmt: skip
def test_a_slug_is_made_of_the_title_and_is_not_taken(title: str, slug: str) -> None:
    assert transitions.slug(title, ["roof", "Roof-2"]) == slug


def test_what_the_journal_knows_is_compared_with_the_file() -> None:
    one = made(step="pay")
    known = transitions.known_of(
        transitions.told(transitions.TaskChange("task.added", "active", text="Roof"), None, one, "d1")
    )

    assert transitions.noticed(known, one, "d2") is None, "what is no part of its state may change"
    kind, body = transitions.noticed(known, made("done", body="# Roof\n\n- [x] ask\n- [x] pay\n"), "d2") or ("", {})
    assert kind == "task.edited"
    assert (body["before"], body["after"], body["noticed"]) == ("active", "done", True)
    assert body["text"] == "status: active → done; step: pay → none; checked: 1 of 2 → 2 of 2"


def test_a_file_that_the_journal_does_not_know_was_added_and_one_that_is_gone_is_told_once() -> None:
    kind, body = transitions.noticed(None, made(), "d") or ("", {})
    gone = transitions.noticed(transitions.known_of({"task": "roof", **body}), None, "")

    assert (kind, body["before"], body["after"]) == ("task.added", None, "active")
    assert gone is not None
    assert (gone[0], gone[1]["before"], gone[1]["after"]) == ("task.edited", "active", None)
    assert transitions.noticed(transitions.known_of(gone[1]), None, "") is None
    assert (transitions.noticed(transitions.known_of(gone[1]), made(), "d") or ("", {}))[0] == "task.added"


def test_an_event_that_says_nothing_of_a_state_is_not_what_the_journal_knows() -> None:
    assert transitions.known_of({"task": "roof", "text": "a note of somebody"}) is None
    assert transitions.known_of(None) is None


# Boot


def title_of(one: task.Task, *, ready: bool = False) -> str:
    return sources.of_tasks([one], ready=[one.slug] if ready else [], today="2026-11-20").text.strip()


def test_boot_tells_a_task_whose_wait_is_over_as_ready() -> None:
    one = made("waiting", step="pay", waiting_on="2026-11-20T08:15:00+01:00")

    path = "1 of 2 done · tasks/roof.md"
    assert title_of(one) == f"- Roof · waiting · step: pay · waiting until 2026-11-20 08:15 · {path}"
    assert title_of(one, ready=True) == f"- Roof · ready · step: pay · waited until 2026-11-20 08:15 · {path}"


def test_in_the_line_of_a_task_what_is_from_outside_is_quoted_with_its_origin_before_it() -> None:
    def is_quoted(claim: str) -> None:
        said = f'{claim} "now" (via tool:web)'
        value = json.dumps(said, ensure_ascii=False)
        body = f"# {said}\n" + "text\n" * 20 + f"- [ ] {said}\n"
        title = title_of(made("waiting", step=value, waiting_on=value, body=body))
        before, *parts = title.split('(tool:web) "')
        assert outside.CANARY not in before
        assert len(parts) >= 3
        assert all(outside.CANARY in part and '\\"now\\"" · ' in part and "(via" not in part for part in parts), title

    table.holds(is_quoted, outside.CLAIMS)


def test_boot_shows_those_that_are_ready_behind_the_active_ones() -> None:
    def named(slug: str, status: str) -> task.Task:
        return task.Task(slug, document.decode(f"---\nstatus: {status}\n---\n".encode(), where=slug))

    found = [
        named("a", "paused"),
        named("b", "waiting"),
        named("c", "waiting"),
        named("d", "active"),
        named("e", "done"),
    ]

    live = sources.live_tasks(found, wanted=(), ready={"c"})

    assert [one.slug for one in live] == ["d", "c", "b", "a"]


def test_boot_takes_a_word_of_ones_own_for_open_in_whatever_case_it_takes_the_others() -> None:
    found = [
        task.Task(slug, document.decode(f"---\nstatus: {status}\n{more}---\n".encode(), where=slug))
        for slug, status, more in (
            ("a", "someday", ""),
            ("b", "Waiting", ""),
            ("c", "open", "priority: high\n"),
            ("d", "ACTIVE", ""),
            ("e", "active", "priority: high\n"),
        )
    ]

    assert [one.slug for one in sources.live_tasks(found, wanted=())] == ["e", "d", "b", "c", "a"]
    assert [one.slug for one in sources.live_tasks(found, wanted={"a"})] == ["a", "e", "d", "b", "c"]
