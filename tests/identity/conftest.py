"""What tests of identity share: the machine that most of them begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.identity.machines import Machine


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    """A machine of its own, with its home."""
    return Machine(tmp_path, "desk")
