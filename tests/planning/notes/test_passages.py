"""The last passages of a text: whole, as they stand, below their headings, and never more than there is room for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentws.formats.markdown import markdown
from agentws.planning.notes import passages

DAY = "# 2026-11-19\n\n## Morning\n\n- roses\n  - red\n\nA walk.\n\n## Evening\n\n### Roof\n\n- tiles\n- nails\n"
LINES = (
    "# a",
    "## b",
    "### c",
    "- d",
    "  - e",
    "f",
    "",
    "```",
    "| g | h |",
    "|---|---|",
    "| 1 | 2 |",
    "日誌、夜。",
    "---",
)
TEXTS = st.lists(st.sampled_from(LINES), max_size=30).map(lambda lines: "".join(f"{line}\n" for line in lines))


def said(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def test_a_text_that_fits_is_shown_as_it_is() -> None:
    found = passages.last(DAY, 1000)

    assert (found.text, found.before) == (DAY, 0)


def test_of_a_longer_one_the_end_is_shown_below_its_headings() -> None:
    found = passages.last(DAY, 20)

    assert found.text == "# 2026-11-19\n## Evening\n### Roof\n- tiles\n- nails\n"
    assert found.before == 4


def test_a_table_keeps_its_head() -> None:
    rows = "| plant | bed |\n|---|---|\n" + "".join(f"| rose {at} | {at} |\n" for at in range(9))

    assert passages.last(rows, 30).text == "| plant | bed |\n|---|---|\n| rose 7 | 7 |\n| rose 8 | 8 |\n"


def test_of_a_block_that_is_too_large_the_end_is_shown() -> None:
    lines = "".join(f"  - row {at}\n" for at in range(50))

    assert passages.last(f"- all\n{lines}", 40).text == "…\n  - row 47\n  - row 48\n  - row 49\n"
    assert (
        passages.last("夜" * 500, 400).text.strip("…\n") == "夜" * 100 or len(passages.last("夜" * 500, 400).text) < 110
    )


@given(TEXTS, st.integers(0, 200))
def test_it_is_an_end_of_the_text_behind_some_of_its_headings(text: str, room: int) -> None:
    found = passages.last(text, room)

    lines, shown = said(text), said(found.text)
    if "…" in shown:
        return
    same = len(lines) - len(shown) if len(shown) <= len(lines) else 0
    kept = next(at for at in range(len(shown) + 1) if shown[at:] == lines[len(lines) - len(shown) + at :])
    assert all(markdown.heading_level(line) or markdown.is_row(line) for line in shown[:kept])
    assert found.before == same
    assert len("\n".join(shown[kept:]).encode()) <= room + 1


@given(TEXTS, st.sets(st.integers(1, 30)))
def test_only_these_lines_go_and_headings_that_they_leave_bare(text: str, lines: set[int]) -> None:
    left = said(passages.without(text, lines))

    kept = [line for at, line in enumerate(text.split("\n"), start=1) if at not in lines and line.strip()]
    rest = iter(kept)
    gone = [one for line in left for one in _until(rest, line)] + list(rest)
    assert all(markdown.heading_level(line) for line in gone)
    assert passages.without(text, set()) == text


def _until(lines: object, wanted: str) -> list[str]:
    """The lines that are passed over until the one that is wanted."""
    found: list[str] = []
    for line in lines:  # type: ignore[attr-defined]
        if line == wanted:
            return found
        found.append(line)
    raise AssertionError(wanted)
