"""What a fetched state may hold, and who signed it."""

from __future__ import annotations

from agentws.core.formats.travel import sync_state
from agentws.core.installation import keys
from agentws.errors import DamagedError, OutsideProgramError
from agentws.features.sync.store.state_tree import REFUSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.formats.travel.sync_state import Told
    from agentws.features.sync.store.repo import Repo

KNOWN, UNKNOWN, NONE = "known", "unknown", "none"
_MOST_AHEAD = 10_000
"""So many epochs may have begun since this machine was there: one begins with each `forget`."""


def epoch(agent: str, found: int, known: int) -> None:
    """DamagedError (14) where the newest epoch is so far beyond the `known` one that no machine began it: after the
    last that there can be nothing that was forgotten would ever go.
    """
    if found > known + _MOST_AHEAD:
        name = sync_state.ref(agent, found)
        raise DamagedError(
            f"The remote has the epoch {found:,}, which no machine of this agent can have begun.",
            hint=f"Nothing was changed. Remove it: git push REMOTE :{name}",
        )


def state(repo: Repo, agent: str, commit: str, epoch: int, *, is_known: bool = False) -> None:
    """DamagedError (exit 14) where a state is of another agent or epoch, holds what may not travel, or its signature
    is bad; of one that `is_known` that is not asked again. `Remote.fetch` has asked all this.
    """
    told = repo.told(commit)
    if told.agent != agent:
        raise DamagedError(
            f"The state {commit[:10]} belongs to another agent ({told.agent}).",
            hint="Nothing was changed. Use a repository of this agent's own.",
        )
    if told.epoch != epoch:
        raise DamagedError(f"The state {commit[:10]} stands in the wrong epoch ({told.epoch}).", hint=REFUSED)
    repo.tree(commit)
    if not is_known:
        _is_signed(told, commit)


def signer(repo: Repo, commit: str, known: Callable[[str, str], bool]) -> str:
    """KNOWN, UNKNOWN or NONE: whether the writer with the key that signed it (both given to `known`) is one of ours.

    NONE where nobody signed it, or nothing here can check that; DamagedError where the signature is bad.
    """
    told = repo.told(commit)
    if not _is_signed(told, commit):
        return NONE
    return KNOWN if known(told.by, told.key) else UNKNOWN


def _is_signed(told: Told, commit: str) -> bool:
    """Return whether the signature is good; False where there is none, or nothing that can tell."""
    if not told.signature:
        return False
    try:
        good = keys.verify(told.signature, told.message(), public=told.key)
    except OutsideProgramError:
        return False
    if not good:
        raise DamagedError(f"The signature of the state {commit[:10]} by {told.by} is invalid.", hint=REFUSED)
    return True
