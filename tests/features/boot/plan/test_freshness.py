"""An entry whose file is not as it was says so, and nothing else of the document changes."""

from __future__ import annotations

from agentws.core.formats.documents import managed
from agentws.core.notes import reference
from agentws.core.text import origin
from agentws.features.boot.plan import freshness
from tests import table

ENTRIES = ("The index is one file", "索引は一つのファイル", "Индекс в одном файле", "الفهرس ملف واحد", "दाम ₹500 (नकद)")
MARKS = (
    "",
    " !8",
    " #work",
    " ^t3fk",
    " (via tool:web)",
    " ^t3fk !8 (via net:mail)",
    " <!-- importance: 8 -->",
    " #183x !2",
)


def marked(body: str, state: str, path: str, entry: str) -> str:
    return freshness.marked(body, {managed.of_text(entry): (state, path)})


def test_what_is_said_stands_before_the_marks_of_its_line_and_every_other_line_stays() -> None:
    def holds(row: tuple[str, str, str]) -> None:
        entry, marks, state = row
        first = f"{entry}{marks}"
        body = f"# M\n\n- other\n- {first}\n  below it\n- {entry} too\r\n\nPlain text\n"

        found = marked(body, state, "src/x.py", f"{first} below it").split("\n")

        assert found[3] == f"- {entry} ({state}: src/x.py){marks}"
        assert [*found[:3], *found[4:]] == [*body.split("\n")[:3], *body.split("\n")[4:]]
        assert origin.of_line(found[3]) == origin.of_line(f"- {first}")
        assert reference.written(found[3]) == reference.written(f"- {first}")

    table.holds(holds, [(one, marks, state) for one in ENTRIES for marks in MARKS for state in ("drifted", "gone")])


def test_a_path_is_text_whatever_it_looks_like() -> None:
    for path in ("a #private.md", "x !9", "(via user)", "b (via tool:web)", "[rule] c", "a" * 300):
        line = marked("- one\n", "gone", path, "one").rstrip("\n")

        assert origin.of_line(line) == ""
        assert line.startswith("- one (gone: ")
        assert line.endswith(")")
        assert len(line) < 160
        assert " !9" not in line
        assert "[rule]" not in line.replace("\\[rule]", "")


def test_an_entry_of_marks_alone_and_one_in_a_table_do_no_harm() -> None:
    assert marked("- #tag !9\n", "gone", "p", "#tag !9") == "- #tag (gone: p) !9\n"
    assert marked("a\n\nb\n", "gone", "p", "nobody") == "a\n\nb\n"
