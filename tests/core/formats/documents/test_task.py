"""A task file: read leniently, edited on its own lines."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import document, task


def read(text: str) -> task.Task:
    return task.decode(text.encode("utf-8", "surrogateescape"), slug="roof", where="tasks/roof.md")


def test_a_new_task_is_read_back_as_it_was_made() -> None:
    made = task.new("Mend the roof", goal="Dry before winter.", steps=["ask Sam", "pay"], state={"status": "open"})

    assert made == b"---\nstatus: open\n---\n# Mend the roof\n\nDry before winter.\n\n- [ ] ask Sam\n- [ ] pay\n"
    found = task.decode(made, slug="mend-the-roof", where="here")
    assert (found.title, found.status, found.steps, found.next_step) == ("Mend the roof", "open", (0, 2), "ask Sam")
    assert (found.priority, found.step, found.waiting_on, found.session) == ("normal", "", "", "")


def test_boxes_are_those_of_any_list() -> None:
    found = read("1. [x] one\n2. [ ] two\n   * [X] deep\n- [-] given up\n- none\n[ ] no list\n")

    assert found.boxes == [("one", True), ("two", False), ("deep", True), ("given up", True)]
    assert (found.steps, found.next_step) == ((3, 4), "two")


def test_a_change_touches_its_own_lines_alone() -> None:
    text = (
        "\ufeff---\r\nstatus: open  # mine\r\nclient: 'Harbor'\r\n---\r\n# Roof\r\n\r\n- [ ] one\r\n  + [ ] two \r\n"
        "half a line \udcff"
    )
    before = document.decode(text.encode("utf-8", "surrogateescape"), where="here")

    after = task.changed(before, state={"status": "active", "step": None}, checked=[2], where="here")

    assert document.encode(after) == text.replace("status: open", "status: active").replace("+ [ ]", "+ [x]").encode(
        "utf-8", "surrogateescape"
    )


@pytest.mark.parametrize(
    ("written", "shown", "until", "path"),
    [
        ("Sam, which Anna", "Sam, which Anna", "", ""),
        ("2026-11-23T09:00:00+01:00", "2026-11-23T09:00:00+01:00", "2026-11-23T09:00:00+01:00", ""),
        ("2026-11-23", "2026-11-23", "2026-11-23", ""),
        ("2026-11-31", "2026-11-31", "", ""),
        ("12345678", "12345678", "", ""),
        ("\n  path: inbox/a.csv", "path: inbox/a.csv", "", "inbox/a.csv"),
        ("\n  path: [a]", "path: a", "", ""),
        ("\n  approval: a1\n  by: Sam", "approval: a1, by: Sam", "", ""),
        ("[Sam, Leo]", "Sam, Leo", "", ""),
        ("", "", "", ""),
    ],
)
def test_what_it_waits_for_may_have_any_shape_and_is_always_shown(
    written: str, shown: str, until: str, path: str
) -> None:
    found = read(f"---\nwaiting_on: {written}\n---\n")

    assert (found.waiting_on, found.until, found.path) == (shown, until, path)


def test_a_path_is_written_so_that_it_is_read_as_one() -> None:
    before = document.decode(b"---\nstatus: open\n---\n", where="here")

    after = task.changed(before, state={"waiting_on": task.for_path("2026-11-23")}, where="here")

    assert task.Task("roof", after).path == "2026-11-23"
    assert task.Task("roof", after).until == ""


@pytest.mark.parametrize(
    ("status", "state", "over"),
    [
        ("Active", "active", False), ("blocked", "open", False), ("Completed", "done", True),
        ("dropped", "cancelled", True), ("", "open", False), ("archived", "done", True),
    ],
)  # fmt: skip
def test_a_status_in_words_of_ones_own_stands_for_what_it_means(status: str, state: str, over: bool) -> None:
    found = read(f"---\nstatus: {status}\n---\n")

    assert (found.state, found.is_over) == (state, over)
