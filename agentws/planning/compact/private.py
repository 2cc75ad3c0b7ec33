"""Lines that are copied nowhere: private ones, and those that contain a secret. They stay in their log. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats.markdown import notes
from agentws.formats.secrets import named, secrets

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.planning.notes.entry import Entry


def tags(private_tags: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of private entries, in lower case: the manifest's and our own."""
    return ("private", "secret", *(tag.lstrip("#").casefold() for tag in private_tags))


def is_private(entry: Entry, private_tags: Collection[str], known: named.Secrets) -> bool:
    """Return whether an entry is private or contains a secret; `known` are values that another line calls secret."""
    labels = [*private_tags]
    if entry.kind in labels or notes.has_label("\n".join((*entry.headings, entry.whole)), labels):
        return True
    if any(map(named.is_of_secrets, entry.headings)):
        return True
    return bool(secrets.find(entry.text)) or known.stand_in(entry.text)
