"""The files with rules that count for a workspace: those of this machine, and its own where they are signed."""

from __future__ import annotations

from agentws.errors import DamagedError, MissingFileError
from agentws.formats import layout
from agentws.formats.identity.approver import RULES_NAMESPACE
from agentws.storage.identity import approvers
from agentws.storage.system import ask_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

_MOST_BYTES = 1 << 18


def texts(stores: Stores) -> list[tuple[str, str]]:
    """(path, text) of each file that counts and may hold rules; DamagedError where one cannot be read."""
    found = ask_rules.texts(stores.environment.config)
    if stores.whole.files.exists(layout.RULES):
        text, why = signed(stores)
        found += [] if why else [(layout.RULES, text)]
    return found


def unsigned(stores: Stores) -> list[str]:
    """Return why the rules of the workspace do not count, nothing where they do or there are none."""
    if not stores.whole.files.exists(layout.RULES):
        return []
    _, why = signed(stores)
    return [f"{layout.RULES} does not count: {why}"] if why else []


def signed(stores: Stores) -> tuple[str, str]:
    """(text, why not) of the rules of the workspace: they count where a key that counts has signed them."""
    files = stores.whole.files
    data = files.read(layout.RULES, limit_bytes=_MOST_BYTES)
    try:
        signature = files.read(layout.RULES_SIGNATURE, limit_bytes=_MOST_BYTES).decode("ascii", "replace")
    except MissingFileError:
        return "", "it is not signed."
    pinned = approvers.of(files, stores.manifest.agent_id, stores.environment.state)
    _, why = pinned.proof(signature, data, namespace=RULES_NAMESPACE)
    if why:
        return "", f"{why}."
    try:
        return data.decode(), ""
    except UnicodeDecodeError as error:
        raise DamagedError(f"{layout.RULES}: not UTF-8.", hint="Correct and sign the file.") from error
