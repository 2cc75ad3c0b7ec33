"""One run with one remote: fetched, merged, applied here as one change, and pushed."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from agentws.errors import ChangedUnderneathError, LockHeldError, MayNotWriteError
from agentws.formats import layout
from agentws.formats.identity import writer
from agentws.formats.travel import conflict
from agentws.operations.sync import account, applied, known, lineage, older, records, removals, renewal, state, trust
from agentws.operations.sync import commit as commits
from agentws.operations.sync.outcome import Moved, Synced
from agentws.storage.identity import lease
from agentws.storage.installation import installation
from agentws.storage.sync import apart, check
from agentws.storage.sync.remote import TIMEOUT_S, Remote, Tip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.sync.state import State, Tree
    from agentws.storage.installation.remotes import Known
    from agentws.storage.sync.repo import Repo
    from agentws.storage.sync.snapshot import Snapshot
    from agentws.storage.workspace.stores import Stores

_ROUNDS, _LOOKS = 40, 5
_PAUSE_S = 0.05
_MOST_SKIPPED = 3


class Exchange:
    """A run of this workspace with the remote `one`; `repo` is its private repository.

    Not where it `pushes`: what came in is taken, and nothing goes out.
    """

    def __init__(
        self, stores: Stores, repo: Repo, one: Known, *, timeout_s: float | None, dry_run: bool, pushes: bool,
        is_older: bool = False, accepts_removals: bool = False,
    ) -> None:  # fmt: skip
        self._stores = stores
        self._repo = repo
        self._one = one
        self._dry_run = dry_run
        self._pushes = pushes
        self._is_older = is_older
        self._accepts_removals = accepts_removals
        self._agent = stores.manifest.agent_id
        self._remote = Remote(one.url, name=stores.manifest.name.lower(), timeout_s=timeout_s or TIMEOUT_S)
        self._inward = Moved()
        self._conflicts: dict[str, None] = {}
        self._notices: dict[str, None] = {}
        self._renews = False
        self._left: list[Tip] = []
        self._looked: Snapshot | None = None

    def check_present(self) -> None:
        """OutsideProgramError where the remote is a folder without the agent's repository."""
        self._remote.check_present(self._agent)

    def run(self) -> Synced:
        """Let both have the same. ChangedUnderneathError where others are faster too often, OutsideProgramError where
        the remote is away, DamagedError where what it gives may not be taken, MayNotWriteError where nobody vouched
        for who made it, and that is required, NeedsYouError where most files of a folder are gone here.
        """
        for number in range(_ROUNDS):
            try:
                return self._once(is_first=not number)
            except (ChangedUnderneathError, LockHeldError):
                if number == _ROUNDS - 1:
                    raise
                time.sleep(random.uniform(0, _PAUSE_S))  # noqa: S311 - so that two do not meet again
        raise AssertionError

    def _once(self, *, is_first: bool) -> Synced:
        expected = self._expected() if is_first else None
        tip = expected or self._remote.fetch(self._repo, self._agent)
        theirs = self._repo.tree(tip.commit) if tip is not None else {}
        if tip is not None:
            check.epoch(self._agent, tip.epoch, self._one.epoch)
            self._check_signer(tip, theirs)
            if expected is None:
                self._bring_over()
        self._renews = tip is not None and self._pushes and renewal.is_due(self._repo, self._one, tip, self._own)
        found, commit = self._settled(tip, theirs)
        goes = self._pushes and (tip is None or commit != tip.commit)
        if expected is not None and not goes:  # what differs here stays here: then it was not asked yet
            return self._once(is_first=False)
        outward = account.moved(theirs, found.result, self._repo.blob, self._hosts(found.result)) if goes else Moved()
        if not self._dry_run:
            now = self._pushed(tip, commit) if goes else tip
            self._remember(tip, now, commit, found.result if self._pushes else theirs)
        return self._told(found, commit, outward, made=tip is None)

    def _expected(self) -> Tip | None:
        """The state that the remote had when it was last asked, where our files are that one and more, and the host has
        answered. It is not asked again then: the push finds out, and is refused where there is news.
        """
        one, head = self._one, self._repo.head()
        asks = self._dry_run or not self._pushes or self._is_older or one.renew or one.failed
        asks = asks or self._stores.manifest.setting(lease.SETTING) != lease.OFF
        if asks or head is None or head != one.commit or not self._repo.connection.is_due:
            return None
        tree = self._repo.tree(head)
        looked = state.look(self._stores, self._repo, tree)
        of_here = {path: oid for path, oid in tree.items() if path not in looked.foreign}
        if looked.tree == of_here or not self._remote.answers(self._repo):
            return None
        self._looked = looked
        return Tip(head, one.epoch)

    def _pushed(self, tip: Tip | None, commit: str) -> Tip:
        if tip is not None and self._renews:
            return self._remote.renew(self._repo, self._agent, commit, tip)
        return self._remote.push(self._repo, self._agent, commit, tip)

    def _bring_over(self) -> None:
        """Take what another machine has pushed into an epoch while that was renewed; then let the epoch go."""
        self._left = []
        *older, newest = self._remote.epochs(self._repo)
        for old in older:
            before = renewal.common(self._repo, newest, old)
            if before and not self._dry_run and self._may_bring_over(old, before):
                if not lineage.is_here(self._repo, old.commit):
                    self._settled(old, self._repo.tree(old.commit), before=before)
                self._left += [old] if self._pushes else []

    def _may_bring_over(self, old: Tip, before: str) -> bool:
        check.state(self._repo, self._agent, old.commit, old.epoch)
        who = trust.unknown(self._stores, self._repo, old.commit) if old.commit != before else ""
        if who:
            self._notices[f"An older epoch was changed by {who}. {trust.remedy(self._repo, old.commit)}"] = None
        return not who or not trust.is_required(self._stores)

    def _settled(self, tip: Tip | None, theirs: Tree, *, before: str = "") -> tuple[State, str]:
        """As `_taken`; who writes meanwhile is merged too."""
        for number in range(_LOOKS):
            try:
                return self._taken(tip, theirs, before=before)
            except ChangedUnderneathError:
                if number == _LOOKS - 1:
                    raise
        raise AssertionError

    def _taken(self, tip: Tip | None, theirs: Tree, *, before: str) -> tuple[State, str]:
        """The state of both, applied here, and its commit. What is left of an old epoch makes none to push: both
        came from the state `before` that was renewed.
        """
        head, base = self._repo.head(), None
        if tip is None:
            agreed = self._repo.tree(head) if head else {}
            found = state.alone(state.look(self._stores, self._repo, agreed))
            self._check_removals(agreed, found.ours)
        else:
            base = state.base_of(self._repo, head, tip.commit, before or self._one.commit)
            looked, self._looked = self._looked, None
            ours = looked or state.look(self._stores, self._repo, base or {}, theirs)
            if base is not None and not before and self._was_put_back(ours.tree, base, head):
                base = None
            elif base is not None:
                self._check_removals(self._repo.tree(head) if head else base, ours)
            stay, noted = ours.apart, apart.read(self._stores.files)
            if not self._dry_run:
                noted = apart.keep(self._stores.files, noted, base or {}, stay)
            base = apart.base(self._repo, noted, base, stay) if base is not None else None
            there, words = theirs, set[bytes]()
            if base is None:
                there, words = renewal.without(self._stores, self._repo, ours.tree, theirs)
            tell = self._records(tip, ours.tree, there)
            forgets = bool(self._one.renew) or self._forgets(tip)
            found = state.merged(self._repo, ours, there, base, own=self._own, tell=tell, forgets=forgets)
            found = replace(found, theirs=theirs)
            renewal.strike_records(self._repo, found, words)
            for after in [*([ours.tree] if self._one.renew else []), *([theirs] if self._forgets(tip) else [])]:
                renewal.strike_records(self._repo, found, renewal.gone(self._repo, base or {}, after))
        commit = ""
        if not self._dry_run:
            commit = self._commit(tip, found, is_old=bool(before))
            applied.apply(self._stores, self._repo, found, head, commit)
            if not before:
                self._is_older = False
                apart.settle(self._stores.files, apart.read(self._stores.files), found.ours.apart)
            if tip is not None and not before and renewal.came(self._repo, self._one, tip):
                words = renewal.gone(self._repo, {**(base or {}), **found.ours.tree}, found.result)
                renewal.clear(self._stores, words | renewal.gone(self._repo, base or {}, found.result))
        self._note(found)
        return found, commit

    def _was_put_back(self, ours: Tree, base: Tree, head: str | None) -> bool:
        """Return whether the files are older than the state that they are said to contain: what is missing in them
        says nothing then.
        """
        follows = self._repo.tree(head) if head else base
        here = self._installation()
        is_new = here is not None and older.is_new(self._repo, here.writer, installation.former(here), follows)
        if not (self._is_older or is_new or older.is_older(self._repo, ours, follows)):
            return False
        self._notices[older.NOTICE] = None
        return True

    def _check_removals(self, before: Tree, ours: Snapshot) -> None:
        if not self._accepts_removals:
            removals.check([path for path in before if path not in ours.apart], ours.tree)

    def _commit(self, tip: Tip | None, found: State, *, is_old: bool) -> str:
        here = self._installation()
        if tip is not None and is_old:
            return commits.brought(self._stores, self._repo, here, tip)
        if tip is not None and self._renews:
            forgets = dict.fromkeys([*renewal.carried_out(self._repo, tip), *renewal.pending(self._one, self._own)])
            return commits.renewed(self._stores, self._repo, here, tip, found, tuple(forgets))
        return commits.made(self._stores, self._repo, here, tip, found)

    def _note(self, found: State) -> None:
        """Keep what came in for the person."""
        before = found.ours.tree
        came = account.moved(
            before, state.result(self._repo, before, found.plan), self._repo.blob, self._hosts(found.result)
        )
        self._inward = account.more(self._inward, came)
        new = (conflict.id_of(path.removeprefix(f"{conflict.FOLDER}/")) for path in came.paths)
        self._conflicts |= dict.fromkeys(filter(None, new))
        self._notices |= dict.fromkeys(found.plan.notices)

    def _check_signer(self, tip: Tip, theirs: Tree) -> None:
        who = trust.unknown(self._stores, self._repo, tip.commit)
        if not who:
            return
        remedy = trust.remedy(self._repo, tip.commit)
        if not trust.is_required(self._stores):
            self._notices[f"The newest state comes from {who}, which this machine does not know. {remedy}"] = None
            return
        if not self._dry_run:
            ours = state.look(self._stores, self._repo, {})
            applied.apply(self._stores, self._repo, trust.introduced(self._repo, tip.commit, ours, theirs), None, "")
        raise MayNotWriteError(
            f"Nothing was merged: {who} made the newest state, and this workspace requires a vouch.", hint=remedy
        )

    def _records(self, tip: Tip, ours: Tree, theirs: Tree) -> records.Tell:
        between = tuple(sorted({self._own, self._repo.told(tip.commit).by} - {""}))
        # What was forgotten may be what both sides came from: then no record tells of that.
        tells_base = not self._one.renew and not self._forgets(tip)
        return lambda found: records.files(
            found, {*ours, *theirs}, at=self._stores.now_text(), between=between, tells_base=tells_base
        )

    def _forgets(self, tip: Tip) -> bool:
        return renewal.came(self._repo, self._one, tip)

    def _installation(self) -> installation.Installation | None:
        return installation.find(self._stores.files, self._agent, self._stores.environment.state)

    @property
    def _own(self) -> str:
        here = self._installation()
        return here.writer if here is not None else ""

    def _hosts(self, tree: Tree) -> dict[str, str]:
        told = self._repo.blob(tree[layout.WRITERS]).decode("utf-8", "replace") if layout.WRITERS in tree else ""
        return {line.writer: line.host for line in writer.lines(told)}

    def _remember(self, tip: Tip | None, now: Tip | None, commit: str, there: Tree) -> None:
        one = self._one
        one.at, one.failed = self._stores.now_text(), ""
        one.since = one.since or one.at
        one.heads = account.heads(there, self._repo.blob)
        if tip is not None and (told := self._repo.told(tip.commit)).by != self._own:
            one.between = told.host
        if tip is not None and (one.renew or renewal.came(self._repo, one, tip)):
            known.pass_on(self._stores, one, renewal.carried_out(self._repo, tip))
            self._repo.renew(commit)
        for old in self._left:
            self._remote.drop_old(self._repo, self._agent, old)
        if self._stores.manifest.setting(lease.SETTING) != lease.OFF:
            held = self._remote.lease(self._repo, self._agent)
            lease.keep(self._stores.files, held.lease.holder if held is not None else "")
        if now is not None:
            one.commit, one.epoch = now.commit, now.epoch
        known.keep(self._stores, one, is_renewed=self._pushes)

    def _told(self, found: State, commit: str, outward: Moved, *, made: bool) -> Synced:
        ours = found.ours
        kept = [f"{path} stays here: {why}." for path, why in {**ours.held, **ours.unread}.items()]
        kept += [
            f"{place} is {what} here. Elsewhere its files stay as they are." for place, what in ours.places.items()
        ]
        waiting = sum(1 for path in found.result if conflict.is_record(path))
        return Synced(
            self._one.url,
            commit=commit,
            inward=self._inward,
            outward=outward,
            conflicts=tuple(self._conflicts),
            waiting=waiting,
            skipped=tuple(ours.others[:_MOST_SKIPPED]),
            skipped_count=len(ours.others),
            made=made,
            renewed=self._renews,
            dry_run=self._dry_run,
            notices=[*self._notices, *kept],
        )
