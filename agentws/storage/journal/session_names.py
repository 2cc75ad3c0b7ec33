"""Which session a part of an id means: its beginning, or its end, where the random part stands."""

from __future__ import annotations

from agentws.errors import MissingFileError, UsageError
from agentws.formats.journal import event as _event
from agentws.storage.journal import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.storage.disk.files import Files

_MOST_NAMED = 5
_MOST_NEAR, _NEAR = 3, 0.3


def session(files: Files, part: str, notices: list[str], writers: Sequence[str]) -> str:
    """The id of the one session of these writers that began under an id with `part` as its beginning or end.

    MissingFileError where there is none, which names those that are near; UsageError for several.
    """
    reader = select.Reader(files, select.Wanted(kinds=(_event.STARTED,)))
    began = select.merged([reader.behind(writer, 0) for writer in writers])
    known = {one.session: None for one in began if one.session}
    notices += [notice for notice in reader.notices if notice not in notices]
    found = [part] if part in known else [one for one in known if part and (one.startswith(part) or one.endswith(part))]
    if len(found) > 1:
        shown = ", ".join(found[-_MOST_NAMED:])
        raise UsageError(f"{part!r} names {len(found)} sessions.", hint=f"The newest of them: {shown}.")
    if not found:
        raise MissingFileError(
            f"There is no session {part!r}.", hint=" ".join([*notices[:1], _hint(part, list(known))])
        )
    return found[0]


def _hint(part: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(part, known, n=_MOST_NEAR, cutoff=_NEAR)
    see = "See which there are: agentws session list --all"
    return f"Near: {', '.join(near)}. {see}" if near else see
