"""The words to sign, from a copy of the file of a request: no workspace, and no account of the agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentws import workspace as functions
from agentws.errors import DamagedError, UsageError
from agentws.workspace import Workspace
from tests import forked
from tests.features.approvals import keys
from tests.features.approvals.people import ACTION, at, file_of


@pytest.mark.parametrize("how", [{}, {"approve": False}, {"edit": {"amount": 1}}])
def test_a_copy_of_the_file_gives_the_words_that_the_workspace_gives(workspace: Workspace, how: dict[str, Any]) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit, Žofie?", action=ACTION, risk="high", expires="2d").id
    agent = here.stores.manifest.agent_id

    found = functions.statement_of(file_of(workspace, id).read_bytes(), id=f"{id}.md", agent=agent, **how)

    assert found.words == here.approvals.statement(id, **how)
    assert found.action == how.get("edit", ACTION)
    assert (found.id, found.risk, bool(found.expires)) == (id, "high", True)


def test_what_is_signed_over_a_copy_elsewhere_is_an_answer(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sam = keys.made(tmp_path / "stick")
    keys.pinned(monkeypatch, tmp_path, sam)
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION, risk="high").id
    copy = tmp_path / "copies" / f"{id}.md"
    copy.parent.mkdir()
    copy.write_bytes(file_of(workspace, id).read_bytes())

    told = forked.run_text("ask", "statement", copy.name, "--agent", here.stores.manifest.agent_id, cwd=copy.parent)

    assert told.returncode == 0
    assert json.dumps(ACTION["amount"]) in told.stderr
    assert here.approvals.show(id).action_digest in told.stderr
    assert here.approvals.decide(id, approve=True, signature=keys.signed(sam, told.stdout)).proof == "signed"


def test_what_is_no_request_or_no_id_is_refused() -> None:
    good, agent = b"# Pay?\n", "0" * 32

    for id, whose in (("", agent), ("../../x", agent), ("bcdfgh", "robin"), ("bcdfgh", "")):
        with pytest.raises(UsageError):
            functions.statement_of(good, id=id, agent=whose)
    with pytest.raises(DamagedError):
        functions.statement_of(b"no question", id="bcdfgh", agent=agent)
    done = forked.run_text("ask", "statement", "-")
    assert done.returncode == 2
    assert "--id" in done.stderr
