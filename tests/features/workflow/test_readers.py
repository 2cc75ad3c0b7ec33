"""What boot, the journal and the cache tell of workflows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.errors import NotForAudienceError, UsageError
from agentws.features.workflow import step_events
from agentws.workspace import Environment, Workspace

SECRET_NAME = "Lena's loan"


class Died(BaseException):
    """The process ends here."""


def dies() -> None:
    raise Died


def test_boot_tells_of_a_step_that_has_no_end_and_of_others_once(workspace: Workspace) -> None:
    with workspace.workflow("deploy") as flow:
        flow.step("build", lambda: 1)
        with pytest.raises(Died):
            flow.step("upload", dies)

    told = [line for line in workspace.boot().text.splitlines() if "deploy" in line]

    assert [line.partition("] ")[2] for line in told] == [
        "deploy: build",
        "deploy: upload → no result recorded. To see what is known: agentws workflow list",
        "deploy: finished",
    ]
    workspace.workflow.resolve("deploy", "upload", not_done=True)
    assert "no result recorded" not in workspace.boot().text


def test_nobody_else_records_the_events_of_steps_and_none_is_retracted(workspace: Workspace) -> None:
    with workspace.workflow("deploy") as flow:
        flow.step("build", lambda: 1)
    with pytest.raises(UsageError, match="only a command of agentws"):
        workspace.event("step.finished", body={"workflow": "deploy", "step": "upload"})
    for one in workspace.journal.list(kinds=("step.*",)):
        with pytest.raises(UsageError, match="agentws recorded"):
            workspace.journal.retract([one.cursor], reason="again")


@pytest.mark.parametrize("granularity", ["milestones", "7"])
def test_no_granularity_leaves_a_step_out(workspace: Workspace, granularity: str) -> None:
    workspace.config.set("journal.granularity", granularity)
    for _ in range(2):
        with workspace.workflow("deploy") as flow:
            assert [flow.step("build", lambda: 1, key=number) for number in range(5)] == [1] * 5
    assert len(list(workspace.journal.list(kinds=("step.began",)))) == 5


def test_nothing_of_what_was_purged_stays_in_the_cache(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_events, "_WORTH_KEEPING", 1)
    surroundings = Environment(now=workspace.stores.environment.now, timezone="UTC", cache=str(tmp_path / "cache"))
    workspace = Workspace.open(workspace.root, environment=surroundings)
    with workspace.workflow("deploy") as flow:
        flow.step("pay", lambda: 1, key=SECRET_NAME)
    workspace.workflow.list()
    assert any(SECRET_NAME.encode() in data for data in cached(tmp_path))

    purged = [one.cursor for one in workspace.journal.list(kinds=("step.*",)) if "key" in (one.body or {})]
    workspace.journal.purge(purged, reason="asked")

    assert not any(SECRET_NAME.encode() in data for data in cached(tmp_path))
    assert list(workspace.workflow.list()[0].steps) == []


def cached(tmp_path: Path) -> list[bytes]:
    """What lies in the cache."""
    return [Path(folder, name).read_bytes() for folder, _, names in os.walk(tmp_path / "cache") for name in names]


def test_a_shared_session_hears_no_result_of_a_workflow(workspace: Workspace) -> None:
    with workspace.workflow("deploy") as flow:
        flow.step("build", lambda: SECRET_NAME)
    session = workspace.session.start("B", audience="shared").session
    by_session = Environment(now=workspace.stores.environment.now, timezone="UTC", session=session)
    by_surroundings = Environment(now=workspace.stores.environment.now, timezone="UTC", audience="shared")

    for environment in (by_session, by_surroundings):
        shared = Workspace.open(workspace.root, environment=environment)
        with pytest.raises(NotForAudienceError):
            shared.workflow("deploy")
