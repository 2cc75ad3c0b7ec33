"""What the tests of the journal share."""

from __future__ import annotations

import pytest

from agentws.workspace import Workspace
from tests.core.journal import journals


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose journal fills several small segments."""
    journals.small(monkeypatch)
    journals.fill(workspace)
    return workspace
