"""A notice, a finding or a check names a few and counts the rest, however many there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.disk.change import transaction
from agentws.core.text import names
from agentws.workspace import Environment, Workspace
from tests.hostile import worlds

MANY = 300
LONGEST_LINE = 600


def test_three_are_named_and_the_rest_is_counted() -> None:
    assert names.some([]) == ""
    assert names.some(["a"]) == "a"
    assert names.some(["a", "b", "c"]) == "a, b, c"
    assert names.some(f"t{n}" for n in range(5)) == "t0, t1, t2 and 2 more"
    assert names.some(["a", "b"], 1) == "a and 1 more"
    assert len(names.some(["x" * 5_000] * 3)) < 400


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which there is much of everything that a notice may list."""
    root = tmp_path_factory.mktemp("crowded") / "w"
    pinned = ", ".join(f'"notes/pinned-{n}.md"' for n in range(MANY))
    bad = b"---\nstatus: [\n---\n# x\n"
    worlds.make(
        root,
        {
            "agentws.toml": worlds.MANIFEST + f"[boot]\npinned = [{pinned}]\n".encode(),
            **{f"tasks/task-{n}.md": b"---\nstatus: active\n---\n# T\n" for n in range(MANY)},
            **{f"tasks/bad-{n}.md": bad for n in range(MANY)},
            **{f"handoffs/2026-11-{n % 19 + 1:02}-{n:04}.md": b"---\nstatus: open\n---\n# H\n" for n in range(MANY)},
            **{f"contexts/c{n}.md": b"# c\n" for n in range(MANY)},
            **{f"memory/2025-{n % 12 + 1:02}-{n % 28 + 1:02}.md": b"- \xff\n" for n in range(MANY)},
        },
    )
    return root


@pytest.mark.parametrize(
    "words",
    [
        ["boot"], ["status"], ["doctor"], ["task", "list"], ["task", "show", "nothing"], ["context", "use", "nothing"],
        ["handoff", "list"], ["session", "end", "nothing"], ["journal", "audit"], ["task", "add", "Buy bread"],
        ["undo"], ["undo", "--list"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_line_is_longer_than_a_person_reads(crowded: Path, words: list[str]) -> None:
    ran = worlds.run_here(*words, cwd=crowded)

    assert max(map(len, (ran.text + ran.said).split("\n"))) <= LONGEST_LINE, ran
    assert "bug in agentws" not in ran.said


def test_what_was_put_back_is_counted(
    workspace: Workspace, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "settle", lambda _: [f"memory/a-long-name-{n}.md" for n in range(1000)])

    told = Workspace.open(workspace.root, environment=environment).remember("Sam likes tea").notices

    [notice] = [each for each in told if "was reverted" in each]
    assert notice.endswith("and 997 more.")
