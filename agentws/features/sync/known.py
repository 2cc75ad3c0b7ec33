"""The remotes that this installation syncs with: list, record and detach them."""

from __future__ import annotations

import contextlib
import os
import shutil

from agentws.core.disk import local_dir
from agentws.core.identity import lease
from agentws.core.installation import own_records, remotes, scope_changes
from agentws.core.installation.remotes import Known
from agentws.core.states.private import FOLDER
from agentws.core.stores import marks
from agentws.core.stores.stores import Stores
from agentws.errors import MissingFileError, UsageError

Remote = remotes.Known
_NONE = "To name the first one: agentws sync REMOTE"


def known(stores: Stores) -> list[Known]:
    """Return the remotes that this installation knows."""
    return remotes.read(*stores.machine)


def named(stores: Stores, url: str | None) -> list[Known]:
    """Return the remote at `url`, new or known; without `url`, all known remotes.

    MissingFileError if none is known, or a new one is a path where nothing is; UsageError for a remote inside the
    workspace.
    """
    present = known(stores)
    if url is None:
        if not present:
            raise MissingFileError("No remote is known.", hint=_NONE)
        return present
    if os.path.isabs(url) and f"{os.path.realpath(url)}/".startswith(f"{os.path.realpath(stores.root)}/"):
        raise UsageError(f"{url} is inside the workspace.", hint="Name a folder on another disk, or a repository.")
    stored = next((remote for remote in present if remote.url == url), None)
    if stored is None:
        check_exists(url)
    if stored is None:  # it may hold all that was ever forgotten here
        stored = remotes.Known(url)
        stored.renew = " ".join(forgotten_calls(stores))
    return [stored]


def check_exists(url: str) -> None:
    """Raise MissingFileError for a path where nothing is; a known remote there may be on a disk that is not mounted."""
    path = url.removeprefix("file://")
    if os.path.isabs(path) and not os.path.lexists(path):
        raise MissingFileError(f"{path}: not found.", hint="Create the folder, or mount the disk, and re-run.")


def fresh(stores: Stores, remote: Known) -> Known:
    """Return the current record of a remote; a remote without one is returned unchanged."""
    return next((each for each in known(stores) if each.url == remote.url), remote)


def forgotten_calls(stores: Stores) -> list[str]:
    """Return the calls of `forget` that this machine knows of."""
    return own_records.read_forgotten(*stores.machine).calls


def keep(stores: Stores, remote: Known, *, is_renewed: bool = False) -> None:
    """Store the record of a remote; calls of `forget` made meanwhile stay pending for its renewal."""
    done = remote.renew.split() if is_renewed else []
    new = [] if remote.url in [each.url for each in known(stores)] else forgotten_calls(stores)

    def kept(present: list[Known]) -> list[Known]:
        stored = next((each for each in present if each.url == remote.url), None)
        due = stored.renew.split() if stored is not None else new
        remote.renew = " ".join(each for each in due if each not in done)
        return [remote if each is stored else each for each in (present if stored else [*present, remote])]

    remotes.update(*stores.machine, kept)


def put_back(stores: Stores) -> None:
    """Drop the state that each remote and this machine had in common: our files are older."""

    def dropped(present: list[Known]) -> list[Known]:
        for remote in present:
            remote.commit = ""
        return present

    remotes.update(*stores.machine, dropped)


def pass_on(stores: Stores, remote: Known, forgets: tuple[str, ...]) -> None:
    """Mark the other remotes, also future ones, for renewal for the calls of `forget` that this remote has carried out.

    Calls noted earlier were passed on before: else two remotes would pass them on to each other for ever.
    """
    noted = {_call(each) for each in own_records.read_forgotten(*stores.machine).calls}
    new = tuple(each for each in forgets if _call(each) not in noted)
    if new:
        remotes.renew(*stores.machine, new, but=remote.url)
        # Last: a run that is killed before this passes it on again.
        own_records.note_forgotten(*stores.machine, new)


def _call(text: str) -> str:
    """Return a call of `forget` without its writer prefix; calls made here have none."""
    return text.rpartition("/")[2]


def listed(stores: Stores, url: str | None) -> list[Known]:
    """Return the known remote at `url`; without `url`, all. MissingFileError for an unknown one names the known."""
    present = known(stores)
    places = [remote for remote in present if url in (None, remote.url)]
    if not places and url is not None:
        names = ", ".join(remote.url for remote in present) or "none"
        raise MissingFileError(f"{url} is not a known remote.", hint=f"Known remotes: {names}.")
    if not places:
        raise MissingFileError("No remote is known.", hint=_NONE)
    return places


def detach(stores: Stores, remote: str) -> Known:
    """Stop syncing with a remote; the states there stay. MissingFileError for an unknown remote."""
    place = listed(stores, remote)[0]
    drop(stores, place)
    lease.keep(*stores.machine, place.url, None)
    if stores.manifest.setting(lease.SETTING) != lease.OFF:
        stores.notices.append("The lease of that remote no longer counts on this machine.")
    left = known(stores)
    if not left:  # what was forgotten meanwhile would stay in there
        _clear(f"{stores.root}/{FOLDER}")
    if place.renew:  # what was kept of it for that goes with the next sync of another one
        remotes.renew(*stores.machine, place.renew.split())
    return place


def drop(stores: Stores, remote: Known) -> None:
    """Remove the record of a remote."""
    remotes.update(*stores.machine, lambda present: [each for each in present if each.url != remote.url])
    note_held(stores)


HELD = "this machine requires a vouch"
"""The beginning of the message if a state of an unknown writer stops the sync."""


def note_held(stores: Stores) -> None:
    """Leave in `.agentws/` what boot says of the remotes that a state of an unknown writer stops; nothing for none."""
    parts = [remote.failed.partition("\n")[0].partition(" ")[2] for remote in known(stores) if HELD in remote.failed]
    marks.leave(stores.files, local_dir.SYNC_HELD, "\n".join(parts))


def _clear(folder: str) -> None:
    """Remove the local data of syncs, except the note of settings that nobody here has agreed to."""
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        at = f"{folder}/{name}"
        if os.path.isdir(at) and not os.path.islink(at):
            shutil.rmtree(at, ignore_errors=True)
        elif at != f"{folder}/{os.path.basename(scope_changes.FILE)}":
            with contextlib.suppress(OSError):
                os.unlink(at)
