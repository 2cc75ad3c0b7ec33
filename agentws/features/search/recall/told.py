"""What a session was told by boot and by recall, kept as digests of words, so that recall repeats nothing."""

from __future__ import annotations

from agentws import features
from agentws.core.formats import digest
from agentws.core.journal import recall_marks
from agentws.features.search.plan import shingles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.stores.stores import Stores

_RECALLED = "recalled"
_DIGITS = 10


class Told:
    """The texts that a session was told, as digests.

    Fields:
        at: the day and minute (ISO, local) of its first boot; newer entries were made while it ran.
        paths: the files that its host loads whole.
        marks: digests of three words in a row.
    """

    __slots__ = ("at", "marks", "paths")

    def __init__(self) -> None:
        self.at = ""
        self.paths: set[str] = set()
        self.marks: set[str] = set()

    def has(self, text: str) -> bool:
        """Return whether the session was told a text."""
        return shingles.is_in(_digests(text), self.marks)


def note_boot(
    stores: Stores, session: str, text: str, *, host: str, part: int | None = None, elsewhere: bool = False
) -> None:
    """Note the boot text, or the `part` of it, that a session was told."""
    name = str(part or 1)
    local = stores.here()
    at = recall_marks.read(stores.files, session, name).get("at") or f"{local.day}T{local.time}"
    paths = [] if elsewhere else sorted(_loaded(stores, host))
    marks = "".join(dict.fromkeys(_digests(text)))
    if part in (None, 1):
        recall_marks.sweep(stores.files, local.second)
    recall_marks.write(stores.files, session, name, {"at": at, "paths": paths, "marks": marks})


def note_recall(stores: Stores, session: str, texts: Iterable[str]) -> None:
    """Note the entries that a session was told by a recall."""
    before = str(recall_marks.read(stores.files, session, _RECALLED).get("marks", ""))
    marks = "".join(mark for text in texts for mark in _digests(text))
    recall_marks.write(stores.files, session, _RECALLED, {"marks": before + marks})


def of_session(stores: Stores, session: str) -> Told | None:
    """Return what a session was told by boot and recall; None if its boot is unknown."""
    status = Told()
    for fields in recall_marks.of_session(stores.files, session):
        marks, paths, at = str(fields.get("marks", "")), fields.get("paths"), str(fields.get("at", ""))
        status.marks.update(marks[start : start + _DIGITS] for start in range(0, len(marks), _DIGITS))
        status.paths.update(map(str, paths if isinstance(paths, list) else ()))
        status.at = min(filter(None, (status.at, at)), default="")
    return status if status.at else None


def forget(stores: Stores, session: str) -> None:
    """Forget what a session was told, once it is over."""
    recall_marks.forget(stores.files, session)


def _digests(text: str) -> list[str]:
    return [digest.quick(name.encode("utf-8", "replace"))[:_DIGITS] for name in shingles.of(text)]


def _loaded(stores: Stores, host: str) -> set[str]:
    from agentws.core.disk.inspect import scan
    from agentws.core.hosts import loading

    is_shared = stores.audience() != "main"
    return loading.loaded(features.host(host), scan.Folder(stores.whole.files), shared=is_shared).whole
