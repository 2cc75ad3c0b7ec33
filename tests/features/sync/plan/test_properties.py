"""What holds of every merge, whatever the files."""

from __future__ import annotations

import resource
import sys
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from agentws.features.sync.plan import decision, file
from agentws.features.sync.plan.merged import FILE
from agentws.features.sync.plan.units import outline
from tests.features.sync.plan.sides import (
    DIGEST,
    LOG,
    MEMORY,
    ROWS,
    SETTINGS,
    TASK,
    both,
    edited,
    edits,
    lines,
    merge,
    texts,
)

PROSE = (LOG, MEMORY, DIGEST)
EVERY = (*PROSE, TASK, ROWS, SETTINGS, ".gitignore", "notes.txt", "picture.png")
MARKS = (b"<<<<<<<", b">>>>>>>", b"=======")
Program = list[tuple[int, str, str]]


def units(content: bytes | None) -> Counter[str]:
    return Counter(line.replace("[x]", "[ ]").strip() for line in (content or b"").decode().split("\n") if line.strip())


@given(texts, st.booleans())
def test_an_outline_is_the_text_byte_for_byte(text: str, is_cut: bool) -> None:
    text = text[:-1] if is_cut else text

    assert outline.read(text).text == text


@given(st.sampled_from(EVERY), texts, edits, edits, st.booleans())
@settings(deadline=None, max_examples=100)
def test_it_does_not_matter_which_side_is_ours(
    path: str, text: str, one: Program, other: Program, has_base: bool
) -> None:
    base = text.encode() if has_base else None
    ours, theirs = edited(text, one).encode(), edited(text, other).encode()

    merged = both(path, base, ours, theirs).content

    assert merged is not None
    assert not any(mark in merged for mark in MARKS)
    assert merge(path, ours, merged, ours).content == merged
    assert merge(path, base, ours, ours).content == ours


@given(st.sampled_from(PROSE), texts, edits, edits)
@settings(deadline=None, max_examples=100)
def test_no_line_is_gone_that_no_side_removed(path: str, text: str, one: Program, other: Program) -> None:
    base, ours, theirs = text.encode(), edited(text, one).encode(), edited(text, other).encode()
    has = units(both(path, base, ours, theirs).content)

    had, in_ours, in_theirs = units(base), units(ours), units(theirs)
    for line in in_ours | in_theirs:
        removed = max(had[line] - in_ours[line], 0) + max(had[line] - in_theirs[line], 0)
        assert has[line] or max(in_ours[line], in_theirs[line]) <= removed


@given(st.sampled_from((*PROSE, TASK, SETTINGS)), texts, edits, edits)
@settings(deadline=None, max_examples=100)
def test_what_a_conflict_is_about_stands_in_the_file_and_either_side_can_be_taken(
    path: str, text: str, one: Program, other: Program
) -> None:
    merged = both(path, text.encode(), edited(text, one).encode(), edited(text, other).encode())
    made = (merged.content or b"").decode()

    for conflict in merged.conflicts:
        if conflict.what != FILE:
            sides = [side if isinstance(side, str) else None for side in conflict.sides]
            for take in (decision.ONE, decision.TWO):
                assert decision.decided(made, (sides[0], sides[1]), take, path=path) is not None


@given(texts, st.lists(lines, max_size=4), st.lists(lines, max_size=4))
@settings(deadline=None)
def test_what_both_appended_to_a_log_stands_as_often_as_both_wrote_it(
    text: str, one: list[str], other: list[str]
) -> None:
    text = f"# D\n{text}\n"
    new = [[line for line in side if line.startswith("- ") and "\n " not in line] for side in (one, other)]
    ours, theirs = (text + "".join(side) for side in new)
    if "```" in text or ours == theirs:
        return

    has = units(both(LOG, text.encode(), ours.encode(), theirs.encode()).content)

    had = units(text.encode())
    assert has == had + (units(ours.encode()) - had) + (units(theirs.encode()) - had)


STAMPS = st.lists(st.integers(0, 1439), max_size=4).map(sorted)
WORDS = st.sampled_from(["swept", "sowed", "क्षण", "Ärger\n  mehr", "rang\n  - Ada", "浇水 #garten"])


@st.composite
def logs(draw: st.DrawFn) -> str:
    made = "".join(f"- {at // 60:02d}:{at % 60:02d} {draw(WORDS)}\n" for at in draw(STAMPS))
    if draw(st.booleans()):
        made += f"\n## {draw(st.sampled_from(['Evening', '晚上']))}\n\n- 19:00 {draw(WORDS)}\n"
    return made


@st.composite
def rows(draw: st.DrawFn, writer: str) -> str:
    made = ""
    for day in draw(st.lists(st.integers(10, 28), max_size=3, unique=True).map(sorted)):
        run = f"2026-11-{day}T03:00:0{writer}Z"
        made += "".join(f'{{"entry":"{entry}","run":"{run}"}}\n' for entry in draw(st.permutations("abc")))
    return made


HEAD = "---\nstatus: open\nstep: s\nupdated: 2026-11-20T10:00:00Z\ntags: [a, b]\n---\n# T\n\n- [ ] one\n- [ ] two\n"
FIELDS = (
    ("status: open", ("status: done", "status: active", "status: mine")),
    ("step: s", ("step: t", "step: u")),
    ("T10", ("T11", "T12")),
    ("[a, b]", ("[a]", "[b, c]", "[a, b, d]")),
    ("[ ] one", ("[x] one",)),
    ("[ ] two", ("[x] two", "[ ] two\n- [ ] three", "[ ] two\n- [ ] four\n  - [ ] five")),
)


@st.composite
def tasks(draw: st.DrawFn) -> str:
    made = HEAD
    for old, new in FIELDS:
        made = made.replace(old, draw(st.sampled_from((old, *new))))
    return made


def is_associative(path: str, base: str, *sides: str) -> bool:
    def merged(one: bytes | None, other: bytes | None) -> bytes | None:
        return merge(path, base.encode(), one, other).content

    one, two, three = (side.encode() for side in sides)
    left, right, across = (
        merged(merged(one, two), three),
        merged(one, merged(two, three)),
        merged(merged(one, three), two),
    )
    # A log that two machines wrote word for word alike is one, since a side and itself are one.
    return len({one, two, three}) < 3 or left == right == across


@given(logs(), logs(), logs(), logs())
@settings(deadline=None, max_examples=60)
def test_three_logs_are_the_same_in_whatever_order_they_meet(day: str, one: str, two: str, three: str) -> None:
    base = f"# 2026-11-20\n\n{day.split(chr(10) + '##')[0]}"

    assert is_associative(LOG, base, base + one, base + two, base + three)


@given(rows("1"), rows("2"), rows("3"))
@settings(deadline=None)
def test_three_sidecars_are_the_same_in_whatever_order_they_meet(one: str, two: str, three: str) -> None:
    base = '{"entry":"a","run":"2026-11-01"}\n'

    assert is_associative(ROWS, base, base + one, two, base + three)


@given(tasks(), tasks(), tasks())
@settings(deadline=None, max_examples=60)
def test_three_tasks_are_the_same_in_whatever_order_they_meet(one: str, two: str, three: str) -> None:
    assert is_associative(TASK, HEAD, one, two, three)


@given(st.sampled_from(EVERY), *[st.binary(max_size=60) | texts.map(str.encode)] * 3)
@settings(deadline=None, max_examples=100)
def test_nothing_makes_a_merge_fail(path: str, base: bytes, ours: bytes, theirs: bytes) -> None:
    for known in (base, None):
        both(path, known, ours, theirs)


HUGE = {
    "long line": b"- " + b"x" * 200_000,
    "zeros": b"- a\n" + b"\0" * 500,
    "headings": b"".join(b"#" * (at % 6 + 1) + b" %d\n" % at for at in range(3000)),
    "nested": b"".join(b" " * at + b"- %d\n" % at for at in range(200)),
    "fences": b"```\n- a\n~~~\n" * 300,
    "brackets": b'{"a":' + b"[" * 20_000 + b"\n" + b"a = " + b"[" * 20_000,
    "blank": b"\n \n\t\n" * 500,
    "dashes": b"---\n" * 900,
}


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERY)
def test_what_is_hostile_is_merged_or_taken_whole(path: str) -> None:
    for name, content in HUGE.items():
        merged = both(path, content, content + b"\n- ours\n", b"- theirs\n" + content)
        assert merged.content, name
    assert both(path, None, b"a" * (file.MOST_BYTES + 1), b"b").conflicts


KINDS = {
    "log": (LOG, "- 07:00 entry {} with words\n", "words", "others"),
    "edited by both": (MEMORY, "- entry {} with words\n", "words", "others"),
    "headings": (MEMORY, "## h{}\n\nwords\n\n", "words", "others"),
    "alike": (LOG, "- 07:00 words\n", "", "- 08:00 more\n"),
    "rows": (ROWS, '{{"entry":"{}","run":"words"}}\n', "words", "others"),
    "settings": (SETTINGS, 'k{} = "words"\n', "words", "others"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_work_grows_with_the_lines_and_no_faster(kind: str) -> None:
    path, line, old, new = KINDS[kind]

    def calls(count: int) -> int:
        base = "".join(line.format(at) for at in range(count))
        ours, theirs = (base.replace(old, new), base.replace(old, new + "!")) if old else (base + new, base + new * 2)
        counted = 0

        def count_one(_: object, event: str, __: object) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count_one)
        try:
            merge(path, base.encode(), ours.encode(), theirs.encode())
        finally:
            sys.setprofile(None)
        return counted

    assert calls(800) < 2.3 * calls(400)


def test_ten_thousand_lines_take_a_moment_of_the_processor() -> None:
    base = "# D\n\n" + "".join(f"- {at // 600:02d}:{at % 60:02d} entry {at}\n" for at in range(10_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    made = merge(LOG, base.encode(), f"{base}- 23:50 a\n".encode(), f"{base}- 23:40 b\n".encode())
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before

    assert made.content == f"{base}- 23:40 b\n- 23:50 a\n".encode()
    assert used < 1.5
