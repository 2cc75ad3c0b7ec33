"""For whom a session was recorded, as this machine knows it without reading the journal: marks in `.agentws/shared/`.

The journal is what decides; a mark spares those who print, and the log, to read it. Where the folder is missing, as
before the first session of this version, the journal is asked.
"""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats import audience, digest
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.disk.files import Files

FOLDER = local_dir.SHARED
_PRIVATE = b"private\n"
_OPEN = b"shared\n"
_MIXED = b"mixed\n"
"""It began for the main audience: what it makes may tell of that, however narrow it is now."""
_MOST_BYTES = 64


def recorded(files: Files, session: str) -> str:
    """The audience for which the session was recorded: `main` where nothing says otherwise."""
    if files.exists(local_dir.shared_mark(session)):
        return audience.SHARED
    return audience.MAIN if files.exists(FOLDER) else _by_journal(files, session)


def of_unnamed(files: Files) -> str:
    """The audience of a call that may be for any session that has not ended: `shared` where one of them is."""
    from agentws.core.journal import read, session_scan

    open_ = (name for writer in read.writers(files) for name in session_scan.unfinished_sessions(files, writer))
    return audience.narrower(*(recorded(files, name) for name in open_))


def made(files: Files, session: str) -> str:
    """Whom what the session makes now is for: `main` too where its newest prompt is private."""
    try:
        said = files.part(local_dir.shared_mark(session), _MOST_BYTES)[0]
    except MissingFileError:
        return audience.MAIN
    return audience.SHARED if said == _OPEN else audience.MAIN


def mark(files: Files, session: str, wanted: str) -> str:
    """Note for whom a session that begins is; returns that: what was shared once stays so. Durable when it returns."""
    local_dir.prepare(files)
    known = recorded(files, session)
    if not files.exists(FOLDER):
        _mark_others(files, session)
    found = audience.narrower(known, wanted)
    if found == audience.SHARED and not files.exists(local_dir.shared_mark(session)):
        is_new = not any(_told(files, session))
        files.replace(local_dir.shared_mark(session), _OPEN if is_new else _MIXED, expects=digest.ABSENT)
    return found


def heard_prompt(files: Files, session: str, *, is_private: bool) -> None:
    """Note whether the newest prompt of a shared session is private: until the next one, all that it makes is."""
    said = _PRIVATE if is_private else _OPEN
    try:
        before = files.part(local_dir.shared_mark(session), _MOST_BYTES)[0]
    except MissingFileError:
        return  # it was recorded for the main audience, for whom all that it makes is anyway
    if before not in (said, _MIXED):
        files.replace(local_dir.shared_mark(session), said, expects=digest.of(before))


def _mark_others(files: Files, session: str) -> None:
    """Make the folder of the marks, with those of all other sessions that the journal tells of: they may go on."""
    told: dict[str, set[str]] = {}
    for name, found in _beginnings(files):
        told.setdefault(name, set()).add(found)
    files.make_folder(FOLDER)
    for name, heard in told.items():
        if name != session and audience.SHARED in heard:
            # Whether its newest prompt was private is not known here.
            said = _PRIVATE if heard == {audience.SHARED} else _MIXED
            path = local_dir.shared_mark(name)
            files.replace(path, said, expects=files.digest(path))


def _by_journal(files: Files, session: str) -> str:
    return audience.narrower(*_told(files, session))


def _told(files: Files, session: str) -> Iterator[str]:
    """The audience of each beginning of the session, as the journal tells it."""
    return (found for _, found in _beginnings(files, session))


def _beginnings(files: Files, session: str | None = None) -> Iterator[tuple[str, str]]:
    """(session, audience) of each beginning that the journal tells of, of this session or of all."""
    from agentws.core.formats.journal import event
    from agentws.core.journal import read, select

    reader = select.Reader(files, select.Wanted(session=session, kinds=(event.STARTED,)), quotes=True)
    for writer in read.writers(files):
        for one in reader.behind(writer, 0):
            if one.wrong:
                yield one.session or "", audience.SHARED  # whatever it said, nobody hears more by its change
                continue
            try:
                body = read.body(files, one) or {}
            except AgentwsError:
                body = {}  # it cannot be known what it said
            yield one.session or "", audience.of_value(body.get(audience.KEY))
