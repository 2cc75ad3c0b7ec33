"""The first lines of a task file are believed only where YAML could not read them in another way."""

from __future__ import annotations

import pytest

from agentws.core.disk import task_heads
from agentws.core.formats.documents import task
from agentws.errors import DamagedError

OVER = [
    "status: done",
    "status: Cancelled",
    "title: 'Roof: the last one'\nstatus: completed",
    'waiting_on: "Sam, who knows"\nstatus: done',
    "tags: [house, 2026-11]\nstep:\nstatus:   done  ",
]
IN_DOUBT = [
    "status: active",
    "status: someday",
    "title: Roof",
    "status: done # or is it",
    "status: [done]",
    "status: done\nstatus: open",
    "step: |\n  status: done",
    'step: "two\nstatus: done\nlines"',
    "tags: [a,\nstatus: done\n]",
    "step: two\n  lines\nstatus: done",
    "step: - done: no\nstatus: done",
    "step: 'it''s'\nstatus: done",
    "- status: done",
    "status:done",
    "\nstatus: done",
    "step: a\x07\nstatus: done",
    "step: &a b\nstatus: done",
]


@pytest.mark.parametrize("lines", OVER)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_plain_lines_say_that_a_task_is_over(lines: str, end: str) -> None:
    data = f"---\n{lines}\n---\n# Roof\n".replace("\n", end).encode()

    assert task_heads.is_plainly_over(data)
    assert task.decode(data, slug="roof", where="roof").is_over


@pytest.mark.parametrize("lines", IN_DOUBT)
def test_what_may_mean_something_else_is_read_in_full(lines: str) -> None:
    assert not task_heads.is_plainly_over(f"---\n{lines}\n---\n# Roof\n".encode())


@pytest.mark.parametrize("lines", [*OVER, *IN_DOUBT])
def test_what_is_plainly_over_is_over_in_full(lines: str) -> None:
    data = f"---\n{lines}\n---\n".encode()
    try:
        is_over = task.decode(data, slug="roof", where="roof").is_over
    except DamagedError:
        is_over = False

    assert is_over or not task_heads.is_plainly_over(data)


@pytest.mark.parametrize("data", [b"", b"# Roof\n", b"---\nstatus: done\n", b"---\nstatus: done\n---", b"\xff\n---\n"])
def test_what_has_no_whole_front_matter_says_nothing(data: bytes) -> None:
    assert not task_heads.is_plainly_over(data)


@pytest.mark.parametrize("status", ["done", "open", '"done"', "phase 2", "2", "", "done # 7", "[1]"])
@pytest.mark.parametrize("more", ["updated: 2026-11-0{}", "a1: {}\na2: 3", "step{}: x", "note: {}: x", "'{}'", "{}:"])
def test_whatever_digits_it_saw_before_a_header_is_read_as_if_alone(status: str, more: str) -> None:
    heads = [f"---\nstatus: {status}\n{more.format(digit)}\n---\n".encode() for digit in (1, 2, 9)]
    alone = []
    for head in heads:
        task_heads._known.clear()
        alone.append(task_heads.status_of(head))
    assert [task_heads.status_of(head) for head in heads] == alone
    assert alone == [task_heads._status(head[:-1]) for head in heads]
