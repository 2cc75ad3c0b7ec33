"""List the entries of kept-out texts, end some, and add those of `forget`."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core.formats.kept_out import FORGOTTEN, Entry
from agentws.core.stores import kept_out
from agentws.core.stores.stores import Stores
from agentws.core.text import words
from agentws.features.forget.plan.wanted import Wanted


def entries(stores: Stores) -> list[Entry]:
    """Return what is kept out of the workspace, the oldest first."""
    kept = kept_out.read(stores)
    return sorted(kept.entries if kept is not None else (), key=lambda entry: (entry.at, entry.id))


def lift(stores: Stores, *ids: str) -> list[Entry]:
    """End the entries with these ids, so that their texts may be written again; return them.

    NeedsYouError for an agent, UsageError for an id of no entry.
    """
    stores.check_writable()
    named = kept_out.named(stores, ids)
    kept_out.lift(stores, named)
    return named


def keep_out(stores: Stores, wanted: Wanted, lines: Sequence[str]) -> list[str]:
    """Keep the wanted texts out, durably; `lines` are what is about to be removed. Return the ids of new entries."""
    new = [(forms, FORGOTTEN, None) for forms in wanted.forms(lines)]
    return [entry.id for entry in kept_out.add(stores, new)]


def broad(wanted: Wanted) -> list[str]:
    """Return the wanted texts of a single word, which keep out every line with that word."""
    return [text for text in (*wanted.matching, *wanted.subjects) if words.count(text) == 1]
