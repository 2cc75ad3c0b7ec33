"""A document as a verb read it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from agentws.core.notes.document import File


def test_a_document_is_a_value_that_nothing_changes() -> None:
    file = File("MEMORY.md", b"- Kim\n", "ab12")

    assert len({file, File("MEMORY.md", b"- Kim\n", "ab12")}) == 1
    for name in ("path", "data", "digest"):
        with pytest.raises(FrozenInstanceError):
            setattr(file, name, b"")
