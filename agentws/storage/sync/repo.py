"""The private repository of a workspace's syncs, `.agentws/sync/repo.git`: nobody else reads or writes it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from agentws.formats.travel.sync_state import Told, Tree
    from agentws.storage.disk.files import Files
    from agentws.storage.installation.keys import Key

FOLDER = ".agentws/sync"
HEAD = f"{FOLDER}/head"
"""The id of the newest state that the files of the workspace contain, and a newline."""
LOCK = f"{FOLDER}.lock"


class Repo:
    """The repository of the workspace of these files. Used by whoever holds the lock, and closed."""

    def __init__(self, files: Files) -> None:
        """Open the repository, made where there is none."""
        raise NotImplementedError

    def close(self) -> None:
        """End what runs beside."""

    def head(self) -> str | None:
        """The local head, None where there is none or its objects are not here (any more)."""
        raise NotImplementedError

    def has(self, commit: str) -> bool:
        """Return whether a commit is here."""
        raise NotImplementedError

    def store(self, blobs: Iterable[bytes]) -> list[str]:
        """Keep these contents until the next `commit`: their ids, which can be read at once."""
        raise NotImplementedError

    def commit(self, tree: Mapping[str, str], parents: Sequence[str], told: Told, key: Key | None) -> str:
        """Make a state durable and return its id; signed where there is a key. Tree and parents are put into `told`."""
        raise NotImplementedError

    def tree(self, commit: str) -> Tree:
        """The blob at each path of a commit's workspace; DamagedError (14) for paths that may not travel."""
        raise NotImplementedError

    def told(self, commit: str) -> Told:
        """What a commit tells of itself; DamagedError (14) where it cannot be so."""
        raise NotImplementedError

    def blob(self, oid: str) -> bytes:
        """The content of a blob; TooLargeError for one that is larger than any that travels."""
        raise NotImplementedError

    def blobs(self, oids: Collection[str]) -> dict[str, bytes]:
        """The contents of several, which are read in one go."""
        raise NotImplementedError

    def digest(self, oid: str) -> str:
        """The SHA-256 of a blob's content, as a ChangeSet expects it."""
        raise NotImplementedError

    def bases(self, a: str, b: str) -> list[str]:
        """The newest states that both contain: none, one, or several."""
        raise NotImplementedError

    def contains(self, commit: str, other: str) -> bool:
        """Return whether `commit` is `other`, or follows it."""
        raise NotImplementedError

    def renew(self, keep: str) -> None:
        """Make the repository anew with nothing but this state: what was forgotten lies in no pack any more."""
        raise NotImplementedError
