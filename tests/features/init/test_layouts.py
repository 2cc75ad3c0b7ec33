"""Twenty layouts are adopted: no Markdown file is unread without a word, none is shown twice, none gets a twin."""

from __future__ import annotations

from pathlib import Path

from agentws.core.findings import ADVICE
from agentws.features.init import render
from agentws.workspace import Environment, Workspace, initialise
from tests import table
from tests.features.init import layouts


def outcome(path: str, *, boot: str, said: str, agent: Workspace) -> str:
    """Return what became of a file: `read` by boot, `found` by search, `named` (itself, or its folder), or nothing."""
    if layouts.word(path) in boot:
        return "read"
    if path in {hit.path for hit in agent.search(layouts.word(path)).hits}:
        return "found"
    parts = path.split("/")
    places = [path, *("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))]
    return "named" if any(place in said for place in places) else ""


def test_each_file_of_each_layout_is_read_found_or_named_and_none_twice(
    tmp_path: Path, environment: Environment
) -> None:
    def check(name: str) -> None:
        root = tmp_path / name.replace(" ", "-")
        texts = layouts.make(name, root)

        done = initialise(str(root), environment)
        agent = Workspace.open(str(root), environment=environment)
        boot = agent.boot()

        said = "\n".join([*render.lines(done, []), *done.notices, boot.text, *boot.notices])
        pages = [path for path in texts if path.endswith((".md", ".mdc"))]
        outcomes = {path: outcome(path, boot=boot.text, said=said, agent=agent) for path in pages}
        assert not [path for path, result in outcomes.items() if not result]
        assert not [path for path in pages if boot.text.count(layouts.word(path)) > 1]
        assert {path: (root / path).read_text() for path in texts} == texts
        added = [path for path in done.added if path.casefold() in {other.casefold() for other in texts}]
        assert not added
        wrong = [each for each in agent.doctor().findings if each.severity != ADVICE and each.path in texts]
        assert not [(each.path, each.says) for each in wrong]

        assert not agent.tasks.list().tasks
        assert not agent.handoff.list().rows

    assert len(layouts.NAMES) == 20
    table.holds(check, layouts.NAMES)
