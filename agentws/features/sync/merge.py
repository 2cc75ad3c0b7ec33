"""Merge the state of a remote with our files, apply the result as one change, and make the commit of it."""

from __future__ import annotations

from dataclasses import replace

from agentws.core.formats import layout, manifest
from agentws.core.formats.journal import event
from agentws.core.formats.travel import conflict
from agentws.core.formats.travel.sync_state import FIRST, Told
from agentws.core.installation import host_info, installation, keys, own_records
from agentws.core.installation.installation import Installation
from agentws.core.installation.remotes import Known
from agentws.core.stores.stores import Stores
from agentws.errors import ChangedUnderneathError, DamagedError, TooLargeError
from agentws.features.sync import applied, known, lineage, outcome, records, renewal, state
from agentws.features.sync.guards import missing_files, origins, trust
from agentws.features.sync.outcome import Moved
from agentws.features.sync.plan.plan import Blobs
from agentws.features.sync.plan.state import late
from agentws.features.sync.state import State, Tree
from agentws.features.sync.store import held_back
from agentws.features.sync.store.remote import Tip
from agentws.features.sync.store.repo import Repo
from agentws.features.sync.store.snapshot import Snapshot

_FORGOTTEN = "Lines of this older copy were forgotten on this machine since, and go again."
_LOOKS = 5
_PURGE = b'"kind":"%s"' % event.PURGE.encode()


class Merge:
    """The merge of our files with a `remote`, during one run of sync.

    `inward` is what came in, `conflicts` are the ids of new ones, `notices` are for the person. `is_older`: our files
    are an older copy, so missing files do not count as removed. `is_strange`: the remote's writer is unknown here.
    `keeps_settings`: it was let in, and its settings were not shown yet.
    `is_ordered`: another machine orders the purge of events of this one. `looked`: a fresh snapshot of our files,
    used once. `newest_ns` is the newest modification time of a merged document.
    """

    def __init__(
        self, stores: Stores, repo: Repo, remote: Known, *, dry_run: bool, is_older: bool, accepts_removals: bool
    ) -> None:
        self.inward = Moved()
        self.conflicts: dict[str, None] = {}
        self.notices: dict[str, None] = {}
        self.is_older = is_older
        self.looked: Snapshot | None = None
        self.is_strange = self.keeps_settings = False
        self.newest_ns = 0
        self.is_ordered = False
        self._stores = stores
        self._repo = repo
        self._one = remote
        self._dry_run = dry_run
        self._accepts_removals = accepts_removals
        self._renews = False

    def settled(self, tip: Tip | None, theirs: Tree, *, before: str = "", renews: bool = False) -> tuple[State, str]:
        """Merge both sides, apply the result here, and return it with its commit; retried if files change meanwhile.

        With `renews` the commit begins a new epoch.

        The rest of an old epoch gives no commit to push: its base is `before`, the state that was renewed.
        """
        self._renews = renews
        for number in range(_LOOKS):
            try:
                return self._taken(tip, theirs, before=before)
            except ChangedUnderneathError:
                if number == _LOOKS - 1:
                    raise
        raise AssertionError

    def _taken(self, tip: Tip | None, theirs: Tree, *, before: str) -> tuple[State, str]:
        head = self._repo.head()
        merged, base = self._merged(tip, theirs, head, before) if tip is not None else (self._alone(head), None)
        commit = ""
        if not self._dry_run:
            commit = self._commit(tip, merged, is_old=bool(before))
            applied.apply(self._stores, self._repo, merged, head, commit)
            self.newest_ns = max(merged.ours.newest_ns, applied.newest_ns(self._stores, merged))
            if not before:
                self.is_older = False
                held_back.settle(self._stores.files, held_back.read(self._stores.files), merged.ours.apart)
            if tip is not None and not before and renewal.came(self._repo, self._one, tip):
                known = self._one.commit  # after a kill, only the tree last agreed still holds the removed lines
                agreed = self._repo.tree(known) if known and self._repo.holds(known) else {}
                befores = ({**(base or {}), **merged.ours.tree}, base or {}, agreed)
                words = set().union(*(renewal.gone(self._repo, before, merged.result) for before in befores))
                renewal.clear(self._stores, words)
        self._note(merged)
        return merged, commit

    def _alone(self, head: str | None) -> State:
        """Return the state of our files alone, for a remote that has none."""
        agreed = self._repo.tree(head) if head else {}
        result = state.alone(state.look(self._stores, self._repo, agreed))
        self._check_removals(agreed, result.ours)
        if self._is_older(agreed):
            self._strike(result)
        return result

    def _merged(self, tip: Tip, theirs: Tree, head: str | None, before: str) -> tuple[State, Tree | None]:
        """Return the merge of both sides, and its base."""
        base = state.base_of(self._repo, head, tip.commit, before or self._one.commit)
        looked, self.looked = self.looked, None
        ours = looked or state.look(self._stores, self._repo, base or {}, theirs)
        follows = self._repo.tree(head) if head else base or {}
        is_older = self._is_older(follows)
        if base is not None and not before and self._was_put_back(ours.tree, follows):
            base, is_older = None, True
            ours.take_lost()
        elif base is not None:
            self._check_removals(follows, ours)
        stay, noted = ours.apart, held_back.read(self._stores.files)
        if not self._dry_run:
            noted = held_back.keep(self._stores.files, noted, base or {}, stay)
        base = held_back.base(self._repo, noted, base, stay) if base is not None else None
        base = self._with_logs(tip, base, ours.tree, theirs, before or self._one.commit)
        there, words = theirs, set[bytes]()
        if base is None or self._one.renew:
            common = None if is_older else base  # what the base holds, an older copy may hold too
            there, words = renewal.without(self._stores, self._repo, ours.tree, theirs, common)
        if self.is_strange:
            there = trust.guarded(self._stores, self._repo, ours.tree, there)
        elif self.keeps_settings:
            there = trust.with_settings(ours.tree, there)
        tell = self._records(tip, ours.tree, there)
        orders = trust.known(self._stores)
        forgets = bool(self._one.renew) or self._forgets(tip)
        merged = state.merged(self._repo, ours, there, base, own=self.own, tell=tell, forgets=forgets, orders=orders)
        merged = replace(merged, theirs=theirs)
        self._check_manifest(merged)
        renewal.strike_records(self._repo, merged, words)
        if forgets:
            sides = bool(self._one.renew), self._forgets(tip)
            struck = renewal.gone_by_forgetting(self._repo, base or {}, (ours.tree, theirs), sides)
            renewal.strike_records(self._repo, merged, struck)
            if sides[1] and struck and not self._dry_run:  # another remote may hold them yet
                own_records.note_forgotten(*self._stores.machine, (), struck)
        if is_older:
            self._strike(merged)
        self.notices |= dict.fromkeys([*self._kept_out(merged, tip), *origins.settle(self._repo, merged)])
        return merged, base

    def _kept_out(self, merged: State, tip: Tip) -> list[str]:
        """Leave forgotten text out of the merged state; return notices."""
        if layout.KEPT_OUT not in merged.ours.tree and layout.KEPT_OUT not in merged.theirs:
            return []
        from agentws.features.sync.guards import kept_out  # only where something was forgotten

        return kept_out.settle(self._stores, self._repo, merged, tip.commit)

    def _with_logs(self, tip: Tip, base: Tree | None, ours: Tree, theirs: Tree, agreed: str) -> Tree | None:
        """Return the base with lines of logs that newer states in common hold, which are not here.

        So it is after an older copy was restored: its lines may have been synced since, or forgotten.
        """
        is_restored, head = self.is_copied or bool(self._one.epoch and not self._one.commit), self._repo.head()
        if base is None or head is None:
            return base
        if not is_restored and lineage.has_base(self._repo, head, tip.commit, agreed):
            return base
        is_forgotten = own_records.read_forgotten(*self._stores.machine).holds if is_restored else None
        logs = late.logs(base, ours, theirs, Blobs(self._repo.blob), is_forgotten)
        return base | dict(zip(logs, self._repo.store(logs.values()), strict=True))

    def _was_put_back(self, ours: Tree, follows: Tree) -> bool:
        """Return whether our files are older than the sync head says: then missing files are not taken for removed."""
        is_alone = self._is_older(follows) and not self.is_copied
        if not (is_alone or missing_files.is_older(self._repo, ours, follows)):
            return False
        self.notices[missing_files.NOTICE] = None
        return True

    def _strike(self, merged: State) -> None:
        """Take the lines that were forgotten here out of the merged files of an older copy.

        Not those that the remote holds, if it has carried out what was forgotten: they were written again.
        """
        if renewal.strike_known(self._stores, self._repo, merged, {} if self._one.renew else merged.theirs):
            self.notices[_FORGOTTEN] = None

    def _is_older(self, follows: Tree) -> bool:
        """Return whether our files are an older copy, as far as this installation knows."""
        own = self._stores.installation()
        return self.is_older or (
            own is not None and missing_files.is_new(self._repo, own.writer, installation.former(own), follows)
        )

    @property
    def is_copied(self) -> bool:
        """Return whether an older copy was restored here with `.agentws/`: the sync head is as old as the files."""
        own, head = self._stores.installation(), self._repo.head()
        if own is None or head is None or not self._is_older(self._repo.tree(head)):
            return False
        # Where the files alone were restored, the head contains what the remotes were last synced to.
        before = {*lineage.states(self._repo, head)}
        return any(each.epoch and each.commit not in before for each in known.known(self._stores))

    def _check_removals(self, before: Tree, ours: Snapshot) -> None:
        if not self._accepts_removals:
            missing_files.check_removals([path for path in before if path not in ours.apart], ours.tree)

    def _check_manifest(self, merged: State) -> None:
        """Check the merged manifest: DamagedError if it is missing, unreadable or another agent's.

        FormatVersionError if a newer version of agentws wrote it.
        """
        blob, place = merged.result.get(layout.MANIFEST), f"{layout.MANIFEST} of the newest state"
        if layout.MANIFEST in merged.ours.apart:
            return  # ours stays as it is
        if blob is None:
            why = f"{place}: missing."
        elif blob == merged.ours.tree.get(layout.MANIFEST):
            return
        else:
            try:
                settings = manifest.decode(self._repo.blob(blob), where=place)
                why = (
                    "" if settings.agent_id == self._stores.manifest.agent_id else f"{place}: belongs to another agent."
                )
            except (DamagedError, TooLargeError) as error:
                why = error.message
        if why:
            raise DamagedError(why, hint="Nothing was changed. Find out who wrote to the remote.")

    def _commit(self, tip: Tip | None, merged: State, *, is_old: bool) -> str:
        own = self._stores.installation()
        if tip is not None and is_old:
            return brought(self._stores, self._repo, own, tip)
        if tip is not None and self._renews:
            forgets = dict.fromkeys(
                [*renewal.carried_out(self._repo, tip.commit), *renewal.pending(self._one, self.own)]
            )
            return renewed(self._stores, self._repo, own, tip, merged, tuple(forgets))
        return made(self._stores, self._repo, own, tip, merged)

    def _note(self, merged: State) -> None:
        """Add the incoming changes and new conflicts to the run's result."""
        own = f"{layout.JOURNAL}/{self.own}/"
        if not self._dry_run and any(path.startswith(own) for path in merged.plan.changes):
            trust.regain(self._stores)
        before = merged.ours.tree
        after = state.result(self._repo, before, merged.plan)
        came = outcome.moved(before, after, self._repo.blob)
        self.inward = outcome.more(self.inward, came)
        self.is_ordered = self.is_ordered or any(self._orders(before, after, path) for path in came.paths)
        new = (conflict.id_of(path.removeprefix(f"{conflict.FOLDER}/")) for path in came.paths)
        self.conflicts |= dict.fromkeys(filter(None, new))
        self.notices |= dict.fromkeys(merged.plan.notices)

    def _orders(self, before: Tree, after: Tree, path: str) -> bool:
        """Return whether new events in another writer's segment purge events of this one."""
        own = self.own
        if path not in after or not own or not path.startswith(f"{layout.JOURNAL}/") or not path.endswith(".jsonl"):
            return False
        old, new = (self._repo.blob(tree[path]) if path in tree else b"" for tree in (before, after))
        lines = (new.removeprefix(old) if _PURGE in new else b"").split(b"\n")
        meant = b'"writer":"%s"' % own.encode()
        return any(_PURGE in line and meant in line for line in lines)

    def _records(self, tip: Tip, ours: Tree, theirs: Tree) -> state.Tell:
        between = tuple(sorted({self.own, self._repo.told(tip.commit).by} - {""}))
        # What was forgotten may be what both sides came from: then no record tells of that.
        tells_base = not self._one.renew and not self._forgets(tip)
        return lambda conflicts: records.files(
            conflicts, {*ours, *theirs}, at=self._stores.now_text(), between=between, tells_base=tells_base
        )

    def _forgets(self, tip: Tip) -> bool:
        return renewal.came(self._repo, self._one, tip) and not renewal.is_begun(self._repo, tip)

    @property
    def own(self) -> str:
        """Return the writer id of this installation; empty before it is a writer."""
        own = self._stores.installation()
        return own.writer if own is not None else ""


def made(stores: Stores, repo: Repo, own: Installation | None, tip: Tip | None, state: State) -> str:
    """Return the id of the commit that brings the remote from its newest state `tip` to the merged state."""
    epoch, head = tip.epoch if tip is not None else FIRST, repo.head()
    before: dict[str, None] = {}
    if head is not None and not _may_follow(stores, repo, head, tip):
        there = {*lineage.states(repo, tip.commit)} if tip is not None else set()
        before = {each: None for each in lineage.states(repo, head) if each not in there}
        head = None
    elif head is not None and tip is not None and repo.contains(tip.commit, head):
        head = None  # what it tells of stands there already
    if tip is not None and state.result == state.theirs and (head is None or len(known.known(stores)) < 2):
        return tip.commit
    follows = head is not None and (tip is None or tip.commit in repo.told(head).parents)
    if head is not None and follows and repo.tree(head) == state.result:
        return head
    parents = [*([tip.commit] if tip is not None else []), *([head] if head is not None else [])]
    return _signed(repo, own, state, parents, replace(_status(stores, own, epoch), before=tuple(before)))


def _may_follow(stores: Stores, repo: Repo, head: str, tip: Tip | None) -> bool:
    """Return whether `head` may be a parent of the remote's next state: it brings along all that it follows.

    Not in another epoch, nor where its own began before something that the remote's epoch has forgotten. A new remote
    would get all that ever stood here: it gets the first state of all, unless something was forgotten since.
    """
    if tip is None:
        is_first = repo.told(head).epoch == FIRST and not repo.objects.links(head)[1]
        return is_first and not known.forgotten_calls(stores)
    is_clean = {*renewal.carried_out(repo, tip.commit)} <= {*renewal.carried_out(repo, head)}
    return repo.told(head).epoch == tip.epoch and is_clean


def renewed(
    stores: Stores, repo: Repo, own: Installation | None, tip: Tip, state: State, forgets: tuple[str, ...]
) -> str:
    """Return the id of the commit that begins the next epoch: without parents, and without the forgotten text.

    `forgets` names the calls of `forget` whose text is gone.
    """
    before = dict.fromkeys(lineage.states(repo, tip.commit)[1:])
    if (head := repo.head()) is not None:  # what the files contain, and the remote does not yet
        before |= dict.fromkeys(lineage.states(repo, head))
    status = replace(_status(stores, own, tip.epoch + 1, renews=tip.commit), before=tuple(before), forgets=forgets)
    return _signed(repo, own, state, [], status)


def brought(stores: Stores, repo: Repo, own: Installation | None, old: Tip) -> str:
    """Return the id of a local head that also contains the rest of an old epoch, so that it is merged once.

    Empty if there is no head yet.
    """
    head = repo.head()
    if head is None:
        return ""
    known_here = {*lineage.states(repo, head)}
    before = tuple(each for each in lineage.states(repo, old.commit) if each not in known_here)
    status = replace(_status(stores, own, repo.told(head).epoch), before=before)
    return repo.commit(repo.tree(head), [head], status, None)


def _status(stores: Stores, own: Installation | None, epoch: int, *, renews: str = "") -> Told:
    by = own.writer if own is not None else ""
    return Told(
        agent=stores.manifest.agent_id,
        by=by,
        key="",
        host=host_info.name(),
        at=stores.now_text(),
        epoch=epoch,
        renews=renews,
        forgotten=bool(renews),
    )


def _signed(repo: Repo, own: Installation | None, state: State, parents: list[str], status: Told) -> str:
    key = keys.find(own.folder, socket=own.socket) if own is not None else None
    if key is not None:
        status = replace(status, key=key.public)
    return repo.commit(state.result, parents, status, key)
