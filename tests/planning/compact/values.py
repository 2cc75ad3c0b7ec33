"""Days and entries for the tests of compaction, built by hand."""

from __future__ import annotations

from agentws.changes import ChangeSet, Write
from agentws.formats.documents import managed, sources
from agentws.planning.compact import decision, digest, fold
from agentws.planning.compact.choice import Choice
from agentws.planning.compact.decision import Room
from agentws.planning.compact.fold import Folder
from agentws.planning.compact.units import Day
from agentws.planning.notes.document import File
from agentws.planning.tokens import counters

CHARS4 = counters.Chars4()


def day(text: str, date: str = "2026-03-02") -> Day:
    return Day(f"memory/{date}.md", date, f"# {date}\n\n{text}")


class Desk:
    """A workspace of texts alone: each `run` folds days into them."""

    def __init__(self, memory: str = "# Memory\n") -> None:
        self.memory = memory
        self.page = self.sidecar = self.superseded = ""
        self.runs = 0

    def run(
        self,
        *days: Day,
        room: Room | None = None,
        mode: str = "marked",
        besides: tuple[Day, ...] = (),
        moves: bool = True,
    ) -> Choice:
        file = {"MEMORY.md": self.memory, sources.PATH: self.sidecar, digest.PATH: self.page, "s": self.superseded}
        memory, sidecar, page, superseded = (File(path, text.encode(), "") for path, text in file.items())
        files = [(one.day, File(one.path, one.text.encode(), "")) for one in days]
        archive = {one.path: f"memory/archive/{one.day}.md" for one in days} if moves else {}
        months = {path: File(path, b"", "") for path in {sources.month_path(one.day) for one in days}}
        found = Folder(memory, sidecar, months, superseded, page, File("p", b"", ""), files, archive)
        known = sources.decode(self.sidecar)
        choice = decision.choose(
            found, managed.read(self.memory), known, room=room or Room(), counter=CHARS4, mode=mode, besides=besides
        )
        self.runs += 1
        self._apply(fold.fold(found, choice, known, run=f"r{self.runs}", today="2026-11-20"))
        return choice

    def _apply(self, changes: ChangeSet) -> None:
        for one in changes.changes:
            if isinstance(one, Write):
                text = one.data.decode()
                self.memory = text if one.path == "MEMORY.md" else self.memory
                self.sidecar = text if one.path == sources.PATH else self.sidecar
                self.page = text if one.path == digest.PATH else self.page
                self.superseded = text if one.path == "s" else self.superseded
            elif one.path == digest.PATH:
                self.page = ""

    @property
    def entries(self) -> dict[str, str]:
        """What stands in the managed section: sub-heading by text."""
        return {one.text: one.kind for one in managed.read(self.memory).entries}
