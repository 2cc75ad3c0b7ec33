"""handoff: a note for the next session, its event, a seal.

The order is such that a crash anywhere is harmless: the note is one change of one file and then one state of history;
where the event is missing, the note says all that it would have said.
"""

from __future__ import annotations

from datetime import UTC

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.errors import (
    AgentwsError,
    ChangedUnderneathError,
    DamagedError,
    MissingFileError,
    TooLargeError,
    UsageError,
)
from agentws.formats import gist, handoff, plainjson, secrets
from agentws.formats.event import ENDED, STARTED
from agentws.operations.handoff.reading import Known, events_of, outlined, since
from agentws.planning import deriving, tokens, unended
from agentws.planning import handoff as _planning
from agentws.planning.sessions import CRASHED
from agentws.storage import installation, recording, seals, vocabulary
from agentws.storage.journal import reading as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.event import Event
    from agentws.formats.handoff import Handoff, Sections
    from agentws.planning.unended import Broken
    from agentws.ports import TokenCounter
    from agentws.storage.stores import Stores

SMALLEST = 40
"""Tokens. Below this not even what to do next fits."""
_MOST_GIVEN = 1 << 20
_MOST_TRIES = 100
_EMPTY = "Say something: --doing, --next, --pending, --decided, --failed, --stdin, or --auto to derive it."


class Written:
    """A handoff that was written, or would be: its `path`, `text` (the whole file), and what it `follows`.

    `session` is the one it is of, empty for none; `left_out` counts items that did not fit the size that was asked for.
    """

    __slots__ = ("cursor", "dry_run", "follows", "left_out", "notices", "path", "session", "text")

    def __init__(self, path: str, text: str, *, session: str, follows: Sequence[str], left_out: int) -> None:
        self.path = path
        self.text = text
        self.session = session
        self.follows = tuple(follows)
        self.left_out = left_out
        self.cursor: str | None = None
        self.dry_run = False
        self.notices: list[str] = []


def write(
    stores: Stores,
    *,
    doing: str | None = None,
    decided: Sequence[str] = (),
    pending: Sequence[str] = (),
    next_step: str | None = None,
    failed: Sequence[str] = (),
    text: str | None = None,
    auto: bool = False,
    max_tokens: int | None = None,
    session: str | None = None,
    dry_run: bool = False,
) -> Written:
    """Write a handoff from these words, from `text` (Markdown, or a JSON object with the same keys), and with `auto`
    from what was recorded since the last one.

    It follows the open ones that its session found when it began. UsageError where nothing is said,
    SecretRefusedError where a secret is. The event and the seal come after the note; what fails there is a notice.
    """
    if not dry_run:
        stores.check_writable()
        stores.settle()
    name = session or stores.environment.session
    known = Known(stores, own=name)
    name = name or _running(stores, known)
    notices = known.notices
    given = {
        handoff.DOING: handoff.listed([doing or ""]),
        handoff.DECISIONS: handoff.listed(decided),
        handoff.PENDING: handoff.listed(pending),
        handoff.NEXT: handoff.listed([next_step or ""]),
        handoff.FAILED: handoff.listed(failed),
    }
    found = handoff.merged(given, _read(text))
    secrets.refuse(handoff.body(found), name)
    if auto:
        found = handoff.merged(found, _derived(stores, known, name, notices))
    if not found:
        raise UsageError("There is nothing to hand over.", hint=_EMPTY)
    found, left_out = _bounded(stores, found, max_tokens, notices)
    done = _composed(stores, known, found, name or "", left_out)
    done.dry_run = dry_run
    if not dry_run:
        _put(stores, done)
        notices += _told(stores, done, [one for one in known.broken if one.session.id in done.follows])
    done.notices = [*stores.notices, *notices]
    return done


def _put(stores: Stores, done: Written) -> None:
    """Write the note; where another process has just taken its name, under the next one."""
    data = done.text.encode("utf-8", "surrogateescape")
    for _ in range(_MOST_TRIES):
        try:
            stores.apply(ChangeSet("handoff", (Write(done.path, data, expects=ABSENT),)))
            return
        except ChangedUnderneathError:
            taken, done.path = done.path, free(stores, done.path)
            if done.path == taken:
                raise
    raise ChangedUnderneathError(f"{done.path}: others write handoffs under this name all the time.", hint="Run again.")


def record(
    stores: Stores,
    kind: str,
    text: str | None,
    *,
    session: str | None,
    body: dict[str, object],
    over: Sequence[Broken] = (),
) -> list[str]:
    """Record the event of a handoff and seal the journal; what fails is a notice, for the note is safe.

    The sessions that are `over` by it have ended then, where they are this installation's and known to be gone.
    """
    happened = [recording.told(kind, text, session=session, body=body)]
    try:
        mine = stores.journal().writer
        happened += [
            recording.told(ENDED, session=one.session.id, body={"outcome": CRASHED})
            for one in over
            if not one.may_run and one.session.run.writer == mine
        ]
        _, notices = recording.record(stores, happened)
    except AgentwsError as error:
        return [f"The handoff is written, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
    return notices + seals.quietly(stores)


def _told(stores: Stores, done: Written, over: Sequence[Broken]) -> list[str]:
    body: dict[str, object] = {"path": done.path, "follows": list(done.follows)}
    text, session = gist.cut(_first_words(done.text)), done.session or None
    return record(stores, unended.WRITTEN, text, session=session, body=body, over=over)


def _first_words(text: str) -> str:
    lines = handoff.decode(text.encode("utf-8", "surrogateescape"), path="").body.split("\n")
    return next((line.lstrip("-* ") for line in lines if line.strip() and not line.startswith("#")), "")


def _running(stores: Stores, known: Known) -> str | None:
    """The newest session of this installation that has not ended, unless it is gone: who writes now is another one."""
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    if here is None or here.writer not in stored.writers(stores.files):
        return None
    gone = {one.session.id for one in known.broken if not one.may_run}
    return next((one for one in reversed(outlined(stores, here.writer).sessions) if one not in gone), None)


def _read(text: str | None) -> Sections:
    """The sections of what was given: a JSON object, or Markdown."""
    if text is None or not text.strip():
        return {}
    if len(text) > _MOST_GIVEN:
        raise TooLargeError(f"A handoff of {len(text):,} characters is none.", hint="Say what matters, or name files.")
    if not text.lstrip().startswith("{"):
        return handoff.sections(text)
    try:
        found = plainjson.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"It begins like JSON and is none: {error}.", hint='{"doing": "…", "next": "…", "pending": ["…"]}'
        ) from error
    return handoff.from_plain(found)


def _derived(stores: Stores, known: Known, session: str | None, notices: list[str]) -> Sections:
    """What was recorded since the last handoff, without the lines that hold a secret."""
    moment = stores.clock.now()
    events = _since_the_last(stores, known, session, notices)
    facts = known.facts(events, session, is_of_session=True)
    found, count = _planning.without_secrets(deriving.derive(facts, moment).sections)
    if count:
        notices.append(f"{count} line{'s' * (count > 1)} that looked like a secret did not get in.")
    return found


def _since_the_last(stores: Stores, known: Known, session: str | None, notices: list[str]) -> list[Event]:
    last = next((note.at for note in known.notes if not session or note.session == session), "")
    at = unended.moment_of(last)
    after = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if at else ""
    if not session:
        return since(stores, after, notices)
    found: list[Event] = []
    for writer in stored.writers(stores.files):
        found += events_of(stores, writer, session, outlined(stores, writer), notices)
    return [one for one in sorted(found, key=lambda one: one.at) if one.at >= after]


def _bounded(stores: Stores, found: Sections, most: int | None, notices: list[str]) -> tuple[Sections, int]:
    if most is None:
        return found, 0
    if most < SMALLEST:
        raise UsageError(f"Nothing can be handed over in {most} tokens.", hint=f"Give at least {SMALLEST}.")
    counter = _counter(stores, notices)
    kept, left_out = _planning.bounded(found, most, lambda text: tokens.tokens(counter, text))
    if left_out:
        items = f"{left_out} item{'s' * (left_out > 1)}"
        notices.append(f"{items} left out to keep it within {most:,} tokens ({counter.name}).")
    return kept, left_out


def _counter(stores: Stores, notices: list[str]) -> TokenCounter:
    try:
        return tokens.counter(str(stores.manifest.setting("boot.tokenizer")), vocabulary.open_o200k)
    except (MissingFileError, DamagedError) as error:
        notices.append(f"{error.message.rstrip('.')}. Counted in bytes instead.")
        return tokens.Bytes()


def _composed(stores: Stores, known: Known, found: Sections, session: str, left_out: int) -> Written:
    now = stores.clock.now()
    follows = _followed(stores, known, session)
    data = handoff.encode(
        handoff.body(found), session=session, at=now.isoformat(timespec="seconds"), follows=follows
    ).decode("utf-8", "surrogateescape")
    path = free(stores, handoff.path_for(now.strftime("%Y-%m-%d-%H%M%S"), session))
    return Written(path, data, session=session, follows=follows, left_out=left_out)


def free(stores: Stores, path: str) -> str:
    """The path of a new handoff: this one, or where a file has it, with the next number behind it."""
    found = path
    for number in range(2, 1000):
        if not stores.files.exists(found):
            break
        found = f"{path.removesuffix('.md')}-{number}.md"
    return found


def _followed(stores: Stores, known: Known, session: str) -> list[str]:
    """The open handoffs and broken sessions that the session can have read when it began; all, where it never did."""
    began = _began(stores, session) if session else None
    written = {(event.body or {}).get("path"): event for event in known.handed if event.kind == unended.WRITTEN}
    notes = [
        note.name
        for note in known.open
        if note.session == session or began is None or _could_read(note, written.get(note.path), began)
    ]
    broken = [one.session for one in known.broken if began is None or unended.is_before(one.session.last, began)]
    return [*notes, *(one.id for one in broken)]


def _began(stores: Stores, session: str) -> Event | None:
    for writer in stored.writers(stores.files):
        for one in events_of(stores, writer, session, outlined(stores, writer), []):
            if one.kind == STARTED:
                return one
    return None


def _could_read(note: Handoff, event: Event | None, began: Event) -> bool:
    """True where the note stood there when the session began, by its event, else by what it says of itself."""
    if event is not None:
        return unended.is_before(event, began)
    written, start = unended.moment_of(note.at), unended.moment_of(began.at)
    return written is None or start is None or written <= start
