"""Recording events: secrets are removed, the events made durable, and observers called.

Every verb that records does so through this module.
"""

from __future__ import annotations

import os

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.formats.secrets import redaction
from agentws.core.journal import stamp
from agentws.core.journal.entry import PendingEvent
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from agentws.core.formats.journal.event import Body
    from agentws.core.stores.stores import Stores

EVERY = "every"
"""The granularity at which every event is recorded."""
_SRC = "agent"
_TAG_BYTES = 4
_WORDS = ("call", "importance", "tool", "task", "text", "input", "output")
_PLAIN = "0123456789abcdef-"
_PLAIN_SOURCES = ("agent:", "tool:")
"""The beginnings of sources that are recorded unchanged."""
NOBODY = ""
"""Means no session, while None means the session that runs."""


class Happening:
    """An event to record: its kind and body, and its session: NOBODY for none.

    `stamp` is its time, in microseconds since 1970, and its id, if it happened before it is recorded; else None.
    """

    def __init__(self, kind: str, body: Body, *, session: str | None = None, src: str | None = None) -> None:
        self.kind = kind
        self.body = body
        self.session = session
        self.src = src or _SRC
        self.stamp: tuple[int, str] | None = None


class Recorded(Result):
    """The result of recording an event, durable now: its number, id and cursor `WRITER:SEQ`.

    `seq`, id and cursor are None for an event that the manifest's granularity leaves out.
    """

    def __init__(self, kind: str, seq: int | None, id: str | None, cursor: str | None) -> None:
        self.kind = kind
        self.seq = seq
        self.id = id
        self.cursor = cursor
        self.notices: list[str] = []


def told(
    kind: str,
    text: str | None = None,
    *,
    tool: str | None = None,
    input: Any = None,
    output: Any = None,
    call: str | None = None,
    importance: int | None = None,
    task: str | None = None,
    via: str | None = None,
    session: str | None = None,
    body: Mapping[str, Any] | None = None,
) -> Happening:
    """Return the event to record, from a caller's values; UsageError if one is invalid, or if an event `via` an outside
    source is a decision or has an importance.
    """
    if kind in event.STRUCTURE:
        raise UsageError(f"{kind} is a kind of event that only agentws writes.", hint="Use a kind of your own.")
    fields: Body = {}
    for key, value in zip(_WORDS, (call, importance, tool, task, text, input, output), strict=True):
        if value is not None:
            fields[key] = value
    if body:
        if "v" in body:
            raise UsageError("`v` in an event body is reserved for the version.", hint="Give that key another name.")
        fields.update(body)
    _check(fields)
    if session == NOBODY:  # a caller who says so has lost its session
        event.check_words(kind=kind, session=session, src=_SRC)
    src = None if via is None else _source(via, kind, fields.get("importance"))
    return Happening(kind, fields, session=session, src=src)


def _source(via: object, kind: str, importance: object) -> str:
    """Return the source of an event for its header; UsageError if an outside event claims its own weight."""
    if not isinstance(via, str) or not via:
        raise UsageError(f"{via!r} is not a source.", hint="For example: tool:web, net:CHANNEL or user")
    if via.startswith(_PLAIN_SOURCES) and kind in event.CALLS and importance is None:
        return via  # at every call of a tool: there is nothing that it may not have
    from agentws.core.text import origin

    source = origin.named(via)
    origin.check(source, kind=kind, importance=importance)
    return source


def refuse_reserved(kind: str) -> None:
    """Raise UsageError for a kind that only a verb of agentws records, about what it has done."""
    if kind.startswith(event.RESERVED):
        raise UsageError(
            f"{kind} is a kind of event that only a command of agentws records.",
            hint="Use that command (agentws --help), or another kind of your own.",
        )


def ended_call(stores: Stores, call: str) -> str:
    """Return the id of the action that a recorded result or error ends; UsageError without one, or if a shared audience
    may not end it.

    If the granularity leaves actions out, the given call is returned without a search.
    """
    if stores.manifest.setting("journal.granularity") != EVERY:
        return call
    from agentws.core.journal import calls

    def writers() -> list[str]:
        from agentws.core.stores import writer_trust

        return writer_trust.known(stores)

    if stores.asked and stores.seen is None:  # most processes ask once
        from agentws.core.journal.calls import Seen

        stores.seen = Seen(stores.files)
    stores.asked = True
    return calls.resolve(stores.files, call, writers, may_end=_may_end(stores), seen=stores.seen)


def _may_end(stores: Stores) -> Callable[[str | None], bool] | None:
    """Return the check whether a session's actions may be ended here: a shared audience ends those of shared ones."""
    if stores.audience() == "main":
        return None
    from agentws.core.formats import audience
    from agentws.core.journal import session_audience as _audience

    def may_end(session: str | None) -> bool:
        return session is not None and _audience.recorded(stores.files, session) == audience.SHARED

    return may_end


def _check(body: Body) -> None:
    """Raise UsageError if a known key of a body has an invalid value."""
    importance = body.get("importance")
    if importance is not None and (type(importance) is not int or not 1 <= importance <= 10):
        raise UsageError(f"{importance!r} is not an importance.", hint="Use a whole number from 1 to 10.")
    for key in ("tool", "task", "text"):
        word = body.get(key)
        if word is not None and not isinstance(word, str):
            raise UsageError(f"{key} must be a text, not {word!r}.")


def record(
    stores: Stores, happenings: Sequence[Happening], *, refuses: bool = False
) -> tuple[list[Recorded], list[str]]:
    """Record these events in this order, durably; returns the result of each, and notices.

    Forgotten text is left out of them; with `refuses` it is a ForgottenError, and nothing is recorded. UsageError for
    an invalid kind, name or body; DamagedError and DiskError as in core/journal/append.py.
    """
    notices: list[str] = []
    wanted = _wanted(stores, happenings)
    if wanted and stores.files.exists(layout.KEPT_OUT):
        from agentws.core.stores import kept_out  # only where something was forgotten

        kept_out.check_events(stores, wanted, notices, refuses=refuses)
    entries = _entries(stores, wanted, notices)
    stores.sweep()
    journal = stores.appender()
    placed = dict(zip(map(id, wanted), entries, strict=True))
    if entries:
        try:
            journal.append(entries)
        finally:
            notices += journal.notices
            journal.notices.clear()
    recorded = [_recorded(happening, placed.get(id(happening)), journal.writer) for happening in happenings]
    if stores.manifest.setting("journal.granularity") != EVERY:
        _remember_actions(stores, wanted, entries, journal.writer)
    ended = [entry.session for entry in entries if entry.kind == event.ENDED]
    if ended and not stores.files.is_missing(layout.CALLS):
        from agentws.core.stores import marks

        marks.end_call_marks(stores.files, ended)
    if stores.observers and entries:
        notices += _tell(stores, entries, journal.writer)
    return recorded, notices


def left_out(kind: str) -> Recorded:
    """Return the result for an event that is not recorded, since the granularity leaves it out."""
    done = Recorded(kind, None, None, None)
    done.notices.append("The event was not recorded: the setting journal.granularity excludes it.")
    return done


def _recorded(happening: Happening, entry: PendingEvent | None, writer: str) -> Recorded:
    if entry is None:
        return left_out(happening.kind)
    return Recorded(happening.kind, entry.seq, entry.id, f"{writer}:{entry.seq}")


def _wanted(stores: Stores, happenings: Sequence[Happening]) -> Sequence[Happening]:
    granularity = stores.manifest.setting("journal.granularity")
    if granularity == EVERY:
        return happenings
    from agentws.core.journal import calls as _calls

    return _calls.kept(stores.files, happenings, str(granularity))


def _remember_actions(
    stores: Stores, wanted: Sequence[Happening], entries: Sequence[PendingEvent], writer: str
) -> None:
    from agentws.core.journal import calls as _calls

    placed = zip(wanted, entries, strict=True)
    nameless = [entry for happening, entry in placed if happening.kind == event.ACTION and "call" not in happening.body]
    _calls.remember(stores.files, [f"{writer}:{entry.seq}" for entry in nameless])


def _entries(stores: Stores, happenings: Sequence[Happening], notices: list[str]) -> list[PendingEvent]:
    running, moment = stores.environment.session, stores.moment_us()
    at = stamp.text(moment)
    _refuse_secrets({word for happening in happenings for word in (happening.session, running, happening.src) if word})
    clean = redaction.is_clean([happening.body for happening in happenings])
    entries = []
    for happening, (name, salt) in zip(happenings, stamp.named(moment, len(happenings)), strict=True):
        body = happening.body if clean else _redacted(happening, notices)
        session = running if happening.session is None else happening.session
        when, own = (at, name) if happening.stamp is None else (stamp.text(happening.stamp[0]), happening.stamp[1])
        entries.append(
            PendingEvent(happening.kind, body, id=own, at=when, salt=salt, session=session, src=happening.src)
        )
    return entries


def _refuse_secrets(words: set[str]) -> None:
    """Raise SecretRefusedError if a word of a header is a secret: a header is never purged."""
    for word in words:
        # A session is often named by digits, hexadecimal ones at most, and those hold none.
        if len(word) >= redaction.SHORTEST and word.strip(_PLAIN):
            from agentws.core.formats.secrets import secrets

            secrets.refuse(word)


def _redacted(happening: Happening, notices: list[str]) -> Body:
    body, kinds = redaction.redact(happening.body, lambda: os.urandom(_TAG_BYTES).hex())
    if kinds:
        what = ", ".join(sorted(set(kinds)))
        notices.append(f"Possible secrets were removed before recording: {what}.")
    fields: Body = body
    return fields


def _tell(stores: Stores, entries: Sequence[PendingEvent], writer: str) -> list[str]:
    """Call the observers with these events; any of their exceptions becomes a notice."""
    notices = []
    for entry in entries:
        happened = event.decode(entry.stored[:-1], writer=writer, segment=entry.segment)
        for observer in stores.observers:
            try:
                observer.on_event(happened)
            except (Exception, SystemExit) as error:
                notices.append(f"An observer failed ({type(error).__name__}: {error}). The event was recorded.")
    return notices
