"""The part of a drill on another machine: send the restored backup there, compare, boot, verify and remove it."""

from __future__ import annotations

import os

from agentws.core.formats.travel.inventory import TreeEntry
from agentws.errors import AgentwsError, UsageError
from agentws.features.copies.migrate.plan import destination
from agentws.features.copies.transfer import tree
from agentws.features.copies.transfer.copying import Copying, reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.ports import Transport
    from agentws.features.copies.migrate.plan.destination import Destination

_ID_BYTES = 4
_MODE = 0o700
_NO_PROGRAM = "agentws was not found there: install it, or put it on the PATH of ssh"


def machine(on: str) -> Destination:
    """Return the machine that `on` (`user@host`) names; UsageError if it names none."""
    found = destination.parse(f"{on}:agent") if ":" not in on.rpartition("]")[2] else None
    if found is None or not found.host:
        raise UsageError(f"--on {on!r} does not name a machine.", hint="Write user@host, as for ssh.")
    return found


def tried(path: str, on: Destination, *, damaged: bool) -> list[tuple[str, str]]:
    """Try the restored workspace at `path` on another machine; return its problems as (place, problem).

    The journal of a backup noted as `damaged` is not verified.
    """
    try:
        with reach(on.host, on.user) as far:
            wrong = _sent(path, far)
            return [(f"{on.login}: {where}", what) for where, what in wrong or _proved(far, damaged=damaged)]
    except AgentwsError as error:
        return [(on.login, error.message)]


def _sent(path: str, far: Transport) -> list[tuple[str, str]]:
    """Send a copy to the other machine; return the files that arrived different."""
    far.look(far.aside(), os.urandom(_ID_BYTES).hex())
    far.prepare("1")
    copy = Copying(tree.Tree(path), far, same=TreeEntry.is_content_of)
    copy.carry(copy.look())
    wrong = [(entry.path, "did not arrive as it was sent") for entry in copy.difference().send]
    if not wrong:
        copy.settle()
        far.place(_MODE, "")
    return wrong


def _proved(far: Transport, *, damaged: bool) -> list[tuple[str, str]]:
    """Boot and verify the copy with the other machine's agentws; return the first problem."""
    for what, ask in (("boot", far.boot), ("journal", far.verify)):
        told = ask() if what == "boot" or not damaged else {"code": 0}
        if told["code"] != 0:
            return [(what, _NO_PROGRAM if told["code"] is None else str(told["said"]) or "it failed")]
    return []
