"""Errors for optional packages, which an extra of agentws installs."""

from __future__ import annotations

from contextlib import contextmanager

from agentws.errors import MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Raise MissingFileError with the extra to install if an import within lacks one of its packages."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "agentws":
            raise
        hint = f"pip install 'agentws[{extra}]'"
        raise MissingFileError(f"A Python package is not usable: {error}.", hint=hint) from None
