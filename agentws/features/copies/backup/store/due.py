"""The calls of `forget` and `journal purge` still to be carried out at a destination of backups.

They are kept as salted digests in the state of this installation, so that a re-run of the command is recognised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from agentws.core.formats import digest
from agentws.core.formats.travel import backup
from agentws.core.installation import backups
from agentws.core.installation.backups import Known
from agentws.core.journal import stamp
from agentws.core.stores.stores import Stores
from agentws.core.text.names import some
from agentws.errors import AgentwsError

_MOST = 64
FORGET, PURGE = "agentws forget", "agentws journal purge"


def remember(
    stores: Stores, reached: Mapping[str, bool], words: Collection[str], *, run: str, verb: str = FORGET
) -> list[str]:
    """Record the call as pending at each destination that was not reached, and as done at the others; return notices.

    `words` identify the call.
    """
    notices = []
    for destination in backups.read(*stores.machine):
        if destination.to not in reached:
            continue
        salt = stamp.salt()
        call = {"at": run, "verb": verb, "salt": salt, "words": _sealed(words, salt)}
        new = [] if reached[destination.to] else [call]
        if new or any(_is(each, words) for each in destination.due):
            renew = partial(_renew, words, new)
            try:
                backups.write(*stores.machine, destination.to, renew)
            except AgentwsError as error:
                notices.append(f"Pending removals in {destination.to} were not remembered: {error.message}")
    return notices


def _renew(words: Collection[str], new: list[dict[str, Any]], now: Known) -> None:
    now.due = [*(each for each in now.due if not _is(each, words)), *new][-_MOST:]


def prune(destination: Known, names: Iterable[str]) -> None:
    """Drop the pending calls that are older than all backups (`names`) of a destination."""
    moments = [backup.moment_of(name) for name in names]
    destination.due = [
        due
        for due in destination.due
        if any(moment <= datetime.fromisoformat(str(due["at"]).replace("Z", "+00:00")) for moment in moments)
    ]


def asked(destination: Known) -> list[str]:
    """Return a notice about the pending calls of a destination."""
    if not destination.due:
        return []
    when = some(dict.fromkeys(str(due["at"])[:10] for due in destination.due))
    verbs = " or ".join(dict.fromkeys(str(due.get("verb") or FORGET) for due in destination.due))
    return [
        f"Older backups in {destination.to} may contain what was forgotten on {when}. "
        f"Re-run that {verbs} with --copies."
    ]


def _is(due: dict[str, Any], words: Collection[str]) -> bool:
    """Return whether a pending call has the same words, or some of them."""
    value = due.get("words")
    return isinstance(value, list) and {*value} <= {*_sealed(words, str(due.get("salt")))}


def _sealed(words: Collection[str], salt: str) -> list[str]:
    return [digest.of(f"{salt} {word}".encode("utf-8", "surrogateescape")) for word in words]
