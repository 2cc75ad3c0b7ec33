"""The browser of a person before the workspace of the test."""

from __future__ import annotations

import pytest

from agentws.workspace import Environment, Workspace
from tests.features.ui.browser import Browser


@pytest.fixture
def browser(workspace: Workspace, environment: Environment) -> Browser:
    return Browser(workspace.root, environment)
