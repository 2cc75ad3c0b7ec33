"""Files of other programs are replaced like our own: atomically, if they are still what was read, and never a link."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from agentws.core.disk import external_files, files
from agentws.errors import ChangedUnderneathError, DiskError, UnsafeFileError


def test_an_edit_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("one")
    spot = external_files.locate(str(tmp_path), "settings.json", anywhere=True)
    read = external_files.read(spot)
    path.write_text("theirs")

    with pytest.raises(ChangedUnderneathError):
        external_files.write(spot, "ours", before=read)
    with pytest.raises(ChangedUnderneathError):
        external_files.remove(spot, before=read or "")

    assert path.read_text() == "theirs"


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    spot = external_files.locate(str(tmp_path), "new/settings.json", anywhere=True)
    assert external_files.read(spot) is None
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "settings.json").write_text("theirs")

    with pytest.raises(ChangedUnderneathError):
        external_files.write(spot, "ours", before=None)

    assert (tmp_path / "new" / "settings.json").read_text() == "theirs"


def test_folders_are_made_also_where_the_lowest_is_far_above(tmp_path: Path) -> None:
    spot = external_files.locate(str(tmp_path / "a" / "b"), "c/settings.json", anywhere=True)

    assert external_files.missing_folders(spot) == [str(tmp_path / path) for path in ("a/b/c", "a/b", "a")]
    external_files.write(spot, "ours", before=None)

    assert (tmp_path / "a/b/c/settings.json").read_text() == "ours"
    assert external_files.missing_folders(spot) == []


def test_the_mode_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("one")
    path.chmod(0o640)

    external_files.write(external_files.locate(str(tmp_path), "settings.json", anywhere=False), "two", before="one")

    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["settings.json"], "nothing is left beside"


def test_links_are_followed_below_the_folder_and_beyond_it_only_if_asked(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside").write_text("one")
    (tmp_path / "project" / "out").symlink_to("../outside")
    (tmp_path / "project" / "real").write_text("two")
    (tmp_path / "project" / "in").symlink_to("real")
    project = str(tmp_path / "project")

    assert external_files.locate(project, "in", anywhere=False).full == f"{project}/real"
    assert external_files.locate(project, "out", anywhere=True).full == str(tmp_path / "outside")
    with pytest.raises(UnsafeFileError):
        external_files.locate(project, "out", anywhere=False)


def test_a_link_to_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.json").symlink_to(tmp_path / "unmounted" / "settings.json")

    with pytest.raises(UnsafeFileError):
        external_files.locate(str(tmp_path / "home"), "settings.json", anywhere=True)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_opened(tmp_path: Path, make: object) -> None:
    make(tmp_path / "settings.json")  # type: ignore[operator]

    with pytest.raises(UnsafeFileError):
        external_files.read(external_files.locate(str(tmp_path), "settings.json", anywhere=True))


def test_a_folder_goes_only_where_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "empty").mkdir()

    assert not external_files.remove_folder(str(tmp_path / "full"))
    assert external_files.remove_folder(str(tmp_path / "empty"))
    assert not external_files.remove_folder(str(tmp_path / "gone" / "deeper"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(DiskError, match="permission"):
        external_files.write(external_files.locate(str(tmp_path), "a", anywhere=True), "one", before=None)


@pytest.mark.parametrize("path", ["settings.json", "new/settings.json"])
def test_what_goes_wrong_is_said_of_the_whole_path(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    spot = external_files.locate(str(tmp_path), path, anywhere=True)
    monkeypatch.setattr(files.Files, "_replace", refuse)

    with pytest.raises(DiskError, match=f"^{tmp_path}/{path}: permission denied"):
        external_files.write(spot, "ours", before=None)


def test_a_file_that_cannot_be_read_is_named_by_its_whole_path(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")

    with pytest.raises(UnsafeFileError, match=f"^{tmp_path}/settings.json: "):
        external_files.read(external_files.locate(str(tmp_path), "settings.json", anywhere=True))
