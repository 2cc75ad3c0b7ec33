"""The audit pairs what was begun with how it ended."""

from __future__ import annotations

from agentws.core.formats.journal.event import Event
from agentws.features.journal import audit as _audit, render


def happened(seq: int, kind: str, *, at: str = "07:15:00.000000", writer: str = "w1", **body: object) -> Event:
    fields = {
        "agentws": 1, "seq": seq, "id": f"id-{seq}", "at": f"2026-11-20T{at}Z", "kind": kind, "session": "s1",
        "src": "agent", "prev": "", "digest": "", "salt": "", "body": {"v": 1, **body},
    }  # fmt: skip
    return Event(fields, writer=writer, hash="", segment=1, offset=0)


def told(*events: Event) -> list[tuple[str, str, str, float | None]]:
    return [(row.what, row.outcome, row.result_text, row.duration_s) for row in _audit.rows(events)]


def test_an_action_gets_the_result_that_names_its_call() -> None:
    rows = told(
        happened(1, "action", call="a", tool="search", input={"query": "weather"}),
        happened(2, "action", call="b", tool="read", input="x.txt"),
        happened(3, "error", at="07:15:02.500000", call="b", text="no such file"),
        happened(4, "result", at="07:16:00.000000", call="a", output="sunny"),
    )

    assert rows == [("search weather", "ok", "sunny", 60.0), ("read x.txt", "error", "no such file", 2.5)]


def test_an_action_without_an_end_has_no_result() -> None:
    assert told(happened(1, "action", call="a", tool="pay")) == [("pay", "no result", "", None)]


def test_an_action_without_a_call_id_is_ended_by_its_cursor() -> None:
    rows = told(happened(1, "action", tool="pay"), happened(2, "result", call="w1:1", output=3))

    assert rows == [("pay", "ok", "3", 0.0)]


def test_two_writers_may_use_the_same_call_id() -> None:
    rows = told(
        happened(1, "action", call="c1", tool="here"),
        happened(1, "action", writer="w2", call="c1", tool="there"),
        happened(2, "error", writer="w2", call="c1", text="no"),
    )

    assert rows == [("here", "no result", "", None), ("there", "error", "no", 0.0)]


def test_a_call_id_that_is_used_again_belongs_to_the_later_action() -> None:
    rows = told(
        happened(1, "action", call="c", tool="first"),
        happened(2, "action", call="c", tool="second"),
        happened(3, "result", call="c", output="done"),
    )

    assert [row[:2] for row in rows] == [("first", "no result"), ("second", "ok")]


def test_an_end_whose_beginning_is_not_there_is_told_all_the_same() -> None:
    rows = told(happened(7, "error", call="old", tool="pay", text="declined"), happened(8, "result", output="x"))

    assert rows == [("pay", "error", "declined", None), ("", "ok", "x", None)]


def test_what_was_only_thought_is_no_row() -> None:
    quiet = ("thought", "plan", "note", "segment.opened", "seal")

    assert told(*(happened(seq, kind, text="x") for seq, kind in enumerate(quiet, 1))) == []
    assert told(happened(9, "decision", text="SQLite")) == [("SQLite", "", "", None)]


def test_a_clock_that_was_set_back_tells_no_time() -> None:
    (row,) = _audit.rows([
        happened(1, "action", at="08:00:00.000000", call="a"), happened(2, "result", call="a", output="x")
    ])  # fmt: skip

    assert (row.outcome, row.duration_s) == ("ok", None)


def test_a_purged_end_still_says_how_it_ended() -> None:
    end = happened(2, "result", call="a", output="secret")
    rows = _audit.rows([happened(1, "action", call="a", tool="t"), end])
    assert rows[0].result_text == "secret"

    end.body = None
    (first, second) = _audit.rows([happened(1, "action", call="a", tool="t"), end])
    assert (first.outcome, second.result_text) == ("no result", "(purged)")


def test_compactions_and_undone_handoffs_have_words() -> None:
    run = {"run": "2026-11-20T07:15:00Z", "days": 2}
    rows = told(
        happened(1, "compaction.began", **run, first="memory/2026-11-01.md", before={"MEMORY.md": "cc81"}),
        happened(2, "compaction.finished", **run, first="memory/2026-11-01.md", new=1),
        happened(3, "compaction.undone", **run),
        happened(4, "handoff.undone", path="handoffs/a.md", session="s1", follows=[]),
    )

    assert [row[0] for row in rows] == [
        "2 days, from memory/2026-11-01.md on",
        "2 days, from memory/2026-11-01.md on, 1 new entry",
        "2 days",
        "handoffs/a.md",
    ]


def test_an_answer_to_a_request_is_by_the_person_who_decided() -> None:
    decided = {"id": "a1", "action_digest": "d", "verdict": "approved", "proof": "typed"}
    rows = _audit.rows([
        happened(1, "approval.decided", **decided, decided_by="user"),
        happened(2, "approval.decided", **decided, decided_by="agent"),
        happened(3, "note", decided_by="user"),
        happened(4, "task.added", text="Sweep", decided_by="user"),
    ])  # fmt: skip

    assert [(row.decided_by, render.who(row)) for row in rows] == [
        ("user", "user"), ("agent", "agent/s1"), (None, "agent/s1"),
    ]  # fmt: skip
