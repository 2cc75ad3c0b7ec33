"""remember: one fact more in MEMORY.md, for ever."""

from __future__ import annotations

from datetime import UTC

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.errors import AgentwsError, ChangedUnderneathError, MissingFileError, UsageError
from agentws.formats import (
    audience,
    digest,
    escape,
    event,
    gist,
    heading,
    inert,
    layout,
    managed,
    memory,
    origin,
    secrets,
    sources,
)
from agentws.storage import lenient, recording, seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.changes import Change
    from agentws.storage.referent import Referent
    from agentws.storage.stores import Stores

_TRIES = 5
_FACT = "[fact] "
"""How a log marks what MEMORY.md holds anyway: there it says nothing, and from outside it would be escaped."""


class Remembered:
    """Where the fact stands: `path` and `line` (1-based); `is_new` is False where it stood there already.

    A shared audience is told neither: `line` is None, and a fact is new whatever MEMORY.md says. `src` is its source,
    `ref` what it was stated from, None for nothing.
    """

    __slots__ = ("dry_run", "entry", "is_new", "line", "notices", "path", "ref", "src")

    def __init__(self, placed: memory.Placed, entry: str, *, dry_run: bool) -> None:
        self.path = layout.MEMORY
        self.line: int | None = placed.line
        self.entry = entry
        self.is_new = placed.is_new
        self.dry_run = dry_run
        self.src = origin.AGENT
        self.ref: Referent | None = None
        self.notices: list[str] = []


def remember(
    stores: Stores,
    text: str | None = None,
    *,
    section: str | None = None,
    via: str | None = None,
    stated_from: str | None = None,
    dry_run: bool = False,
) -> Remembered:
    """Add a fact to MEMORY.md, at the end of a section; everything else in it stays as it is, byte for byte.

    `via` is where it comes from: what is from outside keeps its origin in the line, as heard and not verified. With
    `stated_from` (FILE:LINE, or an event as WRITER:SEQ) the agent states as its own what stands there, in the words of
    `text` where that is given; from where, and of which source, is recorded.

    An edit of somebody else that comes in between is kept: the fact is put into what is there then. UsageError where
    the text is empty or `section` is no heading, SecretRefusedError where it carries a secret.
    """
    ref = _referent(stores, stated_from, via)
    said = text if text is not None else escape.by(ref.src, ref.text.removeprefix(_FACT)) if ref else ""
    secrets.refuse(said, section, via)
    if section is not None:
        heading.check(section, what="--section")
    stores.check_writable()
    source = origin.given(via)
    entry = memory.bullet(inert.written(said), source)
    if not dry_run:
        stores.settle()
    for left in reversed(range(_TRIES)):
        try:
            placed, is_written = _once(stores, entry, section, ref, dry_run=dry_run)
            break
        except ChangedUnderneathError:
            if not left:
                raise
    done = Remembered(placed, entry, dry_run=dry_run)
    if stores.audience() == audience.MAIN:
        _warn(stores, placed)
    else:
        done.line, done.is_new = None, True
    done.src, done.ref = source or origin.AGENT, ref
    if is_written:
        stores.notices += _told(stores, done)
        stores.notices += seals.quietly(stores, due=True)
    done.notices = list(stores.notices)
    return done


def _warn(stores: Stores, placed: memory.Placed) -> None:
    """Tell where the fact stands so that it will not be read as one."""
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


def _referent(stores: Stores, stated_from: str | None, via: str | None) -> Referent | None:
    if stated_from is None:
        return None
    if via is not None:
        raise UsageError(
            "What is stated with --from is the agent's own; --via names another source.", hint="Leave one of them out."
        )
    from agentws.storage import referent

    return referent.find(stores.heard(), stated_from)  # what is stated is printed


def _once(
    stores: Stores, entry: str, section: str | None, ref: Referent | None, *, dry_run: bool
) -> tuple[memory.Placed, bool]:
    """(the document with the fact, whether anything was written)."""
    before, expects = _read(stores, layout.MEMORY, b"# Memory\n")
    placed = memory.with_bullet(before.decode("utf-8", "surrogateescape"), entry, section=section)
    changes = _recorded(stores, entry, ref) if ref else []
    if placed.is_new:
        changes.append(Write(layout.MEMORY, placed.text.encode("utf-8", "surrogateescape"), expects=expects))
    if changes and not dry_run:
        stores.apply(ChangeSet("remember", tuple(changes)))
    return placed, bool(changes) and not dry_run


def _recorded(stores: Stores, entry: str, ref: Referent) -> list[Change]:
    """The change that writes down from where the agent had what it states; none where that is written down already."""
    data, expects = _read(stores, sources.PATH, b"")
    text = data.decode("utf-8", "surrogateescape")
    digest_of = managed.of_text(entry.removeprefix("- "))
    known = sources.decode(text).stated.get(digest_of)
    if known is not None and (known.ref, known.ref_src) == (ref.ref, ref.src):
        return []
    at = f"{stores.clock.now().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    row = sources.Stated(digest_of, ref.ref, ref.src, src=origin.AGENT, at=at, sources=ref.lines)
    return [Write(sources.PATH, sources.joined(text, [row]).encode("utf-8", "surrogateescape"), expects=expects)]


def _read(stores: Stores, path: str, default: bytes) -> tuple[bytes, str]:
    """(a file, the digest that a change of it expects)."""
    try:
        data = stores.files.read(path)
    except MissingFileError:
        return default, ABSENT
    return data, digest.of(data)


def _told(stores: Stores, done: Remembered) -> list[str]:
    """Record that the agent stated something as its own; what fails is a notice, for the fact is safe."""
    if done.ref is None:
        return []
    body: dict[str, object] = {"path": done.path, "from": done.ref.ref, "from_src": done.ref.src}
    try:
        text = gist.cut(done.entry.split("\n", 1)[0].removeprefix("- "))
        return recording.record(stores, [recording.told(event.STATED, text, body=body)])[1]
    except AgentwsError as error:
        return [f"The fact is written, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
