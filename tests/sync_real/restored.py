"""Random programs with two remotes, machines that are restored from an earlier copy, and two syncs at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.sync_real.machine import Machine
from tests.sync_real.oracle import FACT, LOG
from tests.sync_real.program import World


class RestoredWorld(World):
    """Three machines that all sync with a repository and, from some time on, with a stick too.

    A machine that is restored has synced before, so nothing acknowledged is lost by that; what others have not synced
    yet, a forget among it, meets older files.
    """

    mode = "warn"
    """A restored machine is another writer: it may write without a vouch, and the others vouch before they merge."""
    looks = World.looks[:-1]
    """`identity verify` names the writers that nobody has vouched for."""
    forgets = (LOG, FACT)
    """Not events: a copy of a journal from before a purge still has them, and `journal verify` reports that."""

    def doings(self) -> dict[Callable[[Machine], None], int]:
        """As in any world, with fewer other things between the ones that this is about."""
        return {
            self.log: 6, self.same: 1, self.fact: 5, self.edit: 6, self.remove: 2, self.event: 2, self.task: 1,
            self.forget: 5, self.compact: 3, self.sync: 10, self.sync_at_once: 4, self.copy: 4, self.restore: 3,
            self.pass_time: 3,
        }  # fmt: skip

    def copy(self, machine: Machine) -> None:
        """Sync, then copy the workspace, in place of an earlier copy.

        What a copy has that was not synced yet is taken for new when it is restored, also if it went elsewhere since.
        """
        self.well(machine, self.synced(machine), "sync")
        self.story.append(f"{self.time:%m-%d %H:%M:%S} {machine.name} is copied")
        shutil.rmtree(self.copied(machine), ignore_errors=True)
        shutil.copytree(machine.root, self.copied(machine), symlinks=True)

    def copied(self, machine: Machine) -> Path:
        """The place of the copy."""
        return machine.folder / "copy"

    def restore(self, machine: Machine) -> None:
        """Sync, then put the copy back; the state of the installation stays as it is."""
        if not self.copied(machine).exists():
            return
        self.well(machine, self.synced(machine), "sync")
        self.story.append(f"{self.time:%m-%d %H:%M:%S} {machine.name} is restored from its copy")
        for path in machine.root.iterdir():
            if path.name == ".agentws":
                _clear(path, but="state")
            elif path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        shutil.copytree(
            self.copied(machine), machine.root, symlinks=True, dirs_exist_ok=True,
            ignore=lambda folder, names: ["state"] if folder.endswith(".agentws") else [],
        )  # fmt: skip

    def sync_at_once(self, machine: Machine) -> None:
        """Two machines sync at the same time."""
        other = self.chance.choice([each for each in self.machines if each is not machine])
        pair = [(each, self.place()) for each in (machine, other)]
        ends = [each.begun("-C", str(each.root), "sync", *place) for each, place in pair]
        for (each, place), ended in zip(pair, ends, strict=True):
            done = self.vouched(each, self.noted(each, ended(), "sync", *place), *place)
            assert done.well, f"{self.told()}\n{done.err}"


def _clear(folder: Path, *, but: str) -> None:
    for path in folder.iterdir():
        if path.name != but:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
