"""What tests of rules share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest


@pytest.fixture
def steps() -> Iterator[list[int]]:
    """One item for each line of ours that runs."""
    found: list[int] = []

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        if "agentws" not in frame.f_code.co_filename:
            return None
        if event == "line":
            found.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield found
    finally:
        sys.settrace(before)
