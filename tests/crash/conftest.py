"""What the tests of crashes share."""

from __future__ import annotations

import pytest

from tests.crash import scenarios


@pytest.fixture(autouse=True, scope="session")
def _bases(tmp_path_factory: pytest.TempPathFactory) -> None:
    scenarios.bases = str(tmp_path_factory.mktemp("bases"))
