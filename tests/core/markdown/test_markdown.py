import pytest
from hypothesis import given, settings, strategies as st

from agentws.core.markdown import markdown

PIECES = st.sampled_from(
    [
        "# h",
        "## h #t",
        "#",
        "- a",
        "  - b",
        "\t- c",
        "* d",
        "1. e",
        "12) f",
        "text",
        "  text",
        "",
        " ",
        "```",
        "~~~~",
        "```py",
        "  ```",
        "| a | b |",
        "|---|---|",
        "|",
        "---",
        "***",
        "- - -",
        "- [x] g",
        "\r",
        "\u2028",
        "\x0c",
        "-",
        "> q",
    ]
)
TEXTS = st.one_of(
    st.text(),
    st.tuples(st.lists(PIECES, max_size=30), st.sampled_from(["\n", "\r\n"])).map(lambda got: got[1].join(got[0])),
    st.lists(PIECES, max_size=30).map(lambda lines: "".join(line + "\n" for line in lines)),
)


@given(TEXTS)
@settings(max_examples=400)
def test_blocks_partition_any_text_exactly_with_their_lines(text: str) -> None:
    found = markdown.blocks(text, first_line=5)

    assert "".join(block.text for block in found) == text
    line = 5
    for block in found:
        assert block.text
        assert block.line == line
        line += block.text.count("\n")


@given(TEXTS)
@settings(max_examples=400)
def test_a_unit_stands_where_it_says(text: str) -> None:
    lines = markdown.lines_of(text)

    for unit in markdown.units(text):
        there = "".join(lines[unit.line - 1 :])
        assert there.startswith(unit.text)
        assert unit.end_line <= len(lines)
        assert unit.text.strip()
        if unit.under:
            assert markdown.heading_level(lines[unit.under - 1])
            assert unit.path
            assert unit.under < unit.line


@given(TEXTS)
def test_lines_joined_are_the_text(text: str) -> None:
    assert "".join(markdown.lines_of(text)) == text
    assert all("\n" not in line[:-1] for line in markdown.lines_of(text))


def test_an_item_takes_what_is_indented_below_it_across_blank_lines() -> None:
    text = "- one\n  more\n\n\n  still one\n    - child\n- two\n"

    assert [unit.text for unit in markdown.units(text)] == [text[: text.index("- two")], "- two\n"]


def test_a_row_has_the_head_of_its_own_table_and_of_no_earlier_one() -> None:
    text = "| a |\n|---|\n| 1 |\n\nbetween\n\n| 2 |\n"

    heads = {unit.text: unit.head for unit in markdown.units(text)}

    assert heads == {"| 1 |\n": "| a |\n|---|\n", "between\n": "", "| 2 |\n": ""}


def test_headings_nest_by_level() -> None:
    text = "# A\na\n### B\nb\n## C\nc\n# D\nd\n"

    assert [(unit.text, unit.path) for unit in markdown.units(text)] == [
        ("a\n", ("A",)), ("b\n", ("A", "B")), ("c\n", ("A", "C")), ("d\n", ("D",)),
    ]  # fmt: skip


def test_what_stands_in_a_fence_is_no_heading() -> None:
    text = "```\n# no heading\n- no item\n```\n# heading\n"

    assert [block.kind for block in markdown.blocks(text)] == ["fence", "heading"]


def test_a_fence_that_nothing_closes_is_ordinary_text() -> None:
    assert [block.kind for block in markdown.blocks("```\n# heading\n")] == ["paragraph", "heading"]


@pytest.mark.parametrize(
    ("line", "width"),
    [("- a", 2), ("  * a", 4), ("1. a", 3), ("12) a", 4), ("-a", 0), ("1.a", 0), ("1234567890. a", 0), ("-", 0),
     ("**b** a", 0), ("\t+ a", 3), ("", 0), ("2026-11-20", 0)],
)  # fmt: skip
def test_a_marker_is_known_with_its_width(line: str, width: int) -> None:
    assert markdown.marker(line) == width


def test_a_line_of_a_thousand_characters_is_no_heading() -> None:
    assert markdown.heading_level("## " + "x" * 900) == 2
    assert markdown.heading_level("## " + "x" * 5000) == 0
