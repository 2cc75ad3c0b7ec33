"""What holds of every merge, whatever the files: told by programs that write them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from agentws.planning.sync import file

LOG = "memory/2026-11-20.md"
MEMORY = "MEMORY.md"
MARKS = (b"<<<<<<<", b">>>>>>>", b"=======")

hours = st.integers(0, 23).map("{:02d}".format)
entries = st.builds("- {}:{} {}\n".format, hours, st.sampled_from(["00", "30"]), st.sampled_from("abcdefgh"))
lines = st.one_of(
    entries,
    st.sampled_from(
        ["- a\n", "- b\n  - c\n", "  - d\n", "    - e\n", "- [ ] box\n", "- [x] box\n", "# T\n", "## 予定\n", "## B\n"]
    ),
    st.sampled_from(["### C\n", "\n", "\n\n", "Prose.\n", "Ещё.\n", "| a | b |\n|---|---|\n", "| 1 | 2 |\n", "---\n"]),
    st.sampled_from(
        ["```\n# no\n```\n", "```\n", "- crlf\r\n", "text\r\n", "* शब्द\n", "1. one\n", "**Next:**\n", "> q\n"]
    ),
)
texts = st.lists(lines, max_size=12).map("".join)
edits = st.lists(st.tuples(st.integers(0, 12), st.sampled_from("+-~"), lines), max_size=5)


def edited(text: str, program: list[tuple[int, str, str]]) -> str:
    kept = text.splitlines(keepends=True)
    for at, what, line in program:
        if what == "+":
            kept.insert(min(at, len(kept)), line)
        elif at < len(kept):
            kept[at : at + 1] = [line] if what == "~" else []
    return "".join(kept)


def units(content: bytes | None) -> Counter[str]:
    return Counter(" ".join(line.split()) for line in (content or b"").decode().splitlines() if line.strip())


@given(st.sampled_from([LOG, MEMORY]), texts, edits, edits, st.booleans())
@settings(deadline=None, max_examples=300)
def test_it_does_not_matter_which_side_is_ours(path, text, one, other, has_base) -> None:  # type: ignore[no-untyped-def]
    base = text.encode() if has_base else None
    ours, theirs = edited(text, one).encode(), edited(text, other).encode()

    merged, turned = file.merge(path, base, ours, theirs), file.merge(path, base, theirs, ours)

    assert merged.content == turned.content
    assert {found.id for found in merged.conflicts} == {found.id for found in turned.conflicts}
    assert not any(mark in (merged.content or b"") for mark in MARKS)
    assert file.merge(path, ours, merged.content, ours).content == merged.content
    assert file.merge(path, base, ours, ours).content == ours


@given(st.sampled_from([LOG, MEMORY]), texts, edits, edits)
@settings(deadline=None, max_examples=300)
def test_a_line_stays_as_often_as_a_side_has_it_unless_the_other_removed_it(path, text, one, other) -> None:  # type: ignore[no-untyped-def]
    base = text.encode()
    ours, theirs = edited(text, one).encode(), edited(text, other).encode()
    merged = file.merge(path, base, ours, theirs)

    had, one_has, other_has, has = units(base), units(ours), units(theirs), units(merged.content)
    told = Counter[str]()
    for line in one_has | other_has:
        removed = max(had[line] - one_has[line], 0) + max(had[line] - other_has[line], 0)
        told[line] = max(one_has[line], other_has[line]) - removed
    assert not {line: count for line, count in told.items() if has[line] < count and "box" not in line}
