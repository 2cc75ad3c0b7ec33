"""Check a fetched state: its agent, its epoch, its files and its signature."""

from __future__ import annotations

from collections.abc import Callable

from agentws.core.formats.travel import sync_state
from agentws.core.formats.travel.sync_state import Told
from agentws.core.installation import keys
from agentws.errors import DamagedError, OutsideProgramError
from agentws.features.sync.store.repo import REFUSED, Repo

KNOWN, UNKNOWN, NONE = "known", "unknown", "none"
_MOST_AHEAD = 10_000
"""Most epochs since the last sync of this machine; each `forget` begins one."""


def epoch(agent: str, remote_epoch: int, known: int) -> None:
    """Raise DamagedError (exit 14) if the newest epoch is too far beyond the `known` one to be real.

    After the last possible epoch, forgotten text could never be removed.
    """
    if remote_epoch > known + _MOST_AHEAD:
        name = sync_state.ref(agent, remote_epoch)
        raise DamagedError(
            f"The remote has the epoch {remote_epoch:,}, which no machine of this agent can have begun.",
            hint=f"Nothing was changed. Remove it: git push REMOTE :{name}",
        )


def state(repo: Repo, agent: str, commit: str, epoch: int, *, is_known: bool = False) -> None:
    """Raise DamagedError (exit 14) if a state is of another agent or epoch, has an invalid tree, or a bad signature.

    The signature of a state that `is_known` is not checked again. `Remote.fetch` calls this.
    """
    status = repo.told(commit)
    if status.agent != agent:
        raise DamagedError(
            f"The state {commit[:10]} belongs to another agent ({status.agent}).",
            hint="Nothing was changed. Use a repository of this agent's own.",
        )
    if status.epoch != epoch:
        raise DamagedError(f"The state {commit[:10]} stands in the wrong epoch ({status.epoch}).", hint=REFUSED)
    repo.tree(commit)
    if not is_known:
        _is_signed(status, commit)


def signer(repo: Repo, commit: str, known: Callable[[str, str], bool]) -> str:
    """Return whether a state's signer is KNOWN or UNKNOWN: `known` is asked about its writer and key.

    NONE if it is unsigned, or no program here can check signatures; DamagedError if the signature is bad.
    """
    status = repo.told(commit)
    if not _is_signed(status, commit):
        return NONE
    return KNOWN if known(status.by, status.key) else UNKNOWN


def _is_signed(status: Told, commit: str) -> bool:
    """Return whether the signature is good; False without one, or if no program can check it."""
    if not status.signature:
        return False
    try:
        good = keys.verify(status.signature, status.message(), public=status.key)
    except OutsideProgramError:
        return False
    if not good:
        raise DamagedError(f"The signature of the state {commit[:10]} by {status.by} is invalid.", hint=REFUSED)
    return True
