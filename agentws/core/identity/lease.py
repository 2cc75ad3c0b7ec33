"""The lease, which lets one machine write at a time: its holder at each remote, as last asked.

Kept in the state of the installation, as the remotes are, so removing a folder does not free it. Read at each write and
each boot if `sync.lease` is set; no remote is asked. Specified in docs/format/local.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentws.core.disk.files import Files
from agentws.core.installation import installation
from agentws.core.installation.state_dir import State
from agentws.errors import AgentwsError, MayNotWriteError, MissingFileError

OFF, REQUIRE = "off", "require"
SETTING = "sync.lease"
TAKE = "To write here: agentws sync lease take"
_NAME = "lease"
_MOST_BYTES = 1 << 16
_NOBODY = "-"


def check(files: Files, agent: str, state: State, mode: str) -> str:
    """Return a notice if this machine does not hold the lease; MayNotWriteError if the lease is required."""
    says = said(files, agent, state)
    if says and mode == REQUIRE:
        raise MayNotWriteError(f"Nothing was written: {says}", hint=TAKE)
    return f"{says} {TAKE}" if says else ""


def said(files: Files, agent: str, state: State) -> str:
    """Return a sentence about the lease's holder, empty if this machine holds it or syncs with no remote."""
    own = installation.find(files, agent, state)
    holders = _read(own.folder if own is not None else installation.place(files, agent, state))
    if not holders and not _is_synced(files, agent, state):
        return ""
    holder = deciding(holders, own.writer if own is not None else "")
    if own is not None and holder == own.writer:
        return ""
    if not holder:
        return "This machine does not hold the lease."
    from agentws.core.identity import writers

    host = next((line.host for line in writers.lines(files) if line.writer == holder), "")
    return f"The lease is held by {host or holder}."


def deciding(holders: Mapping[str, str], own: str) -> str:
    """Return the writer that may write: another one if it holds the lease at any remote, else the `own` one if it does,
    else nobody (empty).
    """
    others = [holder for holder in holders.values() if holder not in ("", own)]
    return next(iter(others), own if own in holders.values() else "")


def held(files: Files, agent: str, state: State) -> dict[str, str]:
    """Return the writer that held the lease of each remote, as last asked; empty for nobody."""
    return _read(installation.place(files, agent, state))


def keep(files: Files, agent: str, state: State, url: str, holder: str | None) -> None:
    """Save the holder of a remote's lease; None if the remote was removed."""
    known = held(files, agent, state)
    holders = {name: each for name, each in known.items() if name != url}
    if holder is not None:
        holders = {**known, url: holder}
    if holders == known:
        return
    text = "".join(f"{each or _NOBODY} {place}\n" for place, each in holders.items())
    try:
        own = Files(installation.place(files, agent, state))
        own.replace(_NAME, text.encode("utf-8", "surrogateescape"), expects=own.digest(_NAME))
    except AgentwsError:
        return  # the next sync asks again


def _read(folder: str) -> dict[str, str]:
    try:
        text = Files(folder).read(_NAME, limit_bytes=_MOST_BYTES).decode("utf-8", "surrogateescape")
    except MissingFileError:
        return {}
    rows = (line.partition(" ") for line in text.split("\n") if line)
    return {url: "" if holder == _NOBODY else holder for holder, _, url in rows}


def _is_synced(files: Files, agent: str, state: State) -> bool:
    from agentws.core.installation import remotes

    return bool(remotes.read(files, agent, state))
