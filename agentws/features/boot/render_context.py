"""Output of the context verbs: lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.formats.documents.context import VirtualContext
    from agentws.features.boot.context import ContextChange, ContextList


def contexts_fields(found: ContextList) -> dict[str, object]:
    """Return the fields of `agentws/context-list@1`."""
    return {
        "in_use": found.in_use or None,
        "contexts": [context_fields(one) for one in found.contexts],
        "notices": found.notices,
    }


def contexts_lines(found: ContextList) -> Iterator[str]:
    """Return the contexts, one a line."""
    if not found.contexts and not found.unread:
        yield "No contexts yet. Create one: agentws context new NAME"
    for one in found.contexts:
        yield f"{'*' if one.name == found.in_use else ' '} {one.name:<20} {', '.join(one.files) or 'no files'}"


def context_fields(found: VirtualContext) -> dict[str, object]:
    """Return the fields of `agentws/context-show@1`."""
    return {
        **output.fields(found, "name files tags tasks src?"),
        "text": found.body.strip(),
    }


def context_lines(found: VirtualContext) -> Iterator[str]:
    """Yield the lines of a context in full."""
    yield f"context {found.name}"
    for label, values in (("files", found.files), ("tags", found.tags), ("tasks", found.tasks)):
        yield f"  {label:<6} {', '.join(values) or 'none'}"
    if found.src:
        yield f"  via    {found.src}"
    yield ""
    yield found.body.strip()


def changed_fields(done: ContextChange) -> dict[str, object]:
    """Return the fields of `agentws/context-new@1` and `agentws/context-use@1`."""
    return output.fields(done, "name? paths dry_run notices")


def changed_lines(done: ContextChange, word: str) -> Iterator[str]:
    """Yield the lines about a changed context."""
    if not done.paths:
        already = f"Context {done.name} is already {word}" if done.name else "No context was in use"
        yield f"{already}. Nothing was changed."
    elif done.dry_run:
        yield f"Would change {names.some(done.paths)}. Nothing was changed."
    else:
        yield f"Context {done.name or 'none'} is {word}: {names.some(done.paths)}"
