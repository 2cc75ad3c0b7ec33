"""The rule by which sync merges a file is found by the file's path."""

from __future__ import annotations

import pytest

from agentws.core.formats.travel.sync_path import DAY, MONTH, TEXT, Merge, rule

RULES = {
    "garden/list.md": Merge.FACTS,
    f"garden/{DAY}": Merge.LOG,
    f"shed/{MONTH}": Merge.MADE,
    "well/": Merge.WHOLE,
    f"checkpoints/{TEXT}": Merge.KEPT,
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("garden/list.md", Merge.FACTS),
        ("garden/list.md.bak", None),
        ("garden/2026-11-20.md", Merge.LOG),
        ("garden/2026-11-20-visit.md", Merge.LOG),
        ("garden/2026-02-31.md", None),
        ("garden/other.md", None),
        ("shed/2026-11.jsonl", Merge.MADE),
        ("shed/2026/2026-11.jsonl", Merge.MADE),
        ("shed/2026-13.jsonl", None),
        ("well/rope.txt", Merge.WHOLE),
        ("well/deep/rope.txt", Merge.WHOLE),
        ("wells/rope.txt", None),
        (f"checkpoints/blobs/{'0a' * 32}", Merge.KEPT),
        ("checkpoints/blobs/short", None),
        ("README.md", None),
    ],
)
def test_a_path_has_the_rule_of_the_pattern_that_names_it(path: str, expected: Merge | None) -> None:
    assert rule(path, RULES) == expected


def test_a_path_goes_before_a_pattern_whatever_their_order() -> None:
    assert rule("well/cover.md", {"well/": Merge.WHOLE, "well/cover.md": Merge.LINES}) == Merge.LINES
