"""Whether a line of a journal is the one that was written."""

from __future__ import annotations

from agentws.formats import digest
from agentws.formats.journal import chain
from tests import table

TAIL = b'"salt":"00","body":{"v":1,"text":"one"}'
HEADER = b'{"agentws":1,"seq":2,"kind":"decision","prev":"","digest":"%s"' % digest.of(TAIL).encode()
NOTHING = b'"salt":null,"body":null'


def test_a_line_that_says_it_was_purged_says_nothing_else() -> None:
    def check(row: tuple[bytes, bool]) -> None:
        tail, whole = row
        assert chain.is_whole(chain.line(HEADER, tail).rstrip(b"\n")) is whole

    rows = [
        (TAIL, True),
        (NOTHING + b',"purged":"01a2-0f"', True),
        (TAIL.replace(b"one", b"two"), False),
        (b'"salt":null,"body":{"v":1,"text":"two"}', False),
        (NOTHING + b',"body":{"v":1,"text":"two"},"purged":"01a2"', False),
        (NOTHING + b',"purged":"01a2","body":{"v":1}', False),
        (NOTHING + b',"purged":""', False),
        (NOTHING, False),
    ]
    table.holds(check, rows)
