"""What proves a person: a signature over the exact words, by a pinned key that the agent's user id cannot use."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.identity import approver
from agentws.core.identity import approvers
from agentws.errors import ApprovalPendingError, ApprovalRefusedError
from agentws.workspace import Workspace
from tests.features.approvals.keys import answer, line, made, pinned, signed
from tests.features.approvals.people import ACTION, at, file_of, kinds
from tests.identity import agent_of_ssh


@pytest.fixture
def sam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key of Sam, which is pinned, and kept where nothing looks for keys."""
    key = made(tmp_path / "stick")
    pinned(monkeypatch, tmp_path, key)
    return key


def asked(workspace: Workspace, **more: Any) -> str:
    return at(workspace).ask("Pay the deposit?", action=ACTION, risk="high", **more).id


def refused(workspace: Workspace, id: str, signature: str, why: str, **how: object) -> None:
    with pytest.raises(ApprovalRefusedError, match=why):
        at(workspace).approvals.decide(id, approve=True, signature=signature, **how)  # type: ignore[arg-type]
    assert "decided" not in kinds(workspace)


def test_a_signature_proves_a_person_and_is_judged_anew_at_the_use(
    workspace: Workspace, sam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, id = at(workspace, typed=False), asked(workspace)

    done = here.approvals.decide(id, approve=True, signature=answer(here, id, sam), message="Once.")

    assert (done.status, done.proof, done.is_usable) == ("approved", "signed", True)
    assert done.decided_by.startswith("sam SHA256:")
    assert "BEGIN SSH SIGNATURE" in file_of(workspace, id).read_text()
    pinned(monkeypatch, tmp_path)  # Sam was taken out of the list
    assert not here.approvals.show(id).is_usable
    pinned(monkeypatch, tmp_path, sam)
    assert here.approvals.use(id, ACTION, risk="high").status == "used"


def test_a_signature_that_ssh_keygen_cannot_judge_is_not_called_wrong(
    workspace: Workspace, sam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = asked(workspace)
    signature = answer(at(workspace), id, sam)
    nameless = tmp_path / "ssh-keygen"  # as it ends for a user id that the container does not name
    nameless.write_text("#!/bin/sh\necho 'No user exists for uid 6002' >&2\nexit 255\n")
    nameless.chmod(0o755)
    monkeypatch.setattr(approvers, "program", lambda: str(nameless))

    refused(workspace, id, signature, "could not be checked: ssh-keygen failed: No user exists for uid 6002")


def test_an_agent_may_bring_the_signature_of_a_person(workspace: Workspace, sam: Path) -> None:
    id = asked(workspace)

    done = at(workspace, by_agent=True).approvals.decide(id, approve=True, signature=answer(at(workspace), id, sam))

    assert done.proof == "signed"


def test_an_edited_action_is_what_is_signed(workspace: Workspace, sam: Path) -> None:
    here, id, less = at(workspace), asked(workspace), {**ACTION, "amount": 1}
    signature = answer(here, id, sam, edit=less)
    refused(workspace, id, signature, "not over these words")

    here.approvals.decide(id, approve=True, signature=signature, edit=less)

    with pytest.raises(ApprovalRefusedError, match="another action instead"):
        here.approvals.use(id, ACTION)
    assert here.approvals.use(id, less).is_edited


def test_the_signature_for_another_request_is_refused(workspace: Workspace, sam: Path) -> None:
    first, second = asked(workspace), asked(workspace, again=True)
    assert first != second

    refused(workspace, second, answer(at(workspace), first, sam), "not over these words")


def test_the_signature_of_a_rejection_approves_nothing(workspace: Workspace, sam: Path) -> None:
    id = asked(workspace)

    refused(workspace, id, answer(at(workspace), id, sam, approve=False), "not over these words")


def test_a_signature_for_another_purpose_is_refused(workspace: Workspace, sam: Path) -> None:
    id = asked(workspace)

    refused(workspace, id, signed(sam, at(workspace).approvals.statement(id), namespace="git"), "for 'git'")


def test_a_key_that_nobody_pinned_is_refused(workspace: Workspace, sam: Path, tmp_path: Path) -> None:
    id = asked(workspace)

    refused(workspace, id, answer(at(workspace), id, made(tmp_path / "own", "agent")), "not pinned")


def test_what_is_no_signature_is_refused(workspace: Workspace, sam: Path) -> None:
    id = asked(workspace)
    good = answer(at(workspace), id, sam)
    for text in ("yes", good.replace("U1NIU0lH", "U1NIU0lI"), good[: len(good) // 2], good * 2, good.replace("\n", "")):
        refused(workspace, id, text, "does not count")


def test_a_list_within_reach_of_the_agent_counts_for_nothing(
    workspace: Workspace, sam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = asked(workspace)
    pinned(monkeypatch, tmp_path, sam, why="this user can write it")

    refused(workspace, id, answer(at(workspace), id, sam), "can write it")


def test_a_question_or_a_risk_that_is_edited_after_the_signature_is_refused(workspace: Workspace, sam: Path) -> None:
    for before, after in (("Pay the deposit?", "Say hello?"), ("risk: high", "risk: low"), ("250", "950")):
        id = asked(workspace)
        at(workspace).approvals.decide(id, approve=True, signature=answer(at(workspace), id, sam))
        file = file_of(workspace, id)
        file.write_text(file.read_text().replace(before, after))

        with pytest.raises(ApprovalRefusedError):
            at(workspace).approvals.use(id, ACTION)


@pytest.fixture
def here_too(sam: Path) -> Path:
    """The key of Sam, pinned without a word on where it is."""
    Path(approvers.FILE).write_text(line(sam, elsewhere=False))
    return sam


def test_a_plain_key_that_is_not_pinned_as_one_of_another_machine_is_recorded_at_most(
    workspace: Workspace, here_too: Path
) -> None:
    id, here = asked(workspace), at(workspace)
    refused(workspace, id, answer(here, id, here_too), "agentws-elsewhere")
    assert "agentws-elsewhere" in here.approvals.keys().keys[0].why

    low = here.ask("May I?", action=1).id
    done = here.approvals.decide(low, approve=True, signature=answer(here, low, here_too))
    assert (done.proof, done.is_usable) == ("key", True)
    assert not at(workspace, typed=False).approvals.show(low).is_usable


def test_what_is_signed_through_an_ssh_agent_of_this_machine_approves_no_high_risk(
    workspace: Workspace, here_too: Path, ssh_agent: str
) -> None:
    subprocess.run(["ssh-add", "-q", str(here_too)], check=True, env={**os.environ, "SSH_AUTH_SOCK": ssh_agent})
    id = asked(workspace)
    words = at(workspace).approvals.statement(id)

    refused(workspace, id, signed(here_too.with_suffix(".pub"), words, SSH_AUTH_SOCK=ssh_agent), "another machine")


def test_a_key_that_is_no_longer_pinned_as_one_of_another_machine_takes_its_approvals_back(
    workspace: Workspace, sam: Path
) -> None:
    id = asked(workspace)
    at(workspace).approvals.decide(id, approve=True, signature=answer(at(workspace), id, sam))
    Path(approvers.FILE).write_text(line(sam, elsewhere=False))

    with pytest.raises(ApprovalPendingError, match="another machine"):
        at(workspace).approvals.use(id, ACTION)


def test_the_list_of_the_workspace_counts_where_a_pinned_key_has_signed_it(
    workspace: Workspace, sam: Path, tmp_path: Path
) -> None:
    lena = made(tmp_path / "stick", "lena")
    own = Path(workspace.root, "identity", "approvers")
    own.parent.mkdir(exist_ok=True)
    own.write_text(line(lena))
    id = asked(workspace)
    refused(workspace, id, answer(at(workspace), id, lena), "missing")
    own.with_suffix(".sig").write_text(signed(lena, own.read_text(), namespace="agentws-approvers"))
    refused(workspace, id, answer(at(workspace), id, lena), "not pinned|does not count")
    own.with_suffix(".sig").write_text(signed(sam, own.read_text(), namespace="agentws-approvers"))

    assert at(workspace).approvals.decide(id, approve=True, signature=answer(at(workspace), id, lena)).proof == "signed"
    own.write_text(own.read_text() + f"agent {lena.with_suffix('.pub').read_text()}")
    assert not at(workspace).approvals.show(id).is_usable


def test_the_keys_are_listed_with_what_speaks_against_each(workspace: Workspace, sam: Path, tmp_path: Path) -> None:
    file = Path(approvers.FILE)
    plain = sam.with_suffix(".pub").read_text()
    file.write_text(f"{file.read_text()}sam not-a-key\n* {plain}# a remark\n\nlena {plain}")

    found = at(workspace).approvals.keys()

    assert [(one.key.principal, bool(one.why)) for one in found.keys] == [
        ("sam", False),
        ("sam", True),
        ("*", True),
        ("lena", True),
    ]
    assert "for approvals alone" in found.keys[-1].why


@pytest.mark.parametrize("kind", approver.TOUCHED)
def test_a_key_in_hardware_counts_where_somebody_touched_it(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    pytest.importorskip("cryptography")
    from tests.features.approvals.token import Token

    token = Token(kind)
    pinned(monkeypatch, tmp_path).write_text(f"sam {token.public}\n")
    id = asked(workspace)
    words = at(workspace).approvals.statement(id)
    refused(workspace, id, token.sign(words, flags=0), "nobody touched")
    refused(workspace, id, token.sign(words + " ", flags=1), "not over these words")

    assert at(workspace).approvals.decide(id, approve=True, signature=token.sign(words, flags=1)).proof == "signed"


@pytest.fixture
def ssh_agent() -> Iterator[str]:
    """The socket of an ssh-agent that ends with the test."""
    with agent_of_ssh.running() as socket:
        yield socket
