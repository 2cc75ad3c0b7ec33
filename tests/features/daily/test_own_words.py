"""The words that a workspace adds to the vocabulary count for all that reads its notes."""

from __future__ import annotations

from pathlib import Path

from agentws.workspace import Environment, Workspace

WORDS = '\n[vocabulary]\nopen = ["Loose ends of June"]\ntodo = ["chore"]\n'
NOTES = (
    "# 2026-11-18\n\n## Loose ends of June\n\n- Return the badge\n\n## Log\n\n- Chore: water the fern\n- It rained\n"
)
OPEN = ("water the fern",)


def test_boot_and_todo_know_what_is_open_by_the_words_of_the_manifest(
    workspace: Workspace, environment: Environment
) -> None:
    root = Path(workspace.root)
    (root / "memory" / "2026-11-18.md").write_text(NOTES)
    (root / "memory" / "2026-11-19.md").write_text("# 2026-11-19\n\n" + "- The wind turned twice and fell\n" * 200)
    before = workspace.boot(budget=1000)
    with (root / "agentws.toml").open("a") as manifest:
        manifest.write(WORDS)
    again = Workspace.open(str(root), environment=environment)

    assert [row.text for row in workspace.todos().rows] == []
    assert tuple(row.text for row in again.todos().rows) == OPEN
    assert "water the fern" not in section(before.text)
    assert all(text in section(again.boot(budget=1000).text) for text in OPEN)


def section(boot: str) -> str:
    """What stands under the heading of what is open, empty without one."""
    behind = boot.partition("\n## Open")[2]
    return behind.partition("\n## ")[0]
