"""A restic repository: list, save, restore and remove agentws's snapshots in it."""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import backup
from agentws.errors import OutsideProgramError
from agentws.features.copies.backup.store import program
from agentws.features.copies.transfer import temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.core.formats.travel.destination import Destination
    from agentws.features.copies.backup.store.program import Program

_TAG, _AGENT, _NAME, _PART = "agentws", "agent:", "backup:", "part:"
_GLOB = "\\*?["


class Repository:
    """A repository as restic is asked about it, with the snapshots of ours in it.

    `parts` are (agent, owner, id) of those that nobody has read back: no backups.
    """

    def __init__(self, to: Destination) -> None:
        self.to = to
        self.parts: list[tuple[str, str, str]] = []
        self._program: Program = program.restic()

    def run(self, *words: str, cwd: str = "") -> bytes:
        """Run restic with this repository and return its output."""
        return self._program.run(f"--repo={self.to.target}", *words, cwd=cwd)

    def snapshots(self) -> dict[str, dict[str, str]]:
        """Return the ids of agentws's snapshots, by agent and backup name."""
        found: dict[str, dict[str, str]] = {}
        self.parts = []
        for one in plainjson.loads(self.run("snapshots", "--json", "--tag", _TAG)) or ():
            tags = [str(tag) for tag in one.get("tags") or ()]
            agent = next((tag.removeprefix(_AGENT) for tag in tags if tag.startswith(_AGENT)), "")
            name = next((tag.removeprefix(_NAME) for tag in tags if tag.startswith(_NAME)), "")
            self.parts += [(agent, tag.removeprefix(_PART), str(one["id"])) for tag in tags if tag.startswith(_PART)]
            if agent and backup.number_of(name):
                found.setdefault(agent, {})[name] = str(one["id"])
        return found

    def save(self, place: str, agent: str, name: str, parent: str) -> str:
        """Let restic take the tree in the folder `place` as the backup `name`; returns the snapshot. What `parent`, a
        snapshot, holds already is not read.
        """
        return self._saved(place, agent, f"{_NAME}{name}", parent)

    def save_part(self, place: str, agent: str, owner: str, parent: str) -> str:
        """Let restic take that tree as something that is no backup yet; as `save`."""
        return self._saved(place, agent, f"{_PART}{owner}", parent)

    def _saved(self, place: str, agent: str, told_as: str, parent: str) -> str:
        tags = [word for tag in (_TAG, f"{_AGENT}{agent}", told_as) for word in ("--tag", tag)]
        # A hard link changes the time of a file's entry, not the file: inode, size and time of content tell it.
        known = (f"--parent={parent}", "--ignore-ctime") if parent else ("--force",)
        told = self.run("backup", "--json", *tags, *known, "--", ".", cwd=place)
        for line in reversed(told.splitlines()):
            said = plainjson.loads(line) if line.startswith(b"{") else {}
            if said.get("message_type") == "summary":
                return str(said["snapshot_id"])
        raise OutsideProgramError("restic did not say what it has saved.", hint="Try it by hand: restic snapshots")

    def content(self, snapshot: str, path: str) -> bytes:
        """What a file of a snapshot holds. TooLargeError for one that no manifest is as large as."""
        return self._program.read(
            f"--repo={self.to.target}", "dump", "--", snapshot, path, limit_bytes=backup.MOST_BYTES
        )

    def forget(self, snapshots: Iterable[str]) -> None:
        """Remove snapshots; their data stays until `prune`."""
        self.run("forget", "--", *dict.fromkeys(snapshots))

    def prune(self) -> None:
        """Free what no snapshot holds, as far as nothing has to be packed anew."""
        self.run("prune", "--max-unused", "unlimited")

    def restored(self, snapshot: str, paths: Sequence[str] = (), *, needed_bytes: int = 0) -> str:
        """A folder with a snapshot, or with these paths of it; the caller removes it."""
        place = temporary.folder(needed_bytes)
        try:
            words = [word for path in paths for word in ("--include", _escaped(path))]
            self.run("restore", f"--target={place}", *words, "--", snapshot)
        except BaseException:
            temporary.remove(place)
            raise
        return place


def agent_id(agent: str) -> str:
    """Return the id by which snapshot tags name an agent."""
    plain = agent.isascii() and agent.isalnum() and len(agent) >= 8
    return agent.lower() if plain else digest.of(agent.encode("utf-8", "surrogateescape"))


def _escaped(path: str) -> str:
    """Return a path as a pattern that matches only this path."""
    return "".join(f"\\{char}" if char in _GLOB else char for char in path)
