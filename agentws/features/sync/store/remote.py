"""The sync remote, the repository that all machines of an agent share; its refs move by compare-and-swap only.

Specified in docs/format/sync.md.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentws.core.formats import digest
from agentws.core.formats.travel import sync_state
from agentws.core.formats.travel.sync_state import Lease
from agentws.core.states import object_store, remote, repository
from agentws.core.states.remote import Ask, Move
from agentws.errors import DamagedError, OutsideProgramError, RemoteAwayError, UsageError
from agentws.features.sync.store import check, contact, folder
from agentws.features.sync.store.contact import Address
from agentws.features.sync.store.repo import Repo

TIMEOUT_S = 600.0
_THERE = "refs/there"
"""Refs to what the last fetch of each remote found, in a folder for each."""
_LOOK_S = 15.0
"""Seconds to ask the remote for its refs after a failed push."""


@dataclass(frozen=True)
class Tip:
    """The newest state of an agent at the remote: its commit and its epoch."""

    commit: str
    epoch: int


@dataclass(frozen=True)
class Held:
    """The lease at the remote, and the `commit` that records it."""

    lease: Lease
    commit: str


class Remote:
    """The remote at `url`: ssh, https, a path, or a folder, in which a new repository is named after `name`.

    UsageError if git would run a program that the URL names. Every call ends within `timeout_s`
    (OutsideProgramError), and is harmless to repeat.
    """

    def __init__(self, url: str, *, name: str = "agent", timeout_s: float = TIMEOUT_S) -> None:
        self._place = Address(url)
        self.url, self.shown = self._place.url, self._place.shown
        self._name, self._timeout_s = name, timeout_s
        self._there = f"{_THERE}/{_folder(self.url)}"
        self._fetched = ""

    def agents(self, repo: Repo) -> list[str]:
        """Return the ids of the agents that have states at the remote: for `sync join`."""
        url = self._place.repository()
        urls = [url] if url else self._place.within()
        names = {
            name.split("/")[3] for each in urls for name in remote.refs(self._ask(repo, each), f"{sync_state.FOLDER}*")
        }
        return sorted(agent for agent in names if sync_state.is_agent(agent))

    def fetch(self, repo: Repo, agent: str, timeout_s: float | None = None) -> Tip | None:
        """Fetch the agent's newest state and check it (check.py); None if the remote has none."""
        url = self._repository(agent)
        if not url:
            return None
        lease = sync_state.lease_ref(agent)
        specs = (f"+{sync_state.FOLDER}{agent}/*:{self._there}/sync/*", f"+{lease}*:{self._there}/lease/{agent}*")
        ask = self._ask(repo, url, timeout_s)
        try:
            remote.fetch(ask, specs, "--prune")
        except DamagedError:  # or another machine has renewed the remote, and dropped the state that was being sent
            remote.fetch(ask, specs, "--prune")
        self._fetched = agent
        repo.objects.settle()
        tip = self.last(repo)
        if tip is not None:
            is_known = tip.commit in (repo.newest(), repo.head())  # made here, or checked before
            check.state(repo, agent, tip.commit, tip.epoch, is_known=is_known)
        return tip

    def check_present(self, agent: str) -> None:
        """Raise RemoteAwayError if the folder holds no repository of the agent, as when a disk is not mounted."""
        if not self._repository(agent):
            from agentws.core.text import sh  # seldom needed

            raise RemoteAwayError(
                f"{self.shown}: the repository of this agent is not in this folder.",
                hint=f"Mount the disk and re-run. To make a new one: agentws sync {sh.quote(self.shown)}",
            )

    def is_empty(self, repo: Repo, agent: str) -> bool:
        """Return whether the remote answers that it has nothing of the agent, and no unfinished push."""
        url = self._repository(agent)
        present = self._now(repo, url) if url else {}
        held = f"{sync_state.FOLDER}{agent}/", folder.INCOMING
        return present is not None and not any(ref.startswith(held) for ref in present)

    def answers(self, repo: Repo) -> bool:
        """Wait for the ssh connection to the host, and return whether it is open; False for other kinds of remote."""
        contact.wait(repo.connection, self._place, self._timeout_s)
        return repo.connection.is_up

    def last(self, repo: Repo) -> Tip | None:
        """Return the newest state known from the last fetch, without asking the remote."""
        return max(self.epochs(repo), key=lambda tip: tip.epoch, default=None)

    def epochs(self, repo: Repo) -> list[Tip]:
        """Return the newest state of each epoch from the last fetch; more than one if an old epoch is left over."""
        at = f"{self._there}/sync"
        try:
            names = os.listdir(f"{repo.git_dir}/{at}")
        except OSError:
            return []
        tips = [(repository.tip(repo.git_dir, f"{at}/{name}"), sync_state.epoch_of(name)) for name in sorted(names)]
        return [Tip(commit, epoch) for commit, epoch in tips if commit and epoch]

    def push(self, repo: Repo, agent: str, commit: str, old: Tip | None) -> Tip:
        """Push a commit that follows `old` as the agent's newest state; ChangedUnderneathError if `old` is outdated."""
        epoch = repo.told(commit).epoch
        if old is not None and (old.epoch != epoch or commit == old.commit or not repo.contains(commit, old.commit)):
            raise ValueError("what is pushed has to follow what is there")
        url = self._repository(agent) or self._made(agent)
        self._move(repo, url, [(sync_state.ref(agent, epoch), old.commit if old is not None else "", commit)])
        return Tip(commit, epoch)

    def renew(self, repo: Repo, agent: str, commit: str, old: Tip) -> Tip:
        """Begin the next epoch with this root commit and remove the epoch of `old`.

        Its objects are dropped if agentws made the repository. ChangedUnderneathError if `old` is not the newest.
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
        """Remove a renewed epoch if `old` is still its newest state, after all of it was merged."""
        self._move(repo, self._repository(agent), [(sync_state.ref(agent, old.epoch), old.commit, "")])
        self.tidy(agent)

    def tidy(self, agent: str) -> bool:
        """Drop unreachable objects if agentws made the repository on this machine's disks; else return False: only the
        server can.
        """
        url = self._repository(agent)
        if not self._place.path or not folder.is_ours(url):
            return False
        folder.tidy(url)
        return True

    def lease(self, repo: Repo, agent: str) -> Held | None:
        """Return the agent's lease from the last `fetch`, fetching first if needed, or None."""
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
        """Replace the lease `old` by `new` and return it; ChangedUnderneathError if the remote has another one."""
        author = f"agentws <agentws@localhost> {new.count} +0000"
        commit = repo.objects.add_commit(repo.objects.add_tree(), (), author=author, message=new.data())
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

    def _ask(self, repo: Repo, url: str, timeout_s: float | None = None) -> Ask:
        def ask(word: str, *options: str, after: tuple[str, ...] = ()) -> bytes:
            limit_s = timeout_s or self._timeout_s
            return contact.ask(repo.connection, self._place, url, word, *options, after=after, timeout_s=limit_s)

        return ask

    def _move(self, repo: Repo, url: str, moves: Iterable[Move]) -> None:
        """Move refs at the remote, all or none."""
        moves = [each for each in moves if each[1] != each[2]]
        is_ours = bool(self._place.path) and folder.is_ours(url)
        try:
            with folder.alone(url) if is_ours else contextlib.nullcontext():
                left = self._send(repo, url, moves) if is_ours else []
                remote.push(self._ask(repo, url), [*moves, *left])
                if self._place.path:  # each push adds a pack, and no server tidies up
                    object_store.fold(url)
        except (OutsideProgramError, DamagedError) as error:
            news = f"Another machine was faster at {self.shown}."
            remote.check_moved(error, moves, lambda: self._now(repo, url), news)
        if self._place.path:
            for ref, _, _ in moves:
                folder.settle(url, ref)

    def _now(self, repo: Repo, url: str) -> dict[str, str] | None:
        """Return the remote's refs of agents with their commits; None if it does not answer."""
        try:
            return remote.refs(self._ask(repo, url, min(self._timeout_s, _LOOK_S)), "refs/agentws/*")
        except (OutsideProgramError, DamagedError):
            return None

    def _send(self, repo: Repo, url: str, moves: Sequence[Move]) -> list[Move]:
        """Push the objects of these moves durably to a repository made by agentws, before the refs move.

        A stick may be pulled out at any moment. Returns the temporary refs that the move removes.
        """
        left = [(ref, repository.tip(url, ref) or "", "") for ref in folder.waiting(url)]
        sent = [(f"{folder.INCOMING}{new}", "", new) for _, _, new in moves if new]
        new = [each for each in sent if each[0] not in {ref for ref, _, _ in left}]
        if new:
            remote.push(self._ask(repo, url), new)
            for ref, _, _ in new:
                folder.settle(url, ref)
        return [*left, *((ref, oid, "") for ref, _, oid in new)]


def has_others(repo: Repo, urls: Iterable[str]) -> bool:
    """Return whether the repository holds what was fetched from another remote, as by a killed first sync."""
    try:
        names = {*os.listdir(f"{repo.git_dir}/{_THERE}")}
    except OSError:
        return False
    return not names <= {_folder(Address(url).url) for url in urls}


def _folder(url: str) -> str:
    return digest.of(url.encode("utf-8", "surrogateescape"))[:16]
