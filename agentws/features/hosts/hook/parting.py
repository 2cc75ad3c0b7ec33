"""The parting of a session, for hooks: decides if a stop asks for a handoff, after work, never twice for the same."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats import audience, digest, layout
from agentws.core.formats.journal import event, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.formats.documents.document import Document
    from agentws.core.notes.entry import Entry
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.hook.call import Heard

OFF, TURN = "off", "turn"
"""Values of the setting `handoff.ask`, beside the default `work`."""
FOLDER = f"{local_dir.FOLDER}/handoff-asked"
_ACTIONS = 8
_PAUSE_S = 30 * 60
_SEGMENTS = 2
"""Work is counted in the newest segments only, at most 2 MiB: a stop must stay cheap."""
_WRITTEN = "handoff.written"
_MOST_LINES, _MOST_CHARS = 5, 160


class Asked:
    """The record of a parting question: when it was asked (`at_s`, seconds since 1970), the newest event then (`seq`).

    `open` until the stop that ends the answer.
    """

    __slots__ = ("at_s", "open", "seq")

    def __init__(self, at_s: float = 0.0, seq: int = 0, *, open: bool = False) -> None:
        self.at_s = at_s
        self.seq = seq
        self.open = open


def is_handoff_due(stores: Stores, heard: Heard, *, process: int, scripted: bool) -> bool:
    """Return whether to ask the agent for a handoff; `process` called the hook, `scripted`: a program reads the answer.

    At the stop that ends the agent's answer to this question, its work for the answer is noted as not counting.
    """
    session, when = heard.call.session, stores.manifest.setting("handoff.ask")
    if not session or not heard.ends_turn or when == OFF or stores.audience(heard.call.audience) != audience.MAIN:
        return False
    asked = _read(stores, session)
    if heard.call.goes_on:
        if asked.open:
            _keep(stores, session, Asked(asked.at_s, _newest(stores)))
        return False
    is_early = 0 <= stores.here().second - asked.at_s < _PAUSE_S
    if when != TURN and is_early:
        return False
    least = 1 if when == TURN else _ACTIONS
    if _actions(stores, session, behind=asked.seq, most=least) < least:
        return False
    from agentws.core.installation import host_info

    return not (scripted or heard.is_headless(host_info.command_line(process)))


def is_far(stores: Stores, heard: Heard) -> bool:
    """Return whether a prompt or stop of this session needs no answer before its next call, whatever comes before.

    The session has not called enough tools for a handoff or a nudge, and gets no memories.
    """
    session, setting = heard.call.session, stores.manifest.setting
    if not session or setting("recall.prompt") or setting("curation.ask") == TURN:
        return False
    least = 1 if setting("handoff.ask") == TURN else _ACTIONS
    return (
        stores.audience(heard.call.audience) == audience.MAIN
        and _actions(stores, session, behind=0, most=least) < least
    )


def note_asked(stores: Stores, session: str) -> None:
    """Record, durably, that a session is asked for its parting handoff now."""
    stores.check_writable()
    local_dir.prepare(stores.files)
    stores.files.make_folder(FOLDER)
    _keep(stores, session, Asked(stores.here().second, _newest(stores), open=True))


def forget_asked(stores: Stores, session: str) -> None:
    """Remove the record that a session was asked for its parting handoff, because the session has ended."""
    path = _path(session)
    if stores.files.exists(path):
        stores.files.remove(path, expects=stores.files.digest(path))


def lines_for_memory(stores: Stores) -> list[str]:
    """Return up to five lines of today's log to offer for MEMORY.md at a parting: marked lines first, then the newest.

    Only the agent's own lines: no to-dos, nothing private, secret or written by a program, nothing that MEMORY.md has.
    """
    day = stores.here().day
    known = _document(stores, layout.MEMORY)
    log = _document(stores, layout.day_path(day))
    entries = [entry for entry in _entries(stores, log, known.body, day) if entry.said not in known.body]
    marked = [entry for entry in entries if entry.kind]
    chosen = dict.fromkeys(entry.said for entry in (*marked, *entries))
    return [line if len(line) <= _MOST_CHARS else f"{line[:_MOST_CHARS]}…" for line in chosen][:_MOST_LINES]


def _entries(stores: Stores, log: Document, memory: str, day: str) -> list[Entry]:
    """Return the outermost entries of a day's log that may be offered, the newest first; `memory` names secrets too."""
    from agentws.core.formats.documents import fields
    from agentws.core.formats.secrets import named
    from agentws.core.markdown import markdown
    from agentws.core.notes import reading, vocabulary
    from agentws.features.memory.compact.plan import marked_lines
    from agentws.features.memory.curate.plan import brief

    labels = marked_lines.private_labels(stores.manifest.setting("boot.private_tags"))
    if not {*labels}.isdisjoint(fields.labels(log)):
        return []
    hidden = named.Secrets([memory, log.body], keeps_out=stores.keeps_out())
    machine = brief.machine_lines(log.body)
    words = vocabulary.extended(stores.manifest.vocabulary)
    return [
        entry
        for entry in reversed(reading.read(log.body, path=layout.day_path(day), day=day, words=words))
        if entry.form == markdown.ITEM
        and entry.said
        and not (entry.parent is not None or entry.src or entry.state)
        and not (
            entry.line in machine or brief.is_machine(entry.text) or marked_lines.is_private(entry, labels, hidden)
        )
    ]


def _document(stores: Stores, path: str) -> Document:
    from agentws.core.formats.documents import document

    try:
        data = stores.files.read(path)
    except AgentwsError:
        data = b""  # missing or unreadable: there is nothing to offer
    return document.lenient(data, where=path)[0]


def _actions(stores: Stores, session: str, *, behind: int, most: int) -> int:
    """Count the session's newest actions, up to `most`: those after event `behind` and after its last handoff."""
    writer = stores.appender().writer
    count = 0
    for kind in _newest_kinds(stores, writer, session, behind):
        if kind == _WRITTEN or count == most:
            break
        count += kind == event.ACTION
    return count


def _newest_kinds(stores: Stores, writer: str, session: str, behind: int) -> Iterator[str]:
    """Yield the kinds of a session's events after event `behind`, the newest first; no line is parsed."""
    word = f'"session":{plainjson.dumps(session)},'.encode()
    for number in reversed(read.newest(stores.files, writer, _SEGMENTS)):
        for _, block in reversed(list(read.blocks(stores.files, writer, number))):
            end = len(block)
            while (at := block.rfind(word, 0, end)) >= 0:
                end = block.rfind(b"\n", 0, at) + 1
                line = block[end : block.find(b"\n", at)]
                if segment.seq_of(line) <= behind:
                    return
                yield segment.kind_of(line)


def _newest(stores: Stores) -> int:
    return read.last_seq(stores.files, stores.appender().writer)


def _read(stores: Stores, session: str) -> Asked:
    """Return when a session was last asked; never, if no note of that can be read."""
    try:
        at_s, seq, is_open = plainjson.loads(stores.files.read(_path(session)))
        return Asked(float(at_s), int(seq), open=bool(is_open))
    except (MissingFileError, ValueError, TypeError):
        return Asked()


def _keep(stores: Stores, session: str, asked: Asked) -> None:
    path = _path(session)
    data: Sequence[object] = [asked.at_s, asked.seq, asked.open]
    expects = stores.files.digest(path) if stores.files.exists(path) else digest.ABSENT
    stores.files.replace(path, plainjson.dumps(data).encode() + b"\n", expects=expects)


def _path(session: str) -> str:
    return f"{FOLDER}/{digest.quick(session.encode())}"
