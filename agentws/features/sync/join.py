"""sync join: make a workspace on a new machine from the agent's state at a remote."""

from __future__ import annotations

import os
import secrets
import shutil

from agentws.core.disk import files as _files, local_dir, locate
from agentws.core.environment import Environment
from agentws.core.formats import digest, layout, manifest
from agentws.core.formats.identity import writer
from agentws.core.formats.travel import sync_path
from agentws.core.formats.travel.sync_state import Told
from agentws.core.installation import installation, keys, remotes, scope_changes
from agentws.core.states import plumbing, private
from agentws.core.stores.stores import REQUIRE, Stores, open_at
from agentws.core.text.sanitize import one_line
from agentws.errors import (
    AgentwsError,
    AmbiguousError,
    DamagedError,
    MissingFileError,
    NestedWorkspaceError,
    UsageError,
)
from agentws.features.copies.transfer import disk
from agentws.features.sync import known, outcome, renewal, run
from agentws.features.sync.outcome import Joined
from agentws.features.sync.state import Tree
from agentws.features.sync.store import check, held_back
from agentws.features.sync.store.remote import Remote
from agentws.features.sync.store.repo import HEAD, Repo

_BRANCH = "branch"
_NAME_CHARS = "-_."
_MOST_CALLED = 6
"""Most agents of a remote that an error message names."""
_AT_ONCE = 8
"""Files whose contents are in memory at once: segments of a journal have a megabyte each."""


def join(remote: str, path: str | None, environment: Environment) -> Joined:
    """Make a workspace in the folder `path` (absolute; None: named after the agent, here) from the state at `remote`.

    `#ID` after the remote selects the agent. The installation becomes a new writer. MissingFileError if the remote
    does not exist or holds no agent, AmbiguousError if it holds several, UsageError if the folder is not empty.
    """
    url, mark, agent = remote.rpartition("#")
    if not mark or not url or "/" in agent:
        url, agent = remote, ""
    known.check_exists(url)
    parent = os.path.dirname(path) if path is not None else os.getcwd()
    _check(path, parent)
    aside = os.path.join(parent, f".sync{layout.INCOMING}{secrets.token_hex(4)}")
    os.mkdir(aside, 0o700)
    try:
        name, count, place, maker = _fetched(url, agent, _files.Files(aside))
        plain = "".join(char if char.isalnum() or char in _NAME_CHARS else "-" for char in name).strip("-.")
        root = path or os.path.join(parent, plain or "agent")
        _check(root, parent)
        disk.sync_tree(aside)
        if os.path.isdir(root):
            os.rmdir(root)
        os.rename(aside, root)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    local_dir.sync_above(root)
    return _begun(root, place, environment, count, maker)


def _check(path: str | None, parent: str) -> None:
    if not os.path.isdir(parent):
        raise MissingFileError(f"{parent}: no such folder.", hint="Create the folder, or name another one.")
    if path is None:
        return
    if os.path.lexists(path) and (not os.path.isdir(path) or os.path.islink(path) or os.listdir(path)):
        raise UsageError(f"{path} is not empty.", hint="Name a new folder. Nothing was changed.")
    outer = locate.above(path)
    if outer is not None:
        raise NestedWorkspaceError(f"{path} is inside the workspace {outer}.", hint="Name a folder outside of it.")


def _fetched(url: str, agent: str, files: _files.Files) -> tuple[str, int, remotes.Known, str]:
    """Write the newest state's files; return the agent's name, how many, the remote's record and who made the state."""
    local_dir.prepare(files)
    repo = Repo(files)
    try:
        source = Remote(url)
        agent = agent or _only(repo, source, url)
        tip = source.fetch(repo, agent)
        if tip is None:
            raise MissingFileError(f"{url} holds no state of the agent {agent}.")
        check.epoch(agent, tip.epoch, 0)
        tree = repo.tree(tip.commit)
        settings = _manifest(repo, tree)
        if settings is None or settings.agent_id != agent:
            raise DamagedError(f"{url}: its newest state is not of the agent {agent}.", hint="Ask who pushed it.")
        include = settings.setting("sync.include")  # this machine has no setting of its own yet; a notice shows it
        travelling = {path: oid for path, oid in tree.items() if sync_path.travels(path, include)}
        private.note(files, _write(repo, files, travelling))
        held_back.keep(files, {}, {}, tree.keys() - travelling.keys())  # what never was here was not removed here
        files.replace(HEAD, f"{tip.commit}\n".encode(), expects=digest.ABSENT)
        remote = remotes.Known(url)
        remote.renew = " ".join(renewal.carried_out(repo, tip.commit))
        remote.commit, remote.epoch, remote.heads = tip.commit, tip.epoch, outcome.heads(tree, repo.blob)
        return settings.name, len(travelling), remote, _maker(repo.told(tip.commit))
    finally:
        repo.close()


def _maker(status: Told) -> str:
    """Return who signed a state, in words, for a person to compare; the fetch has checked the signature."""
    if not status.signature:
        return "Nobody signed the state that was joined. Anybody who writes to the remote can have made it."
    name = f"{status.by} ({status.host})" if status.host else status.by
    return (
        f"The state that was joined is signed by {name}, {writer.fingerprint(status.key)}. "
        "Compare on that machine: agentws identity show"
    )


def _manifest(repo: Repo, tree: Tree) -> manifest.Manifest | None:
    return manifest.decode(repo.blob(tree[layout.MANIFEST]), where=layout.MANIFEST) if layout.MANIFEST in tree else None


def _only(repo: Repo, source: Remote, url: str) -> str:
    agents = source.agents(repo)
    if not agents:
        raise MissingFileError(f"{url} holds no agent.", hint="On the machine that has it: agentws sync REMOTE")
    if len(agents) > 1:
        called = [_called(repo, source, agent) for agent in agents[:_MOST_CALLED]]
        raise AmbiguousError(
            f"{url} holds {len(agents)} agents: {', '.join(called)}{' and more' * (len(agents) > _MOST_CALLED)}.",
            hint=f"Name one by its id: agentws sync join '{url}#{agents[0]}'",
        )
    return agents[0]


def _called(repo: Repo, source: Remote, agent: str) -> str:
    """Return an agent's name with its id; the id alone if its newest state cannot be read."""
    try:
        tip = source.fetch(repo, agent)
        settings = _manifest(repo, repo.tree(tip.commit)) if tip is not None else None
    except AgentwsError:
        return agent
    return f"{one_line(settings.name)} ({agent})" if settings and settings.name else agent


def _write(repo: Repo, files: _files.Files, tree: Tree) -> dict[str, str]:
    """Write the files into a new temporary folder, which the caller makes durable; return the digests of tasks."""
    tasks: dict[str, str] = {}
    made: set[str] = set()
    later: set[str] = set()
    paths = sorted(tree)
    for at in range(0, len(paths), _AT_ONCE):
        group = paths[at : at + _AT_ONCE]
        contents = repo.blobs({tree[path] for path in group})
        for path in group:
            folder = path.rpartition("/")[0]
            if folder and folder not in made:
                files.make_folder(folder, later=later)
                made.add(folder)
            _put(files, path, contents[tree[path]])
            if private.is_task(path):
                tasks[path] = digest.of(contents[tree[path]])
    return tasks


def _put(files: _files.Files, path: str, content: bytes) -> None:
    mode = 0o600 if path.partition("/")[0] in _files.OWN else 0o666
    fd = files.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        _files.write_all(fd, content)
    finally:
        os.close(fd)


def _begun(root: str, remote: remotes.Known, environment: Environment, count: int, maker: str) -> Joined:
    """Open the joined workspace: begin its git history, record its remote, and announce this writer by a first sync.

    If only known writers are trusted, a notice names the maker of the joined state.
    """
    settings = manifest.decode(_files.Files(root).read(layout.MANIFEST), where=layout.MANIFEST)
    if settings.setting("history.commits") == _BRANCH and plumbing.available():
        plumbing.create(root)
    stores = open_at(root, environment)
    scope_changes.agree(stores.files, *scope_changes.KEYS)  # it is reported below
    remote.since = remote.at = stores.now_text()
    events = sum(remote.heads.values())
    carried, remote.renew = tuple(remote.renew.split()), ""
    known.keep(stores, remote)
    known.pass_on(stores, remote, carried)
    stores.record("sync")
    done = run.sync(stores, remote.url)[0]
    own = installation.find(stores.files, stores.manifest.agent_id, environment.state)
    key = keys.find(own.folder, socket=own.socket) if own is not None else None
    made = [maker] if stores.manifest.setting("identity.mode") == REQUIRE else []
    return Joined(
        root,
        stores.manifest.name,
        stores.manifest.agent_id,
        remote.url,
        writer=own.writer if own is not None else "",
        files=count,
        events=events,
        mode=stores.manifest.setting("identity.mode"),
        pushed=bool(done.outward.paths),
        key=key.public if key is not None else "",
        notices=list(dict.fromkeys([*made, *done.notices, *_included(stores)])),
    )


def _included(stores: Stores) -> list[str]:
    patterns = ", ".join(stores.manifest.setting("sync.include"))
    if not patterns or not patterns.isprintable():
        return [f"sync.include has odd characters: look at {layout.MANIFEST}."] if patterns else []
    return [f"Files here that fit {patterns} go to the remote too: see agentws config sync.include."]
