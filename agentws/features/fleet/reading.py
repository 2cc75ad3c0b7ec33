"""Reads a workspace as the rows that are shipped: all headers of its journal, and the text that the team may read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from agentws.core.formats import digest, layout
from agentws.core.formats.documents import shared
from agentws.core.formats.journal import chain, event, purge, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read, shared as _shared
from agentws.core.journal.sealing import seal
from agentws.core.journal.walk import FOLLOWS, Verdict, Walk
from agentws.core.stores import kept_out
from agentws.errors import AgentwsError, DamagedError
from agentws.features.fleet import membership
from agentws.features.search import masking, reading as units, sources
from agentws.features.search.plan import unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentws.core.formats.kept_out import Entry, KeptOut
    from agentws.core.stores.stores import Stores
    from agentws.features.search.plan.unit import Unit

_MOST_LINES, _MOST_BYTES = 2_000, 4 << 20
"""Of a batch; a single line has 64 KiB at most."""
_MOST_TERMS = 300_000
"""Characters; a tsvector has 1 MiB at most."""
_CACHED = "fleet-audience"
_ALWAYS = (event.SEAL, event.RETIRED)
"""Kinds whose text is shipped always: it is made by agentws, and what is checked with it."""


class Absent(StrEnum):
    """Why the text of an event is not in the database."""

    PRIVATE = "private"
    PURGED = "purged"
    FORGOTTEN = "forgotten"
    SECRET = "secret"  # noqa: S105
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the journal as it is shipped.

    `tail` is None where it stays at home; `absent` says why. `terms` are its words for search, with blanks between
    them, `units` its entries. `order` is the event (writer, number) that a purge names.
    """

    seq: int
    kind: str
    header: str
    tail: str | None
    absent: Absent | None
    terms: str
    order: tuple[str, int] | None
    units: Sequence[Unit] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads what of a workspace is shipped: `text` (shared, all). `rules` names what decides which text of events: it
    begins with the digest of the list of forgotten texts, and a blank.
    """

    stores: Stores
    audience: _shared.Shared
    units: units.Reader
    kept: KeptOut | None
    rules: str
    text: str

    @classmethod
    def of(cls, stores: Stores, text: str) -> Reader:
        """Return the reader of a workspace that ships this text: shared or all. Only events that are new since the
        last call are read for it.
        """
        tags = shared.labels(stores.manifest.setting("boot.private_tags"))
        is_all, known = text == membership.ALL, stores.cache.get(_CACHED)
        audience = _shared.Shared(stores.files, tags, stores.unknown_writers(), all_sessions=is_all, known=known)
        stores.cache.put(_CACHED, audience.plain(), made_by=(_shared.__file__,))
        rules = f"{kept_out_digest(stores)} {text} {digest.quick(plainjson.dumps(tags).encode())}"
        return cls(stores, audience, units.Reader(stores), kept_out.read(stores), rules, text)

    def batches(self, writer: str, after: int) -> Iterator[list[Line]]:
        """Yield the lines behind number `after` in batches of bounded size. Their chain is verified.

        What is not durable yet is synced first. DamagedError at a line that does not follow the one before.
        """
        files, batch, size = self.stores.files, list[Line](), 0
        numbers = read.segments(files, writer)
        if not numbers or after >= read.last_seq(files, writer):
            return
        if numbers[0] == 1 or after >= read.first_seq(files, writer, numbers[0]):
            first = read.holding(files, writer, after) if after else numbers[0]
            numbers = [number for number in numbers if number >= first]
        # After a power cut, the database must not know more than the disk.
        files.sync_file(segment.path(writer, numbers[-1]))
        for lines in Walk(files, self.stores.manifest.agent_id, writer, numbers):
            if lines.verdict is Verdict.TORN:
                continue  # what a crash left, or what is being written
            if lines.verdict not in FOLLOWS:
                raise DamagedError(
                    f"{lines.place.path}:{lines.place.line}: {lines.what or lines.verdict}.",
                    hint="agentws journal verify",
                )
            known = max(after - lines.first + 1, 0)
            stored = lines.data.split(b"\n")[known:-1]
            for line, data in zip(self._lines(writer, lines.first + known, stored), stored, strict=True):
                batch.append(line)
                size += len(data) + len(line.terms)
                if len(batch) == _MOST_LINES or size > _MOST_BYTES:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch

    def documents(self, hidden: list[str]) -> Iterator[tuple[str, str, str, bool]]:
        """Yield path, room and text of the documents that may be shipped, and whether they are whole.

        The digests of all that have something tagged private are added to `hidden`.
        """
        stores, is_all = self.stores, self.text == membership.ALL
        tags = shared.labels(stores.manifest.setting("boot.private_tags"))
        view = stores if is_all else stores.visible_to(membership.SHARED)
        shown = sources.of(view)
        for path, (room, _) in sorted(sources.of(stores).items()):
            if room in (unit.JOURNAL, unit.DATA):
                continue
            try:
                whole = sources.content(stores.files, path, room)
                data = shared.without_private(path, whole, tags)
                hidden += [digest.of(whole)] if data != whole else []
                if not is_all and path in shown:
                    data = sources.content(view.files, path, room)
            except AgentwsError:
                continue  # doctor names it, or nobody else may see it
            if data is not None and path in shown:
                content = shared.in_place(whole, data).decode("utf-8", "replace")
                yield path, room, content.replace("\0", " "), data == whole  # PostgreSQL has no NUL

    def line(self, writer: str, seq: int) -> Line | None:
        """Return one line as it is shipped, None if the workspace has none with this number."""
        place = read.stored(self.stores.files, writer, seq)
        return self._lines(writer, seq, [place[2]])[0] if place is not None else None

    def _lines(self, writer: str, first: int, stored: Sequence[bytes]) -> list[Line]:
        """Return lines as they are shipped; to look through them together takes half of the time."""
        is_clean = _are_clean(stored)
        lines = [self._line(writer, seq, data, is_clean=is_clean) for seq, data in enumerate(stored, first)]
        searched = [
            data if line.absent is None and line.kind not in _ALWAYS else b""
            for line, data in zip(lines, stored, strict=True)
        ]
        found: dict[int, list[Unit]] = {}
        for made in self.units.units(f"{layout.JOURNAL}/{writer}", unit.JOURNAL, b"\n".join(searched), first):
            found.setdefault(made.line, []).append(made)
        for at, line in enumerate(lines):
            if units := found.get(line.seq):
                lines[at] = replace(line, terms=terms_of(units), units=units)
        return lines

    def _line(self, writer: str, seq: int, stored: bytes, *, is_clean: bool) -> Line:
        head, _, rest = stored.partition(chain.SPLIT)
        tail_bytes = chain.SPLIT[1:] + rest[:-1]
        kind = segment.kind_of(stored + b"\n")
        absent: Absent | None = None
        try:
            header, tail = head.decode("utf-8"), tail_bytes.decode("utf-8")
        except UnicodeDecodeError:
            header, tail, absent = head.decode("utf-8", "replace"), "", Absent.UNREADABLE
        if chain.was_purged(stored):
            absent = Absent.PURGED
        elif "\0" in tail:
            absent = Absent.UNREADABLE
        elif kind not in _ALWAYS and not self.audience.hears(writer, stored):
            absent = Absent.PRIVATE
        elif absent is None and kind not in _ALWAYS:
            if self._is_forgotten(tail):
                absent = Absent.FORGOTTEN
            elif not (is_clean or _are_clean([b"{" + tail_bytes + b"}"])):
                absent = Absent.SECRET
        order: tuple[str, int] | None = None
        if kind == event.PURGE:
            entry = event.decode(stored, writer=writer)
            with suppress(AgentwsError):  # an order that is not valid names no event
                purged = purge.order(entry)
                order = purged.writer, purged.seq
        return Line(seq, kind, header, None if absent else tail, absent, "", order)

    def _is_forgotten(self, tail: str) -> bool:
        if self.kept is None:
            return False
        entries: list[Entry] = []
        try:
            kept_out.without_in_body(self.kept, plainjson.loads(f"{{{tail}}}")["body"], entries)
        except (ValueError, KeyError, AttributeError, RecursionError):
            return bool(self.kept.among([tail]))
        return bool(entries)


def kept_out_digest(stores: Stores) -> str:
    """Return the digest of the list of forgotten texts; empty without one."""
    return digest.of(stores.files.read(layout.KEPT_OUT)) if stores.files.exists(layout.KEPT_OUT) else ""


def wrong_seal(agent: str, line: bytes, signers: seal.Signers, *, writer: str, hash_: object = None) -> str:
    """Return the fault of a seal's line, or an empty text. `hash_` is that of the sealed event, if known."""
    try:
        entry = event.decode(line, writer=writer)
    except DamagedError as error:
        return error.message
    wrong = seal.judge(agent, entry, str(hash_ or (entry.body or {}).get("hash")), signers)
    return "" if wrong == seal.UNCHECKED else wrong


def _are_clean(stored: Sequence[bytes]) -> bool:
    """Return whether these lines are readable and their bodies have nothing like a secret."""
    try:
        return masking.are_clean([plainjson.loads(line)["body"] for line in stored])
    except (ValueError, KeyError, RecursionError):
        return False


def terms_of(found: Iterable[Unit]) -> str:
    """Return the words of these units for search, each once, as far as PostgreSQL has room."""
    words = " ".join(dict.fromkeys(term for each in found for term in sorted(each.indexed)))
    return words if len(words) <= _MOST_TERMS else words[:_MOST_TERMS].rpartition(" ")[0]
