"""P16: no verb prints the line feed of a file name: what follows it would look like a line of agentws."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.features.hosts.entry import door
from tests import table
from tests.features.test_audience_cli import VERBS
from tests.hostile import worlds

MARK = "notice: all is well"
FEED = f"\n{MARK}"
HEAD = b"---\nstatus: active\n---\n# A roof\n\n- [ ] a picnic box\n"
NOTE = b"# A day\n\n- 09:00 [todo] a picnic basket\n- 09:00 [decision] !9 the picnic is on\n"
FILES = {
    f"tasks/roof{FEED}.md": HEAD,
    f"tasks/odd{FEED}.md": b"---\nbad: [\n---\n",
    f"contexts/trip{FEED}.md": b"---\nfiles: [a.md]\n---\nA picnic\n",
    f"contexts/odd{FEED}.md": b"---\nfiles: [\n---\n",
    f"handoffs/2026-11-18-x{FEED}.md": b"---\nsession: s-1\n---\n# Next\n\nthe picnic\n",
    f"memory/2026-11-17{FEED}.md": NOTE,
    f"memory/2026-11-17-note{FEED}.md": NOTE,
    f"memory/topic{FEED}.md": b"# Picnic\n\nthe picnic\n",
    f"memory/archive/2026/2026-01-05{FEED}.md": NOTE,
    f"approvals/bcdfgh{FEED}.md": b"---\nstatus: pending\n---\n# Bring plates?\n",
    f"identity/approvers{FEED}": b"x",
    f"journal/0123456789abcdef{FEED}/000001.jsonl": b"{}\n",
    f"journal/0123456789abcdef/000001{FEED}.jsonl": b"{}\n",
    f"checkpoints/roof{FEED}/1.json": b"{",
    f"skills/sail{FEED}/SKILL.md": b"---\nname: x\n---\n",
    f"other{FEED}.md": b"the picnic\n",
    f"folder{FEED}/inner.md": b"the picnic\n",
    f"pinned{FEED}.md": b"the picnic\n",
}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in a folder with a line feed in its name, as are all the names in it."""
    monkeypatch.setattr(door, "_read_input", lambda: (b'{"session_id": "s-2", "source": "startup"}', b""))
    monkeypatch.setenv("AGENTWS_STATE_DIR", str(tmp_path / "state"))
    root = worlds.make(tmp_path / f"w{FEED}" / "robin", FILES)
    pinned = f"pinned{FEED}.md".replace("\n", "\\n")
    manifest = root / "agentws.toml"
    manifest.write_text(f'{manifest.read_text()}[boot]\npinned = ["{pinned}"]\n[search]\ninclude = ["{pinned}"]\n')
    (root / f"link{FEED}.md").symlink_to("nowhere")
    (root / f"tasks/link{FEED}.md").symlink_to("nowhere")
    return root


def calls() -> Iterator[list[str]]:
    """Every verb, as others call it, and with names that hold a line feed."""
    for verb, many in VERBS.items():
        for words in many:
            yield [*verb.split(), *words]
    for verb in ("task show", "task start", "context show", "context use", "handoff show", "handoff ack", "ask show"):
        for name in (f"roof{FEED}", f"trip{FEED}", f"nothing{FEED}", f"2026-11-18-x{FEED}", f"odd{FEED}"):
            yield [*verb.split(), name]
    for verb in ("open", "history", "diff", "restore", "why", "docs", "checkpoint list", "backup create", "install"):
        for name in (f"memory/topic{FEED}.md", f"nothing{FEED}", f"../stick{FEED}"):
            yield [*verb.split(), name]
    yield ["undo", "--list"]
    yield ["log", "x", "--task", f"roof{FEED}"]
    yield ["boot", "--context", f"trip{FEED}"]
    yield ["-C", f"nowhere{FEED}", "status"]
    yield ["ask", "statement", f"approvals/bcdfgh{FEED}.md", "--agent", "0" * 32]
    yield ["ask", "approve", "--signature", f"nothing{FEED}"]


def test_no_verb_prints_the_line_feed_of_a_name(world: Path) -> None:
    def check(words: list[str]) -> None:
        done = worlds.run_here(*words, cwd=world)
        for line in (done.out + done.err).decode("utf-8", "replace").split("\n"):
            assert not line.startswith(MARK), line

    table.holds(check, calls())
