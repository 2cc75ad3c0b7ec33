"""The repository that the machines of an agent reach: its newest state, moved by compare-and-swap alone."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.travel.sync_state import Lease
    from agentws.storage.sync.repo import Repo

TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Tip:
    """The newest state of an agent there: its commit, and the epoch it stands in."""

    commit: str
    epoch: int


@dataclass(frozen=True)
class Held:
    """The lease as it stands there, and the `commit` that tells it."""

    lease: Lease
    commit: str


class Remote:
    """The repository at `url`: ssh, https, a path, or a folder (then `name` is what a repository made there is called).

    UsageError where git would run a program that the URL names. Every call ends within `timeout_s`
    (OutsideProgramError), and is harmless to repeat.
    """

    def __init__(self, url: str, *, name: str = "agent", timeout_s: float = TIMEOUT_S) -> None:
        self.url = url

    def agents(self, repo: Repo) -> list[str]:
        """The ids of the agents that have states there: for `sync join`."""
        raise NotImplementedError

    def fetch(self, repo: Repo, agent: str, timeout_s: float | None = None) -> Tip | None:
        """Fetch the newest state, checked for what it may hold (check.py); None where there is none."""
        raise NotImplementedError

    def push(self, repo: Repo, agent: str, commit: str, old: Tip | None) -> Tip:
        """Let the newest state there be this commit, which follows `old`; ChangedUnderneathError where another one is
        there.
        """
        raise NotImplementedError

    def renew(self, repo: Repo, agent: str, commit: str, old: Tip) -> Tip:
        """Begin the next epoch with this root commit, and let the one of `old` go; what it held is dropped where we
        made the repository. ChangedUnderneathError where `old` is not the newest.
        """
        raise NotImplementedError

    def drop_old(self, repo: Repo, agent: str, old: Tip) -> None:
        """Let an epoch that was renewed go, if `old` is what stands there: once all of it has been brought over."""
        raise NotImplementedError

    def lease(self, repo: Repo, agent: str) -> Held | None:
        """The lease as the last `fetch` found it; asked for where there was none."""
        raise NotImplementedError

    def swap(self, repo: Repo, agent: str, old: Held | None, new: Lease) -> Held:
        """Let the lease be another one, if it is `old`; ChangedUnderneathError where it is not."""
        raise NotImplementedError
