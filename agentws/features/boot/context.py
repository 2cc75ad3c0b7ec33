"""agentws context: virtual contexts, the extra files and tasks that boot loads."""

from __future__ import annotations

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core import Record, Result
from agentws.core.disk import named
from agentws.core.formats import digest, layout, manifest
from agentws.core.formats.documents import context
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import escape
from agentws.core.stores import seals
from agentws.core.text import letters, names as _names, origin, sanitize, utf8
from agentws.errors import AgentwsError, AmbiguousError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.stores.stores import Stores


class ContextList(Record, Result):
    """The virtual contexts, which one is in use (empty: none), and of each unreadable file why (`unread`)."""

    contexts: list[context.VirtualContext]
    in_use: str
    notices: list[str]
    unread: list[str]


class ContextChange(Record, Result):
    """The result of `context new` or `use`, or of a dry run: the context's name, and the changed paths."""

    name: str
    paths: tuple[str, ...]
    dry_run: bool
    notices: list[str]


def list_contexts(stores: Stores) -> ContextList:
    """Return every virtual context of the workspace, by name."""
    contexts, unread = [], stores.files.in_place_of(layout.CONTEXTS)
    for name in layout.markdown_files(stores.files.listing(layout.CONTEXTS)):
        try:
            contexts.append(_read(stores, name.removesuffix(".md")))
        except AgentwsError as error:
            unread.append(error.notice)
    in_use = stores.manifest.setting("boot.context")
    is_told = stores.shared is None or any(listed.name == in_use for listed in contexts)
    return ContextList(contexts, in_use if is_told else "", [*stores.notices, *unread], unread)


def show_context(stores: Stores, name: str) -> context.VirtualContext:
    """Return the context called `name`, or whose name alone begins so; MissingFileError, AmbiguousError."""
    return _read(stores, _whole(stores, name))


def new_context(
    stores: Stores,
    name: str,
    *,
    files: Sequence[str] = (),
    tags: Sequence[str] = (),
    text: str = "",
    via: str | None = None,
    dry_run: bool = False,
) -> ContextChange:
    """Create the context `name`, its text from the source `via`.

    UsageError if the context exists, SecretRefusedError for a secret.
    """
    secrets.refuse(name, *files, *tags, text, via)
    utf8.check(name, *tags, text)
    src = origin.given(via)
    escape.check_heading(name, what="The name")
    path = _path(name)
    if not dry_run:
        stores.check_writable()
        stores.settle()
    if _names.key(f"{name}.md") in {_names.key(file) for file, _ in stores.files.names(layout.CONTEXTS)}:
        raise UsageError(f"Context {name!r} already exists.", hint=f"Edit {path}, or choose another name.")
    listed = [f"{name}.md", *(file for file, _ in stores.files.names(layout.CONTEXTS))]
    if f"{name}.md" not in layout.markdown_files(listed):
        raise UsageError(f"{name!r} looks like a copy that another program made.", hint="Choose another name.")
    data = context.new(name, files=tuple(files), tags=tuple(tags), text=sanitize.written(text), src=src)
    changes = ChangeSet(f"context new {name}", (Write(path, data, expects=ABSENT),))
    return _apply(stores, name, changes, dry_run=dry_run)


def use_context(stores: Stores, name: str, *, dry_run: bool = False) -> ContextChange:
    """Set the context that boot loads, by name or a unique beginning of it; an empty name: none."""
    stores.check_writable()
    if not dry_run:
        stores.settle()
    name = name and existing(stores, name)
    before = stores.manifest.text
    after = manifest.with_setting(before, "boot.context", name, where=layout.MANIFEST)
    if after == before or stores.manifest.setting("boot.context") == name:
        return ContextChange(name, (), dry_run=dry_run, notices=list(stores.notices))
    write = Write(layout.MANIFEST, after.encode(), expects=digest.of(before.encode()))
    return _apply(stores, name, ChangeSet(f"context use {name or '--none'}", (write,)), dry_run=dry_run)


def _apply(stores: Stores, name: str, changes: ChangeSet, *, dry_run: bool) -> ContextChange:
    if not dry_run:
        stores.apply(changes)
        stores.notices += seals.quietly(stores, due=True)
    return ContextChange(name, tuple(changes.paths), dry_run=dry_run, notices=list(stores.notices))


def _read(stores: Stores, name: str) -> context.VirtualContext:
    path = _path(name)
    try:
        return context.decode(stores.files.read(path), name=name, where=path)
    except MissingFileError:
        raise _missing(stores, name) from None


def _whole(stores: Stores, name: str) -> str:
    """Return the name that begins so, or the given one if none does; AmbiguousError if several do."""
    _path(name)
    candidates = named.candidates(stores.files, layout.CONTEXTS, name)
    if len(candidates) > 1:
        hint = f"Type more of the name: {_names.some(candidates, 10)}."
        raise AmbiguousError(f"{len(candidates)} contexts begin with {name!r}.", hint=hint)
    return candidates[0] if candidates else name


def existing(stores: Stores, name: str) -> str:
    """Return the name of the context that is called so, or whose name alone begins so.

    MissingFileError, AmbiguousError.
    """
    if not stores.files.exists(_path(whole := _whole(stores, name))):
        raise _missing(stores, whole)
    return whole


def _missing(stores: Stores, name: str) -> MissingFileError:
    listed = layout.markdown_files(name for name, _ in stores.files.names(layout.CONTEXTS))
    names = [name.removesuffix(".md") for name in listed]
    known = f"Contexts: {_names.some(names, 10)}." if names else f"To create it: agentws context new {name}"
    return MissingFileError(f"No context {name!r}.", hint=known)


def _path(name: str) -> layout.RelPath:
    if not name or name.startswith(".") or not letters.is_name(name):
        raise UsageError(f"{name!r}: a context name may contain letters, digits, `-`, `_` and `.`.")
    return f"{layout.CONTEXTS}/{name}.md"
