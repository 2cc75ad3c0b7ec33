"""Claude Code: the transcripts of sessions (2.1), and the pages of its auto memory.

A transcript has JSON lines with `type`, `uuid`, `timestamp`, `cwd` and `message`; a tool's result is a part of a user's
message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentws.features.hosts.call import within
from agentws.features.transfer.plan.items import Item, Turns, is_inside, parts, texts
from agentws.features.transfer.sources import Place, Source, notes
from agentws.features.transfer.sources.reader import Input

_NOTE = re.compile(
    r"<(/?)(system-reminder|task-notification|user-prompt-submit-hook|(?:ide_|local-command-|bash-)[a-z_-]+)>"
)
"""The tags of what the program adds to the words of its user."""
_COMMAND = re.compile(r"<command-(?:name|message|args|contents)>")
_OTHER_NOTES = ("Caveat: ", "[Request interrupted")
"""The beginnings of texts that the program wrote in its user's name."""
_SYNTHETIC = "<synthetic>"
"""The model of answers that the program wrote itself."""
_NOT_A_LETTER = re.compile(r"[^A-Za-z0-9]")


def _usual(place: Place) -> list[str]:
    return place.of_host("claude-code", f"projects/{_NOT_A_LETTER.sub('-', place.project)}")


def _read(file: Input) -> Iterator[Item]:
    if file.name.endswith(".md"):
        yield from notes.memories(file)
        return
    turns = Turns(file.name)
    folders: dict[str, object] = {}  # of each session, where it began
    command: tuple[str, object, object] | None = None  # without arguments: a request only if the model answers
    for _, line in file.objects():
        if line.get("sessionId", turns.session) != turns.session:
            command = None
            yield from turns.go_on(line["sessionId"])
        folder = folders.setdefault(turns.session, line["cwd"]) if line.get("cwd") else folders.get(turns.session)
        if file.project and folder is not None and not is_inside(folder, file.project):
            continue  # the folder of /a/b is that of /a-b, too
        message, kind = within(line, "message", "content"), line.get("type")
        if kind not in ("user", "assistant") or line.get("isSidechain") or line.get("isMeta"):
            continue
        at, id = line.get("timestamp"), line.get("uuid")
        turns.latest = at or turns.latest
        if kind == "assistant" and (line.get("isApiErrorMessage") or within(line, "message", "model") == _SYNTHETIC):
            if line.get("isApiErrorMessage"):
                turns.fail(id, texts(message, "text"), call="the model")
            continue
        if kind == "assistant":
            if command is not None:
                yield from turns.ask(command[0], at=command[1], id=command[2])
                command = None
            turns.answer(texts(message, "text"), at=at)
            for part in parts(message):
                if part.get("type") == "tool_use":
                    turns.call(part.get("id"), part.get("name"), part.get("input"))
            continue
        for part in parts(message):
            if part.get("type") == "tool_result" and part.get("is_error") is True:
                turns.fail(part.get("tool_use_id"), texts(part.get("content")))
        asked, is_bare = ("", False) if line.get("isCompactSummary") else _asked(message)
        if asked:
            command = (asked, at, id) if is_bare else None
            yield from turns.ask("" if is_bare else asked, at=at, id=id)
    yield from turns.last()


def _asked(message: object) -> tuple[str, bool]:
    """Return the words of the user in a message, and whether they are only a command without arguments."""
    given = [message] if isinstance(message, str) else [texts([part], "text") for part in parts(message)]
    asked, is_bare = [], False
    for text in map(str.strip, given):
        if _COMMAND.match(text):
            name, arguments = _within(text, "command-name"), _within(text, "command-args")
            asked.append(f"{name} {arguments}".strip())
            is_bare = not arguments
        elif not text.startswith(_OTHER_NOTES):
            asked.append(_without_notes(text))
    asked = [text for text in asked if text]
    return "\n".join(asked), is_bare and len(asked) == 1


def _within(text: str, tag: str) -> str:
    """Return the text within a tag; empty without the tag, or if it is never closed."""
    content, closing, _ = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")
    return content.strip() if closing else ""


def _without_notes(text: str) -> str:
    """Return a text without what the program added. Words after a tag that is never closed stay, unless it is first."""
    words, at, start, name = [], 0, 0, ""
    for tag in _NOTE.finditer(text):
        if not name and not tag[1]:
            words.append(text[at : tag.start()])
            start, name = tag.start(), tag[2]
        elif tag[1] and tag[2] == name:
            at, name = tag.end(), ""
    words.append(text[start if name else at :] if start or not name else "")
    return "".join(words).strip()


CLAUDE_CODE = Source("Claude Code", (".jsonl", ".md"), _read, _usual)
