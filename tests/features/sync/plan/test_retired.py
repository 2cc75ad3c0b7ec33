"""The beginning of a journal that one machine has retired stays away from all, and every journal verifies."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.formats.journal import event, segment
from agentws.core.journal import stamp
from agentws.core.journal.sealing import pack
from agentws.workspace import Environment, Workspace
from tests.features.sync.plan.machines import NOON, Machine, Remote
from tests.features.sync.plan.test_machines import in_step

pytestmark = pytest.mark.slow
CLOCK = [0.0]


def test_a_retired_beginning_stays_away_and_what_others_wrote_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not here")
    monkeypatch.setattr(segment, "LIMIT_BYTES", 2_700)
    monkeypatch.setattr(event, "BODY_LIMIT_BYTES", 900)
    monkeypatch.setattr(pack, "NEWEST", 2)
    monkeypatch.setattr(stamp, "now", lambda: round((NOON + timedelta(days=CLOCK[0])).timestamp() * 1_000_000))
    remote, one = Remote(), Machine(tmp_path, "one")
    Workspace.init(str(one.root), environment=Environment(now=NOON, timezone="UTC"), name="Robin", git=False)
    CLOCK[0] = 0
    fill(one, "long ago", 0)
    one.sync(remote)
    other = one.beside("other")
    CLOCK[0] = 100
    fill(other, "elsewhere", 100)
    in_step(remote, one, other)
    one.at(days=100).config.set("journal.keep", "30d")
    fill(one, "lately", 100)
    assert one.at(days=100).memory.compact().journal.retired
    first = sorted(path for path in one.files if path.startswith("journal/") and path.endswith((".jsonl", ".gz")))
    in_step(remote, other, one)
    after = sorted(path for path in other.files if path.startswith("journal/") and path.endswith((".jsonl", ".gz")))
    assert {*first} <= {*after}
    assert b"long ago 0" not in b"".join(other.files.values())
    texts = [str((found.body or {}).get("text")) for found in other.at(days=100).journal.list(kinds=["note"])]
    for words in ("lately", "elsewhere"):
        assert [text for text in texts if text.startswith(words)] == [f"{words} {n} {'x' * 300}" for n in range(12)]


def fill(machine: Machine, words: str, day: float) -> None:
    """Record some events, and seal them."""
    here = machine.at(days=day)
    for number in range(12):
        here.event("note", f"{words} {number} {'x' * 300}")
    here.journal.seal()
