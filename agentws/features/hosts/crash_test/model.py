"""A scripted model on this machine: it answers in the format of the host's own service, and calls no other program."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Body = dict[str, Any]
    Next = Callable[[str, str], str | None]
    """What the model does next, by the whole request and the result of its last call: a command, or None for an end."""

MESSAGES, RESPONSES, GENERATE, CHAT = "messages", "responses", "generateContent", "chat/completions"
"""The ends of the services' paths: Anthropic's, OpenAI's, Google's, and OpenAI's older one, which many others offer."""
_DONE = "Done."
_ids = count(1)


@contextmanager
def served(shell: str, decide: Next) -> Iterator[str]:
    """Serve the model on the loopback interface, and yield its address; `shell` is the host's tool for commands."""
    server = _Server(("127.0.0.1", 0), _Door)
    server.shell, server.decide = shell, decide
    with running(server) as address:
        yield address


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Run a server of the loopback interface in a thread, and yield its address."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    shell: str
    decide: Next

    def handle_error(self, request: object, client_address: object) -> None:
        """Do nothing: a program that was killed closes its connection at any point."""


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._send("application/json", b'{"object": "list", "data": [], "models": []}')

    def do_HEAD(self) -> None:
        self._send("application/json", b"")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0].replace("streamGenerateContent", GENERATE)
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        service = next((word for word in (MESSAGES, RESPONSES, GENERATE, CHAT) if path.endswith(word)), "")
        if not service or not isinstance(body, dict):
            self._send("application/json", b'{"input_tokens": 1000, "totalTokens": 1000}')
            return
        # A request without tools is a side question of the program, such as one for a title.
        has_shell = f'"name": "{self.server.shell}"' in json.dumps(body.get("tools") or [])
        text = json.dumps(body, ensure_ascii=False)
        command = self.server.decide(text, _last_result(service, body)) if has_shell else None
        given = _arguments(self.server.shell, command) if command is not None else None
        answer, events = _ANSWERS[service](body, self.server.shell, given)
        if body.get("stream") or "streamGenerateContent" in self.path:
            lines = (
                f"{f'event: {name}' + chr(10) if name else ''}data: {json.dumps(item)}\n\n" for name, item in events
            )
            self._send("text/event-stream", "".join(lines).encode())
        else:
            self._send("application/json", json.dumps(answer).encode())

    def _send(self, kind: str, content: bytes) -> None:
        try:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True  # the program was killed

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def _arguments(shell: str, command: str) -> Body:
    if shell == "exec_command":
        return {"cmd": command}
    if shell == "run_shell_command":
        return {"command": command, "is_background": False}
    if shell == "Execute":
        return {"command": command, "summary": "Go on with the job", "riskLevel": "low", "riskLevelReason": "A test"}
    return {"command": command, "description": "Go on with the job"}


_RESULTS = {MESSAGES: "tool_result", RESPONSES: "function_call_output", GENERATE: "functionResponse", CHAT: "tool"}


def _last_result(service: str, body: Body) -> str:
    """Return the result of the last call of a tool as the model is told it, as JSON; empty without one."""
    key = {RESPONSES: "input", GENERATE: "contents"}.get(service, "messages")
    rows = body.get(key)
    result = ""
    for row in rows if isinstance(rows, list) else ():
        parts = row.get("parts") or row.get("content")
        for part in [row, *(parts if isinstance(parts, list) else ())]:
            mark = _RESULTS[service]
            if isinstance(part, dict) and (part.get("type") == mark or part.get("role") == mark or mark in part):
                result = json.dumps(part, ensure_ascii=False)
    return result


def _messages(body: Body, shell: str, given: Body | None) -> tuple[Body, list[tuple[str, Any]]]:
    number = next(_ids)
    is_call = given is not None
    block: Body = (
        {"type": "tool_use", "id": f"toolu_{number:04}", "name": shell, "input": given}
        if is_call
        else {"type": "text", "text": _DONE}
    )
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(given)}
        if is_call
        else {"type": "text_delta", "text": _DONE}
    )
    reason = "tool_use" if is_call else "end_turn"
    message = {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 20},
    }
    opening = {**message, "content": [], "stop_reason": None}
    empty = {**block, "input": {}} if is_call else {**block, "text": ""}
    ending = {"stop_reason": reason, "stop_sequence": None}
    events: list[Body] = [
        {"type": "message_start", "message": opening},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]
    return message, [(str(event["type"]), event) for event in events]


def _responses(_body: Body, shell: str, given: Body | None) -> tuple[Body, list[tuple[str, Any]]]:
    number = next(_ids)
    item: Body = {"type": "message", "id": f"msg_{number:04}", "role": "assistant"}
    item["content"] = [{"type": "output_text", "text": _DONE, "annotations": []}]
    if given is not None:
        item = {"type": "function_call", "id": f"fc_{number:04}", "call_id": f"call_{number:04}", "name": shell}
        item["arguments"] = json.dumps(given)
    events = response_events(item, number)
    return events[-1][1]["response"], events


def response_events(item: Body, number: int) -> list[tuple[str, Any]]:
    """Return (name, data) of each event of a response with this item, in the format of OpenAI's Responses API."""
    response = {"id": f"resp_{number:04}", "object": "response", "status": "in_progress", "output": []}
    usage = {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 1020,
    }
    ended = {**response, "status": "completed", "output": [item], "usage": usage}
    events: list[Body] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": ended},
    ]
    return [(str(event["type"]), event) for event in events]


def _generate(_body: Body, shell: str, given: Body | None) -> tuple[Body, list[tuple[str, Any]]]:
    part: Body = {"text": _DONE}
    if given is not None:
        part = {"functionCall": {"id": f"call_{next(_ids):04}", "name": shell, "args": given}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020}
    answer = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "played"}
    return answer, [("", answer)]


def _chat(body: Body, shell: str, given: Body | None) -> tuple[Body, list[tuple[str, Any]]]:
    head = {"id": "chat", "object": "chat.completion", "created": 1, "model": body.get("model")}
    usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
    message: Body = {"role": "assistant", "content": _DONE}
    if given is not None:
        function = {"name": shell, "arguments": json.dumps(given)}
        call = {"index": 0, "id": f"call_{next(_ids):04}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    reason = "stop" if given is None else "tool_calls"
    piece = {**head, "object": "chat.completion.chunk"}
    events = [
        ("", {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        ("", {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        ("", {**piece, "choices": [], "usage": usage}),
    ]
    return {**head, "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage}, events


_ANSWERS = {MESSAGES: _messages, RESPONSES: _responses, GENERATE: _generate, CHAT: _chat}
