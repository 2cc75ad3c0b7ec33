"""Decide whose states sync merges: those of writers that this machine knows, or that a known writer vouches for.

Of any other state only the journal and the identity lines of its maker are taken: readers quote them, and a person can
vouch for that writer.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentws.core.disk import lock
from agentws.core.formats import layout, manifest, toml_edit
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import chain, segment
from agentws.core.identity import pinned_writers, vouch, writer_proof
from agentws.core.identity.pinned_writers import Pins
from agentws.core.installation import installation, keys, own_records
from agentws.core.installation.installation import Installation
from agentws.core.journal.sealing.seal import Signers
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.core.text import sh
from agentws.core.text.sanitize import one_line
from agentws.errors import AgentwsError
from agentws.features.sync import state
from agentws.features.sync.plan import tree as _tree
from agentws.features.sync.plan.plan import Plan, common
from agentws.features.sync.plan.state import journal
from agentws.features.sync.state import State, Tree
from agentws.features.sync.store import check
from agentws.features.sync.store.repo import Repo
from agentws.features.sync.store.snapshot import Snapshot

_MOST_CHECKS, _MOST_SIBLINGS = 8, 1_000
_ANYBODY = "Whoever can write to the remote can have made it."
_UNSIGNED = f"{_ANYBODY} A machine without a key needs ssh-keygen to sign."
_OTHER_KEY = f"This machine knows that writer by another key. {_ANYBODY}"
_UNLISTED = f"{layout.SIGNERS} does not list its key here: an older copy was restored, or somebody took the key out."
_VOUCH = "If that machine is yours, a person runs: agentws identity vouch {}"
_ACCEPT = "To take this one state as it is, a person runs: agentws sync --accept {}"
_SHOWN_DIGITS = 12
_MOST_SETTINGS, _MOST_VALUE = 8, 60


def unknown(stores: Stores, repo: Repo, commit: str) -> str:
    """Return who made a state, in words, if this machine does not know the writer; empty if it does."""
    own, pins = _met(stores)
    status = repo.told(commit)
    signer = check.signer(repo, commit, lambda name, key: _knows(stores, own, pins, repo, commit, name, key))
    if signer == check.KNOWN:
        return ""
    host = f" ({status.host})" if status.host else ""
    name = f"{status.by or 'an unnamed writer'}{host}"
    return name if status.signature else f"a machine that signed nothing (it says that it is {name})"


def remedy(stores: Stores, repo: Repo, commit: str) -> str:
    """Return the advice about an unknown writer: how to vouch for it, or why no vouch can help and how to accept."""
    status = repo.told(commit)
    if status.signature and status.by not in known(stores):
        return _VOUCH.format(status.by)
    if status.signature and status.key in _met(stores)[1].keys(status.by):
        return f"{_UNLISTED} {_VOUCH.format(status.by)} --key {sh.quote(status.key)}"
    return f"{_OTHER_KEY if status.signature else _UNSIGNED} {_ACCEPT.format(commit[:_SHOWN_DIGITS])}"


def holds_settings(stores: Stores, repo: Repo, commit: str) -> bool:
    """Return whether a person let the maker of a state in, and no sync has met its settings since."""
    record = _met(stores)[1].writers.get(repo.told(commit).by, {})
    return record.get(pinned_writers.SETTINGS) == pinned_writers.HELD


def release_settings(stores: Stores, repo: Repo, commit: str) -> None:
    """Let the settings of the maker of a state count from the next sync on."""
    pinned_writers.release_settings(stores.files, _met(stores)[0], repo.told(commit).by)


def changed_settings(stores: Stores, repo: Repo, theirs: Tree) -> str:
    """Return the settings that a state has and this workspace does not, in words; empty for none."""
    if layout.MANIFEST not in theirs:
        return ""
    try:
        there = manifest.decode(repo.blob(theirs[layout.MANIFEST]), where=layout.MANIFEST)
    except AgentwsError:
        return ""
    names = (setting.key for setting in manifest.SETTINGS)
    new = [key for key in names if there.setting(key) != stores.manifest.setting(key)]
    new += ["timezone"] if there.timezone != stores.manifest.timezone else []
    messages = []
    for key in new[:_MOST_SETTINGS]:
        value = toml_edit.literal(there.timezone if key == "timezone" else there.setting(key))
        messages.append(f"{key} = {one_line(value if len(value) <= _MOST_VALUE else f'{value[:_MOST_VALUE]}…')}")
    return ", ".join([*messages, f"{len(new) - len(messages)} more"] if len(new) > len(messages) else messages)


def introduced(stores: Stores, repo: Repo, commit: str, ours: Snapshot, theirs: Tree) -> State:
    """Return a state with only the identity lines and the journal of an unknown writer, for a person to judge by.

    It takes nothing about a writer that is known here, and changes or removes nothing that is here already.
    """
    status, text = repo.told(commit), _text(repo, ours.tree, layout.WRITERS)
    # A writer that is unknown here, and listed with no other key.
    names = {line.key for line in writer.lines(text) if line.writer == status.by}
    name = status.by if status.signature and status.by not in known(stores) and names <= {status.key} else ""
    own = f"{layout.JOURNAL}/{name}/"
    here_only = {path: oid for path, oid in ours.tree.items() if path.startswith(own)}
    there_only = {path: oid for path, oid in theirs.items() if path.startswith(own) and journal.is_ours(path)}
    plan = Plan()
    if name and _is_added_to(repo, here_only, there_only):
        plan = _tree.merge(
            common(here_only, there_only), here_only, there_only, repo.blob, own="", rule=state.of, orders=()
        )
        plan.changes = {path: value for path, value in plan.changes.items() if value is not None}
    lines = (
        [] if name in {line.writer for line in writer.lines(text)} else _text(repo, theirs, layout.WRITERS).splitlines()
    )
    new = [line for line in lines if name and any(each.writer == name for each in writer.lines(f"{line}\n"))]
    if new:
        plan.changes[layout.WRITERS] = (text + "".join(f"{line}\n" for line in new)).encode()
    return State(ours, theirs, plan, dict(ours.tree))


def with_settings(ours: Tree, theirs: Tree) -> Tree:
    """Return the tree `theirs` with the settings of `ours`."""
    is_in_both = layout.MANIFEST in theirs and layout.MANIFEST in ours
    return {**theirs, layout.MANIFEST: ours[layout.MANIFEST]} if is_in_both else dict(theirs)


def guarded(stores: Stores, repo: Repo, ours: Tree, theirs: Tree) -> Tree:
    """Return the tree of an accepted state of an unknown writer, but with our settings and own journals as they are
    here: a person takes settings one by one.

    Our lost events may come back if this installation remembers the last one of them.
    """
    current = writer_trust.reachable(stores)
    made = with_settings(ours, theirs)
    for name in (current.writer, *installation.former(current)) if current is not None else ():
        own = f"{layout.JOURNAL}/{name}/"
        mine, others = ({path: oid for path, oid in tree.items() if path.startswith(own)} for tree in (ours, theirs))
        if current is not None and not _is_remembered(repo, current, name, mine, others):
            made = {path: oid for path, oid in made.items() if path not in others} | mine
    return made


def known(stores: Stores) -> set[str]:
    """Return the ids of the writers that this machine knows, its own included."""
    own, pins = _met(stores)
    return {own.writer, *installation.former(own), *pins.writers} - {""}


def knows(stores: Stores, repo: Repo, commit: str, name: str, key: str) -> bool:
    """Return whether this machine knows the key of a writer, or valid vouches in the state `commit` lead to it."""
    own, pins = _met(stores)
    return _knows(stores, own, pins, repo, commit, name, key)


def is_keyless(stores: Stores, name: str) -> bool:
    """Return whether a writer is known here and has no key that could sign."""
    _, pins = _met(stores)
    return name in known(stores) and not pins.keys(name) and not Signers.read(stores.files).all().get(name)


def regain(stores: Stores) -> None:
    """Record the orders of this machine's own journal that come back after a snapshot was restored.

    They were given here, if a seal with the key of this installation covers them. Their record in the installation's
    state went with the snapshot, and `journal verify` would call them forged.
    """
    from agentws.core.journal.sealing import proof, purge  # seldom

    own = stores.installation()
    key = keys.find(own.folder, socket=own.socket) if own is not None else None
    if own is None or key is None or not keys.is_possible():
        return
    through = own_records.known_orders(own).through.get(own.writer, 0)
    orders = [*purge.given(stores.files, own.writer, through)]
    if not orders:
        return
    signers = Signers({own.writer: {key.public}})
    proved = proof.prove(stores.files, own.agent, own.writer, after=through, notices=[], signers=signers)
    with lock.Lock(stores.files, lock.APPEND):
        own_records.note_orders(own.folder, own.agent, [order.digest for order in orders if proved.covers_order(order)])


def _met(stores: Stores) -> tuple[Installation, Pins]:
    """Return this installation, let in or not, and its pinned writers; at first contact, all writers listed now."""
    own = pinned_writers.of(*stores.machine)
    pins = pinned_writers.read(own.folder)
    return own, pins or pinned_writers.all_of(stores.files, own, at=stores.now_text())


def _is_added_to(repo: Repo, ours: Tree, theirs: Tree) -> bool:
    """Return whether the journal files in `theirs` only append to those in `ours`."""
    for path, oid in ours.items():
        if path in theirs and theirs[path] != oid and not repo.blob(theirs[path]).startswith(repo.blob(oid)):
            return False
    return True


def _is_remembered(repo: Repo, current: Installation, name: str, ours: Tree, theirs: Tree) -> bool:
    """Return whether a copy of our own journal only goes on to the newest event that this installation remembers: one
    of which it has lost the end, and began another one behind it.
    """
    mark = next((lost for lost in installation.lost(current) if lost.writer == name), None)
    own = f"{layout.JOURNAL}/{name}/"
    numbers = [number for path in theirs if (number := segment.number_of(path.removeprefix(own)))]
    if mark is None or not numbers or not {*ours} <= {*theirs}:
        return False
    last = repo.blob(theirs[segment.path(name, max(numbers))])[:-1].rpartition(b"\n")[2]
    try:
        is_last = segment.seq_of(last) == mark.seq and chain.hash_of(last) == mark.hash
    except ValueError:
        return False
    return is_last and _is_added_to(repo, ours, theirs)


def _knows(stores: Stores, own: Installation, pins: Pins, repo: Repo, commit: str, name: str, key: str) -> bool:
    if name in (own.writer, *installation.former(own)) and key in keys.publics(own.folder):
        return True
    pinned = {item: pins.keys(item) for item in pins.writers}
    listed = Signers.read(stores.files)
    left = {text: {each for each in names if listed.allow(text, each)} for text, names in pinned.items()}
    if key in left.get(name, ()):
        return True
    if key in {each for text, names in pinned.items() for each in names - left[text]}:
        return False  # a person took it out: no vouch of before counts, and none that this key has signed itself
    if name not in pinned and any(key in each for each in left.values()):
        return True  # an installation that continues as another writer keeps its key
    proof = writer_proof.Proof(stores.files, own, pins, most=_MOST_CHECKS, most_siblings=_MOST_SIBLINGS)
    if proof.of(name, {key}):
        return True
    tree = repo.tree(commit)
    message = _text(repo, tree, layout.WRITERS)
    allowed = Signers(writer.signers(_text(repo, tree, layout.SIGNERS)))
    known = left | {own.writer: keys.publics(own.folder)}
    lines, void = writer.lines(message), writer.void(message)
    try:
        return vouch.is_known(own.agent, lines, allowed, name, key, known=Signers(known), void=void)
    except AgentwsError:
        return False  # nothing here can check a signature


def _text(repo: Repo, tree: Mapping[str, str], path: str) -> str:
    return repo.blob(tree[path]).decode("utf-8", "replace") if path in tree else ""
