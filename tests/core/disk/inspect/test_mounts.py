"""What the system tells of the disk under a folder, and of what lies above it."""

from __future__ import annotations

from pathlib import Path

from agentws.core.disk.inspect import mounts

TOLD = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home rw - btrfs /dev/sdb1 rw
41 40 0:40 / /home/ada/My\\040Drive rw - fuse.rclone drive: rw
42 40 0:41 / /home/ada/agents rw - ext4 /dev/sdc1 rw
43 42 0:42 / /home/ada/agents rw,nosuid shared:9 master:2 - nfs4 box:/agents rw
nonsense
"""


def test_the_innermost_and_latest_mount_counts(tmp_path: Path) -> None:
    told = tmp_path / "mountinfo"
    told.write_text(TOLD)

    def kind(folder: str) -> tuple[str, str]:
        return mounts.kind_of(folder, told_in=str(told))

    assert kind("/srv/robin") == ("ext4", "/")
    assert kind("/home/adam") == ("btrfs", "/home")
    assert kind("/home/ada/My Drive/robin") == ("fuse.rclone", "/home/ada/My Drive")
    assert kind("/home/ada/agents") == ("nfs4", "/home/ada/agents")
    assert kind("/home/ada/agents-old") == ("btrfs", "/home")


def test_a_system_that_tells_nothing_proves_nothing(tmp_path: Path) -> None:
    assert mounts.kind_of("/home", told_in=str(tmp_path / "gone")) == ("", "")


def test_marks_are_found_in_the_folder_and_above(tmp_path: Path) -> None:
    inner = tmp_path / "a/b"
    inner.mkdir(parents=True)
    (tmp_path / ".stfolder").mkdir()
    (inner / ".dropbox").write_text("")

    found = mounts.marks(str(inner), [".stfolder", ".dropbox", ".other"])

    assert found == [(str(inner), ".dropbox"), (str(tmp_path), ".stfolder")]


def test_a_folder_that_lets_nobody_through_hides_what_is_below(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    assert not mounts.reachable(str(tmp_path / "robin"))
    assert mounts.reachable("/robin")
