"""What the tests of history share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.features.history.worlds import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A workspace that has just begun."""
    return World(tmp_path)
