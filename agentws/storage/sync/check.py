"""What a fetched state may hold, and who signed it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.storage.sync.repo import Repo

KNOWN, UNKNOWN, NONE = "known", "unknown", "none"


def state(repo: Repo, agent: str, commit: str, epoch: int) -> None:
    """DamagedError (exit 14) where a state is of another agent or epoch, holds what may not travel, or its signature
    is bad. `Remote.fetch` has asked this.
    """
    raise NotImplementedError


def signer(repo: Repo, commit: str, known: Callable[[str, str], bool]) -> str:
    """KNOWN, UNKNOWN or NONE: whether the writer with the key that signed it (both given to `known`) is one of ours."""
    raise NotImplementedError
