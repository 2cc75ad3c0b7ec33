"""What briefs of MEMORY.md have left on this machine, for the answers to them. Specified in docs/format/local.md."""

from __future__ import annotations

from agentws.formats import plainjson
from agentws.storage import local, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.files import Files

_MOST_NUMBERS = 500


class Numbers:
    """The numbers that briefs on this machine have given to entries: none is ever given to two.

    `offered` are the candidates of the newest brief, each as the digests of its wordings; `day` is that of the newest
    answer.
    """

    __slots__ = ("day", "next", "of", "offered")

    def __init__(self) -> None:
        self.of: dict[int, str] = {}
        self.next = 1
        self.offered: list[list[str]] = []
        self.day = ""

    def number(self, entry: str) -> int:
        """The number of an entry, a new one where it has none."""
        known = next((number for number, one in self.of.items() if one == entry), 0)
        if not known:
            known, self.next = self.next, self.next + 1
            self.of[known] = entry
        return known


def read(files: Files) -> Numbers:
    """What the briefs before this one have left; nothing where that cannot be read."""
    found = Numbers()
    try:
        told = plainjson.loads(marks.of(files, local.CURATION) or "{}")
        found.of = {int(number): str(one) for number, one in told.get("numbers", {}).items()}
        found.next = max([int(told.get("next", 1)), *(number + 1 for number in found.of)])
        found.offered = [[str(each) for each in one] for one in told.get("offered", [])]
        found.day = str(told.get("day", ""))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Numbers()
    return found


def keep(files: Files, found: Numbers) -> None:
    """Leave the numbers for the answer."""
    newest = sorted(found.of)[-_MOST_NUMBERS:]
    told = {"numbers": {str(number): found.of[number] for number in newest}, "next": found.next}
    marks.leave(files, local.CURATION, plainjson.dumps({**told, "offered": found.offered, "day": found.day}))


def forget(files: Files) -> None:
    """Leave nothing by which a guess at words could be confirmed; no number is given twice for that."""
    found = read(files)
    if found.of or found.offered:
        found.of, found.offered = {}, []
        keep(files, found)
