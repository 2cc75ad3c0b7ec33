"""checkpoint save: writes the state of a task to a separate file, durably, then records an event.

A crash anywhere is harmless: the file is complete or missing, and if the event is missing, the file has all of its
information.
"""

from __future__ import annotations

import os
from typing import Any

from agentws.core.disk import local_dir, lock
from agentws.core.disk.files import DOCUMENT_LIMIT_BYTES
from agentws.core.formats import audience, digest
from agentws.core.formats.documents import checkpoint
from agentws.core.formats.documents.checkpoint import Body, Encoded
from agentws.core.formats.json import values
from agentws.core.formats.secrets import redaction, secrets
from agentws.core.stores import record, seals
from agentws.core.stores.stores import Stores
from agentws.core.text import sanitize, sizes, utf8
from agentws.errors import AgentwsError, LockHeldError, TooLargeError, UsageError
from agentws.features.checkpoints import restored_checkpoint as _head, task_checkpoints
from agentws.features.checkpoints.plan import difference, retention
from agentws.features.checkpoints.store import folder
from agentws.features.checkpoints.task_checkpoints import Checkpoint

SAVED = "checkpoint.saved"
_MOST_SCHEMA = 64
_MANY_BYTES = 4_000_000
"""After so much a process will probably save more, so digests are sped up."""
_written: list[int] = []
"""The bytes of the states that this process has saved."""


def save(
    stores: Stores,
    task: str,
    value: Any,
    *,
    label: str = "",
    parent: str | None = None,
    schema: tuple[str, int] | None = None,
    follows: str | None = None,
) -> Checkpoint:
    """Save the state of a task as a checkpoint; when this returns, it is durable.

    `value` is JSON, or a dataclass, a pydantic or attrs model, a date, a path or the like. The checkpoint follows
    `parent` (a number, a label or an id), else the one with the id `follows`, which may be gone, else the one restored
    last, else the newest. UsageError names the place of a value that cannot be saved; TooLargeError above
    `checkpoint.max_bytes`. Secrets are removed, with a notice.
    """
    stores.check_writable()
    slug = task_checkpoints.saved_task(stores, task)
    message = _label(label)
    _check_schema(schema)
    state, position = clean(values.plain(value), stores.notices)
    body = _body(state)
    _check_size(stores, body)
    writer = stores.appender().writer
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, folder.LOCK, note="checkpoint save"):
        fields: dict[str, object] = {
            "task": slug,
            **_place(stores, slug, parent, follows),
            "at": stores.now_text(),
            "label": message,
            "schema": {"name": schema[0], "version": schema[1]} if schema else None,
            "writer": writer,
            "session": stores.own_session,
            "audience": audience.SHARED if stores.made_for() == audience.SHARED else "",
            "redacted": position,
        }
        made = checkpoint.encode(fields, body)
        folder.put(stores.files, made)
        _head.write(stores, slug)
        _tell(stores, made)
    stores.notices += seals.quietly(stores, due=True)
    return Checkpoint(made.header, notices=stores.notices)


def _label(label: str) -> str:
    secrets.refuse(label)
    utf8.check(label)
    message = " ".join(sanitize.written(label).split())
    retention.check_label(message)
    return message


def _check_schema(schema: tuple[str, int] | None) -> None:
    if schema is None:
        return
    name, version = schema
    secrets.refuse(name)
    sound = 0 < len(name) <= _MOST_SCHEMA and name.isprintable() and not set(name) & set(" @")
    if not sound or version < 1:
        raise UsageError(
            f"{name}@{version} is not a schema: it needs a name without spaces, and a version from 1.",
            hint="For example: --schema loan@2",
        )


def _body(state: Any) -> Body:
    made = checkpoint.body(state)
    _written.append(made.size)
    if sum(_written) > _MANY_BYTES:
        digest.hasten()
        _written.clear()
    return made


def _check_size(stores: Stores, body: Body) -> None:
    most = min(int(stores.manifest.setting("checkpoint.max_bytes")), DOCUMENT_LIMIT_BYTES - checkpoint.HEADER_BYTES)
    if body.size > most:
        raise TooLargeError(
            f"The state has {sizes.readable(body.size)}; checkpoint.max_bytes allows {sizes.readable(most)}.",
            hint="Save large data in files, and their paths in the state.",
        )


def _place(stores: Stores, slug: str, parent: str | None, known: str | None) -> dict[str, object]:
    """Return the number of a new checkpoint, and the id of the one that it follows."""
    names = _head.names(stores, slug)
    ids = [id for name in names for id in folder.ids(stores.files, name)]
    newest = max(ids, key=lambda id: (checkpoint.seq_of(id), id), default=None)
    if parent is not None:
        follows: str | None = task_checkpoints.TaskCheckpoints(stores, slug).one(parent).id
    elif known:
        follows = known
    else:
        follows = (
            _head.restored(stores, names, lambda: task_checkpoints.TaskCheckpoints(stores, slug).headers) if ids else ""
        ) or newest
    return {"seq": checkpoint.seq_of(newest) + 1 if newest else 1, "parent": follows}


def _tell(stores: Stores, made: Encoded) -> None:
    head = made.header
    body = {"id": head.id, "parent": head.parent, "digest": head.digest, "label": head.label, "bytes": head.size}
    message = f"{head.task}: {head.id} {head.label}".rstrip()
    happened = record.told(SAVED, message, task=head.task, body=body)
    try:
        stores.notices += record.record(stores, [happened])[1]
    except AgentwsError as error:
        hint = None if isinstance(error, LockHeldError) else error.hint
        raise type(error)(
            f"{checkpoint.path(head.task, head.id)}: saved, but not recorded in the journal: {error.message}",
            hint=hint or f"To use it all the same: agentws checkpoint restore {head.task} --to {head.id}",
        ) from error


_TAG_BYTES = 4
_MOST_NAMED = 5
_LONG_CHARS = 256
_MOST_KNOWN = 1 << 16
_known: set[int] = set()
"""The hashes of (name, text) of long texts without a secret: most of them are the same in the next state."""


def clean(state: Any, notices: list[str]) -> tuple[Any, int]:
    """Return the state to save without secrets, and how many were removed; a notice names their places."""
    texts: set[int] = set()
    if redaction.is_clean([_unknown(state, "", texts)]):
        if len(_known) + len(texts) > _MOST_KNOWN:
            _known.clear()
        _known.update(texts)
        return state, 0
    result, kinds = redaction.redact(state, lambda: os.urandom(_TAG_BYTES).hex())
    if kinds:
        places = [change.place for change in difference.between(state, result)]
        more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
        details = f"{', '.join(sorted(set(kinds)))} at {', '.join(places[:_MOST_NAMED])}{more}"
        notices.append(f"Possible secrets were removed before saving: {details}.")
    return result, len(kinds)


def _unknown(value: Any, name: str, texts: set[int]) -> Any:
    """Return the value with known long texts emptied; the hashes of other long texts are added to `texts`."""
    if isinstance(value, str):
        # In a pair {name, value} another text holds the name, so this text is not known by its own.
        if len(value) < _LONG_CHARS or name in redaction.VALUE:
            return value
        number = hash((name, value))
        if number in _known:
            return ""
        texts.add(number)
        return value
    if isinstance(value, dict):
        return {key: _unknown(item, key, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_unknown(item, name, texts) for item in value]
    return value
