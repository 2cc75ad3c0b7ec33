"""Sync with one remote: fetch its newest state, merge, push, and record the outcome."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from agentws.core.disk import local_dir
from agentws.core.formats.travel import conflict
from agentws.core.identity import join, lease, writers
from agentws.core.installation import installation, scope_changes
from agentws.core.installation.remotes import Known
from agentws.core.journal import read
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, ChangedUnderneathError, LockHeldError, MayNotWriteError
from agentws.features.sync import applied, known, lineage, outcome, renewal, state
from agentws.features.sync.guards import trust
from agentws.features.sync.merge import Merge
from agentws.features.sync.outcome import Moved, Synced
from agentws.features.sync.state import State, Tree
from agentws.features.sync.store import check
from agentws.features.sync.store.remote import TIMEOUT_S, Remote, Tip, has_others
from agentws.features.sync.store.repo import Repo

_ROUNDS = 40
_PAUSE_S = 0.05
_MOST_SKIPPED = 3
_SET = "agentws config KEY VALUE"
_PUT_BACK = "The remote was put back to before something was forgotten."


class Exchange:
    """A sync of this workspace with a `remote`; `repo` is the workspace's private repository.

    Unless it `pushes`, it merges what came in and sends nothing. `accepts` is the beginning of the id of a state that a
    person accepts although this machine does not know who made it.
    """

    def __init__(
        self, stores: Stores, repo: Repo, remote: Known, *, timeout_s: float | None, dry_run: bool, pushes: bool,
        is_older: bool = False, accepts_removals: bool = False, accepts: str = "",
    ) -> None:  # fmt: skip
        self._stores = stores
        self._repo = repo
        self._one = remote
        self._dry_run = dry_run
        self._pushes = pushes
        self._accepts = accepts
        self._agent = stores.manifest.agent_id
        for each in known.known(stores):
            repo.met |= each.trees
        self._remote = Remote(remote.url, name=stores.manifest.name.lower(), timeout_s=timeout_s or TIMEOUT_S)
        self._merge = Merge(stores, repo, remote, dry_run=dry_run, is_older=is_older, accepts_removals=accepts_removals)
        self._notices = self._merge.notices
        self._renews = False
        self._left: list[Tip] = []
        self._change = 0

    @property
    def is_ordered(self) -> bool:
        """Return whether the incoming changes order the purge of events of this machine."""
        return self._merge.is_ordered

    def check_present(self) -> None:
        """Raise OutsideProgramError if the remote is a folder without the agent's repository."""
        self._remote.check_present(self._agent)

    def run(self) -> Synced:
        """Bring workspace and remote to the same state.

        ChangedUnderneathError if other machines push first too often, OutsideProgramError if the remote cannot be
        reached, DamagedError if its state is invalid, MayNotWriteError if a vouch is required and its writer has none,
        NeedsYouError if most files of a folder are missing here.
        """
        for number in range(_ROUNDS):
            try:
                return self._once(is_first=not number)
            except (ChangedUnderneathError, LockHeldError):
                if number == _ROUNDS - 1:
                    raise
                time.sleep(_PAUSE_S * os.urandom(1)[0] / 256)  # by chance, so that two do not meet again
        raise AssertionError

    def _once(self, *, is_first: bool) -> Synced:
        self._change = local_dir.newest(self._stores.files)
        expected = self._expected() if is_first else None
        tip = expected or self._remote.fetch(self._repo, self._agent)
        if not self._dry_run:
            is_alone = {line.writer for line in writers.lines(self._stores.files)} <= {self._merge.own}
            scope_changes.meet(self._stores.files, self._stores.manifest, agrees=tip is None and is_alone)
        theirs = self._repo.tree(tip.commit) if tip is not None else {}
        if tip is not None:
            check.epoch(self._agent, tip.epoch, self._one.epoch)
            self._check_signer(tip, theirs)
            if expected is None:
                self._bring_over()
        self._look_behind(tip)
        self._follow_copy(tip)
        self._renews = tip is not None and self._pushes and renewal.is_due(self._repo, self._one, tip, self._merge.own)
        merged, commit = self._merge.settled(tip, theirs, renews=self._renews)
        goes = self._pushes and (tip is None or commit != tip.commit)
        if expected is not None and not goes:  # what differs here stays here: then it was not asked yet
            return self._once(is_first=False)
        outward = outcome.moved(theirs, merged.result, self._repo.blob) if goes else Moved()
        if not self._dry_run:
            now = self._pushed(tip, commit) if goes else tip
            self._remember(tip, now, commit, merged.result if self._pushes else theirs, merged.plan.forks)
            if tip is not None and self._merge.keeps_settings:
                trust.release_settings(self._stores, self._repo, tip.commit)
        parted = 0 if self._dry_run or not self._pushes else part(self._stores, merged.plan.forks)
        return self._synced(merged, commit, outward, made=tip is None, parted=parted)

    def _look_behind(self, tip: Tip | None) -> None:
        """Mark a remote that was restored to an earlier epoch for renewal: it holds text that was forgotten since."""
        calls = known.forgotten_calls(self._stores) if tip is not None and tip.epoch < self._one.epoch else []
        if calls:
            self._one.renew = " ".join(dict.fromkeys([*self._one.renew.split(), *calls]))
            self._notices[_PUT_BACK + (" It is renewed." if self._pushes else "")] = None

    def _follow_copy(self, tip: Tip | None) -> None:
        """Drop what this machine remembers of its remotes if our files were restored from an older copy.

        Noted before the merge: a run that is killed after it could not tell.
        """
        if self._merge.is_copied:
            self._one.commit = ""
            if not self._dry_run:
                known.put_back(self._stores)
        if tip is not None and renewal.is_unmet(self._one, tip):
            self._one.epoch -= 1
            if not self._dry_run:
                known.keep(self._stores, self._one)

    def _expected(self) -> Tip | None:
        """Return the remote's last known state if only we have changed since and the host answers; else None.

        The fetch is skipped then: if the remote has news, it refuses the push.
        """
        remote, head = self._one, self._repo.head()
        asks = self._dry_run or not self._pushes or self._merge.is_older or remote.renew or remote.failed
        asks = asks or self._accepts or self._stores.manifest.setting(lease.SETTING) != lease.OFF
        if (
            asks
            or not scope_changes.is_met(self._stores.files)
            or head is None
            or head != remote.commit
            or not self._repo.connection.is_due
        ):
            return None
        tree = self._repo.tree(head)
        looked = state.look(self._stores, self._repo, tree)
        of_here = {path: oid for path, oid in tree.items() if path not in looked.foreign}
        if looked.tree == of_here or not self._remote.answers(self._repo):
            return None
        self._merge.looked = looked
        return Tip(head, remote.epoch)

    def _pushed(self, tip: Tip | None, commit: str) -> Tip:
        """Push the commit. A new remote is recorded before: a killed run may leave there what is forgotten later."""
        is_new = not self._one.since
        if is_new:
            self._one.since = self._stores.now_text()
            known.keep(self._stores, self._one)
        try:
            if tip is not None and self._renews:
                return self._remote.renew(self._repo, self._agent, commit, tip)
            now = self._remote.push(self._repo, self._agent, commit, tip)
        except AgentwsError:
            if is_new and self._remote.is_empty(self._repo, self._agent):
                self._one.since = ""
                known.drop(self._stores, self._one)
            raise
        if tip is None and self._one.renew:  # a killed push may have left objects there without a state
            self._remote.tidy(self._agent)
        return now

    def _bring_over(self) -> None:
        """Merge what other machines pushed into an old epoch during its renewal, and list that epoch for removal."""
        self._left = []
        is_strange = self._merge.is_strange
        *older, newest = self._remote.epochs(self._repo)
        for old in older:
            before = renewal.common(self._repo, newest, old)
            if before and not self._dry_run and self._may_bring_over(old, before):
                if not lineage.is_here(self._repo, old.commit):
                    self._merge.settled(old, self._repo.tree(old.commit), before=before)
                self._left += [old] if self._pushes else []
        self._merge.is_strange = is_strange

    def _may_bring_over(self, old: Tip, before: str) -> bool:
        check.state(self._repo, self._agent, old.commit, old.epoch)
        who = trust.unknown(self._stores, self._repo, old.commit) if old.commit != before else ""
        self._merge.is_strange = bool(who)
        if who and not self._is_accepted(old):
            remedy = trust.remedy(self._stores, self._repo, old.commit)
            self._notices[f"An older epoch was changed by {who}, which this machine does not know. {remedy}"] = None
            return False
        return True

    def _check_signer(self, tip: Tip, theirs: Tree) -> None:
        who = trust.unknown(self._stores, self._repo, tip.commit)
        self._merge.is_strange = bool(who)
        self._merge.keeps_settings = not who and trust.holds_settings(self._stores, self._repo, tip.commit)
        if not (who or self._merge.keeps_settings) or tip.commit == self._one.commit == self._repo.head():
            return  # the files are that one: a person has joined it
        changed = trust.changed_settings(self._stores, self._repo, theirs)
        if not who or self._is_accepted(tip):
            if changed:
                self._notices[f"The settings of that state were not taken: {changed}. To take one: {_SET}"] = None
            return
        if not self._dry_run:
            ours = state.look(self._stores, self._repo, {})
            applied.apply(
                self._stores, self._repo, trust.introduced(self._stores, self._repo, tip.commit, ours, theirs), None, ""
            )
        also = f" It would set {changed}." if changed else ""
        raise MayNotWriteError(
            f"Nothing was merged: {who} made the newest state, and {known.HELD}.{also}",
            hint=trust.remedy(self._stores, self._repo, tip.commit),
        )

    def _is_accepted(self, tip: Tip) -> bool:
        return bool(self._accepts) and tip.commit.startswith(self._accepts)

    def _remember(self, tip: Tip | None, now: Tip | None, commit: str, there: Tree, forks: dict[str, int]) -> None:
        remote = self._one
        remote.at, remote.failed, remote.away = self._stores.now_text(), "", ""
        remote.since = remote.since or remote.at
        if self._pushes:
            remote.change, remote.newest_ns = self._change, self._merge.newest_ns
        remote.heads = outcome.heads(there, self._repo.blob) | forks  # what follows those never goes out
        if tip is not None and (status := self._repo.told(tip.commit)).by != self._merge.own:
            remote.between = status.host
        # The lease is noted before what the fetch has found is dropped with the past.
        if self._stores.manifest.setting(lease.SETTING) != lease.OFF:
            held = self._remote.lease(self._repo, self._agent)
            lease.keep(*self._stores.machine, remote.url, held.lease.holder if held is not None else "")
        # States kept for a renewal are dropped also for an empty remote, whose first push was killed.
        is_renewed = bool(remote.renew or (tip is not None and renewal.came(self._repo, remote, tip)))
        if tip is not None and is_renewed:
            known.pass_on(self._stores, remote, renewal.carried_out(self._repo, tip.commit))
        others = [each for each in known.known(self._stores) if each.url != remote.url]
        if is_renewed or has_others(self._repo, [remote.url, *(each.url for each in others)]):
            self._repo.renew(commit, lineage.needed(self._repo, commit, others))
        for old in self._left:
            self._remote.drop_old(self._repo, self._agent, old)
        for each in filter(None, (tip, now)):
            remote.met(each.commit, self._repo.told(each.commit).tree)
        if now is not None:
            remote.commit, remote.epoch = now.commit, now.epoch if self._pushes else max(remote.epoch, now.epoch)
        known.keep(self._stores, remote, is_renewed=self._pushes)

    def _synced(self, merged: State, commit: str, outward: Moved, *, made: bool, parted: int) -> Synced:
        ours = merged.ours
        kept = [f"{path} stays here: {why}." for path, why in {**ours.held, **ours.unread}.items()]
        kept += [
            f"{place} is {what} here. Elsewhere its files stay as they are." for place, what in ours.places.items()
        ]
        waiting = sum(1 for path in merged.result if conflict.is_record(path))
        return Synced(
            self._one.url,
            commit=commit,
            inward=self._merge.inward,
            outward=outward,
            conflicts=tuple(self._merge.conflicts),
            waiting=waiting,
            skipped=tuple(ours.others[:_MOST_SKIPPED]),
            skipped_count=len(ours.others),
            made=made,
            parted=parted,
            renewed=self._renews,
            dry_run=self._dry_run,
            notices=[*self._notices, *kept],
        )


def part(stores: Stores, forks: Mapping[str, int]) -> int:
    """Make this installation a new writer if its journal is among `forks`; return how many events stay here only.

    `forks` gives, for each forked writer, the newest event number that both sides share. 0 if it is not forked.
    """
    own = stores.installation()
    mark = installation.mark(own) if own is not None and own.writer in forks else None
    if own is None or mark is None:
        return 0
    count = read.last_seq(stores.files, own.writer) - forks[own.writer]
    join.continue_as_new_writer(stores.files, own, mark, stores.moment_us())
    stores.close_journal()
    return count
