"""Whether a segment is another one, but for what was purged."""

from __future__ import annotations

import pytest

from agentws.core.formats.journal import chain
from agentws.features.fleet.archive import is_ours, is_purged_copy

WHOLE = b'{"seq":1,"digest":"d"' + chain.SPLIT + b'"s","body":{"v":1,"text":"the key"}}'
PURGED = b'{"seq":1,"digest":"d"' + chain.SPLIT + b'null,"body":null,"purged":"01a1f7cf-0953"}'
OTHER = b'{"seq":2,"digest":"e"' + chain.SPLIT + b'"s","body":{"v":1}}'
OTHER_PURGED = b'{"seq":2,"digest":"e"' + chain.SPLIT + b'null,"body":null,"purged":"01a1f7cf-0953"}'


@pytest.mark.parametrize(
    ("local", "there", "expected"),
    [
        ([WHOLE, OTHER], [WHOLE, OTHER], (True, True)),
        ([PURGED, OTHER], [WHOLE, OTHER], (True, False)),
        ([PURGED, OTHER_PURGED], [WHOLE, OTHER], (True, False)),
        ([WHOLE, OTHER], [PURGED, OTHER], (False, True)),
        ([WHOLE, OTHER_PURGED], [PURGED, OTHER], (False, False)),
        ([WHOLE, OTHER], [WHOLE], (False, False)),
        ([WHOLE, OTHER], [WHOLE, OTHER.replace(b'"e"', b'"f"')], (False, False)),
        ([WHOLE, OTHER], [WHOLE.replace(b"key", b"door"), OTHER], (False, False)),
        ([PURGED.replace(b'"digest":"d"', b'"digest":"x"'), OTHER], [WHOLE, OTHER], (False, False)),
        ([PURGED.replace(b'"}', b'","more":1}'), OTHER], [WHOLE, OTHER], (False, False)),
    ],
)
def test_only_purges_may_make_copies_differ(
    local: list[bytes], there: list[bytes], expected: tuple[bool, bool]
) -> None:
    ours, theirs = b"\n".join([*local, b""]), b"\n".join([*there, b""])
    assert (is_purged_copy(ours, theirs), is_purged_copy(theirs, ours)) == expected


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
