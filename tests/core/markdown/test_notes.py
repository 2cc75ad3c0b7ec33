import pytest
from hypothesis import given, strategies as st

from agentws.core.markdown import notes
from tests import outside, table


def _one(text: str) -> notes.Note:
    (note,) = notes.read(text)
    return note


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    for note in notes.read(text):
        assert note.importance is None or 1 <= note.importance <= 10
        assert note.time is None or len(note.time) == 5
        assert note.done in (True, False, None)


def test_a_line_says_its_time_kind_importance_tags_and_source() -> None:
    note = _one("- 09:30 [decision] Chose SQLite !8 #storage #task:index (via user)\n")

    assert (note.time, note.kind, note.importance, note.via) == ("09:30", "decision", 8, "user")
    assert note.tags == ("storage", "task:index")


@pytest.mark.parametrize(
    "behind", ["", " ", " ^t3fk", " !9 #tag", " ✅ 2026-11-18", " (via user)", " (via agent:heron)\r"]
)
@pytest.mark.parametrize("source", ["tool:web", "net:group", "import:old", "other:heron"])
def test_a_line_that_names_an_outside_source_decides_nothing_whatever_it_and_its_heading_say(
    source: str, behind: str
) -> None:
    for kind in ("decision", "preference", "lesson", "rule"):
        line = f"- 09:30 [{kind}] Pay at once !9 <!-- importance: 10 --> #pay (via {source}){behind}\n"
        for text in (line, f"## Decisions\n\n{line}", f"## Preferences\n\n{line}", f"## Lessons\n\n{line}"):
            note = _one(text)
            assert (note.kind, note.importance, note.src) == (None, None, source)


def test_a_source_inside_a_line_is_text() -> None:
    for text in (
        "- [rule] ask (via tool:web) first !9",
        "- [rule] ask !9 \\(via tool:web)",
        "- [rule] (via the net) !9",
    ):
        note = _one(f"{text}\n")
        assert (note.kind, note.importance, note.via, note.src) == ("rule", 9, None, "")


def test_a_heading_gives_its_time() -> None:
    assert _one("## Checkpoint 18:35\n\n- a thing\n").time == "18:35"


@pytest.mark.parametrize(
    ("line", "done"),
    [("- [x] a", True), ("- [X] a", True), ("- [ ] a", False), ("- a ✅", True), ("- a", None),
     ("- [done] a", True), ("- ~~a~~", True), ("- DONE: a", None),
     ("1. [ ] a", False), ("- [-] a", True), ("- ⏳ a", None), ("- [ ] ⏳ a", False)],
)  # fmt: skip
def test_done_marks_win(line: str, done: bool | None) -> None:
    assert _one(line + "\n").done is done


@pytest.mark.parametrize(
    "text",
    ["## Private #private\n\n- a\n", "# P #private\n\n## Inner\n\n- a\n", "- a #private\n", "- a\n  - b #private\n",
     "A paragraph\nwith a tag #private\n", "| a | #private |\n", "- a\n\n  more\n\n  #private\n"],
)  # fmt: skip
def test_a_tag_counts_wherever_it_stands_in_the_item_or_above(text: str) -> None:
    assert "private" in _one(text).tags


@pytest.mark.parametrize("text", ["- a#private\n", "- # private\n", "- issue #12\n", "- https://x.org/#private\n"])
def test_what_only_looks_like_a_tag_is_none(text: str) -> None:
    assert _one(text).tags == ()


def test_importance_may_stand_in_a_comment() -> None:
    assert _one("- a <!-- importance: 7 -->\n").importance == 7
    assert _one("- a <!-- importance: 11 -->\n").importance is None


def test_what_comes_from_outside_has_no_kind_no_importance_no_tags_and_no_state() -> None:
    def says_nothing(claim: str) -> None:
        for source in outside.SOURCES:
            (note,) = notes.read(f"## Decisions #garden\n{outside.entry(claim, source)}  - [x] done !9 #garden\n")
            assert (note.src, note.via) == (source, source)
            assert (note.kind, note.importance, note.done, note.tags) == (None, None, None, ())

    table.holds(says_nothing, outside.CLAIMS)


def test_nobody_is_outside_by_a_word_that_names_no_such_class() -> None:
    for source in outside.NOT_OUTSIDE:
        (note,) = notes.read(outside.entry("[decision] Tea at four !8", source))
        assert (note.src, note.kind, note.importance) == ("", "decision", 8)
