"""The files with rules that count for a workspace: those of this machine, and its own where they are signed."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.identity.approver import RULES_NAMESPACE
from agentws.core.identity import approvers
from agentws.errors import DamagedError, MissingFileError, TooLargeError, UnsafeFileError
from agentws.features.approvals import rules_cache as ask_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores

_MOST_BYTES = 1 << 18
UNPROVED = f"{layout.RULES} (not proved)"
"""The name of the rules of the workspace that a key signed which this user id may use: worth no more than its own."""


def texts(stores: Stores) -> list[tuple[str, str]]:
    """(path, text) of each file that counts and may hold rules; DamagedError where one cannot be read."""
    found = ask_rules.texts(stores.environment.config)
    if stores.whole.files.exists(layout.RULES):
        signed = _signed(stores)
        if signed.text is not None:
            found.append((layout.RULES if not signed.why else UNPROVED, signed.text))
    return found


def unsigned(stores: Stores) -> list[str]:
    """Return why the rules of the workspace do not count, or not in all; nothing where they do or there are none."""
    if not stores.whole.files.exists(layout.RULES):
        return []
    signed = _signed(stores)
    counts = "does not count" if signed.text is None else "still denies and asks, but cannot allow"
    return [f"{layout.RULES} {counts}: {signed.why}."] if signed.why else []


class _Signed:
    """The rules of the workspace: their `text` (None where they do not count) and `why` they are not a person's."""

    __slots__ = ("text", "why")

    def __init__(self, text: str | None, why: str = "") -> None:
        self.text = text
        self.why = why


def _signed(stores: Stores) -> _Signed:
    """The rules of the workspace, which a pinned key has signed.

    The signature is looked at first: whatever a stranger put there is not read, and stops nothing. Where the key that
    signed proves no person, the rules still stop what they are about: else that key made usable would lift them.
    """
    files = stores.whole.files
    try:
        signature = files.read(layout.RULES_SIGNATURE, limit_bytes=_MOST_BYTES).decode("ascii", "replace")
    except MissingFileError:
        return _Signed(None, "it is not signed")
    except (UnsafeFileError, TooLargeError) as error:
        return _Signed(None, error.message.removesuffix("."))
    pinned = approvers.of(files, stores.manifest.agent_id, stores.environment.state)
    key, why = pinned.signer(signature, namespace=RULES_NAMESPACE)
    if key is None:
        return _Signed(None, why)
    try:
        data = files.read(layout.RULES, limit_bytes=_MOST_BYTES)
    except UnsafeFileError as error:
        return _Signed(None, error.message.removesuffix("."))
    except TooLargeError:
        return _Signed(None, f"it is larger than {_MOST_BYTES >> 10} KiB")
    key, why = pinned.proof(signature, data, namespace=RULES_NAMESPACE)
    if key is None:
        return _Signed(None, why)
    try:
        return _Signed(data.decode(), why)
    except UnicodeDecodeError as error:
        raise DamagedError(f"{layout.RULES}: not UTF-8.", hint="Correct and sign the file.") from error
