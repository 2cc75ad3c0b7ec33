"""The audience for which a session was recorded, from marks in `.agentws/shared/` instead of the journal.

The journal decides; a mark saves reading it. If the folder is missing, as before the first session of this version, the
journal is read.
"""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats import audience, digest
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentws.core.disk.files import Files

FOLDER = local_dir.SHARED
_PRIVATE = b"private\n"
_OPEN = b"shared\n"
_MIXED = b"mixed\n"
"""The session began for the main audience: what it makes may reveal that, even if it is shared now."""
_MOST_BYTES = 64


def recorded(files: Files, session: str) -> str:
    """Return the audience for which the session was recorded: `main` by default."""
    if files.exists(local_dir.shared_mark(session)):
        return audience.SHARED
    return audience.MAIN if files.exists(FOLDER) else audience.narrower(*_audiences(files, session))


def is_recorded(files: Files, session: str, strangers: Collection[str]) -> bool:
    """Return whether a session was recorded by a writer that is not among these `strangers`."""
    from agentws.core.journal import read, reference

    if files.exists(local_dir.shared_mark(session)):
        return True
    writers = [writer for writer in read.writers(files) if writer not in strangers]
    if any(session in reference.outlined(files, writer).sessions for writer in writers):
        return True
    return any(_beginnings(files, session, writers))


def of_unnamed(files: Files) -> str:
    """Return the audience of a call that may serve any session without an end: `shared` if one of them is."""
    from agentws.core.journal import read, reference

    open_ = (name for writer in read.writers(files) for name in reference.outlined(files, writer).sessions)
    return audience.narrower(*(recorded(files, name) for name in open_))


def made(files: Files, session: str) -> str:
    """Return the audience of what the session makes now: `main` also while its newest prompt is private."""
    try:
        data = files.part(local_dir.shared_mark(session), _MOST_BYTES)[0]
    except MissingFileError:
        return audience.MAIN
    return audience.SHARED if data == _OPEN else audience.MAIN


def mark(files: Files, session: str, wanted: str) -> str:
    """Record the audience of a session that begins, durably, and return it: a shared session stays shared."""
    local_dir.prepare(files)
    known = recorded(files, session)
    if not files.exists(FOLDER):
        texts: dict[str, set[str]] = {}
        for name, text in _beginnings(files):
            texts.setdefault(name, set()).add(text)
        files.make_folder(FOLDER)
        for name, heard in texts.items():
            if name != session and audience.SHARED in heard:
                # Whether its newest prompt was private is not known here.
                data = _PRIVATE if heard == {audience.SHARED} else _MIXED
                path = local_dir.shared_mark(name)
                files.replace(path, data, expects=files.digest(path))
    result = audience.narrower(known, wanted)
    if result == audience.SHARED and not files.exists(local_dir.shared_mark(session)):
        is_new = not any(_audiences(files, session))
        files.replace(local_dir.shared_mark(session), _OPEN if is_new else _MIXED, expects=digest.ABSENT)
    return result


def heard_prompt(files: Files, session: str, *, is_private: bool) -> None:
    """Record whether the newest prompt of a shared session is private: what follows is private until the next one."""
    data = _PRIVATE if is_private else _OPEN
    try:
        before = files.part(local_dir.shared_mark(session), _MOST_BYTES)[0]
    except MissingFileError:
        return  # it was recorded for the main audience, for whom all that it makes is anyway
    if before not in (data, _MIXED):
        files.replace(local_dir.shared_mark(session), data, expects=digest.of(before))


def _audiences(files: Files, session: str) -> Iterator[str]:
    """Return the audience in each start event of the session."""
    return (text for _, text in _beginnings(files, session))


def _beginnings(
    files: Files, session: str | None = None, writers: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (session, audience) of each start event in the journal, of this session or of all, by these `writers`."""
    from agentws.core.formats.journal import event
    from agentws.core.journal import read, select

    reader = select.Reader(files, select.Wanted(session=session, kinds=(event.STARTED,)), quotes=True)
    for writer in read.writers(files) if writers is None else writers:
        for entry in reader.behind(writer, 0):
            if entry.wrong:
                yield entry.session or "", audience.SHARED  # whatever it said, nobody hears more by its change
                continue
            try:
                body = read.body(files, entry) or {}
            except AgentwsError:
                body = {}  # it cannot be known what it said
            yield entry.session or "", audience.of_value(body.get(audience.KEY))
