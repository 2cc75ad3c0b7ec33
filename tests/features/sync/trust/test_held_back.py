"""A file that is held back here goes on elsewhere, and loses nothing when it is merged again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.errors import AgentwsError
from agentws.features.sync.store import held_back
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines
from tests.hostile.test_files_of_others import DAY, ENCODINGS, encoded
from tests.thorough import meeting

SECRET = "- token ghp_" + "a8F3kQ9zL2mX7vB4nC6tR1yW5uJ0hD8sEqPo\n"


def text(workspace: Workspace) -> str:
    return Path(workspace.root, "MEMORY.md").read_text()


def write(workspace: Workspace, said: str) -> None:
    Path(workspace.root, "MEMORY.md").write_text(said)


def two(machines: Machines) -> tuple[Workspace, Workspace]:
    desk = machines.first()
    desk.remember("Ada likes herons")
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    desk.sync()
    return desk, lap


@pytest.mark.parametrize("rounds", [1, 2])
def test_what_others_wrote_meanwhile_is_merged_once_the_secret_went(machines: Machines, rounds: int) -> None:
    desk, lap = two(machines)
    write(desk, f"{text(desk)}{SECRET}- Ben reads the tide tables\n")
    desk.sync()
    for number in range(rounds):
        lap.remember(f"Ada likes terns of kind {number}")
        lap.sync()
        done = desk.sync()[0]
        assert any("MEMORY.md" in notice for notice in done.notices)
        assert "terns" not in text(desk)
        assert set(held_back.read(desk.stores.files)) == {"MEMORY.md"}
    write(desk, text(desk).replace(SECRET, ""))
    desk.sync()
    lap.sync()
    for workspace in (desk, lap):
        assert "tide tables" in text(workspace)
        assert all(f"terns of kind {number}" in text(workspace) for number in range(rounds))
        assert "herons" in text(workspace)
    assert text(desk) == text(lap)
    assert held_back.read(desk.stores.files) == {}


def test_what_others_removed_meanwhile_goes_here_too(machines: Machines) -> None:
    desk, lap = two(machines)
    write(desk, f"{text(desk)}{SECRET}")
    desk.sync()
    write(lap, "".join(line for line in text(lap).splitlines(keepends=True) if "herons" not in line))
    lap.sync()
    desk.sync()
    assert "herons" in text(desk)
    write(desk, text(desk).replace(SECRET, ""))
    desk.sync()
    assert "herons" not in text(desk)


def test_killed_before_it_is_applied_the_note_is_no_harm(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, lap = two(machines)
    write(desk, f"{text(desk)}{SECRET}- Ben reads the tide tables\n")
    lap.remember("Ada likes terns")
    lap.sync()

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("agentws.features.sync.applied.apply", killed)
        with pytest.raises(Killed):
            desk.sync()
    assert set(held_back.read(desk.stores.files)) == {"MEMORY.md"}
    write(desk, text(desk).replace(SECRET, ""))
    desk.sync()
    assert "tide tables" in text(desk)
    assert "terns" in text(desk)
    assert held_back.read(desk.stores.files) == {}


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"files":[]}', b'{"files":{"MEMORY.md":"x"}}'])
def test_a_note_that_cannot_be_read_is_none(machines: Machines, damage: bytes) -> None:
    desk, _ = two(machines)
    Path(desk.root, held_back.FILE).write_bytes(damage)
    assert held_back.read(desk.stores.files) == {}
    try:
        desk.sync()
    except AgentwsError as error:
        pytest.fail(f"{error.message}")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("MEMORY.md", name) for name in ENCODINGS),
        *((path, next(iter(ENCODINGS))) for path in (DAY, "tasks/a.md", "memory/a.md")),
    ],
)
def test_a_document_in_another_encoding_stays_here_and_is_named(machines: Machines, path: str, name: str) -> None:
    desk, lap = two(machines)
    for workspace, said in ((desk, "- the gate is red\n"), (lap, "- Ada likes terns\n")):
        place = Path(workspace.root, path)
        before = place.read_text() if place.exists() else "# notes\n"
        place.parent.mkdir(exist_ok=True)
        place.write_text(before + said)
        workspace.sync()
    before = Path(desk.root, path).read_text()
    broken = encoded(f"{before}- the gate is blue\n", ENCODINGS[name])
    Path(desk.root, path).write_bytes(broken)

    (notice,) = [each for each in desk.sync()[0].notices if "iconv" in each]
    lap.sync()

    assert notice.startswith(f"{path} stays here: the file is UTF-")
    assert Path(desk.root, path).read_bytes() == broken
    assert "the gate is red" in Path(lap.root, path).read_text()
    Path(desk.root, path).write_text(f"{before}- the gate is blue\n")
    desk.sync()
    lap.sync()
    for workspace in (desk, lap):
        assert all(each in Path(workspace.root, path).read_text() for each in ("terns", "red", "blue"))


LOG = "memory/2026-11-20.md"
LOSSES: dict[str, Callable[[Path], object]] = {
    "an old buffer": lambda path: path.write_text("# 2026-11-20\n\n- 07:15 Painted the gate\n- 07:16 typed\n"),
    "emptied": lambda path: path.write_text(""),
    "deleted": lambda path: path.unlink(),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:50]),
}


@pytest.mark.parametrize(("way", "is_synced", "is_accepted"), meeting(LOSSES, [True, False], [True, False]))
def test_lines_that_another_program_overwrote_are_not_taken_from_the_others(
    machines: Machines, way: str, *, is_synced: bool, is_accepted: bool
) -> None:
    desk, lap = two(machines)
    desk.log("Painted the gate")
    desk.sync()
    lap.sync()
    desk.log("The paint is in the shed")
    if is_synced:
        desk.sync()
        lap.sync()
        desk.log("Rang the office")
    lap.log("Bought bread")
    lap.sync()
    path = Path(desk.root, LOG)
    LOSSES[way](path)
    after = path.read_text() if path.exists() else None

    (notice,) = [each for each in desk.sync()[0].notices if each.startswith(LOG)]
    lap.sync()

    assert "missing, as if another program had overwritten the file" in notice
    assert (path.read_text() if path.exists() else None) == after
    assert ("in the shed" in Path(lap.root, LOG).read_text()) == is_synced
    assert "Painted the gate" in Path(lap.root, LOG).read_text()
    desk.doctor(accept_loss=is_accepted, fix=not is_accepted)
    for workspace in (desk, lap, desk):
        assert not [each for each in workspace.sync()[0].notices if each.startswith(LOG)]
    for workspace in (desk, lap):
        text_of = Path(workspace.root, LOG).read_text()
        assert text_of.count("Bought bread") == 1
        if not is_accepted:
            assert text_of.count("Rang the office" if is_synced else "in the shed") == 1
