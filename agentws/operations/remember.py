"""remember: one fact more in MEMORY.md, for ever."""

from __future__ import annotations

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.errors import ChangedUnderneathError, MissingFileError
from agentws.formats import digest, heading, layout, memory, origin, secrets
from agentws.storage import lenient, seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.stores import Stores

_TRIES = 5


class Remembered:
    """Where the fact stands: `path` and `line` (1-based); `is_new` is False where it stood there already."""

    __slots__ = ("dry_run", "entry", "is_new", "line", "notices", "path")

    def __init__(self, placed: memory.Placed, entry: str, *, dry_run: bool, notices: list[str]) -> None:
        self.path = layout.MEMORY
        self.line = placed.line
        self.entry = entry
        self.is_new = placed.is_new
        self.dry_run = dry_run
        self.notices = notices


def remember(
    stores: Stores, text: str, *, section: str | None = None, via: str | None = None, dry_run: bool = False
) -> Remembered:
    """Add a fact to MEMORY.md, at the end of a section; everything else in it stays as it is, byte for byte.

    `via` is where it comes from: what is from outside keeps its origin in the line, as heard and not verified.

    An edit of somebody else that comes in between is kept: the fact is put into what is there then. UsageError where
    the text is empty or `section` is no heading, SecretRefusedError where it carries a secret.
    """
    secrets.refuse(text, section, via)
    if section is not None:
        heading.check(section, what="--section")
    stores.check_writable()
    entry = memory.bullet(text, origin.given(via))
    if not dry_run:
        stores.settle()
    for left in reversed(range(_TRIES)):
        try:
            placed = _once(stores, entry, section, dry_run=dry_run)
            break
        except ChangedUnderneathError:
            if not left:
                raise
    fence = memory.fence_above(placed.text, placed.line)
    if fence:
        stores.notices.append(
            f"{layout.MEMORY}:{fence}: the code fence is never closed, so the fact stands inside it. Close it there."
        )
    if not lenient.reads_line(placed.text.encode("utf-8", "surrogateescape"), placed.line):
        stores.notices.append(
            f"{layout.MEMORY}:{placed.line}: boot reads only both ends of a file this large, and not this line. "
            "Move what is old to another file, or name a section near the end."
        )
    if placed.is_new and not dry_run:
        stores.notices += seals.quietly(stores, due=True)
    return Remembered(placed, entry, dry_run=dry_run, notices=list(stores.notices))


def _once(stores: Stores, entry: str, section: str | None, *, dry_run: bool) -> memory.Placed:
    try:
        before = stores.files.read(layout.MEMORY)
        expects = digest.of(before)
    except MissingFileError:
        before, expects = b"# Memory\n", ABSENT
    placed = memory.with_bullet(before.decode("utf-8", "surrogateescape"), entry, section=section)
    if placed.is_new and not dry_run:
        after = placed.text.encode("utf-8", "surrogateescape")
        stores.apply(ChangeSet("remember", (Write(layout.MEMORY, after, expects=expects),)))
    return placed
