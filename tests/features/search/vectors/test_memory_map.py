"""What the usual store does with a file that is not as it left it; the rest is tests/contracts/test_vector_store.py."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

pytest.importorskip("numpy")

from agentws.features.search.vectors import vectors
from agentws.features.search.vectors.memory_map import MemoryMap
from agentws.features.search.vectors.numbers import OtherSizeError

A, B = "a" * 32, "b" * 32
ENDS_WITH_NOTHING = "c" * 30 + "00"


def made(folder: Path) -> tuple[MemoryMap, Path]:
    store = MemoryMap(str(folder), "vectors")
    store.put([(A, [1.0, 0.0, 0.0, 0.0], {"source": "a"}), (B, [0.0, 1.0, 0.0, 0.0], {"source": "b"})])
    return store, folder / "vectors"


def opened(folder: Path) -> MemoryMap:
    return MemoryMap(str(folder), "vectors")


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    made(tmp_path)

    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_what_others_may_write_is_not_relied_on(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    file.chmod(0o666)

    assert opened(tmp_path).keys() == set()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")

    assert opened(tmp_path).keys() == set()


def test_a_record_that_was_cut_off_counts_as_not_there_and_is_written_over(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    os.truncate(file, file.stat().st_size - 3)

    store = opened(tmp_path)
    assert store.keys() == {A}
    store.put([(B, [0.0, 0.0, 1.0, 0.0], {"source": "b"})])

    assert opened(tmp_path).keys() == {A, B}
    assert opened(tmp_path).nearest([0.0, 0.0, 1.0, 0.0], 1) == [(B, pytest.approx(1.0, abs=0.02))]


def test_a_record_of_which_a_byte_was_changed_is_never_told(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    data = bytearray(file.read_bytes())
    data[-1] ^= 0x7F
    file.write_bytes(data)

    store = opened(tmp_path)
    assert [key for key, _ in store.nearest([0.0, 1.0, 0.0, 0.0], 5)] == [A]
    assert store.similarities([0.0, 1.0, 0.0, 0.0], {A, B}).keys() == {A}
    assert store.keep({A, B}) == 1
    assert opened(tmp_path).keys() == {A}


@pytest.mark.parametrize("data", [b"", b"something else", b"agentws vectors 1\n" + b"\xff" * 14, b"\0" * 500])
def test_another_file_in_its_place_is_none_and_is_replaced(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "vectors").write_bytes(data)
    (tmp_path / "vectors").chmod(0o600)

    store = opened(tmp_path)
    assert store.keys() == set()
    assert store.nearest([1.0, 0.0], 3) == []
    store.put([(A, [1.0, 0.0], {})])
    assert opened(tmp_path).keys() == {A}


def test_vectors_of_another_size_are_refused(tmp_path: Path) -> None:
    store, _ = made(tmp_path)

    with pytest.raises(OtherSizeError, match="2 numbers, not 4"):
        store.put([("d" * 32, [1.0, 0.0], {})])


def test_a_key_that_ends_with_nothing_is_one_as_others(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.put([(ENDS_WITH_NOTHING, [1.0, 0.0], {"source": "c"})])

    assert opened(tmp_path).keys() == {ENDS_WITH_NOTHING}
    assert opened(tmp_path).similarities([1.0, 0.0], {ENDS_WITH_NOTHING})
    assert opened(tmp_path).keep({ENDS_WITH_NOTHING}) == 0


def test_of_what_goes_no_line_stays_that_a_kill_has_left(tmp_path: Path) -> None:
    store, file = made(tmp_path)
    told = file.with_name("vectors.jsonl")
    told.write_text(told.read_text() + f'["{ENDS_WITH_NOTHING}",{{"context":"marigold"}}]\n["{A}",{{"context":"mari')

    store.keep({A, B})

    assert "mari" not in told.read_text()
    assert opened(tmp_path).metadata({A, B}) == {A: {"source": "a"}, B: {"source": "b"}}


def test_what_cannot_be_relied_on_goes_where_something_is_to_go(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    file.chmod(0o666)

    opened(tmp_path).keep({A})

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", ["[[],{}]", '["a",1]', "7", "[" * 30_000, '{"a":1,"b":2}'])
def test_lines_that_are_none_of_ours_tell_nothing(tmp_path: Path, line: str) -> None:
    store, file = made(tmp_path)
    with file.with_name("vectors.jsonl").open("a") as lines:
        lines.write(f"{line}\n")

    assert store.metadata({A}) == {A: {"source": "a"}}
    store.keep({A})
    assert opened(tmp_path).keys() == {A}


@pytest.mark.parametrize("data", ["[" * 30_000, "[[1,2,3]]", "7", "{}"])
def test_a_marker_that_cannot_be_read_names_no_store(tmp_path: Path, data: str) -> None:
    (tmp_path / vectors.NAME).write_text(data)

    assert vectors.read(str(tmp_path)) == []


def test_a_file_of_any_size_costs_nothing(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    os.truncate(file, 1 << 34)

    store = opened(tmp_path)

    assert store.keys() == set()
    assert store.nearest([1.0, 0.0, 0.0, 0.0], 1) == []
