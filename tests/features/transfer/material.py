"""What other programs write, invented: for each source a folder, and what an import of it has to count."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from agentws.workspace import Workspace

AT = "2026-11-18T07:15:00.000Z"
EPOCH = 1_794_986_100.0
"""The same moment."""


class Wanted(NamedTuple):
    """What an import of a source counts: requests, memories, and the rest; `says` are words of its entries."""

    turns: int
    memories: int
    rest: int
    says: tuple[str, ...]


def lines(*rows: Any) -> str:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)


def _claude_code(folder: Path) -> Wanted:
    def said(kind: str, id: str, content: Any, **more: Any) -> dict[str, Any]:
        message = {"role": kind, "content": content}
        return {"type": kind, "uuid": id, "sessionId": "s1", "timestamp": AT, "message": message, **more}

    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest tests/gate"}}
    edit = {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "/src/gate.py"}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "2 failed\nat line 3"}
    (folder / "s1.jsonl").write_text(
        lines(
            {"type": "summary", "summary": "The gate", "leafUuid": "a2"},
            said("user", "u0", "<command-name>/clear</command-name>"),
            said("user", "u1", "Repair the gate test"),
            said("assistant", "a1", [{"type": "thinking", "thinking": "hm"}, call, edit]),
            said("user", "u2", [failed]),
            said("user", "u3", "not for us", isSidechain=True),
            said("assistant", "a2", [{"type": "text", "text": "The gate test passes now."}]),
            '{"torn',
            said("user", "u4", [{"type": "text", "text": "Paint the gate"}]),
        )
    )
    (folder / "memory").mkdir()
    (folder / "memory/style.md").write_text("---\ndescription: How Sam writes\n---\n# Style\n\n- Short lines\n- Tabs\n")
    says = (
        *("Asked: Repair the gate test", "Then asked: Paint the gate", "Done: The gate test passes now."),
        *("Files: /src/gate.py", "Failed: Bash pytest tests/gate: 2 failed", "style › Style: Short lines"),
    )
    return Wanted(2, 3, 1, says)


def _codex(folder: Path) -> Wanted:
    def row(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": AT, "type": kind, "payload": payload}

    def user(text: str) -> dict[str, Any]:
        return row("response_item", type="message", role="user", content=[{"type": "input_text", "text": text}])

    place = folder / "2026/11/18"
    place.mkdir(parents=True)
    patch = json.dumps({"command": ["apply_patch", "*** Begin Patch\n*** Update File: src/fence.py\n+x"]})
    (place / "rollout-2026-11-18T07-15-00-r1.jsonl").write_text(
        lines(
            row("session_meta", id="r1", cwd="/src/heron"),
            user("<environment_context>cwd</environment_context>"),
            user("Count the fence posts"),
            row("event_msg", type="user_message", message="Count the fence posts"),
            row("response_item", type="function_call", name="shell", call_id="c1", arguments=patch),
            row("response_item", type="function_call_output", call_id="c1", output="Exit code: 1\nno such file"),
            row(
                "response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "Twelve."}]
            ),
            "[]",
        )
    )
    says = ("Asked: Count the fence posts", "Done: Twelve.", "Files: src/fence.py", "Failed: shell", "Exit code: 1")
    return Wanted(1, 0, 1, says)


def _gemini(folder: Path) -> Wanted:
    call = {
        "id": "g1",
        "name": "write_file",
        "args": {"file_path": "roof.md"},
        "status": "error",
        "resultDisplay": "full",
    }
    messages = [
        {"id": "m1", "timestamp": AT, "type": "user", "content": [{"text": "Draw the roof"}]},
        {"id": "m2", "timestamp": AT, "type": "gemini", "content": "Drawn.", "toolCalls": [call]},
    ]
    chats = folder / "abc/chats"
    chats.mkdir(parents=True)
    (chats / "session-1.json").write_text(json.dumps({"sessionId": "g", "projectHash": "abc", "messages": messages}))
    head = {"sessionId": "h", "projectHash": "abc", "startTime": AT}
    (chats / "session-2.jsonl").write_text(lines(head, {**messages[0], "id": "m9"}, {**messages[1], "id": "m8"}))
    (chats / "session-3.json").write_text('{"sessionId": "k", "mess')
    return Wanted(
        2, 0, 1, ("Asked: Draw the roof", "Done: Drawn.", "Files: roof.md", "Failed: write_file roof.md: full")
    )


def _qwen(folder: Path) -> Wanted:
    def row(kind: str, id: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"type": kind, "uuid": id, "sessionId": "q1", "timestamp": AT, "message": {"parts": [*parts]}}

    call = {"id": "c", "name": "edit", "args": {"file_path": "t.md"}}
    broken = {"functionResponse": {"id": "c", "name": "edit", "response": {"error": "no such text"}}}
    (folder / "q1.jsonl").write_text(
        lines(
            row("user", "1", {"text": "Order the tiles"}),
            row("assistant", "2", {"text": "thinking", "thought": True}, {"functionCall": call}),
            row("tool_result", "3", broken),
            row("assistant", "4", {"text": "Ordered 300 tiles."}),
            row("system", "5"),
            "nonsense",
        )
    )
    return Wanted(1, 0, 1, ("Asked: Order the tiles", "Done: Ordered 300 tiles.", "Failed: edit t.md: no such text"))


def _openclaw(folder: Path) -> Wanted:
    def row(id: str, role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"type": "message", "id": id, "timestamp": AT, "message": {"role": role, "content": [*content], **more}}

    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "x"}}
    (folder / "o1.jsonl").write_text(
        lines(
            {"type": "session", "version": 3, "id": "o1", "timestamp": AT, "cwd": "/x"},
            row("1", "user", {"type": "text", "text": "Water the fig"}),
            row("2", "assistant", call),
            row("3", "toolResult", {"type": "text", "text": "dry"}, toolCallId="c", isError=True),
            row("4", "assistant", {"type": "text", "text": "Watered."}),
        )
    )
    (folder / "MEMORY.md").write_text("# Memory\n\n- The fig is in the glasshouse\n")
    base = sqlite3.connect(folder / "openclaw-agent.sqlite")
    base.execute("CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB)")
    for at, event in enumerate((row("1", "user", {"type": "text", "text": "Prune the vine"}), None, 7)):
        given = None if event is None else json.dumps(event)
        base.execute("INSERT INTO transcript_events VALUES ('o2', ?, ?, NULL)", (at, given))
    base.commit()
    base.close()
    says = (
        *("Asked: Water the fig", "Failed: read x: dry", "Asked: Prune the vine"),
        "MEMORY › Memory: The fig is in the glasshouse",
    )
    return Wanted(2, 1, 2, says)


def _chatgpt(folder: Path) -> Wanted:
    def node(id: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": id, "author": {"role": role}, "create_time": EPOCH, "content": content, "recipient": "all"}
        return {"id": id, "parent": parent, "children": [], "message": message}

    mapping = {"root": {"id": "root", "parent": None, "message": None}}
    for id, parent, role, text in (
        ("1", "root", "user", "Name the boat"),
        ("2", "1", "assistant", "Otter?"),
        ("2b", "1", "assistant", 'Heron, [it] flies {"x": "]"}'),
    ):
        mapping[id] = node(id, parent, role, text)
    talk = {"conversation_id": "c1", "title": "Boat", "create_time": EPOCH, "mapping": mapping, "current_node": "2b"}
    with zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "conversations.json", json.dumps([talk, {"title": "empty"}, {**talk, "mapping": {}}], indent=1)
        )
        archive.writestr("user.json", json.dumps({"email": "sam@example.org"}))
    return Wanted(1, 0, 2, ("Asked: Name the boat", "Conversation: Boat", 'Done: Heron, \\[it] flies {"x": "]"}'))


def _claude(folder: Path) -> Wanted:
    answer = [{"type": "text", "text": "Planned."}]
    messages = [
        {"uuid": "1", "sender": "human", "text": "Plan the harbour", "created_at": AT, "content": []},
        {"uuid": "2", "sender": "assistant", "text": "", "created_at": AT, "content": answer},
    ]
    (folder / "conversations.json").write_text(
        json.dumps([{"uuid": "c", "name": "Pier", "chat_messages": messages}, 7, {"uuid": "d", "chat_messages": []}])
    )
    (folder / "memories.json").write_text(json.dumps([{"conversations_memory": "Sam owns a boat.\n\nIt is green."}]))
    return Wanted(1, 2, 2, ("Asked: Plan the harbour", "Conversation: Pier", "Done: Planned.", "It is green."))


def _notes(folder: Path) -> Wanted:
    (folder / "Garden").mkdir()
    head = "---\ncreated: 2026-11-18\nprivate: true\n---\n"
    text = f"{head}# Trees\n\nThe pear is old.\n\n- lemon\n  - in a pot\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    (folder / "Garden/Trees.md").write_text(text)
    (folder / "odd.md").write_bytes(b"a\0b")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian/x.md").write_text("settings")
    return Wanted(0, 3, 1, ("- 2026-11-18 Trees: The pear is old. #private", "lemon", "in a pot"))


def _mem0(folder: Path) -> Wanted:
    records = [{"id": "1", "memory": "Sam sails on Sundays", "created_at": AT}, {"id": "2", "memory": None}]
    (folder / "export.json").write_text(json.dumps({"results": records}))
    return Wanted(0, 1, 1, ("- 2026-11-18 Sam sails on Sundays (via import:mem0)",))


def _mcp_memory(folder: Path) -> Wanted:
    (folder / "memory.jsonl").write_text(
        lines(
            {"type": "entity", "name": "Kim", "entityType": "person", "observations": ["Likes tea", "Rows"]},
            {"type": "entity", "name": "Pier", "entityType": "place", "observations": []},
            {"type": "relation", "from": "Kim", "to": "Pier", "relationType": "paints"},
            {"type": "other"},
        )
    )
    return Wanted(0, 4, 1, ("Kim (person): Likes tea", "Kim paints Pier", "Pier (place)"))


def _claude_mem(folder: Path) -> Wanted:
    base = sqlite3.connect(folder / "claude-mem.db")
    base.execute(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,"
        " title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, created_at TEXT, created_at_epoch INTEGER)"
    )
    base.execute(
        "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,"
        " completed TEXT, learned TEXT, next_steps TEXT, files_edited TEXT, created_at_epoch INTEGER)"
    )
    row = (
        "m",
        "heron",
        None,
        "decision",
        "One file",
        "for the cache",
        '["SQLite it is"]',
        "It is simple.",
        AT,
        int(EPOCH * 1000),
    )
    base.execute("INSERT INTO observations VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    base.execute("INSERT INTO observations (id, project) VALUES (2, 'heron')")
    base.execute(
        "INSERT INTO session_summaries"
        " VALUES (1, 'm', 'heron', 'Speed up boot', 'Done in 40 ms', '', '', '[\"boot.py\"]', ?)",
        (int(EPOCH * 1000),),
    )
    base.commit()
    base.close()
    return Wanted(1, 1, 1, ("One file. for the cache", "SQLite it is", "Asked: Speed up boot", "Files: boot.py"))


def _agentws(folder: Path) -> Wanted:
    log = {"v": 1, "kind": "log", "at": "2026-11-18T07:15", "origin": "unknown", "path": "memory/x.md", "line": 3}
    (folder / "robin.jsonl").write_text(
        lines(
            {**log, "text": "Bought paint"},
            {"kind": "memory", "at": "2026-11-17", "text": "Leo rows"},
            {"kind": "log", "at": "", "text": "no day"},
        )
    )
    return Wanted(1, 1, 1, ("- 07:15 Bought paint (via import:agentws)", "- 2026-11-17 Leo rows (via import:agentws)"))


def two_sessions(source: str) -> str:
    """Return the lines of a file of a source with a request in session a, and another in session b."""
    rows: list[dict[str, Any]] = []
    for session, asked in (("a", "Paint the gate"), ("b", "Order lids")):
        message = {"role": "user", "content": asked, "parts": [{"text": asked}]}
        said = {"sessionId": session, "timestamp": AT, "content": asked, "message": message}
        if source == "codex":
            rows.append({"type": "session_meta", "payload": {"id": session}})
            rows.append({"timestamp": AT, "type": "event_msg", "payload": {"type": "user_message", "message": asked}})
        else:
            rows += [{"type": "session", "id": session}] if source == "openclaw" else []
            rows.append({**said, "type": "message" if source == "openclaw" else "user", "id": asked})
    return lines(*rows)


def notes(folder: Path, *lines: str) -> str:
    """Write a folder with a page of bullets, and return its path."""
    folder.mkdir(exist_ok=True)
    (folder / "notes.md").write_text("".join(f"- {line}\n" for line in lines))
    return str(folder)


def session(path: Path, *turns: tuple[str, str, str]) -> str:
    """Write a transcript of Claude Code with turns (time, request, answer), and return its path."""
    rows: list[dict[str, Any]] = []
    for at, asked, done in turns:
        said = {"sessionId": path.stem, "timestamp": at}
        rows.append({"type": "user", "uuid": f"{at}u", "message": {"content": asked}, **said})
        if done:
            rows.append(
                {
                    "type": "assistant",
                    "uuid": f"{at}a",
                    "message": {"content": [{"type": "text", "text": done}]},
                    **said,
                }
            )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def read(workspace: Workspace, path: str) -> str:
    """Return the text of a document."""
    return Path(workspace.root, path).read_text()


SOURCES = {
    "claude-code": _claude_code,
    "codex": _codex,
    "markdown": _notes,
    "gemini": _gemini,
    "qwen": _qwen,
    "openclaw": _openclaw,
    "chatgpt": _chatgpt,
    "claude": _claude,
    "basic-memory": _notes,
    "mem0": _mem0,
    "mcp-memory": _mcp_memory,
    "memfs": _notes,
    "claude-mem": _claude_mem,
    "agentws": _agentws,
}


def make(source: str, folder: Path) -> Wanted:
    """Write what a program of this source would have written, and return what an import of it counts."""
    folder.mkdir()
    return SOURCES[source](folder)
