"""What two sides lead to, asked in both orders; and what a side may do to a file, for programs of properties."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st

from agentws.features.sync import state
from agentws.features.sync.plan import file
from agentws.features.sync.plan.merged import Merged

merge = partial(file.merge, rule=state.of)

LOG = "memory/2026-11-20.md"
MEMORY = "MEMORY.md"
DIGEST = "memory/digest.md"
TASK = "tasks/move.md"
ROWS = "memory/sources.jsonl"
SETTINGS = "agentws.toml"

Told = list[tuple[str, str, object, object, object]]
hours = st.integers(0, 23).map("{:02d}".format)
entries = st.builds("- {}:{} {}\n".format, hours, st.sampled_from(["00", "30"]), st.sampled_from("abcdefgh"))
LINES = (
    *("- a\n", "- b\n  - c\n", "  - d\n", "    - e\n", "- [ ] box\n", "- [x] box\n", "# T\n", "## 予定\n", "## B\n"),
    *("### C\n", "\n", "\n\n", "Prose.\n", "Ещё.\n", "| a | b |\n|---|---|\n", "| 1 | 2 |\n", "---\n", "> q\n"),
    *("```\n# no\n```\n", "```\n", "- crlf\r\n", "text\r\n", "* शब्द\n", "1. one\n", "**Next:**\n", "\ttab\n"),
    *(
        "status: open\n",
        "status: done\n",
        "tags: [a, b]\n",
        "[t]\n",
        "k = 1\n",
        "k = [\n1]\n",
        '{"run":"2026-11-20"}\n',
    ),
)
lines = st.one_of(entries, st.sampled_from(LINES))
texts = st.lists(lines, max_size=12).map("".join)
edits = st.lists(st.tuples(st.integers(0, 12), st.sampled_from("+-~"), lines), max_size=5)


def edited(text: str, program: list[tuple[int, str, str]]) -> str:
    """Return a text with lines put in, taken out and exchanged."""
    kept = text.splitlines(keepends=True)
    for at, what, line in program:
        if what == "+":
            kept.insert(min(at, len(kept)), line)
        elif at < len(kept):
            kept[at : at + 1] = [line] if what == "~" else []
    return "".join(kept)


def both(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Merged:
    """Return what two sides lead to, the same whichever of them is ours."""
    merged, turned = merge(path, base, ours, theirs), merge(path, base, theirs, ours)
    assert merged.content == turned.content
    assert {found.id: found.turned for found in merged.conflicts} == {found.id: found for found in turned.conflicts}
    return merged


def told(path: str, base: str | None, ours: str, theirs: str) -> tuple[str, Told]:
    """Return the text that two sides lead to, and its conflicts."""
    merged = both(path, None if base is None else base.encode(), ours.encode(), theirs.encode())
    assert merged.content is not None
    conflicts = [(one.what, one.where, one.base, one.ours, one.theirs) for one in merged.conflicts]
    return merged.content.decode(), conflicts


def text(path: str, base: str | None, ours: str, theirs: str) -> str:
    """Return the text that two sides lead to without a conflict."""
    made, conflicts = told(path, base, ours, theirs)
    assert not conflicts
    return made
