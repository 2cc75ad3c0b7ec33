"""Metadata of a fact in the words of frameworks, as the options of `remember`."""

from __future__ import annotations

from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_OPTIONS = {"source": "via", "section": "section", "about": "about"}


def options(metadata: Mapping[str, str | None], given: Mapping[str, str | None]) -> tuple[str | None, ...]:
    """Return via, section and about, from `metadata` where they are not `given`; UsageError for another key."""
    told = dict(given)
    for key, value in metadata.items():
        if key not in _OPTIONS:
            raise UsageError(f"Unknown key of metadata: {key!r}.", hint=f"Choose one of: {', '.join(_OPTIONS)}.")
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{key} of metadata must be a text.")
        told[_OPTIONS[key]] = told[_OPTIONS[key]] or value
    return tuple(told[name] for name in _OPTIONS.values())
