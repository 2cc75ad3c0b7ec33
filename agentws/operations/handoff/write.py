"""handoff: a note for the next session, its event, a seal.

The order is such that a crash anywhere is harmless: the note is one change of one file and then one state of history;
where the event is missing, the note says all that it would have said.
"""

from __future__ import annotations

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.errors import AgentwsError, ChangedUnderneathError, DamagedError, TooLargeError, UsageError
from agentws.formats import audience, digest, origin
from agentws.formats.documents import document, handoff
from agentws.formats.journal import event, summary
from agentws.formats.json import plainjson
from agentws.formats.markdown import escape, outside
from agentws.formats.secrets import secrets
from agentws.formats.text import sanitize, utf8
from agentws.operations.handoff import inputs
from agentws.operations.handoff.inputs import HandoffInputs
from agentws.planning.events.liveness import CRASHED
from agentws.planning.handoff import render, unfinished_sessions
from agentws.planning.tokens import counters
from agentws.storage.journal import session_audience as _audience
from agentws.storage.system import vocabulary
from agentws.storage.workspace import record as _record
from agentws.storage.workspace import seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.document import Document, Value
    from agentws.formats.documents.handoff import Handoff, Sections
    from agentws.planning.handoff.unfinished_sessions import OrphanedSession
    from agentws.storage.workspace.stores import Stores

    _Fields = dict[str, Value]


_MOST_TRIES = 100
_SMALLEST = 40
"""Tokens. Below this not even what to do next fits."""
_EMPTY = "Use --doing, --next, --pending, --decided, --failed or --stdin. To derive it from the journal: --auto"


class Written:
    """A handoff that was written, or would be: its `path`, `text` (the whole file), and what it `follows`.

    `session` is the one it is of, empty for none; `left_out` counts items that did not fit the size that was asked for.
    """

    __slots__ = ("dry_run", "follows", "left_out", "notices", "path", "session", "text")

    def __init__(self, path: str, text: str, *, session: str, follows: tuple[str, ...], left_out: int) -> None:
        self.path = path
        self.text = text
        self.session = session
        self.follows = follows
        self.left_out = left_out
        self.dry_run = False
        self.notices: list[str] = []


def write(
    stores: Stores,
    *,
    doing: str | Sequence[str] | None = None,
    decided: Sequence[str] = (),
    pending: Sequence[str] = (),
    next_step: str | Sequence[str] | None = None,
    failed: Sequence[str] = (),
    text: str | None = None,
    auto: bool = False,
    max_tokens: int | None = None,
    session: str | None = None,
    via: str | None = None,
    dry_run: bool = False,
) -> Written:
    """Write a handoff from these words, from `text` (Markdown, or a JSON object with the same keys), and with `auto`
    from what was recorded since the last one. Where nothing but that is to be written, and the session has an open
    handoff of its own, that stays, and what came after it is put below it.

    It follows the open ones that its session found when it began, the newest of them where there is no room to name
    all; with `auto` alone only automatic ones. `via` is whose words are given: those from outside follow only what is
    from outside too; a host hands over with its own name where it ends the session.

    UsageError where nothing is said, decisions are from outside or the session's id is none, SecretRefusedError where a
    secret is. The event and the seal come after the note; what fails there is a notice.
    """
    if not dry_run:
        stores.check_writable()
        stores.settle()
    name = session or stores.own_session
    event.check_words(kind=unfinished_sessions.WRITTEN, session=name or None, src="agent")
    heard = stores.heard()
    if session and heard is not stores and _audience.recorded(stores.files, session) != audience.SHARED:
        raise UsageError(
            "The session is hidden from this audience.", hint="To hand over your own session, leave out --session."
        )
    known = HandoffInputs(heard, own=name)
    name = name or heard.running_session()
    notices = known.notices
    src = origin.given(via)
    utf8.check(text, *_several(doing), *decided, *pending, *_several(next_step), *failed)
    if decided:
        origin.check(src, kind=event.DECISION)
    given = {
        handoff.DOING: _listed(src, _several(doing)),
        handoff.DECISIONS: _listed(src, decided),
        handoff.PENDING: _listed(src, pending),
        handoff.NEXT: _listed(src, _several(next_step)),
        handoff.FAILED: _listed(src, failed),
    }
    said, fields = _given_sections(text, notices, src)
    found = handoff.merged(given, said)
    secrets.refuse(handoff.body(found), name, *(f"{key}: {value}" for key, value in fields.items()))
    src = origin.mark(src) if found else None
    if auto and not found and (own := known.own(name or "")) is not None:
        own = handoff.decode(stores.files.read(own.path), path=own.path)  # what is listed may be cut
        return _below(
            stores, known, own, inputs.with_what_came_after(heard, known, own, via=via), via=via, dry_run=dry_run
        )
    meant = handoff.AGENT if found else handoff.AUTO
    if auto:
        found = handoff.merged(found, inputs.recorded(heard, known, name or "", via=via))
    if not found:
        raise UsageError("Nothing to hand over.", hint=_EMPTY)
    follows, others, left = inputs.followed(known, name or "", is_auto=meant == handoff.AUTO, src=src)
    if left:
        older = f"{left} older handoff{'s' * (left > 1)}"
        notices.append(f"{older} did not fit into this one and stay open. To list all: agentws handoff list")
    found = {heading: sanitize.written(told) for heading, told in found.items()}
    found, left_out = _fitted(stores, found, max_tokens, notices)
    now, session = stores.clock.now(), name or ""
    data = handoff.encode(
        handoff.body(found),
        session=session,
        at=now.isoformat(timespec="seconds"),
        follows=follows,
        leaves_open=others,
        origin=meant,
        src=src,
        audience=stores.made_for(),
        others=fields,
    ).decode("utf-8", "surrogateescape")
    path = free(stores, handoff.path_for(now.strftime("%Y-%m-%d-%H%M%S"), session))
    done = Written(path, data, session=session, follows=tuple(follows), left_out=left_out)
    done.dry_run = dry_run
    if not dry_run:
        _put(stores, done)
        notices += _told(stores, done, [orphan for orphan in known.broken if orphan.session.id in done.follows], via)
    done.notices = [*stores.notices, *notices]
    return done


def _below(stores: Stores, known: HandoffInputs, own: Handoff, text: str, *, via: str | None, dry_run: bool) -> Written:
    """Keep a handoff that the session wrote itself, with what came after it below."""
    done = Written(own.path, text, session=own.session, follows=(), left_out=0)
    done.dry_run = dry_run
    notices = known.notices
    if text != own.text and not dry_run:
        data = text.encode("utf-8", "surrogateescape")
        write = Write(own.path, data, expects=digest.of(own.text.encode("utf-8", "surrogateescape")))
        stores.apply(ChangeSet("handoff", (write,)))
        notices += _told(stores, done, [], via)
    done.notices = [*stores.notices, *notices]
    return done


def _fitted(stores: Stores, found: Sections, most: int | None, notices: list[str]) -> tuple[Sections, int]:
    """The sections in at most so many tokens, and how many items were left out."""
    if most is None:
        return handoff.merged(found), 0
    if most < _SMALLEST:
        raise UsageError(f"--max-tokens must be at least {_SMALLEST}, not {most}.")
    name = str(stores.manifest.setting("boot.tokenizer"))
    counter = counters.counter_or_bytes(name, vocabulary.open_o200k, notices)
    kept, left_out = render.bounded(handoff.merged(found), most, lambda text: counters.tokens(counter, text))
    if left_out:
        items = f"{left_out} item{'s' * (left_out > 1)}"
        notices.append(f"{items} left out to fit {most:,} tokens ({counter.name}).")
    return kept, left_out


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
    raise ChangedUnderneathError(f"{done.path}: other processes keep creating this file.", hint="Re-run the command.")


def record(
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
        mine = stores.journal().writer
        happened += [
            _record.told(event.ENDED, session=one.session.id, body={"outcome": CRASHED}, via=via)
            for one in over
            if not one.may_run and one.session.run.writer == mine
        ]
        _, notices = _record.record(stores, happened)
    except AgentwsError as error:
        return [f"The handoff was written, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
    return notices + seals.quietly(stores)


def _told(stores: Stores, done: Written, over: Sequence[OrphanedSession], via: str | None) -> list[str]:
    body: dict[str, object] = {"path": done.path, "follows": list(done.follows)}
    text, session = summary.cut(_first_words(done.text)), done.session or None
    return record(stores, unfinished_sessions.WRITTEN, text, session=session, body=body, over=over, via=via)


def _first_words(text: str) -> str:
    """The first line below a heading: of the agent's own, else of what is from outside, which keeps its origin."""
    body = handoff.decode(text.encode("utf-8", "surrogateescape"), path="").body
    lines = f"{outside.without(body)}\n{body}".split("\n")
    return next((line.lstrip("-*> ") for line in lines if line.strip() and not line.startswith("#")), "")


def _several(words: str | Sequence[str] | None) -> Sequence[str]:
    return [words] if isinstance(words, str) else words or ()


def _listed(src: str | None, items: Sequence[str]) -> str:
    return handoff.listed([escape.signed(src, item.strip()) for item in items])


def free(stores: Stores, path: str) -> str:
    """The path of a new handoff: this one, or where a file has it, with the next number behind it."""
    found = path
    for number in range(2, 1000):
        if not stores.files.exists(found):
            break
        found = f"{path.removesuffix('.md')}-{number}.md"
    return found


_MOST_GIVEN = 1 << 20
_BOM = "\ufeff"


def _given_sections(text: str | None, notices: list[str], src: str | None = None) -> tuple[Sections, _Fields]:
    """The sections of what was given, and the fields of its front matter that belong into that of the handoff.

    What is from outside (`src`) is one quotation, whatever headings and fields it has: they would say what is decided.
    What of it is not taken is one of `notices`. UsageError where it is no JSON object though it begins like one,
    TooLargeError.
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
        return {key: escape.by(src, said) for key, said in handoff.from_plain(_plain(text)).items()}, {}
    text = escape.by(src, text)
    try:
        given = document.decode(text.lstrip("\n").encode("utf-8", "surrogateescape"), where="the handoff given")
    except (DamagedError, TooLargeError) as error:
        notices.append(f"{error.message.rstrip('.')}. The handoff was read as plain text.")
        return handoff.sections(text), {}
    return _apart(given, notices) if given.fields else (handoff.sections(text), {})


def _plain(text: str) -> object:
    try:
        return plainjson.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"Invalid JSON: {error}.", hint='{"doing": "…", "next": "…", "pending": ["…"]}') from error


def _apart(given: Document, notices: list[str]) -> tuple[Sections, _Fields]:
    """Fields that are headings of a handoff are sections; those that a handoff says of itself are not taken."""
    said: Sections = {}
    fields: _Fields = {}
    for key, value in given.fields.items():
        if key.lower() in handoff.KEYS and _are_words(value):
            said = handoff.merged(said, handoff.from_plain({key: value}))
        elif key not in handoff.OWN_FIELDS:
            fields[key] = value
    found = handoff.merged(said, handoff.sections(given.body))
    if not found:
        # Front matter alone is what somebody wanted to say.
        return handoff.sections(given.text), {}
    if own := [key for key in given.fields if key in handoff.OWN_FIELDS]:
        notices.append(f"Fields of the front matter were ignored, because agentws sets them itself: {', '.join(own)}.")
    return found, fields


def _are_words(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))
