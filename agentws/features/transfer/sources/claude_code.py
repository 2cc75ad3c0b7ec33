"""Claude Code: the transcripts of sessions (2.1), and the pages of its auto memory.

A transcript has JSON lines with `type`, `uuid`, `timestamp`, `cwd` and `message`; a tool's result is a part of a user's
message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentws.features import hosts
from agentws.features.transfer.plan.items import Rest, Turns, parts, texts, within
from agentws.features.transfer.sources import Place, Source, notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.transfer.plan.items import Item
    from agentws.features.transfer.sources.reading import Input

_MACHINE = ("<command-", "<local-command-", "<system-reminder>", "<task-notification>", "<bash-", "Caveat: ")
"""The beginnings of messages that the program wrote in its user's name."""
_INTERRUPTED = "[Request interrupted"
_NOT_A_LETTER = re.compile(r"[^A-Za-z0-9]")


def _usual(place: Place) -> list[str]:
    home = hosts.settings("claude-code").home(place.variables)
    return [f"{home}/projects/{_NOT_A_LETTER.sub('-', place.project)}"] if home else []


def _read(file: Input) -> Iterator[Item]:
    if file.name.endswith(".md"):
        yield from notes.memories(file)
        return
    turns = Turns(file.name)
    for row in file.objects():
        if isinstance(row, Rest):
            yield row
            continue
        line = row[1]
        message, kind = within(line, "message", "content"), line.get("type")
        if kind not in ("user", "assistant") or line.get("isSidechain") or line.get("isMeta"):
            continue
        turns.session = str(line.get("sessionId") or turns.session)
        if kind == "assistant":
            turns.answer(texts(message, "text"), at=line.get("timestamp"))
            for part in parts(message):
                if part.get("type") == "tool_use":
                    turns.call(part.get("id"), part.get("name"), part.get("input"))
            continue
        for part in parts(message):
            if part.get("type") == "tool_result" and part.get("is_error") is True:
                turns.fail(part.get("tool_use_id"), texts(part.get("content")))
        asked = texts(message, "text").strip()
        if not asked.startswith((*_MACHINE, _INTERRUPTED)) and not line.get("isCompactSummary"):
            yield from turns.ask(asked, at=line.get("timestamp"), id=line.get("uuid"))
    yield from turns.end()


CLAUDE_CODE = Source("Claude Code", (".jsonl", ".md"), _usual, _read)
