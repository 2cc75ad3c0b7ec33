"""An event read: what is not known is kept, old bodies are brought up to date, rubbish is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentws.core.formats.journal import chain, event, segment
from agentws.errors import DamagedError, UsageError

WRITER = "006b0070611a6f64"


def stored(kind: str = "note", body: dict[str, Any] | None = None, **more: Any) -> bytes:
    """A line as another program might write it, with header keys of its own."""
    tail = event.tail(event.body_text(body or {"text": "a"}), "0" * 32)
    head = event.header(
        seq=7, id="i", at="2026-11-20T07:15:00.000000Z", kind=kind, session="s", src="agent", prev="p" * 64, tail=tail
    )
    own = "".join(f'"{key}":{json.dumps(value)},' for key, value in more.items())
    return chain.line(head.replace(b'"prev":', own.encode() + b'"prev":'), tail)[:-1]


def test_unknown_kinds_and_keys_are_kept() -> None:
    found = event.decode(stored("garden.watered", {"litres": 3, "who": {"name": "Sam"}}, colour="green"), writer=WRITER)

    assert (found.kind, found.rest) == ("garden.watered", {"colour": "green"})
    assert found.body == {"v": 1, "litres": 3, "who": {"name": "Sam"}}
    assert found.plain()["colour"] == "green"


def test_an_old_body_is_brought_up_to_date_step_by_step() -> None:
    steps = {
        ("note", 1): lambda body: {**body, "v": 2, "words": body["text"]},
        ("note", 2): lambda body: {key: value for key, value in body.items() if key != "text"} | {"v": 3},
    }

    assert event.upcast("note", {"v": 1, "text": "a"}, steps) == {"v": 3, "words": "a"}
    assert event.upcast("note", {"text": "a"}, steps) == {"v": 3, "words": "a"}
    assert event.upcast("note", {"v": 9, "text": "a"}, steps) == {"v": 9, "text": "a"}
    assert event.upcast("other", {"v": 1}, steps) == {"v": 1}


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b'{"agentws":1}', b'{"seq":1,"salt":"x"}', b"\xff", b"[" * 5000, b'"' + b"x" * 99]
)
def test_what_is_no_event_is_named(line: bytes) -> None:
    with pytest.raises(DamagedError, match="journal/x:3"):
        event.decode(line, writer=WRITER, where="journal/x:3")


@pytest.mark.parametrize("body", [{"x": float("nan")}, {"x": float("inf")}, {"x": object()}, {"x": b"y"}])
def test_a_body_that_is_no_json_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        event.body_text(body)


def test_an_action_without_a_call_goes_by_its_cursor() -> None:
    assert event.decode(stored("action"), writer=WRITER).call == f"{WRITER}:7"
    assert event.decode(stored("action", {"call": "c"}), writer=WRITER).call == "c"
    assert event.decode(stored("note"), writer=WRITER).call is None


@pytest.mark.parametrize(
    ("kind", "importance", "significant", "milestone"),
    [
        ("decision", None, True, True), ("error", None, True, True), ("task.done", None, True, True),
        ("note", 7, True, True), ("note", 6, False, False), ("action", None, False, False),
        ("session.started", None, False, True), ("seal", None, False, True), ("note", "9", False, False),
        ("host.compacting", None, False, False), ("hook.failed", None, False, False),
    ],
)  # fmt: skip
def test_what_is_significant_is_a_milestone_too(
    kind: str, importance: object, significant: bool, milestone: bool
) -> None:
    assert (event.is_significant(kind, importance), event.is_milestone(kind, importance)) == (significant, milestone)


@pytest.mark.parametrize(
    ("name", "number"),
    [("000001.jsonl", 1), ("123456.jsonl", 123456), ("1234567.jsonl", 1234567), ("000000.jsonl", None),
     ("00001.jsonl", None), ("0000001.jsonl", None), ("000001.json", None), ("blobs", None), ("٠٠٠٠٠١.jsonl", None)],
)  # fmt: skip
def test_the_name_of_a_segment_is_its_number(name: str, number: int | None) -> None:
    assert segment.number_of(name) == number
