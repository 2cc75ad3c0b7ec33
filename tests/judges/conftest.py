"""The real agent programs are judges: they are fetched and run only where somebody asks for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

collect_ignore_glob = [] if "AGENTWS_JUDGES" in os.environ else ["test_*.py"]

_CACHE = os.environ.get("AGENTWS_JUDGES_CACHE", "")


@pytest.fixture(scope="session")
def judges_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs are installed: a folder that is kept, where AGENTWS_JUDGES_CACHE names one."""
    if not _CACHE:
        return tmp_path_factory.mktemp("judges")
    folder = Path(_CACHE).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder
