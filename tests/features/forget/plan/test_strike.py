"""A document without what is forgotten: which lines go, and that every other line stays where it was."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.documents import document, managed
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.strike import BELOW, ENTRY, HIT
from agentws.features.forget.plan.wanted import Wanted

SAM = Wanted(subjects=["Sam Tester"])


def struck(text: str, **words: object) -> str:
    return strike.strike(text.encode(), SAM, **words).data.decode()  # type: ignore[arg-type]


def test_a_line_becomes_empty_and_every_other_one_keeps_its_bytes_and_number() -> None:
    text = "\ufeff# Day\r\n- one\r\n- met Sam Tester\r\n- two\nlast, no end"

    assert struck(text) == "\ufeff# Day\r\n- one\r\n\r\n- two\nlast, no end"


def test_a_document_that_does_not_hold_it_is_the_same_bytes() -> None:
    data = b"\xff- Samuel\r\n\x00"

    assert strike.strike(data, SAM).data is data


def test_an_item_goes_with_what_is_indented_below_it() -> None:
    text = "- Sam Tester\n  - born 1980\n\n  phone 123\n- Leo\n"

    found = strike.strike(text.encode(), SAM)

    assert found.data == b"\n\n\n\n- Leo\n"
    assert [(one.line, one.why) for one in found.lines] == [(1, HIT), (2, BELOW), (4, BELOW)]


def test_an_item_below_another_goes_alone() -> None:
    text = "- People\n  - Sam Tester: tea\n    black\n  - Leo: coffee\n- Roof\n"

    assert struck(text) == "- People\n\n\n  - Leo: coffee\n- Roof\n"


def test_an_item_of_several_lines_goes_whole_also_where_the_name_is_broken() -> None:
    assert struck("- talked to Sam\n  Tester about it\n  for an hour\n- Leo\n") == "\n\n\n- Leo\n"


def test_of_a_paragraph_only_the_lines_go_that_hold_it() -> None:
    assert struck("It rained.\nWe met Sam\nTester there.\nThen home.\n") == "It rained.\n\n\nThen home.\n"


def test_a_row_of_a_table_and_a_line_of_a_block_of_code_go_alone() -> None:
    text = "| who | what |\n|---|---|\n| Sam Tester | tea |\n| Leo | coffee |\n\n```\na = 1\nb = 'sam tester'\n```\n"

    assert struck(text) == "| who | what |\n|---|---|\n\n| Leo | coffee |\n\n```\na = 1\n\n```\n"


def test_a_heading_goes_alone_and_is_named_where_something_stands_below() -> None:
    found = strike.strike(b"# Day\n\n## Sam Tester\n\n- tea\n\n## Sam Tester\n\n## Leo\n", SAM)

    assert found.data == b"# Day\n\n\n\n- tea\n\n\n\n## Leo\n"
    assert found.headings == [3]


def test_a_field_of_the_front_matter_goes_and_the_rest_can_be_read() -> None:
    text = "---\nstatus: waiting\nwaiting_on: Sam Tester\ntags:\n  - roof\n  - sam tester\n---\n# Roof\n"

    after = struck(text)

    assert after == "---\nstatus: waiting\n\ntags:\n  - roof\n\n---\n# Roof\n"
    assert document.decode(after.encode(), where="").fields == {"status": "waiting", "tags": ["roof"]}


def test_a_field_that_could_not_be_read_without_a_line_goes_whole() -> None:
    text = '---\nstatus: open\ngoal: "ask\n  Sam Tester"\n---\nbody\n'

    assert struck(text) == "---\nstatus: open\n\n\n---\nbody\n"


def test_a_field_goes_whole_where_the_name_goes_over_two_of_its_lines() -> None:
    text = "---\nstatus: open\ngoal: ask Sam\n  Tester soon\n---\nbody\n"

    assert struck(text) == "---\nstatus: open\n\n\n---\nbody\n"


def test_an_entry_that_compaction_made_is_taken_out_whole_and_one_of_somebody_else_becomes_empty() -> None:
    mine, theirs = "# M\n- Sam Tester: mine\n", "- theirs: Sam Tester\n"
    text = f"{mine}\n## From the logs\n\n### Facts\n\n- Sam Tester likes tea\n- Leo likes coffee\n{theirs}"
    ours = {managed.of_text("Sam Tester likes tea"), managed.of_text("Leo likes coffee")}

    found = strike.strike(text.encode(), SAM, ours=ours)

    assert found.data.decode() == "# M\n\n\n## From the logs\n\n### Facts\n\n- Leo likes coffee\n\n"
    assert [(one.line, one.why) for one in found.lines] == [(2, HIT), (8, ENTRY), (10, HIT)]
    assert found.entries == (managed.of_text("Sam Tester likes tea"),)
    assert found.blanked == {2, 10}


def test_bytes_that_are_no_text_are_kept() -> None:
    assert strike.strike(b"caf\xe9\nSam Tester \xff\n\xfe", SAM).data == b"caf\xe9\n\n\xfe"


def test_what_json_has_escaped_is_seen_in_files_of_any_kind() -> None:
    wanted = Wanted(subjects=["José"])
    data = b'{"text":"met Jos\\u00e9"}\n{"text":"other"}\n'

    assert strike.holds(data, wanted)
    assert strike.blanked(data, wanted) == b'\n{"text":"other"}\n'


_PIECES = st.sampled_from(
    ["- ", "  - ", "    ", "# ", "> ", "| ", " |", "```", "---", "\n", "\n", "\n", "\r\n", "Sam", "Tester", " ",
     "Sam Tester", "a: ", "one", "1. ", "\t", "\ufeff"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_nothing_is_left_of_it_the_second_time_and_the_count_of_lines_stays(text: str) -> None:
    data = text.encode()

    after = strike.strike(data, SAM).data

    assert after.count(b"\n") == data.count(b"\n")
    assert strike.strike(after, SAM).data == after
    kept, before = after.split(b"\n"), data.split(b"\n")
    assert all(
        line in (was, b"", b"\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r") for line, was in zip(kept, before, strict=True)
    )


@pytest.mark.parametrize("text", ["- a\n" * 3000 + "- Sam Tester\n", ("  " * 400 + "- a\n") * 1 + "- Sam Tester\n"])
def test_long_documents_are_no_matter(text: str) -> None:
    assert "Sam" not in struck(text)
