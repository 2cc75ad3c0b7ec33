"""The export of another workspace, in JSON Lines: docs/format/export.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from agentws.core.text import origin
from agentws.features.transfer.plan import pages, records
from agentws.features.transfer.plan.items import Item, Line, Memory, Rest
from agentws.features.transfer.plan.records import Record
from agentws.features.transfer.sources import Source
from agentws.features.transfer.sources.reader import Input

_KIND, _MARK = re.compile(r"^\[([a-z-]+)\] "), re.compile(r" (?:!\d{1,2}|\^[0-9a-z]{4,})(?= |$)")


def _read(file: Input) -> Iterator[Item]:
    times: Counter[int] = Counter()
    for number, line in file.objects():
        record = records.from_fields(line)
        if record is None:
            yield Rest(f"{file.name}:{number}", "not a record of an export")
        else:
            item = _item(record)
            times[pages.key(item)] += 1
            yield replace(item, occurrence=times[pages.key(item)])


def _item(record: Record) -> Line | Memory:
    if record.kind == records.LOG:
        return Line(_plain(record.text), record.at[:10], record.at[11:], _origin(record.origin))
    return Memory(_plain(record.text), day=record.at, origin=_origin(record.origin))


def _origin(source: str) -> str:
    """Return the origin of a record if it was outside before; a file can make nothing more trusted."""
    is_word = source.isprintable() and not any(char.isspace() or char in "[]()" for char in source)
    return source if is_word and origin.class_of_mark(source) in origin.OUTSIDE else ""


def _plain(text: str) -> str:
    """Return the text of an entry without reference and importance, which mean nothing here; its kind is a word."""
    first, newline, more = text.partition("\n")
    return _KIND.sub(r"\1: ", _MARK.sub("", first)) + newline + more


AGENTWS = Source("agentws", (".jsonl",), _read)
