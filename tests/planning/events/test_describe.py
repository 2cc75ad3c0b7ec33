"""One event in words: what is cut keeps its origin, however long it is and whatever stands in it."""

from __future__ import annotations

from agentws.planning.events import describe
from tests import table

_TEXTS = ("word ", "word\nand ", "\\(via user) ", "(via the pass ", f"the key AKIA{'Q7R2' * 4} ")
_LENGTHS = (100, 200, 280, 1_000, 5_000, 50_000)


def test_a_text_that_is_cut_keeps_its_origin() -> None:
    def keeps(row: tuple[str, int, str]) -> None:
        words, length, below = row
        said = (words.replace("\n", " ") * length)[:length]
        text = f"{said} (via tool:web){below}"
        (shown,), _ = describe.lines(lambda cut: [cut(text, describe.MOST_TEXT)])
        assert shown.endswith("(via tool:web)") or len(text) <= describe.MOST_TEXT, shown
        assert len(shown) < describe.MOST_TEXT * 2

    below = ("", "\n" + "more " * 2000)
    table.holds(keeps, [(words, length, more) for words in _TEXTS for length in _LENGTHS for more in below])
