"""Whose states are merged: those signed by a writer that this machine knows, or that one of these vouches for."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.identity import writer
from agentws.operations.sync.state import State
from agentws.planning.sync import tree as _tree
from agentws.planning.sync.plan import Plan, common
from agentws.storage.identity import pinned_writers, vouch, writer_proof
from agentws.storage.installation import keys
from agentws.storage.journal.sealing.seal import Signers
from agentws.storage.sync import check
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.operations.sync.state import Tree
    from agentws.storage.identity.pinned_writers import Pins
    from agentws.storage.installation.installation import Installation
    from agentws.storage.sync.repo import Repo
    from agentws.storage.sync.snapshot import Snapshot
    from agentws.storage.workspace.stores import Stores

_MOST_CHECKS, _MOST_SIBLINGS = 8, 1_000
_UNSIGNED = "Whoever can write to the remote can have made it. A machine without a key needs ssh-keygen to sign."
_VOUCH = "If that machine is yours: agentws identity vouch {}"


def is_required(stores: Stores) -> bool:
    """Return whether only what known writers made is merged."""
    return bool(stores.manifest.setting("identity.mode") == writer_trust.REQUIRE)


def unknown(stores: Stores, repo: Repo, commit: str) -> str:
    """Return who made a state, in words, where this machine does not know the writer; empty where it does."""
    here = writer_trust.reachable(stores)
    pins = pinned_writers.read(here.folder) if here is not None else None
    if here is None or pins is None:
        return ""  # it meets the agent now
    told = repo.told(commit)
    found = check.signer(repo, commit, lambda name, key: _knows(stores, here, pins, repo, commit, name, key))
    if found == check.KNOWN:
        return ""
    host = f" ({told.host})" if told.host else ""
    name = f"{told.by or 'an unnamed writer'}{host}"
    return name if told.signature else f"a machine that signed nothing (it says that it is {name})"


def remedy(repo: Repo, commit: str) -> str:
    """The command by which a person says that a writer is theirs; where nobody signed, no vouch can say it."""
    told = repo.told(commit)
    if not told.signature:
        return _UNSIGNED
    return _VOUCH.format(told.by)


def introduced(repo: Repo, commit: str, ours: Snapshot, theirs: Tree) -> State:
    """Only the lines that tell of who made a state, and the journal of that writer: for a person to judge by."""
    name = repo.told(commit).by if repo.told(commit).signature else ""
    own = f"{layout.JOURNAL}/{name}/"
    here_only = {path: oid for path, oid in ours.tree.items() if path.startswith(own)}
    there_only = {path: oid for path, oid in theirs.items() if path.startswith(own)}
    known = common(here_only, there_only)
    plan = _tree.merge(known, here_only, there_only, repo.blob, own="") if name else Plan()
    here = _text(repo, ours.tree, layout.WRITERS)
    told = {line.writer: line for line in writer.lines(here)}
    new = [line for line in _text(repo, theirs, layout.WRITERS).splitlines() if _is_of(line, name)]
    new = [] if name in told else new
    if new:
        plan.changes[layout.WRITERS] = (here + "".join(f"{line}\n" for line in new)).encode()
    return State(ours, theirs, plan, dict(ours.tree))


def _is_of(line: str, name: str) -> bool:
    return any(one.writer == name for one in writer.lines(f"{line}\n"))


def _knows(stores: Stores, here: Installation, pins: Pins, repo: Repo, commit: str, name: str, key: str) -> bool:
    if name == here.writer and key in keys.publics(here.folder):
        return True
    pinned = {one: pins.keys(one) for one in pins.writers}
    listed = Signers.read(stores.files)
    left = {one: {each for each in found if listed.allow(one, each)} for one, found in pinned.items()}
    if key in left.get(name, ()):
        return True
    if key in {each for one, found in pinned.items() for each in found - left[one]}:
        return False  # a person took it out: no vouch of before counts, and none that this key has signed itself
    proof = writer_proof.Proof(stores.files, here, pins, most=_MOST_CHECKS, most_siblings=_MOST_SIBLINGS)
    if proof.of(name, {key}):
        return True
    tree = repo.tree(commit)
    told = _text(repo, tree, layout.WRITERS)
    allowed = Signers(writer.signers(_text(repo, tree, layout.SIGNERS)))
    known = left | {here.writer: keys.publics(here.folder)}
    lines, void = writer.lines(told), writer.void(told)
    try:
        return vouch.is_known(here.agent, lines, allowed, name, key, known=Signers(known), void=void)
    except AgentwsError:
        return False  # nothing here can check a signature


def _text(repo: Repo, tree: Mapping[str, str], path: str) -> str:
    return repo.blob(tree[path]).decode("utf-8", "replace") if path in tree else ""
