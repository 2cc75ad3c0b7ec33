"""The files of a workspace as they are now, stored in the private repository: what has not changed is not read."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from agentws.formats.travel.sync_state import Tree
    from agentws.storage.disk.files import Files
    from agentws.storage.sync.repo import Repo


@dataclass
class Snapshot:
    """The `tree` of all that travels; why files are `held` back (looks like a secret) or `unread`, by path: these
    stand in the tree as in the base, and must not be written over; `others`: files that do not travel.

    `digests` are SHA-256, as a ChangeSet expects them, of what was read now; `repo.digest(oid)` has those of the rest.
    """

    tree: Tree = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)


def take(
    repo: Repo, files: Files, base: Mapping[str, str], *, include: Collection[str] = (), allow: Collection[str] = ()
) -> Snapshot:
    """Look at every file that travels, and store those that have changed; `include` are globs, `allow` the paths that
    may hold what looks like a secret (`history.include`).
    """
    raise NotImplementedError
