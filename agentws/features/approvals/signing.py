"""Signing of approvals: the statement that a person signs, a signature made at a terminal, and the keys that count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentws.core import Result
from agentws.core.formats.documents import approval
from agentws.core.formats.documents.approval import Request
from agentws.core.formats.identity.approver import NAMESPACE
from agentws.core.identity.approvers import Approver
from agentws.core.stores.stores import Stores
from agentws.errors import OutsideProgramError, UsageError
from agentws.features.approvals.approval import Approval
from agentws.features.approvals.decide import AS_ASKED
from agentws.features.approvals.store import Requests

_AGENT_CHARS, _HEX = 32, "0123456789abcdef"


@dataclass(slots=True, repr=False)
class ApproverList(Result):
    """The pinned keys of approvers, whether each counts, and `problems` with them; `file` is where keys are pinned."""

    keys: list[Approver]
    problems: list[str]
    file: str
    notices: list[str]


def statement(stores: Stores, id: str | Approval, *, approve: bool = True, edit: Any = AS_ASKED) -> str:
    """Return the statement to sign for an answer to a request; with `edit`, for another action than was asked for.

    For an Approval it is the statement about what that shows, whatever its file says by now.
    """
    request = Requests(stores).get(id) if isinstance(id, str) else id.request
    digest = request.action_digest if edit is AS_ASKED else approval.digest_of(edit)
    verdict = approval.APPROVED if approve else approval.REJECTED
    return approval.statement(stores.manifest.agent_id, request, verdict, digest)


class Statement:
    """The statement of an answer to sign, and what it is about, from the file of a request only.

    Fields:
        id, question, risk, expires, task: what the file says; texts, empty if unset.
        action, action_digest: the action that the answer is about.
        words: the text that a person signs.
    """

    __slots__ = ("action", "action_digest", "expires", "id", "question", "risk", "task", "words")

    def __init__(self, request: Request, words: str, action: Any, digest: str) -> None:
        self.id = request.id
        self.question = request.question
        self.risk = request.risk
        self.expires, self.task = request.text("expires"), request.text("task")
        self.action, self.action_digest = action, digest
        self.words = words


def statement_of(data: bytes, *, id: str, agent: str, approve: bool = True, edit: Any = AS_ASKED) -> Statement:
    """Return the statement to sign for an answer to the request in a file, of which any machine may have a copy.

    No workspace is opened: only these bytes are used. `id` is the request's, `agent` the id of the agent. UsageError
    for an invalid id, DamagedError for a file that is not a request.
    """
    name, whose = id.strip().removesuffix(".md").lower(), agent.strip().lower()
    if not approval.is_id(name):
        raise UsageError(f"{id!r} is not the id of an approval.", hint="Add --id c86shp, or keep the name of the file.")
    if len(whose) != _AGENT_CHARS or not set(whose) <= set(_HEX):
        raise UsageError(
            f"--agent must be the id of the agent, {_AGENT_CHARS} hexadecimal digits.",
            hint="On the agent's machine: grep ^id agentws.toml",
        )
    request = approval.decode(data, id=name)
    action = request.action if edit is AS_ASKED else edit
    digest = approval.digest_of(action)
    words = approval.statement(whose, request, approval.APPROVED if approve else approval.REJECTED, digest)
    return Statement(request, words, action, digest)


def sign(stores: Stores, words: str, key: str) -> str:
    """Return the signature of a statement by the key in a file; the person is asked for it at the terminal."""
    return signature_of(words, key)


def signature_of(words: str, key: str) -> str:
    """Return the signature of a statement by the key in a file; the person is asked for it at the terminal.

    No ssh-agent is asked: the passphrase or the touch is for this answer only. OutsideProgramError.
    """
    import subprocess

    from agentws.core.identity import approvers

    argv = [approvers.program(), "-Y", "sign", "-f", key, "-n", NAMESPACE]
    done = subprocess.run(
        argv, input=words.encode(), stdout=subprocess.PIPE, check=False, env=approvers.at_a_terminal()
    )
    if done.returncode:
        raise OutsideProgramError("ssh-keygen made no signature.", hint="Its own words stand above.")
    return done.stdout.decode("ascii", "replace")


def keys(stores: Stores) -> ApproverList:
    """Return the keys of approvers that are pinned on this machine and in the workspace, and why any does not count."""
    from agentws.core.identity import approvers

    trusted = approvers.of(stores.whole.files, stores.manifest.agent_id, stores.environment.state)
    for approver in trusted.keys:
        if not approver.why and not approver.key.is_touched:
            approver.why = trusted.unproved(approver.key)
    return ApproverList(trusted.keys, trusted.problems, approvers.FILE, list(stores.notices))
