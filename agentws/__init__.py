"""Keeps an AI agent's memory in plain files. `Workspace` is the library; the command line is `agentws`."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["AgentwsError", "Workspace", "__version__"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.errors import AgentwsError
    from agentws.workspace import Workspace


def __getattr__(name: str) -> object:
    """Import `Workspace` and `AgentwsError` when they are first asked for: `boot` and `log` need neither."""
    if name == "Workspace":
        from agentws.workspace import Workspace

        return Workspace
    if name == "AgentwsError":
        from agentws.errors import AgentwsError

        return AgentwsError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
