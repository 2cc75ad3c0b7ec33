"""A place that the agent has left, and an agent that was retired: nothing is written there, all can be read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk import lock, tombstone
from agentws.core.formats import layout
from agentws.core.formats.identity.tombstone import Tombstone
from agentws.core.identity import vouch, writers as neighbours
from agentws.core.installation import keys
from agentws.core.journal.sealing import writer_join
from agentws.errors import MayNotWriteError
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.features.journal.keeping import needs_signing
from tests.identity.machines import Machine, events, said, warned, writers

WRITES: list[Callable[[Workspace], object]] = [
    lambda w: w.event("note", "x"),
    lambda w: w.log("x"),
    lambda w: w.tasks.add("A task"),
    lambda w: w.session.start(),
    lambda w: w.journal.seal(),
    lambda w: w.remember("x"),
    lambda w: w.handoff(doing="x"),
    lambda w: w.identity.retire(),
    lambda w: w.identity.rotate(),
    lambda w: w.undo(),
]


@pytest.fixture
def lived(desk: Machine, tmp_path: Path) -> Path:
    made = desk.makes(tmp_path / "robin")
    made.event("note", "from the desk")
    return Path(made.root)


def stone(workspace: Workspace, to: str = "sam@vps:robin") -> Tombstone:
    """A tombstone as a migration writes it."""
    heads = neighbours.heads(neighbours.all_of(workspace.stores.files))
    return Tombstone(to=to, at="2026-11-20T21:40:00.000000Z", head=heads, by=writers(Path(workspace.root))[0])


def buried(workspace: Workspace) -> Workspace:
    with lock.Lock(workspace.stores.files, lock.APPEND, timeout_s=5):
        tombstone.write(workspace.stores.files, stone(workspace))
    return workspace


@pytest.mark.parametrize("write", WRITES)
def test_a_place_that_the_agent_has_left_takes_nothing(
    desk: Machine, lived: Path, write: Callable[[Workspace], object]
) -> None:
    buried(desk.opens(lived))
    before = events(lived, writers(lived)[0])

    with pytest.raises(MayNotWriteError) as raised:
        write(desk.opens(lived))

    assert "sam@vps:robin" in raised.value.message
    assert "2026-11-20 21:40" in raised.value.message
    assert len(events(lived, writers(lived)[0])) == len(before)


@pytest.mark.parametrize("write", WRITES)
def test_a_retired_agent_writes_nothing(desk: Machine, lived: Path, write: Callable[[Workspace], object]) -> None:
    desk.opens(lived).identity.retire(reason="done")

    with pytest.raises(MayNotWriteError) as raised:
        write(desk.opens(lived))

    assert "identity revive" in str(raised.value.hint)


def test_both_can_be_read_and_say_what_they_are(desk: Machine, lived: Path) -> None:
    desk.opens(lived).identity.retire()
    assert "was retired" in warned(desk.opens(lived))[0]
    assert desk.opens(lived).identity.show().footing.kind == "retired"

    buried(desk.opens(lived))
    assert "has moved to sam@vps:robin" in warned(desk.opens(lived))[0]
    assert not desk.opens(lived).status().well
    assert list(desk.opens(lived).journal.list())


def test_others_are_told_that_it_moved_too(desk: Machine, lived: Path) -> None:
    buried(desk.opens(lived))

    assert [one for one in desk.opens(lived).boot(audience="shared").notices if "has moved" in one]


def test_a_copy_of_a_place_that_was_left_is_one(desk: Machine, lived: Path, tmp_path: Path) -> None:
    buried(desk.opens(lived))

    with pytest.raises(MayNotWriteError):
        Machine(tmp_path, "vps").opens(lived).event("note", "x")


@pytest.mark.parametrize("late", [lambda w: w.event("note", "too late"), lambda w: w.log("too late")])
def test_who_waited_for_the_lock_while_the_agent_moved_writes_nothing(
    desk: Machine, lived: Path, late: Callable[[Workspace], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = desk.opens(lived)
    workspace.stores.appender()
    looked = threading.Event()
    refused: list[Exception] = []

    def write() -> None:
        try:
            late(workspace)
        except MayNotWriteError as error:
            refused.append(error)

    take = lock.Lock.__enter__

    def taken(self: lock.Lock) -> lock.Lock:
        looked.set()  # it has asked whether it may write, and was told so; now it waits
        return take(self)

    with lock.Lock(workspace.stores.files, lock.APPEND, timeout_s=5):
        monkeypatch.setattr(lock.Lock, "__enter__", taken)
        thread = threading.Thread(target=write)
        thread.start()
        assert looked.wait(20)
        tombstone.write(workspace.stores.files, stone(workspace))
    thread.join()

    assert len(refused) == 1
    assert said(lived) == ["from the desk"]
    assert not list((lived / "memory").glob("2*.md"))


def test_revive_takes_both_back(desk: Machine, lived: Path) -> None:
    desk.opens(lived).identity.retire()
    buried(desk.opens(lived))
    assert desk.opens(lived).identity.revive(dry_run=True).before.kind == "moved"

    done = desk.opens(lived).identity.revive()

    assert done.changed
    assert desk.opens(lived).event("note", "alive").seq is not None
    assert not (lived / layout.MOVED).exists()
    assert not (lived / layout.RETIRED).exists()
    assert [one.kind for one in events(lived, writers(lived)[0])][-2:] == ["writer.revived", "note"]
    assert not desk.opens(lived).identity.revive().changed


def test_takeover_takes_both_back_too(desk: Machine, lived: Path) -> None:
    buried(desk.opens(lived))

    done = desk.opens(lived).identity.take_over()

    assert done.proof == "state"
    assert desk.opens(lived).event("note", "alive").seq is not None


@pytest.mark.parametrize("harm", [b"", b"{", b"[]", b'{"to": 7}', b"\xff", b"[" * 50_000])
def test_a_tombstone_that_cannot_be_read_is_one(desk: Machine, lived: Path, harm: bytes) -> None:
    (lived / "identity").mkdir(exist_ok=True)
    (lived / layout.MOVED).write_bytes(harm)

    with pytest.raises(MayNotWriteError, match=layout.MOVED):
        desk.opens(lived).log("x")

    assert "cannot be read" in warned(desk.opens(lived))[0]
    assert desk.opens(lived).identity.verify().damaged
    assert desk.opens(lived).identity.revive().changed
    assert desk.opens(lived).log("x").line


@needs_signing
def test_a_tombstone_is_signed_and_a_changed_one_is_damage(desk: Machine, lived: Path) -> None:
    from agentws.core.formats.identity import tombstone as format_

    workspace = desk.opens(lived)
    workspace.journal.seal()
    shown = workspace.identity.show()
    key = keys.find(str(shown.folder))
    assert key is not None
    signed = stone(workspace)
    signed.signature = key.sign(format_.message(workspace.stores.manifest.agent_id, signed))
    tombstone.write(workspace.stores.files, signed)
    assert not desk.opens(lived).identity.verify().damaged

    text = (lived / layout.MOVED).read_text()
    (lived / layout.MOVED).write_text(text.replace("sam@vps", "eve@vps"))

    assert desk.opens(lived).identity.verify().damaged


def test_a_retirement_travels_with_history_and_a_tombstone_does_not(desk: Machine, tmp_path: Path) -> None:
    assert layout.is_document(layout.RETIRED)
    assert not layout.is_document(layout.MOVED), "who pulls from the place that was left must not stop too"


def test_a_dry_run_retires_nobody(desk: Machine, lived: Path) -> None:
    assert not desk.opens(lived).identity.retire(dry_run=True).changed
    assert desk.opens(lived).event("note", f"{NOW:%H:%M}").seq is not None


def test_a_link_in_the_place_of_identity_is_not_taken_for_a_tombstone(desk: Machine, lived: Path) -> None:
    (lived / "identity").rename(lived.parent / "elsewhere")
    (lived / "identity").symlink_to(lived.parent / "elsewhere")

    (check,) = (one for one in desk.opens(lived).status().checks if one.name == "identity")

    assert not check.ok
    assert "not a regular file in the workspace" in check.says
    assert warned(desk.opens(lived)) == []


def test_whoever_waits_to_be_told_of_while_the_agent_leaves_is_not(desk: Machine, lived: Path) -> None:
    buried(desk.opens(lived))
    before = (lived / layout.WRITERS).read_bytes()

    with pytest.raises(MayNotWriteError):
        writer_join.join(desk.opens(lived).stores.files, "0" * 16, "", at="2026-01-01T00:00:00Z")
    with pytest.raises(MayNotWriteError):
        vouch.add(desk.opens(lived).stores.files, "0" * 16, "", at="2026-01-01T00:00:00Z", after={})

    assert (lived / layout.WRITERS).read_bytes() == before


def test_a_tombstone_of_very_many_writers_can_be_read(desk: Machine, lived: Path) -> None:
    many = {f"{number:016x}": {"seq": number, "hash": "0" * 64} for number in range(5_000)}
    tombstone.write(
        desk.opens(lived).stores.files, Tombstone(to="vps", at="2026-01-01T00:00:00Z", head=many, by="0" * 16)
    )

    known = tombstone.read(desk.opens(lived).stores.files)

    assert known is not None
    assert known.to == "vps"
    assert len(known.head) == len(many)


@pytest.mark.parametrize("budget", [500, 800])
def test_a_small_boot_of_an_agent_that_moved_says_so(desk: Machine, lived: Path, budget: int) -> None:
    buried(desk.opens(lived))

    assert "- ⚠ This agent has moved to " in desk.opens(lived).boot(budget=budget).text
