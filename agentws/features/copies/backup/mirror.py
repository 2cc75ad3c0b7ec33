"""backup mirror: what the newest backup lacks, copied beside it after each session."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core.disk import tombstone
from agentws.core.formats import layout
from agentws.core.text import sh
from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.copies.backup import destinations
from agentws.features.copies.backup.store.mirror import known as mirrors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.backups import Known
    from agentws.core.stores.stores import Stores

_TIMEOUT_S, _ASIDE_TIMEOUT_S = 1.0, 10.0
_NONE = "To make the first backup: agentws backup create FOLDER"


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A mirror at the destination `to`: how many `events`, `documents` and `bytes` were copied now.

    `follows` is the backup that it goes on from. `wrong` says what was not copied and why, `failed` why nothing was.
    """

    to: str
    follows: str = ""
    at: str = ""
    events: int = 0
    documents: int = 0
    bytes: int = 0
    wrong: tuple[str, ...] = ()
    failed: str = ""
    hint: str = ""
    notices: tuple[str, ...] = ()


def mirror(stores: Stores, to: str | None = None, *, on: bool | None = None) -> list[Mirrored]:
    """Copy to `to`, else to every folder that has a backup and takes mirrors, what its newest backup lacks.

    `on` says whether these folders take a mirror from now on; where they do not, nothing is copied.
    One that fails is told in its `failed`, where there are others; else its error is raised. MissingFileError where
    there is no destination, UsageError for one that takes none.
    """
    stores.check_adopted()
    if stores.files.exists(layout.MOVED):
        tombstone.check(stores.files)
    if on is not None:
        _switch(stores, to, on=on)
    if on is False:
        return []
    wanted = _wanted(stores, to)
    done = []
    for one in wanted:
        try:
            done.append(_mirrored(stores, one, _TIMEOUT_S))
        except AgentwsError as error:
            if len(wanted) == 1:
                raise
            done.append(Mirrored(one.to, failed=error.message, hint=error.hint or ""))
    return done


def mirror_aside(stores: Stores) -> None:
    """Bring the mirrors up to date where nobody listens: what fails is remembered, and told by `status`."""
    if not stores.adopted or stores.files.exists(layout.MOVED):
        return
    for one in mirrors.destinations(stores):
        try:
            _mirrored(stores, one, _ASIDE_TIMEOUT_S)
        except AgentwsError:
            continue


def _switch(stores: Stores, to: str | None, *, on: bool) -> None:
    for one in destinations.named(stores, to):
        if not one.name:
            raise MissingFileError(f"{one.to} is not a known destination.", hint=_NONE)
        destinations.keep(stores, one.to, lambda now: setattr(now, "mirror", "" if on else "off"))


def _wanted(stores: Stores, to: str | None) -> list[Known]:
    present = mirrors.destinations(stores)
    if to is not None:
        named = destinations.named(stores, to)[0]
        if not named.to.startswith("/"):
            raise UsageError(f"{named.to} is not a folder.", hint="Only a folder can hold a mirror.")
        present = [one for one in present if one.to == named.to]
        if not present and named.name:
            raise UsageError(
                f"Mirrors to {named.to} are off.",
                hint=f"To switch it on: agentws backup mirror {sh.quote(named.to)} --on",
            )
    if not present:
        raise MissingFileError("No backup destination takes a mirror.", hint=_NONE)
    return present


def _mirrored(stores: Stores, one: Known, timeout_s: float) -> Mirrored:
    run, copied = mirrors.update(stores, one, timeout_s=timeout_s)
    return Mirrored(
        one.to,
        run.state.follows,
        one.mirrored["at"],
        run.events,
        run.documents,
        copied,
        tuple(run.wrong),
        notices=tuple(stores.notices),
    )
