"""event --stdin: records many events from JSON lines, and makes them durable together."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core.formats.journal import event
from agentws.core.formats.json import plainjson
from agentws.core.stores import record
from agentws.core.stores.record import Happening, Recorded
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, ForgottenError, SecretRefusedError, UsageError

Acknowledged = list[dict[str, object]]


_MOST_CALLS = 4096
"""How many calls that this process began are known without reading the journal."""
_KEYS = frozenset(("kind", "text", "tool", "input", "output", "call", "importance", "task", "via", "session", "body"))


def record_lines(stores: Stores, lines: Sequence[bytes], *, first: int = 1) -> tuple[Acknowledged, list[str]]:
    """Record one event for each JSON line, in order; return an acknowledgement for each, and notices.

    An acknowledgement is `{"seq", "id", "cursor"}`, with nulls for an event that the granularity leaves out. A line
    that is not an event gets `{"error": {"code", "message"}, "line"}`, counted from `first`; the others are recorded.
    """
    wanted: list[Happening | AgentwsError | None] = [_of(stores, line) for line in lines]
    happenings = [item for item in wanted if isinstance(item, record.Happening)]
    recorded, notices = _recorded(stores, happenings)
    done = iter(recorded)
    answered = ((number, next(done) if isinstance(item, record.Happening) else item) for number, item in
                enumerate(wanted, first) if item is not None)  # fmt: skip
    return [_answer(number, result) for number, result in answered], notices


def _recorded(stores: Stores, happenings: Sequence[Happening]) -> tuple[list[Recorded | AgentwsError], list[str]]:
    """Record the events together; if one of them is refused, each half separately, so that the others are recorded."""
    if not happenings:
        return [], []
    try:
        recorded, notices = record.record(stores, happenings, refuses=True)
    except (ForgottenError, UsageError, SecretRefusedError) as error:
        if len(happenings) == 1:
            return [error], []
        half = len(happenings) // 2
        first, second = _recorded(stores, happenings[:half]), _recorded(stores, happenings[half:])
        return [*first[0], *second[0]], [*first[1], *second[1]]
    return list(recorded), notices


def _answer(number: int, result: Recorded | AgentwsError | Happening) -> dict[str, object]:
    if isinstance(result, AgentwsError):
        return {"error": {"code": result.code, "message": result.message}, "line": number}
    assert isinstance(result, record.Recorded)
    return {"seq": result.seq, "id": result.id, "cursor": result.cursor}


def _of(stores: Stores, line: bytes) -> Happening | AgentwsError | None:
    if not line.strip():
        return None
    try:
        fields = plainjson.loads(line)
    except ValueError as error:
        return UsageError(f"Not JSON: {error}.")
    if not isinstance(fields, dict) or not isinstance(fields.get("kind"), str):
        return UsageError('Not an event: use a JSON object with a "kind".')
    if not _KEYS.issuperset(fields):
        unknown = next(key for key in fields if key not in _KEYS)
        return UsageError(f"{unknown!r} is not a key of an event. Put your own data into `body`.")
    if "body" in fields and not isinstance(fields["body"], dict):
        return UsageError("`body` must be a JSON object.")
    try:
        record.refuse_reserved(fields["kind"])
        happening = record.told(**fields)
        _settle_call(stores, happening)
        return happening
    except AgentwsError as error:
        return error


def _settle_call(stores: Stores, happening: Happening) -> None:
    """Remember the call of an action; for a result or error set the call of its action. UsageError if it is missing."""
    call, begun = happening.body.get("call"), stores.begun
    if not isinstance(call, str):
        return
    if happening.kind == event.ACTION:
        begun[call] = None
        if len(begun) > _MOST_CALLS:
            del begun[next(iter(begun))]
    elif happening.kind in event.ENDS and call not in begun:
        happening.body["call"] = record.ended_call(stores, call)
