"""Forgetting what a writer wrote that is gone: its installation moved away, or another one took over from it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import event
from agentws.core.installation import own_records
from agentws.core.stores import order_trust, record, seals
from agentws.core.stores.record import Happening
from agentws.errors import DamagedError
from agentws.features.forget.forget import Forgotten, forget
from agentws.features.sync.run import sync
from agentws.workspace import Workspace
from tests.features.journal.keeping import everywhere, needs_signing
from tests.features.sync.conftest import Machines
from tests.features.sync.trust.test_forgotten import holds
from tests.identity.machines import Machine, events, writers

WORD = "swordfish"

pytestmark = needs_signing


def removed(workspace: Workspace) -> Forgotten:
    return forget(workspace.stores, matching=[WORD], confirm=True)


def is_clean(workspace: Workspace) -> bool:
    """Return whether the word is nowhere in the workspace and the journal is as its orders say."""
    found = workspace.journal.verify()
    return not everywhere(workspace.root, WORD) and not found.findings and not found.notes


@pytest.fixture
def lived(desk: Machine, tmp_path: Path) -> Path:
    made = desk.makes(tmp_path / "robin")
    made.event("note", f"the word is {WORD}")
    return Path(made.root)


def copied(root: Path, place: Path) -> Path:
    """A copy of the folder without what belongs to its installation."""
    shutil.copytree(root, place, ignore=shutil.ignore_patterns(layout.LOCAL))
    return place


def test_a_word_of_a_machine_that_moved_away_is_forgotten_where_the_agent_is(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    desk.opens(lived).copies.migrate(str(tmp_path / "there"))
    vps = Machine(tmp_path, "vps").opens(tmp_path / "there")

    done = removed(vps)

    assert not done.is_left
    assert is_clean(vps)


def test_after_a_second_move_too(desk: Machine, lived: Path, tmp_path: Path) -> None:
    desk.opens(lived).copies.migrate(str(tmp_path / "there"))
    vps = Machine(tmp_path, "vps").opens(tmp_path / "there")
    vps.event("note", f"still {WORD}")
    vps.copies.migrate(str(tmp_path / "further"))
    nas = Machine(tmp_path, "nas").opens(tmp_path / "further")

    assert not removed(nas).is_left
    assert is_clean(nas)


def test_a_word_of_the_machines_before_is_forgotten_where_another_took_over(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    place = copied(lived, tmp_path / "container")
    Machine(tmp_path, "run1").opens(place).event("note", f"one more {WORD}")  # its state goes with its container
    last = Machine(tmp_path, "run2").opens(place)
    last.identity.take_over()

    assert not removed(last).is_left
    assert is_clean(last)


@pytest.mark.parametrize("is_noted", [True, False], ids=["noted", "without the note"])
def test_an_unsealed_takeover_counts_where_it_was_recorded_and_nowhere_else(
    lived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_noted: bool
) -> None:
    (name,) = writers(lived)
    last = Machine(tmp_path, "container").opens(lived)
    with monkeypatch.context() as unsealed:
        unsealed.setattr(seals, "quietly", lambda *_, **__: [])
        if not is_noted:
            unsealed.setattr(own_records, "note_orders", lambda *_: None)
        last.identity.take_over()

    assert order_trust.OrderTrust(last.stores).is_over(name) is is_noted
    nas = Machine(tmp_path, "nas").opens(lived)
    nas.event("note", "knows both")
    assert not order_trust.OrderTrust(nas.stores).is_over(name)


def test_without_a_takeover_an_open_segment_waits_for_its_writer(lived: Path, tmp_path: Path) -> None:
    other = Machine(tmp_path, "vps").opens(copied(lived, tmp_path / "copy"))
    other.event("note", "begins to write")

    assert removed(other).is_left


def test_a_writer_that_wrote_after_the_takeover_is_waited_for(desk: Machine, lived: Path, tmp_path: Path) -> None:
    other = Machine(tmp_path, "vps").opens(lived)
    other.identity.take_over()
    desk.opens(lived).event("note", f"{WORD} once more")

    assert removed(other).is_left


@pytest.mark.parametrize("is_running", [False, True], ids=["a new process", "a process that ran meanwhile"])
def test_a_writer_that_comes_back_to_the_same_folder_goes_on_behind_what_was_purged(
    desk: Machine, lived: Path, tmp_path: Path, *, is_running: bool
) -> None:
    (own,) = writers(lived)
    running = desk.opens(lived)
    running.event("note", f"{WORD} is the word")
    other = Machine(tmp_path, "container").opens(lived)
    other.identity.take_over()
    assert not removed(other).is_left

    (running if is_running else desk.opens(lived)).event("note", "back again")

    notes = [one.body for one in events(lived, own) if one.kind == "note"]
    assert notes == [None, None, {"v": 1, "text": "back again"}]
    desk.opens(lived).identity.vouch(str(other.identity.show().writer))
    assert is_clean(desk.opens(lived))
    assert is_clean(other)


def test_a_writer_whose_move_was_cancelled_is_waited_for(desk: Machine, lived: Path, tmp_path: Path) -> None:
    here = desk.opens(lived)
    here.copies.migrate(str(tmp_path / "there"))
    desk.opens(lived).identity.revive()
    other = Machine(tmp_path, "vps").opens(copied(lived, tmp_path / "copy"))
    other.event("note", "begins to write")

    assert removed(other).is_left


def test_a_stranger_that_says_it_took_over_purges_nothing_of_others(lived: Path, tmp_path: Path) -> None:
    (own,) = writers(lived)
    vps = Machine(tmp_path, "vps").opens(lived)
    vps.event("note", "is known, and knows the desk")
    stranger = Machine(tmp_path, "stranger").opens(copied(lived, tmp_path / "stranger"))
    stranger.identity.take_over()
    assert not removed(stranger).is_left
    (name,) = {*writers(tmp_path / "stranger")} - {*writers(lived)}
    shutil.copytree(tmp_path / "stranger/journal" / name, lived / "journal" / name)
    shutil.copy(tmp_path / "stranger/identity/writers.jsonl", lived / "identity/writers.jsonl")
    shutil.copy(tmp_path / "stranger/identity/allowed_signers", lived / "identity/allowed_signers")

    seals.seal(vps.stores)

    assert len(everywhere(f"{lived}/journal/{own}", WORD)) == 1
    assert removed(vps).is_left
    assert len(everywhere(f"{lived}/journal/{own}", WORD)) == 1


@pytest.mark.parametrize("name", ["ffffffffffffffff", "vps"], ids=["an invented writer", "another writer's name"])
def test_a_forged_line_about_a_takeover_purges_nothing_of_a_writer_that_writes_on(
    lived: Path, tmp_path: Path, name: str
) -> None:
    (victim,) = writers(lived)
    vps, nas = known_to_each_other(lived, tmp_path)
    by = str(vps.identity.show().writer) if name == "vps" else name
    after = {victim: {"seq": 999_999_999, "hash": "0" * 64}}
    took = {"proof": "none", "from": None}
    line = writer.line(writer=by, key="", host="x", at="2026-11-20T07:00:00.000000Z", after=after, took_over=took)
    with (lived / layout.WRITERS).open("a") as file:
        file.write(f"{line}\n")

    seals.seal(nas.stores)

    assert removed(nas).is_left
    assert len(everywhere(f"{lived}/journal/{victim}", WORD)) == 1


@pytest.mark.parametrize("is_own", [False, True], ids=["in another writer's journal", "in the own journal"])
def test_a_forged_event_of_a_takeover_purges_nothing_of_a_writer_that_writes_on(
    lived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_own: bool
) -> None:
    (victim,) = writers(lived)
    vps, nas = known_to_each_other(lived, tmp_path)
    by = nas if is_own else vps
    body = {"text": "took over", "proof": "none", "after": {victim: {"seq": 999_999_999, "hash": "0" * 64}}}
    with monkeypatch.context() as forging:
        forging.setattr(own_records, "note_orders", lambda *_: None)
        record.record(by.stores, [Happening(event.TOOK_OVER, body)])
    line = writer.line(
        writer=str(by.identity.show().writer), key="", host="x", at="2026-11-20T07:00:00.000000Z",
        after=body["after"], took_over={"proof": "none", "from": None},
    )  # fmt: skip
    with (lived / layout.WRITERS).open("a") as file:
        file.write(f"{line}\n")

    if is_own:
        with pytest.raises(DamagedError, match="has not given this order"):
            seals.seal(nas.stores)
    else:
        seals.seal(nas.stores)

    assert removed(nas).is_left
    assert len(everywhere(f"{lived}/journal/{victim}", WORD)) == 1


def known_to_each_other(lived: Path, tmp_path: Path) -> tuple[Workspace, Workspace]:
    """Two more machines that write to the same folder; the second knows all three."""
    vps = Machine(tmp_path, "vps").opens(lived)
    vps.event("note", "the second machine")
    seals.seal(vps.stores)
    nas = Machine(tmp_path, "nas").opens(lived)
    nas.event("note", "the third machine")
    return vps, nas


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def synced(machines: Machines, *names: str) -> None:
    for name in names:
        sync(machines.opened(name).stores, str(machines.stick))


@pytest.mark.parametrize("writes_on", [False, True], ids=["silent", "writes-on"])
def test_a_machine_that_another_took_over_from_goes_on_behind_what_that_one_purged(
    machines: Machines, *, writes_on: bool
) -> None:
    machines.first().event("note", f"the word is {WORD}")
    sync(machines.opened("desk").stores, str(machines.stick))
    machines.another("laptop").identity.take_over()
    machines.another("third")

    assert not removed(machines.opened("laptop")).is_left
    if writes_on:
        machines.opened("desk").event("note", "work goes on")
    synced(machines, "laptop", "desk", "third", "laptop")
    machines.opened("desk").event("note", "and on")
    synced(machines, "desk", "third", "laptop")

    for name in ("desk", "laptop", "third"):
        assert is_clean(machines.opened(name))
        assert b"and on" in b"".join(machines.files(name).values())
    assert not holds(machines.stick, WORD.encode())


def test_what_a_third_machine_forgets_the_one_that_continues_purges(machines: Machines) -> None:
    machines.first().event("note", f"the word is {WORD}")
    sync(machines.opened("desk").stores, str(machines.stick))
    machines.another("third")
    synced(machines, "third", "desk")
    machines.opened("desk").copies.migrate(str(machines.root("vps")))
    synced(machines, "vps")
    machines.introduce(machines.opened("vps").identity.show().writer or "", "vps", to="third")
    synced(machines, "third")

    removed(machines.opened("third"))
    synced(machines, "third", "vps", "third")

    for name in ("vps", "third"):
        assert is_clean(machines.opened(name))
        assert not removed(machines.opened(name)).is_left
    assert not holds(machines.stick, WORD.encode())


def test_what_another_machine_has_yet_to_purge_is_not_shown_as_in_flight(machines: Machines) -> None:
    desk = machines.first()
    desk.session.start("one")
    desk.event("action", session="one", body={"tool": "mail", "call": "c1", "input": {"to": f"{WORD} at the fair"}})
    desk.event("action", session="one", body={"tool": "read", "call": "c2", "input": {"file_path": f"a/{WORD}.md"}})
    desk.event("decision", f"Ask {WORD}", session="one")
    desk.event("note", f"Write to {WORD}", session="one", via="user")
    sync(machines.opened("desk").stores, str(machines.stick))
    machines.another("laptop")
    laptop = machines.opened("laptop")
    assert WORD in laptop.boot().text

    assert removed(laptop).is_left

    laptop = machines.opened("laptop")
    booted = laptop.boot().text
    shown = laptop.session.show("one")
    assert [one.body["text"] for one in shown.requests] == ["‹forgotten›"]
    told = [str(one.body) for one in (*shown.state.shown(), *laptop.journal.replay().state.shown())]
    assert "mail ‹forgotten› · call c1" in booted
    assert WORD not in booted + "".join(told)
    assert sum("c1" in one for one in told) == 2
    assert (shown.state.files, laptop.journal.replay().state.files) == ([], [])
    laptop.event("result", call="c1")
    assert "call c1" not in machines.opened("laptop").boot().text
