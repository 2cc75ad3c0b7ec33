"""Chroma does what this machine's user says, and nothing that a file in the current folder says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("chromadb")

OPENED = """
import sys
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import choice
try:
    store = choice.store("chroma", "some", sys.argv[1])
    store.put([("a" * 32, [1.0, 0.0], {"context": "Garden"})])
    print(len(store.keys()))
except OutsideProgramError as error:
    print(error)
"""


def opened_beside(folder: Path, settings: str) -> str:
    """What a program says that opens the store in a folder with these settings."""
    here, cache = folder / "here", folder / "cache"
    here.mkdir()
    cache.mkdir(mode=0o700)
    (here / ".env").write_text(settings)
    words = [sys.executable, "-c", OPENED, str(cache)]
    return subprocess.run(words, cwd=here, capture_output=True, text=True, check=True).stdout.strip()


def test_no_file_of_the_current_folder_names_a_server(tmp_path: Path) -> None:
    server = "CHROMA_API_IMPL=chromadb.api.fastapi.FastAPI\nCHROMA_SERVER_HOST=127.0.0.1\nCHROMA_SERVER_HTTP_PORT=9\n"

    assert opened_beside(tmp_path, server) == "1"


def test_a_file_that_it_cannot_read_is_an_error_with_a_reason(tmp_path: Path) -> None:
    assert opened_beside(tmp_path, "IS_PERSISTENT=perhaps\n").startswith("Chroma cannot be loaded")
