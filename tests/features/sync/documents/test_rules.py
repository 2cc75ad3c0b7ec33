"""Features say how their files are merged; a file that none of them names is merged by its ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentws import features
from agentws.core.formats.travel.sync_path import Merge
from agentws.features.sync import state
from agentws.features.sync.plan import file

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def rules_read_again() -> Iterator[None]:
    state._rules.cache_clear()
    yield
    state._rules.cache_clear()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/2026-11-20.md", Merge.LOG),
        ("memory/digest.md", Merge.DIGEST),
        ("memory/sources.jsonl", Merge.MADE),
        ("memory/proposed.md", Merge.MADE),
        ("memory/archive/superseded.md", Merge.MADE),
        ("memory/archive/2026/2026-11.jsonl", Merge.MADE),
        ("memory/archive/2026/2026-11-20.md", None),
        ("MEMORY.md", Merge.FACTS),
        ("approvals/2026-11-20-roof.md", Merge.ANSWER),
        ("identity/approvers", Merge.WHOLE),
        ("identity/ask-rules.toml", Merge.WHOLE),
        ("identity/allowed_signers", Merge.LINES),
        ("identity/writers.jsonl", None),
        (f"checkpoints/blobs/{'0a' * 32}", Merge.KEPT),
        ("conflicts/1a2b3c4d.json", Merge.RECORD),
        ("tasks/roof.md", None),
        ("agentws.toml", None),
        ("notes/plan.md", None),
    ],
)
def test_each_file_of_a_workspace_has_the_rule_of_its_feature(path: str, expected: Merge | None) -> None:
    assert state.of(path) == expected


@pytest.mark.usefixtures("rules_read_again")
def test_the_rule_goes_with_its_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given no feature for daily logs, when both sides log the same line, then it stands once as in any document."""
    base, log = b"# Log\n", b"# Log\n\n- 10:00 watered the roses\n"
    sides = log, log + b"- 10:05 swept\n"
    with_feature = file.merge("memory/2026-11-20.md", base, *sides, state.of).content or b""
    monkeypatch.delitem(features.FEATURES, "daily")
    state._rules.cache_clear()

    without = file.merge("memory/2026-11-20.md", base, *sides, state.of).content or b""

    assert [text.count(b"roses") for text in (with_feature, without)] == [2, 1]
