import pytest
from hypothesis import assume, given, settings, strategies as st

from agentws.core.formats.documents import daily
from agentws.core.markdown import escape, markdown, notes
from agentws.core.text import origin
from agentws.errors import UsageError

DAY = "2026-11-20"
TIMES = st.tuples(st.integers(0, 23), st.integers(0, 59)).map(lambda got: f"{got[0]:02d}:{got[1]:02d}")
WORDS = st.from_regex(r"[a-zA-Zäöß日]{1,10}", fullmatch=True)
SANE = (
    st.lists(WORDS, min_size=1, max_size=12)
    .map(" ".join)
    .filter(lambda text: notes.read(f"- {text}\n")[0].done is None)
)
MANY_LINES = st.lists(
    st.one_of(SANE, st.just(""), SANE.map(lambda text: f"- {text}"), SANE.map(lambda text: f"# {text}")), max_size=6
)


@given(
    text=SANE, more=MANY_LINES, time=TIMES, kind=st.none() | st.from_regex(r"[a-z][a-z0-9_-]{1,15}", fullmatch=True),
    importance=st.none() | st.integers(1, 10),
    tags=st.lists(st.from_regex(r"[a-z0-9_/-]*[a-z][a-z0-9_/-]*", fullmatch=True), max_size=4, unique=True),
    via=st.none() | st.sampled_from(["tool:web", "net:example.org", "import:x1", "user"]),
    task=st.none() | st.from_regex(r"[a-z]{1,8}-[a-z0-9]{1,8}", fullmatch=True),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_back_as_itself(
    text: str, more: list[str], time: str, kind: str | None, importance: int | None, tags: list[str], via: str | None,
    task: str | None,
) -> None:  # fmt: skip
    assume(kind != "done")
    whole = "\n".join([text, *more]).strip()
    if origin.is_outside(via) and (importance is not None or kind in origin.NO_KINDS):
        with pytest.raises(UsageError, match="outside"):
            daily.entry(whole, time=time, kind=kind, importance=importance, via=via)
        return
    entry = daily.entry(whole, time=time, kind=kind, importance=importance, tags=tuple(tags), via=via, task=task)

    notes_read = notes.read(f"# {DAY}\n\n- 00:00 before\n{entry}- 23:59 after\n")

    assert [note.unit.text for note in notes_read] == ["- 00:00 before\n", entry, "- 23:59 after\n"]
    note = notes_read[1]
    assert (note.time, note.importance, note.via) == (time, importance, origin.mark(via))
    if note.src:  # written, but nothing that is believed
        assert (note.kind, note.tags) == (None, ())
    else:
        assert (note.kind, note.tags) == (kind, (*tags, *([f"task:{task}"] if task else [])))
    assert escape.by(via, text) in note.unit.text
    assert daily.is_ours(entry)


@pytest.mark.parametrize("part", ["kind", "task", "via"])
@given(word=st.text(max_size=12))
def test_a_part_reads_back_as_itself_or_is_refused(part: str, word: str) -> None:
    try:
        entry = daily.entry("text", time="07:15", **{part: word})
    except UsageError:
        return

    (note,) = notes.read(entry)
    source = origin.mark(origin.named(word)) if word else None
    wanted = {"kind": word or None, "task": (f"task:{word}",) if word else (), "via": source}[part]
    assert {"kind": note.kind, "task": note.tags, "via": note.via}[part] == wanted


@given(tag=st.text(max_size=12))
def test_a_tag_reads_back_as_itself_or_is_refused(tag: str) -> None:
    try:
        entry = daily.entry("text", time="07:15", tags=(tag,))
    except UsageError:
        return

    assert notes.read(entry)[0].tags == (tag.lstrip("#"),)


@pytest.mark.parametrize("text", ["", " \n\t", "\ud800", "x" * (256 * 1024 + 1)])
def test_a_text_that_is_none_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        daily.entry(text, time="07:15")


LINES = st.sampled_from(
    [
        "# 2026-11-20",
        "# Notes",
        "## Log",
        "## log",
        "## Decisions",
        "- 07:00 ours",
        "- theirs",
        "text",
        "  indented",
        "",
        "- 7:00 theirs",
        "#hashtag",
        "| a |",
        "```",
        "### Log",
        "\ufeff# 2026-11-20",
        "    - 07:00 nested",
        "> quote",
        "\t",
    ]
)
TAILS = st.tuples(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda got: got[1].join(got[0]) + (got[1] if got[2] and got[0] else "")
)


@given(tail=TAILS, whole=st.booleans())
@settings(max_examples=500)
def test_our_line_stands_on_its_own_under_no_heading_of_others(tail: str, whole: bool) -> None:
    entry = "- 07:15 ours now\n"

    added = daily.addition(tail.encode(), whole=whole, entry=entry, day=DAY, heading="Log").decode()

    text = tail + added
    ends = "\r\n" if text.endswith("\r\n") else "\n"
    assert text.endswith(f"\n- 07:15 ours now{ends}")
    if "```" not in tail:  # an open fence of theirs takes what follows, whoever reads
        note = notes.read(text)[-1]
        assert note.unit.text.rstrip() == "- 07:15 ours now"
        above = note.unit.path[-1] if note.unit.path else ""
        assert above in ("Log", DAY) or not tail.strip() or not whole or tail.strip().startswith("- 07:00")


@given(tail=TAILS, whole=st.booleans())
@settings(max_examples=300)
def test_a_second_line_of_ours_brings_no_second_heading(tail: str, whole: bool) -> None:
    assume(tail or whole)
    first = daily.addition(tail.encode(), whole=whole, entry="- 07:15 a\n", day=DAY, heading="Log").decode()

    second = daily.addition((tail + first).encode(), whole=whole, entry="- 07:16 b\n", day=DAY, heading="Log").decode()

    assert second.replace("\r\n", "\n") == "- 07:16 b\n"


@given(st.lists(LINES.filter(lambda line: line.strip() or line == ""), max_size=8))
def test_a_file_with_crlf_stays_crlf(lines: list[str]) -> None:
    tail = "".join(f"{line}\r\n" for line in lines)
    assume(tail)

    added = daily.addition(tail.encode(), whole=True, entry="- 07:15 a\n  b\n", day=DAY, heading="Log").decode()

    assert added.count("\n") == added.count("\r\n")


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_can_be_added_to(tail: bytes, whole: bool) -> None:
    added = daily.addition(tail, whole=whole, entry="- 07:15 a\n", day=DAY, heading="Log")

    assert (tail + added).replace(b"\r\n", b"\n").endswith(b"\n- 07:15 a\n")


@pytest.mark.parametrize("heading", ["Log", "a\n# Evil", "", "  x  ", "日誌", "a\r\nb"])
def test_a_heading_is_one_line_whatever_the_manifest_says(heading: str) -> None:
    added = daily.addition(b"theirs\n", whole=True, entry="- 07:15 a\n", day=DAY, heading=heading).decode()

    assert [block.kind for block in markdown.blocks(added.strip())] == ["heading", "blank", "item"]


@pytest.mark.parametrize("line", ["- 07:15 x", "- 23:59 x\n", "- 00:00\r\n x"])
def test_our_lines_are_known(line: str) -> None:
    assert daily.is_ours(line)


@pytest.mark.parametrize(
    "line", ["", "-", "- 07:15", "- 7:15 x", "* 07:15 x", " - 07:15 x", "- 07:15x", "- ٠٧:١٥ x", "- ab:cd x"]
)
def test_others_lines_are_not_taken_for_ours(line: str) -> None:
    assert not daily.is_ours(line)
