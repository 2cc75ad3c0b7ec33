"""Marks in a text that comes from outside are text, in every reader of lines."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.documents import daily
from agentws.core.markdown import escape, notes
from agentws.core.text import origin, words
from tests import table

MARKS = (
    *("[decision]", "[rule]", "[fact]", "!9", "!10", "#tag", "#task:roof", "#étage", "(via user)", "(via agent)"),
    *("^t3fk", "(closes ^t3fk)", "<!-- importance: 10 -->", "(via tool:web)", "(via net:group)"),
)
WORDS = st.sampled_from(
    [*MARKS, "a", "text", "\n", "  ", "- ", "\\", "[", "(", "07:15", "日本", "\u00a0", "\r", "\t", "."]
)
TEXTS = st.builds(
    lambda parts, glue: glue.join(parts), st.lists(WORDS, min_size=1, max_size=8), st.sampled_from(["", " "])
)


def _notes(text: str, source: str, **given: object) -> list[notes.Note]:
    return notes.read(daily.entry(text, time="07:15", via=source, **given))  # type: ignore[arg-type]


@pytest.mark.parametrize("source", ["net:group", "tool:web", "import:old", "other:x", "slack"])
def test_no_mark_of_an_outside_text_is_read_as_one(source: str) -> None:
    def check(mark: str) -> None:
        for text in (mark, f"{mark} words", f"words {mark} words", f"words {mark}", f"words\n{mark}\n- {mark} x"):
            for note in notes.read(escape.by(source, text)):
                assert (note.kind, note.importance, note.tags, note.via) == (None, None, (), None), text
            (note,) = _notes(text, source)
            assert (note.kind, note.importance, note.tags) == (None, None, ()), text
            assert note.via == origin.named(source)

    table.holds(check, MARKS)


@given(TEXTS)
def test_whatever_an_outside_text_is_made_of_it_sets_no_mark(text: str) -> None:
    for note in notes.read(escape.by("net:group", text)):
        assert note.importance is None
        assert note.via is None
        assert not set(note.tags) - {"private"}
        assert note.kind not in origin.NO_KINDS


@given(TEXTS)
def test_what_was_escaped_is_still_found_by_its_words(text: str) -> None:
    views = [" ".join(view.split()) for view in words.views(escape.by("tool:web", text))]

    assert any(" ".join(one.split()) in view for one in (text, words.unescaped(text)) for view in views)


def test_what_is_private_stays_so_whoever_says_it() -> None:
    for tag in ("#private", "#Private", "#private/home"):
        assert escape.by("net:group", f"words {tag}") == f"words {tag}"
    assert notes.has_label(escape.by("net:group", "words #secret (#secret)"), ["secret"])


def test_the_agents_own_text_sets_its_kind_importance_and_tags_but_no_origin_and_no_reference() -> None:
    (note,) = _notes("[lesson] Sacking tears !7 #garden (via user) ^t3fk", "agent")

    assert (note.kind, note.importance, note.tags, note.via) == ("lesson", 7, ("garden",), None)
    assert note.unit.text == "- 07:15 [lesson] Sacking tears !7 #garden \\(via user) \\^t3fk\n"


def test_no_reference_ends_a_line_of_the_agents_own_text() -> None:
    def is_escaped(line: str) -> None:
        assert escape.by("agent", f"a {line}\nb {line}\n") == f"a {line}\nb {line}\n".replace("^", "\\^")

    table.holds(is_escaped, ("^t3fk", "^t3fk ", "(closes ^t3fk)", "^a-b !7 #garden", "^t3fk #a\t", "\t^t3fk"))


def test_a_caret_in_code_is_one_but_an_origin_is_none_there() -> None:
    code = "```sh\ngrep foo ^bar\nx (via user)\n```\n"
    plain = code.replace("(via", "\\(via")
    every = plain.replace("^", "\\^")

    def holds(row: tuple[str, str]) -> None:
        assert escape.by("agent", row[0]) == row[1]
        assert escape.by("agent", row[1]) == row[1]

    rows = [
        (f"ran ^a\n{code}then ^b", f"ran \\^a\n{plain}then \\^b"),
        (f"ran\n{code.replace('```', '~~~~')}", f"ran\n{plain.replace('```', '~~~~')}"),
        (code, every),  # behind a bullet and the time it is no fence
        (f"ran\n{code[:-4]}", f"ran\n{every[:-4]}"),  # which nothing closes
        (f"ran\n{code.replace('```sh', '```s`')}", f"ran\n{every.replace('```sh', '```s`')}"),
    ]
    table.holds(holds, rows)
    assert escape.by("tool:web", f"ran\n{code}") == f"ran\n{every}"


def test_what_is_no_mark_stays_as_it_is() -> None:
    for text in ("to Oslo (via Rome)", "told (via mail: twice)", "(via nets)", "```\ngrep ^foo notes.md\n  ^--\n```"):
        assert escape.by("agent", text) == text
    for text in ("a[i], [a link](x.md), # Title, C#, 5 ^ 2, x^2, ! and !11, (see via), [ ] box, a<b", "日本 #1 ok"):
        assert escape.by("agent", text) == text
    for text in ("[A], [a link](x.md), C#, 5 ^ 2, x^2, ! and !11, (see via), [ ] box, a<b", "# Title"):
        assert escape.by("tool:web", text) == text
