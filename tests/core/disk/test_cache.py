"""The cache folder: private, bounded, never believed when odd, and nothing beside it is touched."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from agentws.core.disk.cache import Cache


def snapshot(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


def test_what_is_put_is_got(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "agentws"), "/robin")

    cache.put("zone", ["a", {"b": None}, "\udcff"], made_by=[__file__])

    assert cache.get("zone") == ["a", {"b": None}, "\udcff"]
    assert cache.get("other") is None
    assert Cache(str(tmp_path / "agentws"), "/other").get("zone") is None


def test_nothing_is_kept_where_there_is_no_place(tmp_path: Path) -> None:
    for base in (None, "/dev/null/agentws", "/proc/agentws"):
        cache = Cache(base, "/robin")
        cache.put("zone", 1, made_by=[])
        assert cache.get("zone") is None


def test_nothing_beside_it_is_ever_removed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for number in range(200):
        (home / f"folder-{number}").mkdir(parents=True)
        (home / f"folder-{number}" / "file").write_text("mine")
        (home / f"file-{number}").write_text("mine")
    before = snapshot(home)

    for number in range(80):
        cache = Cache(f"{home}/.cache/agentws", f"/workspace-{number}")
        for name in range(20):
            cache.put(f"answer-{name}", "x", made_by=[])

    assert before <= snapshot(home)
    assert {Path(path).parts[len(home.parts)] for path in snapshot(home) - before} == {".cache"}


def test_what_others_put_into_the_folder_of_the_cache_stays(tmp_path: Path) -> None:
    base = tmp_path / "agentws"
    for number in range(100):
        (base / f"notes-{number}").mkdir(parents=True)
        (base / f"notes-{number}.txt").write_text("mine")

    before = snapshot(base)
    Cache(str(base), "/robin").put("zone", 1, made_by=[])

    assert before <= snapshot(base)


def test_the_workspaces_used_last_are_kept(tmp_path: Path) -> None:
    for number in range(70):
        Cache(str(tmp_path), f"/workspace-{number}").put("zone", number, made_by=[])

    assert len(list(tmp_path.iterdir())) == 64
    assert Cache(str(tmp_path), "/workspace-69").get("zone") == 69


def test_a_folder_is_private_from_its_beginning(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()

    Cache(f"{home}/.cache/agentws", "/robin").put("zone", 1, made_by=[])

    assert {stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*") if path.is_dir()} == {0o700}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give folders away")
def test_nothing_is_made_in_the_home_of_somebody_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 12345, 12345)

    Cache(f"{home}/.cache/agentws", "/robin").put("zone", 1, made_by=[])

    assert not list(home.iterdir())


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path), "/robin")

    cache.put("zone", "x" * (17 << 20), made_by=[])

    assert cache.get("zone") is None


def test_it_holds_until_what_made_it_changes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("1")
    cache = Cache(str(tmp_path / "agentws"), "/robin")
    cache.put("zone", 1, made_by=[str(program), str(tmp_path / "not-there.py")])
    assert cache.get("zone") == 1

    program.write_text("22")

    assert cache.get("zone") is None


def test_bytes_beside_a_value_are_told_as_they_were_or_not_at_all(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "agentws"), "/robin")
    beside = bytes(range(256)) * 40
    cache.put("rows", [1], made_by=[__file__], beside=beside)
    cache.put("none", [2], made_by=[__file__])
    path = Path(f"{cache.folder}/rows")
    whole = path.read_bytes()

    assert (cache.get_beside("rows"), cache.get_beside("none")) == (([1], beside), ([2], b""))
    assert cache.get("rows") == [1]
    for at in (0, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert cache.get_beside("rows") == (None, b"")
    for damaged in (whole[:-1], whole + b"x", whole[: -len(beside)], whole[: -len(beside) - 1]):
        path.write_bytes(damaged)
        assert cache.get_beside("rows") == (None, b"")
