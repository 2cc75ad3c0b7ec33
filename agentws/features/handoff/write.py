"""agentws handoff, handoff ack and show --accept: write a handoff with its event and seal, close or adopt one.

The order makes a crash harmless at any point: the handoff is one change of one file and then one state of history; if
the event is missing, the file holds all that it would have said.
"""

from __future__ import annotations

import contextlib

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core import Record, Result, several
from agentws.core.disk import local_dir, lock
from agentws.core.disk.system import shipped
from agentws.core.formats import audience, digest
from agentws.core.formats.documents import document, handoff
from agentws.core.formats.journal import event, summary
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.core.journal import session_audience as _audience
from agentws.core.journal.events import liveness
from agentws.core.markdown import escape, outside
from agentws.core.stores import record as _record, seals
from agentws.core.text import origin, sanitize, utf8
from agentws.core.tokens import counters
from agentws.errors import AgentwsError, ChangedUnderneathError, TooLargeError, UsageError
from agentws.features.handoff import handoff_origin, inputs
from agentws.features.handoff.inputs import HandoffInputs
from agentws.features.handoff.plan import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.core.formats.documents.document import Document, Value
    from agentws.core.formats.documents.handoff import Handoff, Sections
    from agentws.core.journal.events.liveness import OrphanedSession
    from agentws.core.stores.stores import Stores

    _Fields = dict[str, Value]


_LOCK = "handoffs"
_MOST_GIVEN = 1 << 20
_BOM = "\ufeff"
_UTF8 = ("utf-8", "surrogateescape")
_SMALLEST = 40
"""Tokens. Below this not even what to do next fits."""
_FIELDS = "Use --doing, --next, --pending, --decided, --failed or --stdin."
_EMPTY = f"{_FIELDS} To derive it from the journal: --auto"
_NOTHING_RECORDED = f"The journal has no calls, decisions or notes (`log` lines do not count). {_FIELDS}"


class Written(Record, Result):
    """A handoff that was written, or would be: its `path`, `text` (the whole file), and what it `follows`.

    `session` is its session, empty for none; `left_out` counts items that did not fit the requested size.
    """

    path: str
    text: str
    session: str
    follows: tuple[str, ...] = ()
    left_out: int = 0
    dry_run: bool = False
    notices: Sequence[str] = ()


def write(
    stores: Stores,
    *,
    doing: str | Sequence[str] | None = None,
    decided: str | Sequence[str] = (),
    pending: str | Sequence[str] = (),
    next: str | Sequence[str] | None = None,
    failed: str | Sequence[str] = (),
    text: str | None = None,
    auto: bool = False,
    max_tokens: int | None = None,
    session: str | None = None,
    via: str | None = None,
    dry_run: bool = False,
) -> Written:
    """Write a handoff from these words, from `text` (Markdown or JSON), and with `auto` from the recorded events.

    `text` may be a JSON object with the same keys; `auto` uses what was recorded since the last handoff. With `auto`
    alone, if the session has an open handoff of its own, that stays, and what came after it is added below.

    It follows the open handoffs that its session found when it began, the newest ones if there is no room to name all;
    with `auto` alone only automatic ones. `via` is the source of the words: those from outside follow only what is from
    outside too; a host hands over with its own name when it ends the session.

    UsageError if nothing is said, decisions are from outside or the session's id is invalid; SecretRefusedError for a
    secret. The event and the seal come after the file; if they fail, that is a notice.
    """
    if not dry_run:
        stores.check_writable()
        stores.settle()
    name = session or stores.own_session
    event.check_words(kind=liveness.WRITTEN, session=name or None, src="agent")
    heard = stores.visible_to()
    if session and heard is not stores and _audience.recorded(stores.files, session) != audience.SHARED:
        raise UsageError(
            "The session is hidden from this audience.", hint="To hand over your own session, leave out --session."
        )
    with contextlib.ExitStack() as held:
        if not dry_run:
            local_dir.prepare(stores.files)
            # Two at once would both hand over the same. A note without an event is one of a killed verb only while
            # nobody is between the two.
            held.enter_context(lock.Lock(stores.files, _LOCK, note="handoff"))
        known = HandoffInputs(heard, own=name)
        name = name or heard.running_session() or ""
        notices = known.notices
        src = origin.given(via)
        words = {
            handoff.DOING: several(doing),
            handoff.DECISIONS: several(decided),
            handoff.PENDING: several(pending),
            handoff.NEXT: several(next),
            handoff.FAILED: several(failed),
        }
        utf8.check(text, *(item for items in words.values() for item in items))
        if decided:
            origin.check(src, kind=event.DECISION)
        given, fields = _given_sections(text, notices, src)
        signed = {
            heading: handoff.listed([escape.signed(src, item.strip()) for item in items])
            for heading, items in words.items()
        }
        texts = handoff.merged(signed, given)
        words_given = (handoff.body(texts), name, *(f"{key}: {value}" for key, value in fields.items()))
        secrets.refuse(*words_given)
        stores.refuse_forgotten(*words_given)
        src = origin.mark(src) if texts else None
        own = known.own(name) if auto and not texts else None
        if own is not None:  # it stays, with what came after it below
            own = handoff.decode(stores.files.read(own.path), path=own.path)  # what is listed may be cut
            below = inputs.with_what_came_after(heard, known, own, via=via)
            done = Written(own.path, below, own.session)
        else:
            meant = handoff.AGENT if texts else handoff.AUTO
            if auto:
                texts = handoff.merged(texts, inputs.recorded(heard, known, name, via=via))
            if not texts:
                raise UsageError(
                    "Nothing to hand over.", hint=" ".join([*known.unheard, _NOTHING_RECORDED if auto else _EMPTY])
                )
            follows, others, left = inputs.followed(known, name, is_auto=meant == handoff.AUTO, src=src)
            if left:
                notices.append(
                    f"{left} older handoff{'s' * (left > 1)} did not fit into this one and stay open. "
                    "To list all: agentws handoff list"
                )
            texts = {heading: sanitize.written(message) for heading, message in texts.items()}
            texts, left_out = _fitted(stores, texts, max_tokens, notices)
            data = new_file(
                stores, handoff.body(texts), name, meant, follows, leaves_open=others, src=src, others=fields
            )
            done = Written(path_of(stores, name), data.decode(*_UTF8), name, tuple(follows), left_out)
        done.dry_run = dry_run
        if not dry_run and (own is None or own.text != done.text):
            _carry_out(stores, known, done, own, notices, via)
        done.notices = [*stores.notices, *notices]
        return done


def _fitted(stores: Stores, texts: Sections, most: int | None, notices: list[str]) -> tuple[Sections, int]:
    """The sections in at most so many tokens, and how many items were left out."""
    if most is None:
        return handoff.merged(texts), 0
    if most < _SMALLEST:
        raise UsageError(f"--max-tokens must be at least {_SMALLEST}, not {most}.")
    name = str(stores.manifest.setting("boot.tokenizer"))
    counter = counters.counter_or_bytes(name, shipped.open_o200k, notices)
    kept, left_out = render.bounded(handoff.merged(texts), most, lambda text: counters.tokens(counter, text))
    if left_out:
        items = f"{left_out} item{'s' * (left_out > 1)}"
        notices.append(f"{items} left out to fit {most:,} tokens ({counter.name}).")
    return kept, left_out


def _carry_out(
    stores: Stores, known: HandoffInputs, done: Written, own: Handoff | None, notices: list[str], via: str | None
) -> None:
    """Write the note and record its event; if it is only a repetition after a full disk or a kill, only the event.

    An automatic one is not written again in the same words: hosts may report one end several times at once.
    """
    missed = _record_missed(stores, known, notices)
    is_auto = own is None and handoff.decode(_data(done.text), path=done.path).origin == handoff.AUTO
    same = _same(stores, done, known.open_here if is_auto else missed) if own is None else None
    if same is not None:
        done.path, done.text, done.follows = same.path, same.text, tuple(same.follows)
        notices.append(f"{done.path} says the same already, so no other file was written.")
        return
    wanted, expects = done.path, digest.of(_data(own.text)) if own is not None else ABSENT
    while True:
        try:
            stores.apply(ChangeSet("handoff", (Write(done.path, _data(done.text), expects=expects),)))
            break
        except ChangedUnderneathError:
            free = done.path if own is not None else _free(stores, wanted)
            if free == done.path:
                raise
            done.path = free  # another process has taken the name
    notices += _record_written(stores, known, done, via)


def _record_missed(stores: Stores, known: HandoffInputs, notices: list[str]) -> list[Handoff]:
    """Record the event of a handoff whose verb was killed, or found a full disk, before it did so; return these notes.

    The next change makes such a note a stranger's, and what it follows would be open again.
    """
    missing = handoff_origin.unrecorded(stores, [note.path for note in known.open_here])
    missed = [note for note in known.open_here if note.path in missing]
    for note in missed:
        notices += _record_written(stores, known, note, note.src or None)
    return missed


def _record_written(stores: Stores, known: HandoffInputs, note: Written | Handoff, via: str | None) -> list[str]:
    """Record the event of a handoff, and the end of the sessions that it follows; return notices."""
    over = [orphan for orphan in known.broken if orphan.session.id in note.follows]
    body: dict[str, object] = {"path": note.path, "follows": list(note.follows)}
    text, session = summary.cut(_first_words(note.text)), note.session or None
    return record_event(stores, liveness.WRITTEN, text, session=session, body=body, over=over, via=via)


def _same(stores: Stores, done: Written, notes: Sequence[Handoff]) -> Handoff | None:
    """Return the note of the same session with the same text, None if there is none."""
    body = handoff.decode(_data(done.text), path=done.path).body
    # What is listed may be cut.
    whole = (handoff.decode(stores.files.read(note.path), path=note.path) for note in notes)
    return next((note for note in whole if (note.session or "", note.body) == (done.session, body)), None)


def record_event(
    stores: Stores,
    kind: str,
    text: str | None,
    *,
    session: str | None,
    body: dict[str, object],
    over: Sequence[OrphanedSession] = (),
    via: str | None = None,
) -> list[str]:
    """Record the event of a handoff and seal the journal; what fails is a notice, for the note is safe.

    The sessions that are `over` by it have ended then, where they are this installation's and known to be gone.
    """
    happened = [_record.told(kind, text, session=session, body=body, via=via)]
    try:
        mine = stores.appender().writer
        if any(not orphan.may_run for orphan in over):
            from agentws.core.stores import fence

            stores.notices += fence.renew(stores)  # what they left in flight stays behind the fence
        happened += [
            _record.told(event.ENDED, session=orphan.session.id, body={"outcome": orphan.likely.state}, via=via)
            for orphan in over
            if not orphan.may_run and orphan.session.run.writer == mine
        ]
        _, notices = _record.record(stores, happened)
    except AgentwsError as error:
        # The hint of the error would be to write it again.
        return [f"The handoff was written, but its event was not recorded: {error.message} It counts all the same."]
    return notices + seals.quietly(stores)


def _first_words(text: str) -> str:
    """The first line below a heading: of the agent's own, else of what is from outside, which keeps its origin."""
    body = handoff.decode(_data(text), path="").body
    lines = f"{outside.without(body)}\n{body}".split("\n")
    return next((line.lstrip("-*> ") for line in lines if line.strip() and not line.startswith("#")), "")


def _data(text: str) -> bytes:
    return text.encode(*_UTF8)


def path_of(stores: Stores, session: str) -> str:
    """Return the path of a new handoff of this session."""
    return _free(stores, handoff.path_for(stores.clock.now().strftime("%Y-%m-%d-%H%M%S"), session))


def _free(stores: Stores, path: str) -> str:
    """Return the path of a new handoff: this one, or if it exists, with the next number."""
    result = path
    for number in range(2, 1000):
        if not stores.files.exists(result):
            break
        result = f"{path.removesuffix('.md')}-{number}.md"
    return result


def _given_sections(text: str | None, notices: list[str], src: str | None = None) -> tuple[Sections, _Fields]:
    """Return the sections of a given text, and its front-matter fields that the handoff takes over.

    A text from outside (`src`) becomes one quotation, without headings and fields of its own, since these would state
    decisions. What is dropped is one of `notices`. UsageError for invalid JSON; DamagedError for unreadable front
    matter, since that may mark it as private; TooLargeError.
    """
    text = (text or "").removeprefix(_BOM)
    if not text.strip():
        return {}, {}
    if len(text) > _MOST_GIVEN:
        raise TooLargeError(
            f"The handoff has {len(text):,} characters, {_MOST_GIVEN:,} at most.",
            hint="Shorten the text, or refer to files.",
        )
    if origin.is_outside(src):
        return {handoff.DOING: escape.quoted(src, text.strip()) + "\n"}, {}
    if text.lstrip().startswith("{"):
        try:
            given = handoff.from_plain(plainjson.loads(text))
        except (ValueError, RecursionError) as error:
            hint = '{"doing": "…", "next": "…", "pending": ["…"]}'
            raise UsageError(f"Invalid JSON: {error}.", hint=hint) from error
        return {key: escape.by(src, message) for key, message in given.items()}, {}
    text = escape.by(src, text)
    header = document.decode(_data(text.lstrip("\n")), where="the handoff given")
    return _apart(header, notices) if header.fields else (handoff.sections(text), {})


def _apart(given: Document, notices: list[str]) -> tuple[Sections, _Fields]:
    """Fields that are headings of a handoff are sections; those that a handoff says of itself are not taken."""
    stated: Sections = {}
    fields: _Fields = {}
    for key, value in given.fields.items():
        if key.lower() in handoff.KEYS and _are_words(value):
            stated = handoff.merged(stated, handoff.from_plain({key: value}))
        elif key not in handoff.OWN_FIELDS:
            fields[key] = value
    texts = handoff.merged(stated, handoff.sections(given.body))
    if not texts:
        # Front matter alone is what somebody wanted to say.
        return handoff.sections(given.text), {}
    if own := [key for key in given.fields if key in handoff.OWN_FIELDS]:
        notices.append(f"Fields of the front matter were ignored, because agentws sets them itself: {', '.join(own)}.")
    return texts, fields


def _are_words(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def new_file(stores: Stores, body: str, session: str, meant: str, follows: Sequence[str], **fields: Any) -> bytes:
    """Return the content of a new handoff of now."""
    at = stores.clock.now().isoformat(timespec="seconds")
    made_for = stores.made_for()
    return handoff.encode(body, session=session, at=at, follows=follows, origin=meant, audience=made_for, **fields)
