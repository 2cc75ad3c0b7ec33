"""journal verify: checks that the journal is unchanged: every chain, digest, blob, purge and seal.

The state of installations whose folder at this path was replaced is outside of the workspace, by the inode of the old
folder. So a restored folder is known to lack something, even if no installation has written to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from agentws.core.disk import files as _files
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation, state_dir
from agentws.core.installation.installation import Mark
from agentws.core.installation.state_dir import State
from agentws.core.journal.sealing import verify as _verify
from agentws.core.journal.sealing.verified import VerifiedJournal
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, NoWorkspaceError


def verify(stores: Stores, *, progress: Callable[[int, int], None] | None = None) -> VerifiedJournal:
    """Verify every chain, digest, blob, purge and seal of the journal, and return the findings with their places.

    `progress` is called with (bytes read, bytes in all). NoWorkspaceError if the folder is not adopted, since the
    chains begin with the agent's id; DamagedError if the manifest cannot be read.
    """
    if not stores.adopted:
        raise NoWorkspaceError(
            f"{stores.root} is not adopted, and the journal cannot be verified without the agent's id.",
            hint="Restore agentws.toml from a backup.",
        )
    if stores.damage is not None:
        raise stores.damage
    agent = stores.manifest.agent_id
    own = stores.installation()
    memory = writer_trust.remembered(stores)
    for mark in replaced_marks(stores.files, agent, stores.environment.state):
        memory.before.setdefault(mark.writer, {})[mark.seq] = mark.hash
    return _verify.verify(stores.files, agent, own, memory=memory, progress=progress)


_MOST = 1_000
_RECORD_BYTES = 1 << 16


def replaced_marks(files: _files.Files, agent: str, state: State) -> list[Mark]:
    """Return the newest event of each installation that wrote in a folder at this path that was replaced."""
    own = [*state_dir.known(files, agent, state)]
    bases = dict.fromkeys(os.path.dirname(folder) for folder in own)
    every = (folder for base in bases if not f"{base}/".startswith(f"{files.root}/") for folder in _folders(base))
    candidates = (_mark(folder, agent, files.root) for folder in every if folder not in own)
    return [mark for mark in candidates if mark is not None]


def _folders(base: str) -> Iterator[str]:
    try:
        with os.scandir(base) as entries:
            yield from sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))[:_MOST]
    except OSError:
        return


def _mark(folder: str, agent: str, root: str) -> Mark | None:
    """Return the newest event of the installation with this state, if it wrote as this agent at this path."""
    try:
        decoded = plainjson.loads(_files.Files(folder).read(installation.WRITER, limit_bytes=_RECORD_BYTES))
        if decoded["agent"] != agent or decoded["root"] != root:
            return None
        own = installation.at(folder, agent)
        return installation.mark(own) if own is not None else None
    except (AgentwsError, ValueError, KeyError, TypeError, RecursionError):
        return None  # another workspace's business
