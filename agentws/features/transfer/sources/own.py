"""The export of another workspace, in JSON Lines: docs/format/export.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.features.transfer.plan import records
from agentws.features.transfer.plan.items import Line, Memory, Rest
from agentws.features.transfer.sources import Place, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.transfer.plan.items import Item
    from agentws.features.transfer.sources.reading import Input


def _nowhere(place: Place) -> list[str]:
    return []


def _read(file: Input) -> Iterator[Item]:
    for row in file.objects():
        if isinstance(row, Rest):
            yield row
            continue
        record = records.from_fields(row[1])
        if record is None:
            yield Rest(f"{file.name}:{row[0]}", "not a record of an export")
        elif record.kind == records.LOG:
            yield Line(record.text, record.at[:10], record.at[11:])
        else:
            yield Memory(record.text, day=record.at)


AGENTWS = Source("agentws", (".jsonl",), _nowhere, _read)
