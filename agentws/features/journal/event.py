"""event: records one durable event in the journal."""

from __future__ import annotations

from agentws.core.formats.journal.event import ENDS
from agentws.core.stores import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.core.stores.record import Recorded
    from agentws.core.stores.stores import Stores


def event(
    stores: Stores,
    kind: str,
    text: str | None = None,
    *,
    tool: str | None = None,
    input: Any = None,
    output: Any = None,
    call: str | None = None,
    importance: int | None = None,
    task: str | None = None,
    via: str | None = None,
    session: str | None = None,
    body: Mapping[str, Any] | None = None,
) -> Recorded:
    """Record one event in the journal; when this returns it is durable. The fields: docs/format/journal.md.

    `input` and `output` are JSON values (for others their `repr`), `body` has further keys. The session is `session`,
    else that of the environment, else the newest of this installation that has not ended. The `call` of a result or an
    error may be the cursor of its action, also in its short form. The `task` may be a unique beginning of a slug; any
    other text is kept.

    UsageError for an invalid kind or name and for a call without an action, DamagedError if the journal is damaged,
    DiskError if the disk fails.
    """
    record.refuse_reserved(kind)
    if call == "" and stores.manifest.setting("journal.granularity") != record.EVERY:
        # An action that was left out has no call id, so its result is left out, too.
        return record.left_out(kind)
    if call and kind in ENDS:
        call = record.ended_call(stores, call)
    whole = _whole(stores, task) if task else task
    given = {"input": input, "output": output, "body": body}
    if any(value is not None for value in given.values()):
        from agentws.core.formats.json.plainjson import plain

        given = {name: plain(value) for name, value in given.items()}
    happening = record.told(
        kind,
        text,
        call=call,
        importance=importance,
        task=whole,
        via=via,
        session=session,
        tool=tool,
        **given,
    )
    (done,), notices = record.record(stores, [happening], refuses=True)
    done.notices = [*stores.notices, *notices, *done.notices]
    if whole != task:
        done.notices.append(f"--task {task} was read as {whole}.")
    return done


def _whole(stores: Stores, task: str) -> str:
    from agentws.core.formats import layout
    from agentws.core.text import letters

    if not letters.is_name(task) or stores.files.exists(f"{layout.TASKS}/{task}.md"):
        return task
    from agentws.core.disk import named

    return named.whole(stores.visible_to().files, layout.TASKS, task)
