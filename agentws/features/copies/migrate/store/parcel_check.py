"""The check of a waiting parcel: whether it is what was sent, and its key may sign for the agent."""

from __future__ import annotations

from functools import partial

from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.formats.travel import parcel_signature
from agentws.core.formats.travel.inventory import FILE
from agentws.core.identity import vouch
from agentws.core.installation import keys
from agentws.core.journal.sealing.seal import Signers
from agentws.errors import OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from agentws.core.formats.travel.inventory import TreeEntry
    from agentws.core.formats.travel.parcel_signature import Signed

UNSIGNED = "The copy has no signature: an older agentws, a machine without a key, or someone else sent it."


class Checked:
    """The check of a parcel: the `code` that stands for it and its key; the fingerprint of its `signer`, else why
    it is `unsigned`; and what tells whether that key is `known` somewhere, None where there is none.
    """

    __slots__ = ("code", "known", "signer", "unsigned")

    def __init__(self, code: str) -> None:
        self.code = code
        self.signer = ""
        self.unsigned = UNSIGNED
        self.known: Callable[..., bool] | None = None


def check(told: dict[str, Any], sent: Sequence[TreeEntry], read: Callable[[TreeEntry], bytes]) -> Checked:
    """Compare what is there with what was signed; `read` gives a file of it. ValueError says what is wrong with it."""
    found = parcel_signature.of(sent, told)
    agent, migration = told["agent"], told["migration"]
    if not told.get(parcel_signature.FIELD):
        return Checked(found.code(agent, migration))
    signed = parcel_signature.read(told)
    same = signed is not None and (found.inventory, found.told) == (signed.inventory, signed.told)
    if signed is None or not same or bool(signed.signature) != bool(signed.key):
        raise ValueError("the content differs from what was sent")
    checked = Checked(signed.code(agent, migration))
    if signed.signature:
        _check_key(checked, signed, told, {entry.path: entry for entry in sent if entry.kind == FILE}, read)
    return checked


def _check_key(
    checked: Checked,
    signed: Signed,
    told: dict[str, Any],
    held: dict[str, TreeEntry],
    read: Callable[[TreeEntry], bytes],
) -> None:
    texts = {
        path: read(held[path]).decode("utf-8", "replace") if path in held else ""
        for path in (layout.SIGNERS, layout.WRITERS)
    }
    agent, token = told["agent"], told.get("token")
    signers = Signers(writer.signers(texts[layout.SIGNERS]))
    if not signers.allow(signed.by, signed.key):
        raise ValueError(f"{layout.SIGNERS} does not list the key that signed the copy")
    if isinstance(token, dict) and (token.get("by"), token.get("key")) != (signed.by, signed.key):
        raise ValueError("the copy and its one-time token were signed with different keys")
    try:
        good = keys.verify(signed.signature, signed.message(agent, told["migration"]), public=signed.key)
    except OutsideProgramError as error:
        checked.unsigned = error.message
        return
    if not good:
        raise ValueError("the signature of the copy is invalid")
    checked.signer, checked.unsigned = writer.fingerprint(signed.key), ""
    lines = writer.lines(texts[layout.WRITERS])
    checked.known = partial(vouch.is_known, agent, lines, signers, signed.by, signed.key)
