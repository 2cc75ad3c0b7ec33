"""How a local segment relates to the archived one."""

from __future__ import annotations

import pytest

from agentws.core.formats.journal import chain
from agentws.features.fleet.archive import Relation, is_ours, relation

WHOLE = b'{"seq":1,"digest":"d"' + chain.SPLIT + b'"s","body":{"v":1,"text":"the key"}}'
PURGED = b'{"seq":1,"digest":"d"' + chain.SPLIT + b'null,"body":null,"purged":"01a1f7cf-0953"}'
OTHER = b'{"seq":2,"digest":"e"' + chain.SPLIT + b'"s","body":{"v":1}}'
OTHER_PURGED = b'{"seq":2,"digest":"e"' + chain.SPLIT + b'null,"body":null,"purged":"01a1f7cf-0953"}'


@pytest.mark.parametrize(
    ("local", "there", "expected"),
    [
        ([WHOLE, OTHER], [WHOLE, OTHER], Relation.EQUAL),
        ([PURGED, OTHER], [WHOLE, OTHER], Relation.PURGED_LOCALLY),
        ([PURGED, OTHER_PURGED], [WHOLE, OTHER], Relation.PURGED_LOCALLY),
        ([WHOLE, OTHER], [PURGED, OTHER], Relation.PURGED_THERE),
        ([WHOLE, OTHER_PURGED], [PURGED, OTHER], Relation.DIFFERENT),
        ([WHOLE, OTHER], [WHOLE], Relation.DIFFERENT),
        ([WHOLE, OTHER], [WHOLE, OTHER.replace(b'"e"', b'"f"')], Relation.DIFFERENT),
        ([WHOLE, OTHER], [WHOLE.replace(b"key", b"door"), OTHER], Relation.DIFFERENT),
        ([PURGED.replace(b'"digest":"d"', b'"digest":"x"'), OTHER], [WHOLE, OTHER], Relation.DIFFERENT),
        ([PURGED.replace(b'"}', b'","more":1}'), OTHER], [WHOLE, OTHER], Relation.DIFFERENT),
    ],
)
def test_only_purges_may_make_copies_differ(local: list[bytes], there: list[bytes], expected: Relation) -> None:
    assert relation(b"\n".join([*local, b""]), b"\n".join([*there, b""])) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("journal/006afff37486b241/packed/000001.jsonl.gz", True),
        (f"journal/006afff37486b241/blobs/{'0' * 64}", True),
        ("journal/006afff37486b241/000001.jsonl", False),
        ("journal/006afff37486b241/packed/../../../etc/passwd", False),
        ("journal/../packed/000001.jsonl.gz", False),
        (f"journal/006afff37486b241/blobs/{'0' * 64}\n", False),
        ("MEMORY.md", False),
    ],
)
def test_nothing_else_is_taken_from_an_archive(path: str, expected: bool) -> None:
    assert is_ours(path) is expected
