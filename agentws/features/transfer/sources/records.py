"""Memory services: the JSON of Mem0, and the knowledge graph of the MCP memory server (JSON lines)."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.features.hosts.call import within
from agentws.features.transfer.plan.items import Item, Memory, Rest, stamp
from agentws.features.transfer.sources import Source
from agentws.features.transfer.sources.reader import Input

_LISTS = ("results", "memories", "data")
_TEXTS = ("memory", "text", "content", "data")


def _mem0(file: Input) -> Iterator[Item]:
    for number, value in file.objects() if file.name.endswith(".jsonl") else file.values(_LISTS):
        nested = (field for key in _LISTS if isinstance(field := within(value, key), list))
        several = [value] if _text(value) else next(nested, [value])
        for at, record in enumerate(several, 1):
            text = _text(record)
            times = (stamp(within(record, key)) for key in ("created_at", "updated_at"))
            if text.strip():
                yield Memory(text, str(within(record, "id") or ""), next(filter(None, times), ""))
            else:
                yield Rest(f"{file.name}#{number}.{at}", "not a memory")


def _text(record: object) -> str:
    return next((field for key in _TEXTS if isinstance(field := within(record, key), str)), "")


def _graph(file: Input) -> Iterator[Item]:
    for number, line in file.objects():
        name, kind = str(line.get("name") or ""), str(line.get("entityType") or "")
        observed = line.get("observations")
        if line.get("type") == "entity" and name and isinstance(observed, list):
            title = f"{name} ({kind})" if kind else name
            texts = [text for text in observed if isinstance(text, str) and text.strip()]
            yield from (Memory(f"{title}: {text}") for text in texts)
            yield from () if texts else [Memory(title)]
        elif line.get("type") == "relation" and all(line.get(key) for key in ("from", "relationType", "to")):
            yield Memory(f"{line['from']} {line['relationType']} {line['to']}")
        else:
            yield Rest(f"{file.name}:{number}", "neither an entity nor a relation")


MEM0 = Source("Mem0", (".json", ".jsonl"), _mem0)
MCP_MEMORY = Source("MCP memory server", (".json", ".jsonl"), _graph)
