"""Who may read and write what agentws makes: its own folders their owner alone, documents as the umask says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentws.core.findings import ADVICE, WARNING
from agentws.workspace import Environment, Workspace
from tests.features.test_clocks import WRITES

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = (".agentws", "journal")


@pytest.fixture
def masked(request: pytest.FixtureRequest) -> Iterator[int]:
    """The umask that the test names."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(root: Path, *, own: bool) -> dict[str, int]:
    """The rights of what lies in a workspace: of its own folders, or of all the rest."""
    found = {str(path.relative_to(root)): path.lstat().st_mode & 0o777 for path in root.rglob("*")}
    return {path: mode for path, mode in found.items() if (path.partition("/")[0] in OWN) is own}


def wanted(path: Path, mask: int) -> int:
    return (0o777 if path.is_dir() else 0o666) & ~mask


@pytest.mark.parametrize("masked", [0o022, 0o002, 0o000, 0o077], indirect=True)
def test_what_is_for_its_owner_alone_is_so_under_every_umask(
    masked: int, tmp_path: Path, environment: Environment
) -> None:
    robin = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=False)
    root = Path(robin.root)
    (root / "USER.md").chmod(0o600)
    for name, write in WRITES.items():
        write(robin)
        own = modes(root, own=True)
        assert own == {path: 0o700 if (root / path).is_dir() else 0o600 for path in own}, name
    documents = modes(root, own=False)
    assert documents.pop("USER.md") == 0o600
    assert documents == {path: wanted(root / path, masked) for path in documents}


def test_a_document_keeps_its_mode_and_what_undo_keeps_of_it_is_closed(workspace: Workspace) -> None:
    memory = Path(workspace.root, "MEMORY.md")
    for mode in (0o600, 0o660, 0o644):
        memory.chmod(mode)
        workspace.remember(f"Sam likes tea number {mode}")
        assert memory.stat().st_mode & 0o777 == mode
    kept = [path.stat().st_mode & 0o777 for path in Path(workspace.root, ".agentws/undo").rglob("*") if path.is_file()]
    assert set(kept) == {0o600}
    assert len(kept) > 3


def loosen(root: Path) -> None:
    """As earlier versions made it."""
    for folder in OWN:
        for path in (root / folder, *(root / folder).rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("mend", ["log", "event", "remember again", "doctor"])
def test_a_workspace_of_an_earlier_version_is_closed_by_its_next_write_or_by_doctor(
    mend: str, workspace: Workspace
) -> None:
    for name in ("remember", "event"):
        WRITES[name](workspace)
    root = Path(workspace.root)
    loosen(root)
    assert [one.name for one in workspace.doctor().findings if one.name == "own-open"] == ["own-open"]
    if mend == "doctor":
        assert [one.name for one in workspace.doctor(fix=True).mended if one.name == "own-open"] == ["own-open"]
    else:
        WRITES[mend](workspace)
    own = modes(root, own=True)
    assert own == {path: 0o700 if (root / path).is_dir() else 0o600 for path in own}
    assert {(root / folder).stat().st_mode & 0o777 for folder in OWN} == {0o700}
    assert not [one for one in workspace.doctor().findings if one.name == "own-open"]


def test_a_folder_that_a_group_shares_on_purpose_is_advice_and_else_a_warning(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentws.core.disk.permissions.group", lambda _folder: "editors")
    root = Path(workspace.root)
    for path in (root, *root.rglob("*")):
        path.chmod(path.stat().st_mode & 0o700)

    def severities() -> list[str]:
        return [one.severity for one in workspace.doctor().findings if one.name == "group-writable"]

    assert severities() == []
    for name in ("SOUL.md", "agentws.toml", "memory"):
        (root / name).chmod(0o770)
        assert severities() == [WARNING], name
        (root / name).chmod(0o700)
    root.chmod(0o2770)
    assert severities() == [ADVICE]
    before = os.umask(0o002)
    try:
        workspace.log("The group reads and writes this")
    finally:
        os.umask(before)
    day = next((root / "memory").glob("*.md"))
    assert day.stat().st_mode & 0o777 == 0o664


@pytest.mark.parametrize("place", [".git/hooks", ".git/config"])
def test_what_git_runs_is_looked_at_too(place: str, workspace: Workspace) -> None:
    target = Path(workspace.root, place)
    target.parent.mkdir(exist_ok=True)
    target.mkdir() if place.endswith("hooks") else target.write_text("")
    target.chmod(0o777)
    found = [one for one in workspace.doctor().findings if one.name == "world-writable"]
    assert [mend.path for one in found for mend in one.mends] == [place]
