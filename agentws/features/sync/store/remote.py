"""The repository that the machines of an agent reach: its newest state, moved by compare-and-swap alone.

Specified in docs/format/sync.md.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from agentws.core.formats import digest
from agentws.core.formats.git import objects
from agentws.core.formats.travel import sync_state
from agentws.core.states import repository
from agentws.errors import ChangedUnderneathError, DamagedError, OutsideProgramError, RemoteAwayError, UsageError
from agentws.features.sync.store import check, contact, folder
from agentws.features.sync.store.address import Address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.travel.sync_state import Lease
    from agentws.features.sync.store.repo import Repo

    Move = tuple[str, str, str]
    """A ref, the commit that it must have now, and the one that it is to have; empty for none."""

TIMEOUT_S = 600.0
_LOOK_S = 15.0
"""After a push that failed, it is asked what stands there: so long at most."""
_FETCH = ("--quiet", "--no-tags", "--no-write-fetch-head", "--prune", "--no-recurse-submodules")
_PUSH = ("--quiet", "--no-verify", "--no-recurse-submodules")
_REFUSED = "(stale info)"
"""So git says, in English, that a ref is not what it was said to be; in other languages it is asked what it is."""
_NEWS = "Another machine was faster at {}."


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
        self._place = Address(url)
        self.url, self.shown = self._place.url, self._place.shown
        self._name, self._timeout_s = name, timeout_s
        self._there = f"refs/there/{digest.of(self.url.encode('utf-8', 'surrogateescape'))[:16]}"
        self._fetched = ""

    def agents(self, repo: Repo) -> list[str]:
        """The ids of the agents that have states there: for `sync join`."""
        url = self._place.repository()
        urls = [url] if url else self._place.within()
        found = {name.split("/")[3] for each in urls for name in self._refs(repo, each, f"{sync_state.FOLDER}*")}
        return sorted(agent for agent in found if sync_state.is_agent(agent))

    def fetch(self, repo: Repo, agent: str, timeout_s: float | None = None) -> Tip | None:
        """Fetch the newest state, checked for what it may hold (check.py); None where there is none."""
        url = self._repository(agent)
        if not url:
            return None
        lease = sync_state.lease_ref(agent)
        specs = (f"+{sync_state.FOLDER}{agent}/*:{self._there}/sync/*", f"+{lease}*:{self._there}/lease/{agent}*")
        contact.ask(repo, self._place, url, "fetch", *_FETCH, after=specs, timeout_s=timeout_s or self._timeout_s)
        self._fetched = agent
        repo.objects.settle()
        tip = self.last(repo)
        if tip is not None:
            is_known = tip.commit in (repo.newest(), repo.head())  # made here, or checked before
            check.state(repo, agent, tip.commit, tip.epoch, is_known=is_known)
        return tip

    def check_present(self, agent: str) -> None:
        """RemoteAwayError where a folder holds no repository of the agent: a disk that is not mounted, say."""
        if not self._repository(agent):
            from agentws.core.text import sh  # seldom needed

            raise RemoteAwayError(
                f"{self.shown}: the repository of this agent is not in this folder.",
                hint=f"Mount the disk and re-run. To make a new one: agentws sync {sh.quote(self.shown)}",
            )

    def answers(self, repo: Repo) -> bool:
        """Return whether a connection to its host stands, once what was begun is there; only ssh knows one."""
        contact.wait(repo, self._place, self._timeout_s)
        return repo.connection.is_up

    def last(self, repo: Repo) -> Tip | None:
        """The newest state as the last fetch found it; nobody is asked."""
        return max(self.epochs(repo), key=lambda tip: tip.epoch, default=None)

    def epochs(self, repo: Repo) -> list[Tip]:
        """The newest state of each epoch, as the last fetch found it: of several, where an old one is left over."""
        at = f"{self._there}/sync"
        try:
            names = os.listdir(f"{repo.git_dir}/{at}")
        except OSError:
            return []
        found = [(repository.tip(repo.git_dir, f"{at}/{name}"), sync_state.epoch_of(name)) for name in sorted(names)]
        return [Tip(commit, epoch) for commit, epoch in found if commit and epoch]

    def push(self, repo: Repo, agent: str, commit: str, old: Tip | None) -> Tip:
        """Let the newest state there be this commit, which follows `old`; ChangedUnderneathError where another one is
        there.
        """
        epoch = repo.told(commit).epoch
        if old is not None and (old.epoch != epoch or commit == old.commit or not repo.contains(commit, old.commit)):
            raise ValueError("what is pushed has to follow what is there")
        url = self._repository(agent) or self._made(agent)
        self._move(repo, url, [(sync_state.ref(agent, epoch), old.commit if old is not None else "", commit)])
        return Tip(commit, epoch)

    def renew(self, repo: Repo, agent: str, commit: str, old: Tip) -> Tip:
        """Begin the next epoch with this root commit, and let the one of `old` go; what it held is dropped where we
        made the repository. ChangedUnderneathError where `old` is not the newest.
        """
        new = Tip(commit, old.epoch + 1)
        if repo.objects.links(commit)[1] or repo.told(commit).epoch != new.epoch:
            raise ValueError("an epoch begins with a state that follows none")
        url = self._repository(agent)
        begins = (sync_state.ref(agent, new.epoch), "", commit)
        ends = (sync_state.ref(agent, old.epoch), old.commit, "")
        try:
            self._move(repo, url, [begins, ends])
        except OutsideProgramError as error:
            if "atomic" not in error.message:
                raise
            # A server without atomic pushes: in between both stand there, and the newer one counts.
            self._move(repo, url, [begins])
            self._move(repo, url, [ends])
        self.tidy(agent)
        return new

    def drop_old(self, repo: Repo, agent: str, old: Tip) -> None:
        """Let an epoch that was renewed go, if `old` is what stands there: once all of it has been brought over."""
        self._move(repo, self._repository(agent), [(sync_state.ref(agent, old.epoch), old.commit, "")])
        self.tidy(agent)

    def tidy(self, agent: str) -> bool:
        """Drop what no ref names any more, where the repository is one that we made on this machine's disks; False
        where only its server can.
        """
        url = self._repository(agent)
        if not self._place.path or not folder.is_ours(url):
            return False
        folder.tidy(url)
        return True

    def lease(self, repo: Repo, agent: str) -> Held | None:
        """The lease as the last `fetch` found it; asked for where there was none."""
        if self._fetched != agent:
            self.fetch(repo, agent)
        commit = repository.tip(repo.git_dir, f"{self._there}/lease/{agent}")
        if not commit:
            return None
        try:
            return Held(sync_state.lease(repo.objects.message(commit)), commit)
        except ValueError as error:
            raise DamagedError(f"{self.shown}: the lease cannot be read: {error}.") from error

    def swap(self, repo: Repo, agent: str, old: Held | None, new: Lease) -> Held:
        """Let the lease be another one, if it is `old`; ChangedUnderneathError where it is not."""
        tree = repo.objects.add(objects.TREE, b"")
        author = f"agentws <agentws@localhost> {new.count} +0000"
        text = objects.commit(tree, (), author=author, message=new.data())
        commit = repo.objects.add(objects.COMMIT, text)
        repo.objects.flush()
        url = self._repository(agent) or self._made(agent)
        self._move(repo, url, [(sync_state.lease_ref(agent), old.commit if old is not None else "", commit)])
        self._fetched = ""
        return Held(new, commit)

    # Within

    def _repository(self, agent: str) -> str:
        if not sync_state.is_agent(agent):
            raise UsageError(f"{agent!r} cannot be the id of an agent in a repository.")
        return self._place.repository(agent)

    def _made(self, agent: str) -> str:
        place = self._place.made_for(agent, self._name)
        folder.make(place)
        return place

    def _refs(self, repo: Repo, url: str, pattern: str, timeout_s: float | None = None) -> dict[str, str]:
        told = contact.ask(
            repo, self._place, url, "ls-remote", "--refs", after=(pattern,), timeout_s=timeout_s or self._timeout_s
        )
        return {name: commit for commit, _, name in (line.partition("\t") for line in told.split("\n") if line)}

    def _move(self, repo: Repo, url: str, moves: Iterable[Move]) -> None:
        """Move refs there, all or none."""
        moves = [each for each in moves if each[1] != each[2]]
        is_ours = bool(self._place.path) and folder.is_ours(url)
        try:
            with folder.alone(url) if is_ours else contextlib.nullcontext():
                left = self._send(repo, url, moves) if is_ours else []
                self._push(repo, url, [*moves, *left])
        except (OutsideProgramError, DamagedError) as error:
            if len(moves) == 1 and _REFUSED in error.message:  # nothing was sent: it need not be asked
                raise ChangedUnderneathError(_NEWS.format(self.shown), hint="Re-run the same command.") from error
            now = self._now(repo, url)
            if now is None:
                raise
            if any(now.get(ref, "") != new for ref, _, new in moves):
                if any(now.get(ref, "") != old for ref, old, _ in moves):
                    raise ChangedUnderneathError(_NEWS.format(self.shown), hint="Re-run the same command.") from error
                raise
            # It has taken it, and its answer was lost.
        if self._place.path:
            for ref, _, _ in moves:
                folder.settle(url, ref)

    def _now(self, repo: Repo, url: str) -> dict[str, str] | None:
        """Where the refs of agents stand; None where nobody answers."""
        try:
            return self._refs(repo, url, "refs/agentws/*", min(self._timeout_s, _LOOK_S))
        except (OutsideProgramError, DamagedError):
            return None

    def _send(self, repo: Repo, url: str, moves: Iterable[Move]) -> list[Move]:
        """Put what these moves name durably into a repository of ours, before a ref names it: a stick may be pulled out
        at any moment, and few of their file systems keep an order. The refs that are to go with the move.
        """
        left = [(ref, repository.tip(url, ref) or "", "") for ref in folder.waiting(url)]
        sent = [(f"{folder.INCOMING}{new}", "", new) for _, _, new in moves if new]
        new = [each for each in sent if each[0] not in {ref for ref, _, _ in left}]
        if new:
            self._push(repo, url, new)
            for ref, _, _ in new:
                folder.settle(url, ref)
        return [*left, *((ref, oid, "") for ref, _, oid in new)]

    def _push(self, repo: Repo, url: str, moves: Iterable[Move]) -> None:
        moves = [each for each in moves if each[1] != each[2]]
        leases = [f"--force-with-lease={ref}:{old}" for ref, old, _ in moves]
        specs = [f"{new}:{ref}" for ref, _, new in moves]
        words = [*_PUSH, *(["--atomic"] if len(moves) > 1 else []), *leases]
        contact.ask(repo, self._place, url, "push", *words, after=tuple(specs), timeout_s=self._timeout_s)
