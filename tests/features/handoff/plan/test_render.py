"""The handoff that nobody wrote: sessions without one, what is derived of them; and a handoff made to fit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentws.core.formats.documents import handoff
from agentws.core.formats.documents.handoff import Handoff
from agentws.core.formats.journal.event import Event
from agentws.core.formats.secrets import secrets
from agentws.core.journal.events import liveness
from agentws.core.journal.events.liveness import OpenSession, OrphanedSession
from agentws.features.handoff.plan import render as planning

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
HERE = liveness.ThisMachine("robin-1", "boot-b", 7, {})
GONE: dict[str, Any] = {"host": "robin-1", "boot": "boot-a", "namespace": 7, "process": 41, "started": 99}


class Recorder:
    """Makes events, a minute after each other, up to yesterday evening."""

    def __init__(self) -> None:
        self.seq = 0
        self.at = datetime(2026, 11, 19, 20, 0, tzinfo=UTC)

    def __call__(self, kind: str, *, session: str = "s", **body: object) -> Event:
        self.seq += 1
        self.at += timedelta(minutes=1)
        at = self.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        fields = {"agentws": 1, "seq": self.seq, "id": f"i{self.seq}", "at": at, "kind": kind, "session": session,
                  "src": "agent", "prev": "", "digest": "", "salt": "", "body": {"v": 1, **body}}  # fmt: skip
        return Event(fields, writer="0" * 16, hash="", segment=1, offset=self.seq)


@pytest.fixture
def event() -> Recorder:
    return Recorder()


def note(front: str, name: str = "2026-11-20-n") -> Handoff:
    return handoff.decode(f"---\n{front}\n---\n".encode(), path=f"handoffs/{name}.md")


def broken(*events: Event, own: str | None = None, here: liveness.ThisMachine = HERE) -> list[OrphanedSession]:
    found = [
        OpenSession(name, [e for e in events if e.session == name]) for name in {e.session or "": 0 for e in events}
    ]
    return liveness.broken(found, machine=here, own=own, moment=NOW)


# Which sessions ended without one


def test_a_session_of_an_earlier_start_of_the_machine_broke_off(event: Recorder) -> None:
    (found,) = broken(event("session.started", **GONE), event("note", text="x"))

    assert not found.may_run
    assert "rebooted" in found.likely.why


def test_one_whose_process_lives_is_none(event: Recorder) -> None:
    began = event("session.started", **GONE)
    here = liveness.ThisMachine("robin-1", "boot-a", 7, {(41, 99): True})

    assert broken(began, event("note"), here=here) == []
    assert broken(began, event("note"), here=liveness.ThisMachine("robin-1", "boot-a", 7, {(41, 99): False})) != []


def test_of_one_on_another_machine_nobody_can_tell_and_it_is_told_with_a_caveat(event: Recorder) -> None:
    (found,) = broken(event("session.started", **{**GONE, "host": "other"}), event("note"))

    assert found.may_run
    assert "if it still runs, this is only its progress so far" in planning.lead(found, (), NOW)


def test_the_callers_own_session_is_none_unless_the_machine_was_started_anew(event: Recorder) -> None:
    elsewhere = event("session.started", **{**GONE, "host": "other"}), event("note")
    before = event("session.started", session="t", **GONE), event("note", session="t")

    assert broken(*elsewhere, own="s") == []
    assert [one.session.id for one in broken(*before, own="t")] == ["t"]


def test_one_that_only_began_is_none(event: Recorder) -> None:
    assert broken(event("session.started", **GONE)) == []


def taken_over(events: list[Event], *, notes: tuple[Handoff, ...] = (), handed: tuple[Event, ...] = ()) -> bool:
    return liveness.waiting([OpenSession("s", events)], notes=notes, handed=handed) == []


def test_a_handoff_after_its_last_work_takes_it_over(event: Recorder) -> None:
    worked = [event("session.started", **GONE), event("note")]
    later = "at: 2026-11-19T21:30:00+01:00"

    assert not taken_over(worked)
    assert taken_over(worked, notes=(note(f"session: s\n{later}"),))
    assert taken_over(worked, notes=(note(f"session: t\n{later}\nfollows: [x, s]"),))
    assert taken_over(worked, notes=(note(later),))
    assert taken_over(worked, handed=(event("handoff.written", follows=["s"], session="t"),))
    assert taken_over(worked, handed=(event("handoff.written", follows=[]),))
    assert taken_over(worked, handed=(closed(event, "s"),))


def test_a_handoff_that_was_undone_takes_nothing_over_and_one_that_is_no_longer_there_does(event: Recorder) -> None:
    worked = [event("session.started", **GONE), event("note")]
    written = event("handoff.written", follows=["s"], session="t", path="handoffs/x.md")
    undone = event("handoff.undone", follows=["s"], session="t", path="handoffs/x.md")
    again = event("handoff.written", follows=["s"], session="t", path="handoffs/x.md")
    other = event("handoff.written", follows=["s"], session="t", path="handoffs/y.md")

    assert taken_over(worked, handed=(written,))
    assert not taken_over(worked, handed=(written, undone))
    assert not taken_over(worked, handed=(undone,))
    assert taken_over(worked, handed=(written, undone, again))
    assert taken_over(worked, handed=(written, undone, other))


def closed(event: Recorder, session: str) -> Event:
    one = event("handoff.closed", path=None)
    assert one.body is not None
    one.body["session"] = session
    return one


def test_a_handoff_of_somebody_else_or_before_more_work_does_not(event: Recorder) -> None:
    early = event("handoff.written", follows=[])
    worked = [event("session.started", **GONE), event("note")]

    assert not taken_over(worked, notes=(note("session: t\nat: 2026-11-19T23:00:00Z"),))
    assert not taken_over(worked, notes=(note("session: s\nat: 2026-11-19T20:00:00Z"),))
    assert not taken_over(worked, notes=(note("at: some day"), note("status: closed")))
    assert not taken_over(worked, handed=(early,))
    assert not taken_over(worked, handed=(closed(event, "t"), event("handoff.written", session="t", follows=["u"])))


def test_sessions_that_worked_side_by_side_are_told_in_full_and_earlier_ones_by_name(event: Recorder) -> None:
    old = [event("session.started", session="old", **GONE), event("note", session="old")]
    main = [event("session.started", session="main", **GONE)]
    agent = [event("session.started", session="agent", **GONE), event("note", session="agent")]
    late = [event("note", session="main")]

    found = broken(*old, *main, *agent, *late)

    assert [one.session.id for one in found] == ["main", "agent", "old"]
    assert [one.session.id for one in liveness.in_full(found)] == ["main", "agent"]
    assert "session old ended without one at 2026-11-19 20:02: agentws handoff show old" in planning.lead(
        found[0], found[2:], NOW
    )


def test_a_secret_is_hidden_in_its_line_and_the_line_stays() -> None:
    token = "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"

    found, notices = planning.without_secrets({handoff.DOING: f"- a\n- the token {token}\n", "x": f"{token}\n"})

    assert found == {handoff.DOING: "- a\n- the token [hidden]\n", "x": "[hidden]\n"}
    assert notices == ["Hidden as possible secrets: github-token (2 places)."]


@pytest.mark.parametrize("mark", ["‹redacted:github-token:56677708›", "‹redacted:github-token›", "‹redacted:github-t"])
def test_where_a_secret_was_taken_out_before_the_line_stays_and_no_placeholder_is_written_back(mark: str) -> None:
    found, notices = planning.without_secrets({handoff.IN_FLIGHT: f'- 07:15 deploy "--token {mark}…" · call c1\n'})

    assert found == {handoff.IN_FLIGHT: '- 07:15 deploy "--token [hidden]…" · call c1\n'}
    kind = "github-token" if mark.endswith("›") else "unknown"  # a cut name is none
    assert notices == [f"Hidden as possible secrets: {kind} (1 place)."]
    secrets.refuse(found[handoff.IN_FLIGHT])


# A size


SECTIONS = {
    handoff.DOING: "- a long line about what was done\n- and more\n",
    handoff.DECISIONS: "- one\n- two\n",
    handoff.NEXT: "- the first step\n",
    handoff.FILES: "- f.py\n- g.py\n",
    "Garden": "Roses.\n",
}


@pytest.mark.parametrize("room", range(24, 190, 7))
def test_a_handoff_fits_whatever_size_is_asked_for(room: int) -> None:
    found, left_out = planning.bounded(SECTIONS, room, len)

    assert len(handoff.body(found)) <= room
    assert left_out or found == SECTIONS
    assert handoff.body(found).strip()


def test_what_tells_least_goes_first_and_the_next_step_stays() -> None:
    found, left_out = planning.bounded(SECTIONS, 80, len)

    assert found == {handoff.DOING: "- a long line about what was done\n", handoff.NEXT: "- the first step\n"}
    assert left_out == 6


def test_items_are_left_out_whole() -> None:
    text = {"Table": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", handoff.NEXT: "- x\n  - y\n\n  z\n"}

    found, left_out = planning.bounded(text, 45, len)

    assert found == {handoff.NEXT: "- x\n  - y\n\n  z\n"}
    assert left_out == 1


def test_a_large_handoff_is_measured_a_few_times_not_once_for_each_item() -> None:
    lines = {handoff.PENDING: "".join(f"- item {number}\n" for number in range(2000)), handoff.NEXT: "- first\n"}
    measured = []

    def measure(text: str) -> int:
        measured.append(len(text))
        return len(text)

    found, left_out = planning.bounded(lines, 1000, measure)

    size = len(handoff.body(lines))
    assert len(handoff.body(found)) <= 1000 < len(handoff.body(found)) + len("- item 1999\n")
    assert left_out == 2000 - found[handoff.PENDING].count("\n")
    assert sum(measured) < 3 * size


def test_a_counter_that_rounds_each_part_up_leaves_out_no_more_than_it_must() -> None:
    lines = {handoff.PENDING: "".join(f"- {number}\n" for number in range(100)), handoff.NEXT: "- first\n"}

    found, left_out = planning.bounded(lines, 60, lambda text: -(-len(text) // 4))

    fitting = {**found, handoff.PENDING: f"{found[handoff.PENDING]}- {100 - left_out}\n"}
    assert len(handoff.body(found)) <= 240 < len(handoff.body(fitting))
