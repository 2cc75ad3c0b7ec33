"""The vocabulary inside the package: found, whole, and mapped rather than read."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.core.disk.system import shipped
from agentws.errors import AgentwsError, DamagedError, MissingFileError

ROOT = Path(__file__).resolve().parents[4]
SHA256_OF_TABLE = "7034cbdd6f22da5053e682c536c7fb2a6b2846dccabc7b227934ca13463d6cbe"
SHA256_OF_SOURCE = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def test_the_table_is_the_one_that_was_built_from_the_published_file() -> None:
    table = shipped.open_o200k()

    assert hashlib.sha256(table).hexdigest() == SHA256_OF_TABLE
    assert table[48:80].hex() == SHA256_OF_SOURCE
    assert bytes(table[36:48]).rstrip(b"\0") == b"16.0"


def test_the_table_cannot_be_written_to() -> None:
    assert shipped.open_o200k().readonly


def test_a_missing_table_says_what_would_help(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError) as refused:
        shipped.open_o200k(str(tmp_path))

    assert str(tmp_path) in refused.value.message
    assert "Reinstall agentws" in str(refused.value.hint)


@pytest.mark.parametrize("keep_bytes", [0, 1, 127, 128, 100_000, 3_352_097])
def test_a_table_that_was_cut_off_is_damaged(tmp_path: Path, keep_bytes: int) -> None:
    (tmp_path / "o200k_base.bin").write_bytes(shipped.open_o200k()[:keep_bytes])

    with pytest.raises(DamagedError):
        shipped.open_o200k(str(tmp_path))


def test_a_table_of_another_layout_is_damaged(tmp_path: Path) -> None:
    table = bytearray(shipped.open_o200k())
    table[:16] = b"agentws o200k 2\n"
    (tmp_path / "o200k_base.bin").write_bytes(table)

    with pytest.raises(DamagedError):
        shipped.open_o200k(str(tmp_path))


def test_a_folder_in_the_place_of_the_table_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "o200k_base.bin").mkdir()

    with pytest.raises(AgentwsError):
        shipped.open_o200k(str(tmp_path))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_no_refusal_leaves_a_descriptor_open(tmp_path: Path) -> None:
    (tmp_path / "o200k_base.bin").write_bytes(b"short")
    before = len(os.listdir("/proc/self/fd"))

    for _ in range(5):
        with pytest.raises(DamagedError):
            shipped.open_o200k(str(tmp_path))

    assert len(os.listdir("/proc/self/fd")) == before


def test_counting_imports_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from agentws.core.disk.system.shipped import open_o200k\n"
        "from agentws.core.tokens.o200k import O200k\n"
        "counter = O200k(open_o200k())\n"
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('agentws')))\n"
    )

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)

    assert set(found.stdout.split()) <= {"__future__", "binascii", "mmap"}
