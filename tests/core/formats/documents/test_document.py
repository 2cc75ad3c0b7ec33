from __future__ import annotations

import subprocess
import sys
import time
from datetime import date, datetime
from pathlib import Path

import frontmatter
import pytest
import yaml
from hypothesis import example, given, strategies as st

from agentws.core.formats.documents import document
from agentws.core.formats.documents.document import Document
from agentws.errors import AgentwsError, DamagedError, TooLargeError

PAGE = Path(__file__).parents[4] / "docs" / "format" / "document.md"


def read(text: str | bytes) -> Document:
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return document.decode(data, where="tasks/a.md")


def changed(text: str, **changes: document.Value | None) -> str:
    return document.with_fields(read(text), changes, where="tasks/a.md").text


def header(inside: str) -> str:
    return f"---\n{inside}\n---\n"


def damage(text: str | bytes) -> str:
    with pytest.raises(DamagedError) as caught:
        read(text)
    assert caught.value.hint
    return caught.value.message


# --- what a document is ---


def test_the_example_of_the_page_is_read_and_edited_as_the_page_says() -> None:
    before, after = (part.split("```")[0] for part in PAGE.read_text().split("```markdown\n")[1:3])

    changes = {"status": "active", "tags": ["blog"], "step": "no draft: 1 of 3"}
    edited = document.with_fields(read(before), changes, where="tasks/a.md")

    assert edited.text == after
    assert edited.fields["owner"] == "Ada"


def test_a_document_has_fields_and_a_body_and_knows_where_the_body_begins() -> None:
    found = read("---\nstatus: open\n---\n# Title\n")

    assert found.has_header
    assert found.fields == {"status": "open"}
    assert (found.body, found.body_line) == ("# Title\n", 4)


@pytest.mark.parametrize("text", ["", "# Title\n", "--- x\n", "----\na: 1\n----\n", " ---\na: 1\n---\n", "-", "--"])
def test_a_file_without_front_matter_is_all_body(text: str) -> None:
    found = read(text)

    assert not found.has_header
    assert (found.fields, found.body, found.body_line) == ({}, text, 1)


@pytest.mark.parametrize(
    "text", ["---\r\na: 1\r\n---\r\nbody", "\ufeff---\na: 1\n---\nbody", "--- \t\na: 1\n---  \nbody"]
)
def test_a_header_is_seen_with_crlf_behind_a_bom_and_with_blanks_after_its_dashes(text: str) -> None:
    found = read(text)

    assert (found.fields, found.body, found.body_line) == ({"a": "1"}, "body", 4)


def test_a_bom_is_no_part_of_the_body() -> None:
    found = read("\ufeff# Title\n")

    assert found.body == "# Title\n"
    assert document.encode(found) == b"\xef\xbb\xbf# Title\n"


def test_a_file_may_end_with_its_header() -> None:
    found = read("---\na: 1\n---")

    assert (found.fields, found.body) == ({"a": "1"}, "")
    assert document.with_body(found, "text").text == "---\na: 1\n---\ntext"


def test_scalars_are_the_strings_that_were_written() -> None:
    text = header("a: no\nb: 012\nc: 1:20\nd: null\ne:\nf: 2026-11-20\ng: ~\nh: 1e3\ntrue: x\ncontent: y\nhandler: z")

    assert list(read(text).fields.values()) == ["no", "012", "1:20", "null", "", "2026-11-20", "~", "1e3", *"xyz"]


# --- headers and horizontal rules ---


@pytest.mark.parametrize(
    "text",
    [
        "---",
        "---\n",
        "---\nSome words, then nothing.\n",
        "---\n- a list\n- of things\n",
        "---\n# Title\n\nNote: prose.\n",
        "---\n\nNote: prose with a colon.\n",
        "---\n\nSome words.\n\n---\n\nMore words.\n",
        "---\n\n# Title\n\nNote: words.\n\n---\n",
        "---\n\n---\n",
        "---\nhttps://example.org/\n",
        "---\n**Note**: prose.\n",
        "---\n" + "word " * 20_000,
    ],
)
def test_a_horizontal_rule_on_top_is_no_front_matter(text: str) -> None:
    found = read(text)

    assert not found.has_header
    assert found.body == text


@pytest.mark.parametrize("text", ["---\n---\n", "---\n# only a comment\n---\n", "---\n  \n# c\na: 1\n---\n"])
def test_an_empty_header_and_one_that_begins_with_an_empty_line_are_headers(text: str) -> None:
    assert read(text).has_header


@pytest.mark.parametrize("text", ["---\nstatus: open\n", "---\n# comment\n'my key': 1\n\nmore\n", "---\na: 1\n--- x\n"])
def test_a_header_that_is_not_closed_is_damage(text: str) -> None:
    assert damage(text).startswith("tasks/a.md:1: ")


# --- damage, with the line in the file ---


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (header("a: 1\nb: [1"), 4, "expected"),
        (header("\n\n\na: 1\na: 2"), 6, "twice"),
        (header("a:\n  b: 1\n  b: 2"), 4, "twice"),
        (header('a: 1\n"a": 2'), 3, "twice"),
        (header("a: &x 1"), 2, "anchors"),
        (header("a: 1\nb: *x"), 3, "aliases"),
        (header("a: 1\nb: !!python/object/apply:os.system [ls]"), 3, "tags"),
        (header("a: ! x"), 2, "tags"),
        (header("a: 1\n<<: {b: 1}"), 3, "merge"),
        (header("? [a]\n: 1"), 2, "key"),
        (header("- a"), 2, "`key: value`"),
        (header("words"), 2, "`key: value`"),
        (header("a: 1\n...\nb: 2"), 4, "document"),
        (header("a: 1\n%b\nc: 1"), 4, "document"),
        (header("a: 1\nb: \udcff"), 3, "UTF-8"),
        (header("a: 1\nb: \0"), 3, "U+0000"),
        (header('a: "\\ud800"'), 2, "surrogate"),
        (header('a: 1\nb: "\\UFFFFFFFF"'), 3, "YAML"),
        (header("%YAML 1." + "9" * 5_000), 2, "YAML"),
        (header("a: 1\n----\nb: 2"), 3, "where this front matter ends"),
        (header("a: 1\n---\x0c\nb: 2"), 3, "where this front matter ends"),
        (header("a: " + "[" * 8 + "]" * 8), 2, "deep"),
        (header("\n".join(f"k{n}: 1" for n in range(501))), 251, "500"),
        (header("a: " + "x" * 16_384), 1, "16,384 bytes"),
        (header("a: " + "é" * 8_190), 1, "16,384 bytes"),
    ],
)
@pytest.mark.parametrize("style", ["\n", "\r\n", "BOM"])
def test_damage_names_the_line_in_the_file(text: str, line: int, says: str, style: str) -> None:
    text = "\ufeff" + text if style == "BOM" else text.replace("\n", style)

    message = damage(text)

    assert message.startswith(f"tasks/a.md:{line}: ")
    assert says in message


def test_a_header_at_its_limits_is_read() -> None:
    deep = header("a: " + "[" * 7 + "x" + "]" * 7)
    many = header("\n".join(f"k{n}: 1" for n in range(249)))
    large = header("a: " + "x" * (16_384 - len(header("a: "))))

    assert read(deep).fields == {"a": [[[[[[["x"]]]]]]]}
    assert len(read(many).fields) == 249
    assert len(read(large + "body\n").text) == 16_384 + 5


BOMBS = {
    "billion laughs": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]",
    "50,000 brackets": "a: " + "[" * 50_000,
    "16,000 brackets": "[" * 16_000,
    "16,000 braces": "a: " + "{" * 16_000,
    "dashes": "- " * 8_000,
    "questions": "? " * 8_000,
    "question lines": "?\n" * 8_000,
    "nested flow mappings": "{a: " * 3_900,
    "nested flow lists": "a: " + '["a",' * 3_000,
    "unclosed brackets and words": "[a" * 8_000,
    "colons": "a: b: " * 2_600,
    "colons without blanks": "a:" * 8_000,
    "directives": "%a\n" * 5_000,
    "tags": "! " * 8_000,
    "aliases": "*a " * 5_000,
    "deep indentation": "\n".join(" " * depth + "a:" for depth in range(170)),
    "many items": "a: [" + "a," * 8_000 + "]",
    "wide indentation": "a:\n" + " " * 16_000 + "b: [",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(name: str) -> None:
    text = header(BOMBS[name])

    began = time.process_time()
    message = damage(text)

    assert message.startswith("tasks/a.md:")
    assert time.process_time() - began < 2


@pytest.mark.parametrize("inside", ["x" * 16_000, "x " * 8_000, "x\n " * 5_000, "'" * 16_000, "|\n" + " \n" * 8_000])
def test_long_values_are_read_at_once(inside: str) -> None:
    began = time.process_time()
    found = read(header("a: " + inside))

    assert "a" in found.fields
    assert time.process_time() - began < 2


def test_nothing_slow_is_imported_before_a_header_that_needs_it_is_met() -> None:
    program = (
        "import sys; before = set(sys.modules); from agentws.core.formats.documents import document\n"
        "document.decode(b'# Title\\n', where='a'); document.decode(b'---\\n\\nrule\\n', where='a')\n"
        "heavy = {'yaml', 'frontmatter', 'dataclasses', 're', 'typing', 'pathlib'}\n"
        "assert not heavy & (set(sys.modules) - before)\n"
        "document.decode(b'---\\na: 1\\nb: [c, d]\\n---\\n', where='a')\n"
        "assert not heavy & (set(sys.modules) - before)\n"
        "document.decode(b'---\\na:\\n  - 1\\n---\\n', where='a'); assert 'frontmatter' in sys.modules"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=PAGE.parents[2], capture_output=True, text=True)

    assert done.stderr == ""


# --- editing ---


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_change_touches_the_lines_of_its_key_alone(newline: str, bom: str) -> None:
    lines = ["---", "# top", "a:   1", "", '"b c": [x,', "  y]  # with the value", "", "# end", "d: 4", "---", "body"]
    text = bom + newline.join(lines)

    edited = changed(text, **{"b c": "new"})

    assert edited == bom + newline.join([*lines[:4], '"b c": new', *lines[6:]])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x: old # why\ny: 1\n", "x: new # why\ny: 1\n"),
        ("x:  # why\n  - a\n  # b\n  - c\n# after\ny: 1\n", "x: new  # why\n# after\ny: 1\n"),
        ("x:\n- a\n- b\n\ny: 1\n", "x: new\n\ny: 1\n"),
        ("x: |\n  a\n  # text\n\n\ny: 1\n", "x: new\n\n\ny: 1\n"),
        ("x: |+\n  a\n\n\ny: 1\n", "x: new\ny: 1\n"),
        ("x: >-\n  a\n\n  b\n# after\n", "x: new\n# after\n"),
        ("x:\n\n# after\ny: 1\n", "x: new\n\n# after\ny: 1\n"),
        ("'x' : a#b\n", "'x': new\n"),
        ("x: a\n b\n\n c\n\n# after\n", "x: new\n\n# after\n"),
        ("x: {a: 1,\n b: 2}\ny: 1\n", "x: new\ny: 1\n"),
        ("  x: a\n  y: 1\n", "  x: new\n  y: 1\n"),
        ("x: a\r\ny: 1\n", "x: new\r\ny: 1\n"),
        ("a: |\n  t\n\nx: 1\n\nb: 2\n", "a: |\n  t\n\nx: new\n\nb: 2\n"),
        ('x: "a\u2028b"\ny: "\u0085"\n', 'x: new\ny: "\u0085"\n'),
    ],
)
def test_a_value_is_replaced_and_its_surroundings_stay(before: str, after: str) -> None:
    assert changed(f"---\n{before}---\nbody", x="new") == f"---\n{after}---\nbody"


def test_a_removed_field_takes_its_lines_and_an_emptied_header_stays() -> None:
    assert changed("---\n# c\na:\n  - 1\n\nb: 2\n---\nbody", a=None, nowhere=None) == "---\n# c\n\nb: 2\n---\nbody"
    assert changed("---\na: 1\n---\nbody", a=None) == "---\n---\nbody"


def test_new_fields_are_appended_in_the_order_given() -> None:
    edited = changed("---\r\nb: 1\r\n# last\r\n---", z="1", a=["x", "z"])

    assert edited == "---\r\nb: 1\r\n# last\r\nz: 1\r\na: [x, z]\r\n---"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Title\n", "---\na: x\n---\n# Title\n"),
        ("# Title\r\nText", "---\r\na: x\r\n---\r\n# Title\r\nText"),
        ("\ufeffText", "\ufeff---\na: x\n---\nText"),
        ("", "---\na: x\n---\n"),
        ("---\n\nBelow a rule.\n", "---\na: x\n---\n---\n\nBelow a rule.\n"),
    ],
)
def test_a_file_without_a_header_gets_one_on_top_and_keeps_its_body(before: str, after: str) -> None:
    assert changed(before, a="x") == after


def test_a_field_that_is_as_wanted_keeps_its_quoting() -> None:
    found = read("---\na: 'x'\nb: [ 1,2 ]\n---\n")

    assert document.with_fields(found, {"a": "x", "b": ["1", "2"]}, where="a.md") is found


@pytest.mark.parametrize(
    "text",
    [
        "---\n{a: 1}\n---\n",
        "---\n? a\n: 1\n---\n",
        "---\na: 1\u2028b: 2\n---\n",
        "---\na: 1\n...\n---\n",
        "---\nb: |+\n  t\n\na: 1\n\n---\n",
        "---\nb: |\n  t\na: 1\n  # would become text\n---\n",
        "---\nb: |\n  t\na: 1\n   \nc: 1\n---\n",
    ],
)
def test_what_cannot_be_edited_line_by_line_is_refused(text: str) -> None:
    with pytest.raises(DamagedError, match=r"^tasks/a\.md"):
        changed(text, a=None, new="1")


def test_a_header_that_loses_its_first_field_does_not_become_a_horizontal_rule() -> None:
    assert changed("---\na: 1\n\n---\nbody", a=None) == "---\n---\nbody"
    assert changed("---\na: 1\n\nb c: 2\n---\nbody", a=None) == "---\nb c: 2\n---\nbody"
    assert changed("---\na: 1\n\nb: 2\n---\nbody", a=None) == "---\n\nb: 2\n---\nbody"


def in_itself() -> document.Value:
    value: list[document.Value] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value", ["\ud800", ["\udcff"], {"\udcff": "x"}, in_itself(), [[[[[[[["x"]]]]]]]], ["x"] * 500]
)
def test_a_value_that_could_not_be_read_back_is_refused(value: document.Value) -> None:
    with pytest.raises(DamagedError):
        changed("text", a=value)


def test_a_header_that_would_outgrow_its_limit_is_refused() -> None:
    with pytest.raises(TooLargeError):
        changed("text", a="x" * 16_384)


# --- values ---


PLAIN = ["open", "waiting for Ada", "3", "-5", "2026-11-20", "2026-11-20T07:15:00Z", "a:b", "x#y", "été", "/etc"]
QUOTED = [
    *("no", "Yes", "true", "Null", "null", "~", "y", "-", "=", "<<"),
    *("012", "1:20", "1e3", "0o14", "0x1F", "1_000", ".5", "nan", "٣", "1" * 900, "12345678901234567890", "2026-02-31"),
    *("", " x", "x ", "a: b", "a #b", "a:", "- a", "[a]", "*a", "&a", "!a", "%a", "@a", "`a", "...", "---"),
    *("'", '"', "\\", "#", "?", "|", "a\nb", "a\tb", "a\rb", "\0", "\x1b[0m", "\u2028", "\u0085", "\ufeff", "\uffff"),
    *("👩\u200d💻", "\U000e0041", "\u202e"),
]


@pytest.mark.parametrize("text", PLAIN)
def test_words_whole_numbers_and_dates_are_written_plain(text: str) -> None:
    assert changed("", a=text) == f"---\na: {text}\n---\n"
    assert changed("", a=[text]) == f"---\na: [{text}]\n---\n"


@pytest.mark.parametrize("text", QUOTED)
def test_what_others_would_read_differently_is_quoted(text: str) -> None:
    edited = changed("", a=text, b=[text], c={text: text})

    assert edited.split("\n")[1].startswith('a: "')
    assert frontmatter.loads(edited).metadata == {"a": text, "b": [text], "c": {text: text}}


def test_short_lists_stand_on_one_line_and_long_ones_below_each_other() -> None:
    edited = changed("", short=["a", "b, c"], long=["x" * 40, "y" * 40, ["z"], {"k": "v"}], none=[], map={"k": {}})

    assert edited == (
        '---\nshort: [a, "b, c"]\n'
        f"long:\n  - {'x' * 40}\n  - {'y' * 40}\n  - [z]\n  -\n    k: v\n"
        "none: []\nmap:\n  k: {}\n---\n"
    )


# --- the body ---


def test_another_body_leaves_the_header_as_it_is() -> None:
    found = read("\ufeff---\r\na:  1 # c\r\n---\r\nold")

    assert document.with_body(found, "new\n").text == "\ufeff---\r\na:  1 # c\r\n---\r\nnew\n"
    assert document.with_body(read("\ufeffold"), "new").text == "\ufeffnew"


@pytest.mark.parametrize("body", ["---\na: 1\n---\n", "---\na: 1\n", "\ufeffx", "\ud800", "\udcc3\udca9"])
def test_a_body_that_would_not_be_read_back_is_refused(body: str) -> None:
    with pytest.raises(DamagedError):
        document.with_body(read("old"), body)


# --- any input ---

ODD = ["é", "e\u0301", "😀", "\u2028", "\u0085", "\0", "\r", "\x0c", "\ufeff", "\udcff", "\t"]
PIECES = [
    "a",
    "b: ",
    "c:",
    "- ",
    "? ",
    ": ",
    "\n",
    "\n  ",
    "\r\n",
    "\n---\n",
    "...",
    "---",
    "1:20",
    "\\UFFFFFFFF",
    " # x",
]
YAMLISH = st.lists(st.sampled_from([*PIECES, *"[]{},'\"\\|>+#&*!%~<", *ODD]), max_size=30).map("".join)
FILES = st.one_of(
    st.binary(max_size=200),
    YAMLISH.map(lambda text: text.encode("utf-8", "surrogateescape")),
    YAMLISH.map(lambda text: f"---\n{text}\n---\nbody".encode("utf-8", "surrogateescape")),
)


@given(FILES)
@example(b"\xef\xbb\xbf---\r\na: \xff\r\n---")
def test_any_bytes_are_kept_or_refused_as_damage(data: bytes) -> None:
    try:
        found = read(data)
    except DamagedError:
        return

    assert document.encode(found) == data
    assert found.text.endswith(found.body)
    assert found.text.count("\n", 0, len(found.text) - len(found.body)) == found.body_line - 1 or not found.body
    assert document.with_fields(found, {}, where="a.md") is found
    assert document.with_body(found, found.body) is found


@given(FILES, st.sampled_from(["a", "b", "new"]), st.sampled_from(["v", None, "no", ["x", "y z"]]))
def test_any_edit_is_exact_or_refused(data: bytes, key: str, value: document.Value | None) -> None:
    try:
        found = read(data)
        edited = document.with_fields(found, {key: value}, where="a.md")
    except AgentwsError:
        return

    assert edited.body == found.body
    assert edited.fields.get(key) == value
    assert {**edited.fields, key: None} == {**found.fields, key: None}


TEXTS = st.one_of(
    st.text(st.sampled_from("ab9 -_.:#,[]{}'\"\\\n\té😀\u2028\u0085\u0301"), max_size=12),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(PLAIN + QUOTED),
)
VALUES = st.recursive(
    TEXTS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


@given(
    st.dictionaries(TEXTS, VALUES, max_size=4),
    st.sampled_from(["", "text", "---\nold: 1 # c\n---\n", "\ufeffa\r\n"]),
)
def test_what_is_set_is_read_back_and_what_is_set_back_is_as_before(
    changes: dict[str, document.Value], text: str
) -> None:
    found = read(text)

    edited = document.with_fields(found, changes, where="a.md")
    back = document.with_fields(edited, {key: found.fields.get(key) for key in changes}, where="a.md")

    assert edited.fields == {**found.fields, **changes}
    assert back.fields == found.fields
    assert edited.body == back.body == found.body


@given(TEXTS)
def test_an_ordinary_loader_reads_the_same_string_or_the_number_or_date_that_is_meant(text: str) -> None:
    edited = changed("", a=text, b=[text])

    read_by_others = frontmatter.loads(edited).metadata
    assert yaml.safe_load(edited.split("---\n")[1]) == read_by_others
    for value in (read_by_others["a"], read_by_others["b"][0]):
        assert value == text or isinstance(value, date | datetime) or (isinstance(value, int) and str(value) == text)


@st.composite
def headers(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Pieces of a header: (key, its lines), the key empty for comments and blank lines between entries."""
    odd = draw(st.sampled_from(["x", "é", "e\u0301", "😀", "日本", "a b"]))
    shapes = [
        "{key}: {odd}\n",
        "{key}:   '{odd}'\n",
        '{key}: "a\u2028\u0085{odd}"  # {odd}\n',
        "{key}:\n",
        "{key}: # {odd}\n  - {odd}\n\n  # inside\n  - y\n",
        "{key}:\n- {odd}\n- k: v\n  l: [a,\n   b]\n",
        "{key}:\n  sub: {odd}\n  # inside\n  deep:\n    - x\n",
        "{key}: |\n  {odd}\n  # text\n\n  more\n",
        "{key}: >-\n  {odd}\n\n  more\n",
        "{key}: {odd}\n  goes on\n\n  and on\n",
        "{key}: [{odd}, {{a: b}},\n  c]\n",
        '"{key}": {odd}\n',
        "'{key}' : {odd}\n",
    ]
    pieces = []
    for key in draw(st.lists(st.sampled_from(["a", "b-c", "d e", "été", "no", "12"]), unique=True, max_size=5)):
        # Not a blank line on top: what that means is tested above, and depends on the key that follows.
        between = ["", "# between\n", "# 1\n\n# 2\n", *(["\n", " \n"] if pieces else [])]
        pieces.append(("", draw(st.sampled_from(between))))
        pieces.append((key, draw(st.sampled_from(shapes)).format(key=key, odd=odd)))
    if not pieces:
        pieces.append(("", "# nothing here\n"))
    return pieces


@given(
    headers(),
    st.data(),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["\n", "\r\n", "mixed"]),
    st.sampled_from(["", "body", "body\n", "\n\n---\nx: 1\n---\r\n", "\0\u2028\u0085\udcff 😀 e\u0301\r\x0c"]),
    st.booleans(),
)
def test_an_edit_changes_no_lines_but_those_of_the_keys_it_names(
    pieces: list[tuple[str, str]], data: st.DataObject, bom: str, newline: str, body: str, closed: bool
) -> None:
    def styled(text: str) -> str:
        if newline == "mixed":
            lines = text.split("\n")
            return "".join(line + ("\r\n" if len(line) % 2 else "\n") for line in lines[:-1]) + lines[-1]
        return text.replace("\n", newline)

    closing = styled("---\n") if closed or body else "---"
    keys = [key for key, _ in pieces if key]
    named = data.draw(st.lists(st.sampled_from([*keys, "new"]), unique=True))
    changes = {key: data.draw(st.sampled_from(["v", "no", ["x", "y"], {"k": ["v"]}, None])) for key in named}
    opening = bom + styled("---\n")
    if keys and not pieces[0][1] and keys[0] in changes:
        changes[keys[0]] = "v"  # what happens to blank lines that come to stand on top is tested above
    found = read(opening + "".join(styled(lines) for _, lines in pieces) + closing + body)
    changes = {key: value for key, value in changes.items() if found.fields.get(key) != value}

    text = document.with_fields(found, changes, where="a.md").text

    assert text.startswith(opening)
    assert text.endswith(closing + body)
    rest = text[len(opening) : len(text) - len(closing + body)]
    for key, lines in pieces:
        if key not in changes:
            assert rest.startswith(styled(lines))
            rest = rest[len(styled(lines)) :]
        elif changes[key] is not None:
            entry = entry_at_the_start(rest)
            assert yaml.load(entry, Loader=yaml.BaseLoader) == {key: changes[key]}
            rest = rest[len(entry) :]
    new = changes.get("new")
    assert (yaml.load(rest, Loader=yaml.BaseLoader) or {}) == ({} if new is None else {"new": new})


def entry_at_the_start(text: str) -> str:
    """The first line with the indented lines below it that we may have written."""
    first, *more = text.split("\n")
    taken = [first]
    if "{k" not in first and first.rstrip("\r").split("#")[0].rstrip().endswith(":"):
        taken += more[:1]  # {"k": ["v"]} is the only value here that takes a second line
    return "\n".join(taken) + "\n"
