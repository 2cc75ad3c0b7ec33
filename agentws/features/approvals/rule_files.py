"""Finds the rule files that count for a workspace: those of this machine, and the workspace's own if it is signed."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.identity.approver import RULES_NAMESPACE
from agentws.core.identity import approvers
from agentws.core.stores.stores import Stores
from agentws.errors import DamagedError, MissingFileError, TooLargeError, UnsafeFileError
from agentws.features.approvals import rules_cache as ask_rules

_MOST_BYTES = 1 << 18
UNPROVED = f"{layout.RULES} (not proved)"
"""The name of the workspace's rules if this user id may use the key that signed them: they rank like its own."""


def texts(stores: Stores) -> list[tuple[str, str]]:
    """Return (path, text) of each rule file that counts; DamagedError if one cannot be read."""
    result = ask_rules.texts(stores.environment.config)
    if stores.whole.files.exists(layout.RULES):
        text, why = _signed(stores)
        if text is not None:
            result.append((UNPROVED if why else layout.RULES, text))
    return result


def unsigned(stores: Stores) -> list[str]:
    """Return why the rule file of the workspace does not count, or not fully; empty if it does, or there is none."""
    if not stores.whole.files.exists(layout.RULES):
        return []
    text, why = _signed(stores)
    counts = "does not count" if text is None else "still denies and asks, but cannot allow"
    return [f"{layout.RULES} {counts}: {why}."] if why else []


def _signed(stores: Stores) -> tuple[str | None, str]:
    """Return (text, why) of the workspace's rules: None if no pinned key has signed them; why no person is proved.

    The signature is checked first: a file that a stranger put there is not read, and stops nothing. If the key proves
    no person, the rules still deny and ask: else making that key usable would lift them.
    """
    files = stores.whole.files
    try:
        signature = files.read(layout.RULES_SIGNATURE, limit_bytes=_MOST_BYTES).decode("ascii", "replace")
    except MissingFileError:
        return None, "it is not signed"
    except (UnsafeFileError, TooLargeError) as error:
        return None, error.message.removesuffix(".")
    pinned = approvers.of(files, stores.manifest.agent_id, stores.environment.state)
    key, why = pinned.signer(signature, namespace=RULES_NAMESPACE)
    if key is None:
        return None, why
    try:
        data = files.read(layout.RULES, limit_bytes=_MOST_BYTES)
    except UnsafeFileError as error:
        return None, error.message.removesuffix(".")
    except TooLargeError:
        return None, f"it is larger than {_MOST_BYTES >> 10} KiB"
    key, why = pinned.proof(signature, data, namespace=RULES_NAMESPACE)
    if key is None:
        return None, why
    try:
        return data.decode(), why
    except UnicodeDecodeError as error:
        raise DamagedError(f"{layout.RULES}: not UTF-8.", hint="Correct and sign the file.") from error
