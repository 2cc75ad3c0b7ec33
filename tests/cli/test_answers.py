"""What a person is told who wants to answer a request, or puts a task aside twice."""

from __future__ import annotations

from pathlib import Path

from agentws.workspace import Workspace
from tests.features.hosts.install.test_install_cli import run


def asked(workspace: Workspace, *words: str) -> str:
    """The id of a new request."""
    return Path(run(workspace, "ask", "Pay the deposit?", "--action", "1", *words).split("\n")[0]).stem


def test_a_request_that_waits_says_how_it_is_answered(workspace: Workspace) -> None:
    low, high = asked(workspace), asked(workspace, "--risk", "high")

    assert run(workspace, "ask", "show", low).endswith(
        f"To approve: agentws ask approve {low}\nTo reject:  agentws ask reject {low}\n"
    )
    assert f"To approve: agentws ask approve {high} --key KEY  (from your own machine: " in run(
        workspace, "ask", "show", high
    )
    run(workspace, "ask", "reject", low)
    assert "To approve" not in run(workspace, "ask", "show", low)


def test_whoever_answers_a_high_risk_without_a_signature_is_told_to_sign(workspace: Workspace) -> None:
    id = asked(workspace, "--risk", "high")

    told = run(workspace, "ask", "approve", id, "--yes", code=16)
    assert "A person signs: --key KEY at their own terminal, or --signature FILE." in told
    assert f"agentws ask approve {id} --key KEY" in run(
        workspace, "ask", "use", "--risk", "high", "--action", "1", code=3
    )


def test_whoever_types_an_answer_that_their_settings_do_not_accept_is_told_of_these(workspace: Workspace) -> None:
    told = run(workspace, "ask", "approve", asked(workspace), "--yes", code=16)

    assert "Your settings do not accept that." in told
    assert "A person signs (--key KEY), or lets typed answers count: agentws config --user ask.typed true" in told


def test_an_empty_signature_and_two_of_them_are_named_so(workspace: Workspace, tmp_path: Path) -> None:
    id = asked(workspace)
    Path(tmp_path, "empty").write_text("\n")

    assert "is empty" in run(workspace, "ask", "approve", id, "--signature", f"{tmp_path}/empty", code=2)
    both = ("--signature", f"{tmp_path}/empty", "--key", "key")
    assert "cannot be used together" in run(workspace, "ask", "approve", id, *both, code=2)


def test_a_state_of_a_task_that_was_put_aside_before_is_told_as_saved(workspace: Workspace, tmp_path: Path) -> None:
    run(workspace, "task", "add", "Roof", "--start")
    state = Path(tmp_path, "state.json")
    for number in (1, 2):
        state.write_text(str(number))
        told = run(workspace, "task", "pause", "roof", "--state", str(state))

    assert told.startswith("roof: paused already · saved 000002-")
    assert run(workspace, "task", "resume", "roof", "--state") == "2\n"
