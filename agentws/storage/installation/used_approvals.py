"""The approvals that this installation has used, in its state: an older copy of the workspace does not know of them."""

from __future__ import annotations

from agentws.storage.installation import state_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files
    from agentws.storage.installation.state_dir import State

_NAME, _KEY = "used-approvals", "used"
_MOST = 2_000
"""The newest are kept; what is older is bounded by its expiry, or not at all."""
_LIST_BYTES = 1 << 20


def read(files: Files, agent: str, state: State) -> list[str]:
    """Return `ID DIGEST` of each, the oldest first; none where nothing can be read. DiskError where the disk fails."""
    found = state_file.read(
        files, agent, state, _NAME, lambda told: list(map(str, told[_KEY])), limit_bytes=_LIST_BYTES
    )
    return found or []


def add(files: Files, agent: str, state: State, id: str, action_digest: str) -> None:
    """Remember one more, durably."""
    used = [*read(files, agent, state), f"{id} {action_digest}"][-_MOST:]
    state_file.replace(files, agent, state, _NAME, {"agentws": 1, _KEY: used}, limit_bytes=_LIST_BYTES, indent=2)
