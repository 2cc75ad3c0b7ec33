"""Records a hook call as journal events: prompts, replies, tool calls and results, compactions, denials, failures."""

from __future__ import annotations

import os

from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.formats.json import plainjson
from agentws.core.formats.json.plainjson import plain
from agentws.core.formats.secrets import redaction
from agentws.core.installation import installation
from agentws.core.journal import head
from agentws.core.stores import record
from agentws.core.text import sizes
from agentws.features.hosts import call
from agentws.features.hosts.hook import call as _call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from agentws.core.stores.fence import Repeated
    from agentws.core.stores.record import Happening
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.call import Done
    from agentws.features.hosts.hook.call import Heard

    _Cut = Callable[[str, str], str]


COMPACTING, COMPACTED, STOPPED, FAILED = "host.compacting", "host.compacted", event.HOST_STOPPED, "hook.failed"
"""Event kinds of hooks: a compaction begins; it is done; the agent or a subagent has stopped; a hook failed."""
MOST_WORDS, MOST_INPUT, MOST_OUTPUT = 4096, 4096, 2048
"""The bytes that are kept of a message, of a tool's input, and of its output."""
_UNKNOWN, _MODEL = "unknown", "model"
_MOST_NAME = 100


def record_call(stores: Stores, heard: Heard, repeated: Repeated | None = None) -> list[str]:
    """Record the journal events of a hook call, if it has any; return notices.

    If it is a repeat that was decided (`repeated`), the call that was in flight ends with the same write.
    """
    if repeated is not None:
        from agentws.core.stores import fence

        happenings = [repeated.closing(session=heard.call.session or None, via=heard.src)]
        _, notices = record.record(stores, [*happenings, *events_of(stores, heard)])
        fence.lift(stores, repeated)
        return notices
    if heard.call.what == call.INTERRUPTED:
        from agentws.core.stores import fence

        _, notices = record.record(stores, [_happening(heard, event.HOST_INTERRUPTED, {})])
        return [*notices, *fence.renew(stores)]
    is_between = heard.call.what in (call.PROMPT, call.REPLY, call.FAILED)
    if is_between and heard.call.finished is not None and _has_open(stores, heard):
        heard.call.calls = heard.call.finished()
    happenings = [*answers(heard, open_calls(stores, answered(heard))), *events_of(stores, heard)]
    return record.record(stores, happenings)[1] if happenings else []


def _has_open(stores: Stores, heard: Heard) -> bool:
    from agentws.features.hosts.hook import denied_calls

    return denied_calls.is_any_open(stores, heard.call.session)


def answered(heard: Heard) -> set[str]:
    """Return the ids of the finished calls that this hook reports beside its own event."""
    return {_call.named(name) for _, name, *_ in heard.call.calls}


def open_calls(stores: Stores, names: set[str]) -> set[str]:
    """Return which of these calls are recorded as begun here, and have no recorded result."""
    if not names:
        return names
    from agentws.features.hosts.hook import denied_calls

    return denied_calls.open_calls(stores, names)


def answers(heard: Heard, names: set[str]) -> list[Happening]:
    """Return the events of those finished calls whose ids are in `names`: of several answers to a call, the first."""
    first: dict[str, Done] = {}
    for done in heard.call.calls:
        first.setdefault(_call.named(done[1]), done)
    return [_answered(heard, *done) for name, done in first.items() if name in names]


def record_refusal(stores: Stores, heard: Heard, why: str, request: str) -> list[str]:
    """Record that a rule denied the hook's tool call, so that it is not in flight; return notices.

    `request` is the id of the request to a person about it, empty for none.
    """
    value = heard.call
    if value.what != call.ACTION:
        return []
    body: dict[str, object] = {"tool": _fitted_text(value.tool or _UNKNOWN, _MOST_NAME), event.REFUSED: True}
    if value.call:
        body["call"] = value.call
    body["text"] = _fitted_text(why, MOST_OUTPUT)
    if request:
        body[event.REQUEST] = request
    return record.record(stores, [_happening(heard, event.ERROR, body)])[1]


def lacks_start(stores: Stores, heard: Heard) -> bool:
    """Return whether the call's session must begin: another process ended it, or its start failed beside others.

    Its calls have no process then to judge by, and it was not told what the others left in flight.
    """
    session = heard.call.session
    own = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state) if session else None
    newest = head.read(stores.files, own.writer, own.secret) if own is not None else None
    if newest is None or session in newest.sessions:
        return False
    return bool(newest.sessions) or not stores.files.is_missing(layout.call_mark(heard.host, os.getppid()))


def repeated_call(stores: Stores, heard: Heard) -> Repeated | None:
    """Return the call in flight of a crashed session that this hook's tool call would repeat; None for none.

    Without such calls, this only checks that a file is missing.
    """
    value = heard.call
    if stores.files.is_missing(layout.FENCE) or heard.only_reads or not heard.decide(may=False, says="-"):
        return None
    from agentws.core.stores import fence

    return fence.find(stores, _begun(heard), session=value.session, heard_by=value.audience)


def refuse_repeated(stores: Stores, heard: Heard, repeated: Repeated, why: str) -> list[str]:
    """Record durably that the agent is asked about a repeated call instead of making it; return notices."""
    from agentws.core.stores import fence

    happenings: list[Happening] = []
    if heard.call.what == call.ACTION:
        body = _begun(heard)
        body["call"] = name = repeated.own_id(heard.call.call) or f"asked-{os.urandom(_TAG_BYTES).hex()}"
        refused = {"tool": body["tool"], "call": name, event.REFUSED: True, "text": _fitted_text(why, MOST_OUTPUT)}
        happenings = [_happening(heard, event.ACTION, body), _happening(heard, event.ERROR, refused)]
    return fence.refuse(stores, repeated, happenings, session=heard.call.session)


def record_failure(stores: Stores, heard: Heard, words: str) -> None:
    """Record that a hook failed, and why."""
    text = _fitted_text(f"{heard.event}: {words}", MOST_WORDS)
    record.record(stores, [_happening(heard, FAILED, {"text": text})])


def events_of(stores: Stores, heard: Heard, *, hearers: str = "") -> list[Happening]:
    """Return the events of a hook call, without answers to earlier calls; `hearers` is the audience if it is known."""
    value = heard.call
    if value.what == call.PROMPT:
        return _prompt(stores, heard, hearers)
    if value.what in (call.ACTION, call.RESULT, call.ERROR):
        is_of_a_tool = value.tool or value.call or not heard.odd
        return [_tool(heard) if is_of_a_tool else _failed(heard)]
    if value.what == call.FAILED or (value.what == call.ENDED and value.text):
        body: dict[str, object] = {"tool": _MODEL, "text": _fitted_text(value.text or _UNKNOWN, MOST_OUTPUT)}
        return [_happening(heard, event.ERROR, body, src=f"tool:{_MODEL}")]
    if value.what == call.REPLY and value.text.strip():
        return [_happening(heard, event.NOTE, {"text": _fitted_text(value.text, MOST_WORDS)})]
    if value.what in (call.REPLY, call.STOPPED):
        return [_failed(heard) if heard.odd and not value.session else _stopped(heard)]
    if value.what in (call.COMPACTING, call.COMPACTED):
        kind = COMPACTING if value.what == call.COMPACTING else COMPACTED
        text = _fitted_text(value.text or value.source, MOST_WORDS)
        return [_happening(heard, kind, {"text": text} if text else {})]
    return []


def _failed(heard: Heard) -> Happening:
    """Return the event of a message that cannot be read."""
    return _happening(heard, FAILED, {"text": f"{heard.event}: {heard.odd}"})


def ended(heard: Heard) -> Happening:
    """Return the event of the end of a session."""
    return _happening(heard, event.ENDED, {})


def _stopped(heard: Heard) -> Happening:
    """Return the event of a stop: the agent's, or a subagent's, which always gets a name: it does not end the turn."""
    value = heard.call
    body: dict[str, object] = {"text": _fitted_text(value.text, MOST_WORDS)} if value.agent_type else {}
    if value.what == call.STOPPED and not value.agent:
        body["agent"] = _UNKNOWN
    return _happening(heard, STOPPED, body)


def _prompt(stores: Stores, heard: Heard, hearers: str) -> list[Happening]:
    """Return the events of a prompt: the notices of programs before it, and what somebody typed."""
    value = heard.call
    whole = "\n".join([*value.notices, value.text])
    if not whole.strip():
        return [_failed(heard)] if heard.odd else []
    hearers = hearers or stores.audience(value.audience)
    is_private = "#" in whole and _is_private(stores, whole)
    messages = [*((text, False) for text in value.notices), (value.text, value.is_typed)]
    return [_prompt_happening(stores, heard, *each, hearers, is_private=is_private) for each in messages]


def _prompt_happening(
    stores: Stores, heard: Heard, text: str, is_typed: bool, hearers: str, *, is_private: bool
) -> Happening:
    value = heard.call
    body: dict[str, object] = {"text": _fitted_text(text, MOST_WORDS)}
    if is_private:
        body["private"] = True
    from agentws.core.text import origin

    if hearers != "main":
        from agentws.core.journal import session_audience

        if value.session:
            session_audience.heard_prompt(stores.files, value.session, is_private=is_private)
        body["prompt"] = True
        if value.sender:
            body["from"] = _fitted_text(value.sender, _MOST_NAME)
        return _happening(heard, event.NOTE, body, src=f"{origin.NET}:{_plain(value.channel or heard.host)}")
    src = event.USER if is_typed else f"{origin.TOOL}:{heard.host}"
    return _happening(heard, event.NOTE, body, src=src)


def _is_private(stores: Stores, text: str) -> bool:
    """Return whether a prompt carries a private tag: all events are private then, until the next prompt."""
    from agentws.core.formats.documents import shared
    from agentws.core.markdown import notes

    return notes.has_label(text, shared.labels(stores.manifest.setting("boot.private_tags")))


def _tool(heard: Heard) -> Happening:
    value = heard.call
    if value.what == call.ACTION:
        return _happening(heard, event.ACTION, _begun(heard))
    tool = value.tool or _UNKNOWN
    body: dict[str, object] = {"tool": _fitted_text(tool, _MOST_NAME)}
    if value.call:
        body["call"] = value.call
    if value.is_refused:
        body[event.REFUSED] = True
    if value.what == call.ERROR:
        body["text"] = _fitted_text(value.text, MOST_OUTPUT)
    else:
        _put(body, "output", value.output, MOST_OUTPUT)
    kind = event.ERROR if value.what == call.ERROR else event.RESULT
    return _happening(heard, kind, body, src=f"tool:{_plain(tool)}")


def _begun(heard: Heard) -> dict[str, object]:
    """Return the body of the action of a tool call that is about to be made."""
    body: dict[str, object] = {"tool": _fitted_text(heard.call.tool or _UNKNOWN, _MOST_NAME)}
    if heard.call.call:
        body["call"] = heard.call.call
    _put(body, "input", heard.call.input, MOST_INPUT)
    return body


def _answered(heard: Heard, tool: str, name: str, answer: str, is_error: bool) -> Happening:
    """Return the event of a call that only its batch reported: it was refused, or the hook after it failed."""
    body: dict[str, object] = {"tool": _fitted_text(tool, _MOST_NAME), "call": _call.named(name)}
    if not is_error:
        _put(body, "output", answer, MOST_OUTPUT)
        return _happening(heard, event.RESULT, body, src=f"tool:{_plain(tool)}")
    if answer:
        body["text"] = _fitted_text(answer, MOST_OUTPUT)
    return _happening(heard, event.ERROR, body, src=f"tool:{_plain(tool)}")


def _put(body: dict[str, object], name: str, value: object, most: int) -> None:
    if value is None:
        return
    body[name], size = _fit(value, most)
    if size:
        body["cut"] = {name: size}


def _plain(name: str) -> str:
    return "".join(char if char in _call.PLAIN else "-" for char in name[:_MOST_NAME])


def _happening(heard: Heard, kind: str, body: dict[str, object], *, src: str = "") -> Happening:
    for name, word in (("agent", heard.call.agent), ("agent_type", heard.call.agent_type)):
        if word:
            body[name] = word[:_MOST_NAME]
    return record.told(kind, body=body, session=heard.call.session or None, via=src or heard.src)


_MARK = "… [cut]"
"""The end of a text that was cut."""
_MARGIN = 4096
"""The characters after the cut that are searched for secrets too: no part of a secret of that length is kept."""
_LEAST = 64
_TAG_BYTES = 4


def _fit(value: Any, most: int) -> tuple[Any, int]:
    """Return the value in about `most` bytes, and its size in bytes if it was cut, else 0.

    Long texts within it are cut, so that the names and paths beside them stay.
    """
    value = plain(value)
    size = _size(value)
    if size <= most:
        return value, 0
    if isinstance(value, str):
        return _fitted_text(value, most), size
    least = _size(_each(value, lambda words, _: words[:_LEAST]))
    if least > most:
        return _fitted_text(plainjson.dumps(value), most), size
    longest = _LEAST + (most - least) // max(1, _count(value))
    return _each(value, lambda words, key: _fitted_text(words, longest, key)), size


def _fitted_text(words: str, most: int, key: str = "") -> str:
    """Return the text in at most `most` bytes of UTF-8 and the mark; if it is cut, without secrets.

    `key` is its name: many a secret is only recognised by that.
    """
    if sizes.utf8_bytes(words) <= most:
        return words
    # A character is a byte or more. The last word that was searched may be half a secret: it is dropped.
    (clean,), _ = redaction.redact([{key: words[: most + _MARGIN]}], lambda: os.urandom(_TAG_BYTES).hex())
    kept: str = next(iter(clean.values()))
    if len(words) > most + _MARGIN:
        kept = kept[: max(kept.rfind(" "), kept.rfind("\n"), len(kept) - _MARGIN, 0)]
    return kept.encode("utf-8", "replace")[:most].decode("utf-8", "ignore") + _MARK


def _size(value: Any) -> int:
    return sizes.utf8_bytes(value) if isinstance(value, str) else len(plainjson.dumps(value))


def _each(value: Any, cut: _Cut, key: str = "") -> Any:
    """Return the value with every text in it cut."""
    if isinstance(value, str):
        return cut(value, key)
    if isinstance(value, dict):
        return {cut(name, ""): _each(item, cut, name) for name, item in value.items()}
    return [_each(item, cut, key) for item in value] if isinstance(value, list) else value


def _count(value: Any) -> int:
    """Return how many texts in it are longer than `_LEAST`, which is kept of each."""
    if isinstance(value, dict):
        return sum(map(_count, value.values())) + sum(map(_count, value))
    if isinstance(value, list):
        return sum(map(_count, value))
    return isinstance(value, str) and len(value) > _LEAST
