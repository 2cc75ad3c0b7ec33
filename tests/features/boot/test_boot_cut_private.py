"""A large file is read in part: no private line becomes public because what says so was not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.disk import lenient
from agentws.workspace import Workspace
from tests import table

SECRET = "the otter sleeps at noon"
OPEN = "the gate of the pond is green"
FILL = "".join(f"- Shelf {number} holds jar {number * 7919 % 1009}\n" for number in range(200))
CHILDREN = FILL.replace("- ", "  - ")
TEXTS = {
    "below a heading that was not read": f"# A\n\n- {OPEN}\n\n{FILL}\n## Doctor #private\n\n{FILL}- {SECRET}\n",
    "below the title": f"# A #private\n\n{FILL}\n## B\n\n{FILL}- {SECRET}\n",
    "below a title that was not read": f"# A\n\n{FILL}\n# Doctor #private\n\n{FILL}\n## B\n\n- {SECRET}\n",
    "in a fence that was opened before": f"# A\n\n## Doctor #private\n\n```\n{FILL}{FILL}{SECRET}\n```\n",
    "behind a fence": f"# A\n\n## Doctor #private\n\n```\n{FILL}\n{FILL}```\n\n- {SECRET}\n",
    "with its mark on a child": f"# A\n\n- {SECRET}\n{CHILDREN * 2}  - #private\n",
    "with its mark at the end": f"# A\n\n{SECRET}\n{FILL.replace('- ', '')}{FILL.replace('- ', '')}#private\n",
    "behind a comment in a fence": f"# A #private\n\n```\n# install\n{SECRET}\n{FILL}\n{FILL}```\n",
    "in a longer fence": f"# A #private\n\n````\n```\n# install\n\n{SECRET}\n{FILL}\n{FILL}````\n",
    "in a fence with its mark": f"# A\n\n```\n{SECRET}\n{FILL}\n{FILL}\n#private\n```\n",
    "without line ends": f"# A {SECRET} {FILL * 2}#private\n".replace("\n", " "),
    "with an old Mac's": f"# A\n\n## Doctor #private\n\n{FILL * 2}- {SECRET}\n".replace("\n", "\r"),
}
PATHS = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "memory/2026-11-20.md", "docs/rota.md")


@pytest.mark.parametrize("path", PATHS)
def test_what_is_private_stays_so_in_a_file_that_is_read_in_part(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(lenient, "LARGEST_READ_BYTES", 3_000)
    manifest = Path(workspace.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + '\n[boot]\npinned = ["docs/rota.md"]\n')

    def check(name: str) -> None:
        file = Path(workspace.root, path)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(TEXTS[name].encode())
        opened = Workspace.open(workspace.root, environment=workspace.stores.environment)
        assert SECRET not in opened.boot(audience="shared", budget=20_000).text

    table.holds(check, TEXTS)


def test_what_stands_before_the_cut_is_shown_to_others_too(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lenient, "LARGEST_READ_BYTES", 3_000)
    Path(workspace.root, "AGENTS.md").write_text(TEXTS["below a heading that was not read"])

    assert OPEN in workspace.boot(audience="shared", budget=20_000).text
    assert SECRET in workspace.boot(budget=20_000).text
