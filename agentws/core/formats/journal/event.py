"""Events of the journal: encoding values as a stored line, and decoding it. Specified in docs/format/journal.md.

Unknown kinds and keys are kept. The module is on the path of every event, so it imports little.
"""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats import digest
from agentws.core.formats.journal import chain
from agentws.core.formats.json import plainjson
from agentws.errors import DamagedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Body = dict[str, Any]
    Upcaster = Callable[[Body], Body]

ACTION, RESULT, ERROR = "action", "result", "error"
THOUGHT, PLAN, DECISION, NOTE = "thought", "plan", "decision", "note"
STARTED, ENDED = "session.started", "session.ended"
HANDOFFS, HANDED = "handoff.", "handoff.written"
UNDONE, REDONE = "change.undone", "change.redone"
"""A change of documents was taken back; and was made again."""
STATED = "memory.stated"
"""The agent stated as its own what it had from elsewhere."""
IMPORTED, CHANGES = "session.imported", "changes"
"""Sessions of other programs were imported; the key of the id of its changes, which an undo of them names too."""
RECALLED = "memory.recalled"
"""Memories were shown to the agent at a prompt: their places and digests."""
OPENED, SEAL, PURGE = "segment.opened", "seal", "purged"
RETIRED = "segments.retired"
JOINED = "writer.joined"
RETRACTED = "retracted"
"""Another event is to count as if it had not been."""
STEPS = "step."
"""The family of the steps of workflows."""
STEP_BEGAN = "step.began"
STEP_DETAILS = (STEP_BEGAN, "step.asked", "step.using")
"""Keys that other events of the same step repeat."""
TOOK_OVER = "writer.took_over"
ORDERS = (PURGE, RETIRED, TOOK_OVER)
"""The kinds that take something away for good, or let others do so. They count only with proof."""
HIDDEN = "hidden"
"""Stands in no file: what a reader finds in the place of an event that is not for its audience."""

USER = "user"
"""The source of what the user said."""

STRUCTURE = (OPENED, SEAL, PURGE, RETIRED, HIDDEN)
"""Kinds that hold the journal itself together: only agentws writes them."""
LASTING = (*STRUCTURE, "approval.used")
"""Kinds that are never purged: without them nobody could verify the journal, or an approval could be used again."""
_FATES = (
    "task.",
    "checkpoint.restored",
    "approval.",
    "handoff.",
    "compaction.",
    "migration.",
    "writer.",
    UNDONE,
    REDONE,
    STATED,
)
CHECKPOINTS = "checkpoint."
"""All are recorded, but boot shows only the newest of a task, since there may be many."""
_OTHERS = ("backup.", "host.", "hook.", "forgotten", "file.")
RESERVED = (*_FATES, CHECKPOINTS, IMPORTED, RECALLED, RETRACTED, STEPS, *_OTHERS)
"""Families that verbs of agentws write, each for what it has done; those of hooks are steps like any other."""
CALLS = (ACTION, RESULT, ERROR)
"""Kinds that speak of one call: it begins with an action and ends with a result or an error."""
SHELLS = ("bash", "shell", "run_shell_command", "exec", "exec_command", "execute", "local_shell", "unified_exec")
"""The tools of actions, in small letters, that run a command in a shell, in every agent program."""
SHELL_COMMENTS = ("description", "justification", "summary", "riskLevel", "riskLevelReason")
"""The keys of a shell call in which the agent comments on it, in other words each time: no part of the action."""
ENDS = (RESULT, ERROR)
HOST_STOPPED, HOST_INTERRUPTED = "host.stopped", "host.interrupted"
REFUSED, REQUEST = "refused", "request"
"""Keys of an error: that the host refused the call, and the request about it."""
SIGNIFICANT_IMPORTANCE = 7
_SIGNIFICANT = (DECISION, PLAN, ERROR)

VERSION = 1
"""The schema version (`body.v`) that new events of every kind have."""
UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(kind, version) → a pure function from the body of that version to the next one's. None was needed yet."""

BODY_LIMIT_BYTES = 64_000
"""A longer body is stored in a blob: this much fits into a line beside any header."""
_KEPT_BESIDE_A_BLOB = ("call", "tool", "task", "importance")
_FIRST = ("v", "call", "importance", "tool", "task")
_MOST_WORD = 64
_MOST_NAME = 128
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-@/+=#")


class Event(Result):
    """An event as stored in the journal.

    `at` is ISO 8601 in UTC with microseconds; `body` is in the newest schema version, None if it was purged (`purged`
    is then the id of the event that ordered it); `rest` holds unknown header keys; `hash` is the one that the next line
    names; `offset` (bytes) and `segment` are its place; `wrong` says why the line is not the original one, `retracted`
    which event (cursor) retracted it, if a reader has found that.
    """

    __slots__ = (
        "at", "body", "digest", "hash", "id", "kind", "offset", "prev", "purged", "rest", "retracted", "segment", "seq",
        "session", "src", "writer", "wrong",
    )  # fmt: skip
    SHOWN = ("cursor", "at", "kind", "session", "src", "body")

    def __init__(self, fields: Body, *, writer: str, hash: str, segment: int, offset: int) -> None:
        self.seq: int = fields.pop("seq")
        self.id: str = fields.pop("id")
        self.at: str = fields.pop("at")
        self.kind: str = fields.pop("kind")
        self.session: str | None = fields.pop("session", None)
        self.src: str = fields.pop("src", "")
        self.prev: str = fields.pop("prev")
        self.digest: str = fields.pop("digest")
        self.purged: str | None = fields.pop("purged", None)
        body = fields.pop("body")
        self.body: Body | None = body if body is None else upcast(self.kind, body)
        del fields["salt"], fields["agentws"]
        self.rest = fields
        self.writer = writer
        self.hash = hash
        self.segment = segment
        self.offset = offset
        self.wrong = ""
        self.retracted = ""

    @property
    def cursor(self) -> str:
        """The event's place, `WRITER:SEQ`, from which a reader can continue."""
        return f"{self.writer}:{self.seq}"

    @property
    def call(self) -> str | None:
        """The id of the tool call that the event (action, result or error) belongs to; else an action's cursor."""
        result = (self.body or {}).get("call")
        if isinstance(result, str):
            return result
        return self.cursor if self.kind == ACTION else None

    def plain(self) -> dict[str, object]:
        """Return the event as a JSON object for programs: the cursor first, then header and body."""
        return {
            "cursor": self.cursor,
            **{name: getattr(self, name) for name in ("seq", "id", "at", "kind", "session", "src")},
            **self.rest,
            "body": self.body,
            **({"purged": self.purged} if self.purged else {}),
            **({"retracted": self.retracted} if self.retracted else {}),
            **({"wrong": self.wrong} if self.wrong else {}),
        }


def decode(stored: bytes, *, writer: str, segment: int = 0, offset: int = 0, where: str = "event") -> Event:
    """Return the event of a stored line (without newline), its chain unchecked. DamagedError names `where`."""
    try:
        fields = plainjson.loads(stored)
        return Event(fields, writer=writer, hash=chain.hash_of(stored), segment=segment, offset=offset)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError(f"{where}: not an event.", hint="To list all damage: agentws journal verify") from error


def upcast(kind: str, body: Body, table: Mapping[tuple[str, int], Upcaster] | None = None) -> Body:
    """Return an event's body in the newest known schema version; one from a newer agentws is unchanged."""
    table = UPCASTERS if table is None else table
    while isinstance(body.get("v", VERSION), int) and (step := table.get((kind, body.get("v", VERSION)))):
        body = step(body)
    return body


def is_significant(kind: str, importance: object = None) -> bool:
    """Return True for events that boot always shows: decisions, plans, errors, task results, important ones."""
    if isinstance(importance, int) and importance >= SIGNIFICANT_IMPORTANCE:
        return True
    return kind in _SIGNIFICANT or kind.startswith(_FATES)


def is_milestone(kind: str, importance: object = None) -> bool:
    """Return True for events that are recorded at every granularity."""
    is_by_kind = kind in (*STRUCTURE, RECALLED, RETRACTED) or kind.startswith(("session.", STEPS, CHECKPOINTS))
    return is_by_kind or is_significant(kind, importance)


def check_words(*, kind: str, session: str | None, src: str, call: object = None) -> None:
    """Raise UsageError for invalid header words of a journal event (kind, session, source, call id): never purged."""
    if (kind, session, src) not in _sound:
        check_kind(kind)
        _check_name("session", session)
        _check_name("source", src)
        if len(_sound) < _MOST_SOUND:
            _sound.add((kind, session, src))
    _check_name("call id", call)


_sound: set[tuple[str, str | None, str]] = set()
"""Words that were found to be sound: a stream of events has few."""
_MOST_SOUND = 1000


def check_kind(kind: str) -> None:
    """Raise UsageError for an unknown event kind."""
    named = kind[:1].isalpha() and kind.replace("_", "").replace(".", "").replace("-", "").isalnum()
    if not (named and kind.isascii() and len(kind) <= _MOST_WORD):
        raise UsageError(
            f"{kind!r} is not a valid event kind.",
            hint="Use letters, digits, `_`, `-` and `.`: action, decision, PLAN_GENERATED, deploy.started.",
        )


def _check_name(what: str, name: object) -> None:
    if name is None or (isinstance(name, str) and 0 < len(name) <= _MOST_NAME and _NAME.issuperset(name)):
        return
    raise UsageError(
        f"{name!r} is not a valid {what}: 1 to {_MOST_NAME} letters, digits or any of _.:-@/+=#, without spaces."
    )


def body_text(body: Body) -> str:
    """Return an event's body as one line of ASCII JSON: version, call and importance first, to be found quickly.

    UsageError for values that JSON does not know, or that are nested too deeply.
    """
    ordered: Body = {"v": body.get("v", VERSION)}
    for key in _FIRST:
        if key in body:
            ordered[key] = body[key]
    ordered.update(body)
    try:
        return plainjson.dumps(ordered, separators=(",", ":"))
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"The event body is not JSON: {error}.", hint="Use texts, numbers, lists and objects."
        ) from error
    except RecursionError as error:
        raise UsageError(
            "The event body is nested too deeply.", hint="Save the value in a file, and name the file in the event."
        ) from error


def blob_text(body: Body, complete: bytes) -> str:
    """Return the JSON of the stub that an event's line holds for a body in a blob; `complete` is that body's JSON."""
    kept = {key: body[key] for key in _KEPT_BESIDE_A_BLOB if isinstance(body.get(key), str | int)}
    kept = {key: value for key, value in kept.items() if len(str(value)) <= _MOST_NAME}
    return body_text({**kept, "blob": digest.of(complete), "size": len(complete)})


def tail(body: str, salt: str) -> bytes:
    """Return the tail bytes of an event's line: the salt (32 hexadecimal digits) and the JSON of the body."""
    return f'"salt":"{salt}","body":{body}'.encode("ascii")


def header(*, seq: int, id: str, at: str, kind: str, session: str | None, src: str, prev: str, tail: bytes) -> bytes:
    """Return the header bytes of an event's line with this tail."""
    session_json = "null" if session is None else f'"{session}"'
    return (
        f'{{"agentws":1,"seq":{seq},"id":"{id}","at":"{at}","kind":"{kind}","session":{session_json},"src":"{src}",'
        f'"prev":"{prev}","digest":"{digest.of(tail)}"'
    ).encode("ascii")
