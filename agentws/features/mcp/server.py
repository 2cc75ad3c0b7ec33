"""The MCP server: tools, resources and prompts of one workspace, as handlers of the official SDK."""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from functools import cache, partial
from urllib.parse import quote, unquote

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from agentws import __version__
from agentws.core.formats import layout
from agentws.errors import AgentwsError, MissingFileError, TooLargeError, UsageError
from agentws.features.mcp import tools
from agentws.features.mcp.plan import schemas, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, TypeVar

    from mcp.server.context import ServerRequestContext

    from agentws.features.mcp.connections import Connection, Connections
    from agentws.workspace import Workspace

    Result = TypeVar("Result")


_INSTRUCTIONS = (
    "The agent's memory in plain files. Call boot first and follow it. Log what happens as it happens, "
    "remember lasting facts, and write a handoff before you end."
)
_MOST_CHARS = 1 << 20
_PAGE = 200
_IDLE_S = 30 * 60
"""How long a client over HTTP may stay silent before its session ends: the SDK's own limit."""
_STEP = 0.01
"""The least part of the work between two reports of progress."""
_BOOT, _CURATE = "boot", "curate"
_PROMPTS = {_BOOT: "The agent's start-up context.", _CURATE: "Curate MEMORY.md: entries, doubts, candidates."}
_NO_SHELL = "If you have no shell, give your answer to your user, who runs: agentws curate --apply -"


class _CancelledError(Exception):
    """The client no longer waits for the answer."""


class Handlers:
    """The handlers of requests; `without` are tools that are not offered.

    A session of a client over HTTP ends `idle_s` seconds after its last call of a tool; a later call begins another.
    """

    def __init__(self, connections: Connections, without: Collection[str] = (), *, idle_s: float = _IDLE_S) -> None:
        self._connections = connections
        self._idle_s = idle_s
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tools = {tool.name: tool for tool in schemas.TOOLS if tool.name not in without}

    def server(self) -> Server[Any]:
        """Return the SDK's server with these handlers."""
        return Server(
            "agentws",
            version=__version__,
            instructions=_INSTRUCTIONS if _BOOT in self._tools else None,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
        )

    async def list_tools(self, _ctx: Any, _params: Any) -> types.ListToolsResult:
        """Return the tools with their schemas."""
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.input,
                    output_schema=tool.output,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.is_read_only, destructive_hint=False, open_world_hint=False
                    ),
                )
                for tool in self._tools.values()
            ]
        )

    async def call_tool(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Call a tool; failures are results, by which the model can correct its call."""
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        arguments = params.arguments or {}
        try:
            _check(tool.name, arguments)
            answer = await _in_thread(ctx, partial(self._called, ctx, tool, arguments))
        except AgentwsError as error:
            return _failed(f"{error.notice} [{error.code}]")
        except Exception as error:
            traceback.print_exception(error, file=sys.stderr)
            return _failed(f"agentws failed: {type(error).__name__}: {error}")
        finally:
            if ctx.request is not None:
                self._end_later(_key(ctx))
        text = "\n".join([answer.text, *(f"notice: {notice}" for notice in answer.notices)])
        return types.CallToolResult(
            content=[types.TextContent(text=shown.inert(text))], structured_content=shown.inert(answer.fields)
        )

    def _called(
        self, ctx: ServerRequestContext[Any], tool: schemas.ToolSchema, arguments: Any, progress: tools.Progress
    ) -> tools.Answer:
        connection = self._connection(ctx)
        try:
            notices = connection.begin(is_daemon=self._connections.is_daemon)
        except AgentwsError as error:
            if not tool.is_read_only:
                raise
            notices = [error.notice]  # what cannot be written can be read
        answer = tools.call(connection.workspace, tool.name, arguments, src=connection.src, progress=progress)
        answer.notices[:0] = [notice for notice in notices if notice not in answer.notices]
        return answer

    async def list_resources(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Return a page of the workspace's documents."""
        cursor = (params and params.cursor) or "0"
        if not (cursor.isascii() and cursor.isdigit()):
            raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
        start = int(cursor[:9])
        paths = await _in_thread(ctx, lambda _: resource_paths(self._connection(ctx).workspace))
        return types.ListResourcesResult(
            resources=[
                types.Resource(name=path, uri=resource_uri(path), mime_type="text/markdown")
                for path in paths[start : start + _PAGE]
            ],
            next_cursor=str(start + _PAGE) if len(paths) > start + _PAGE else None,
        )

    async def list_templates(self, _ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
        """Return the form of the URI of any document."""
        template = types.ResourceTemplate(
            name="document",
            uri_template=TEMPLATE,
            mime_type="text/markdown",
            description="Any Markdown file.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return the text of a document."""
        uri = str(params.uri)
        text = await _in_thread(ctx, lambda _: resource_text(self._connection(ctx).workspace, uri))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
        )

    async def list_prompts(self, _ctx: Any, _params: Any) -> types.ListPromptsResult:
        """Return the prompts."""
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=name, description=words) for name, words in _PROMPTS.items()]
        )

    async def get_prompt(
        self, ctx: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Return the text of a prompt, made now."""
        if params.name not in _PROMPTS:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        text = await _in_thread(ctx, lambda _: self._prompt(ctx, params.name))
        message = types.PromptMessage(role="user", content=types.TextContent(text=shown.inert(text)))
        return types.GetPromptResult(description=_PROMPTS[params.name], messages=[message])

    def _prompt(self, ctx: ServerRequestContext[Any], name: str) -> str:
        workspace = self._connection(ctx).workspace
        if name == _BOOT:
            booted: str = workspace.boot().text
            return booted
        return f"{workspace.memory.brief().brief.text}\n{_NO_SHELL}\n"

    def _connection(self, ctx: ServerRequestContext[Any]) -> Connection:
        """Return the connection of a request."""
        return self._connections.of(_key(ctx), _client(ctx))

    def _end_later(self, key: str) -> None:
        """End the session of the connection with this key once its client has been silent for `idle_s` seconds."""
        loop = asyncio.get_running_loop()
        if key in self._timers:
            self._timers[key].cancel()
        self._timers[key] = loop.call_later(
            self._idle_s, lambda: (self._timers.pop(key), loop.run_in_executor(None, self._connections.end, key))
        )


def _client(ctx: ServerRequestContext[Any]) -> str:
    """Return the name of the client that sent a request, empty if it has none."""
    return ctx.session.client_params.client_info.name if ctx.session.client_params else ""


def _key(ctx: ServerRequestContext[Any]) -> str:
    """Return the key of a request's connection: over HTTP the client's session, or its name; over stdio empty."""
    return "" if ctx.request is None else ctx.request.headers.get("mcp-session-id") or f"client {_client(ctx)}"


def _check(name: str, arguments: dict[str, Any]) -> None:
    """Raise UsageError for arguments that the tool's schema does not allow, TooLargeError if they are too long."""
    error = best_match(_validator(name).iter_errors(arguments))
    if error is not None:
        where = f"{'.'.join(map(str, error.path))}: " if error.path else ""
        raise UsageError(f"{where}{error.message[:500]}.", hint=f"See the input schema of {name}.")
    size = _characters(arguments)
    if size > _MOST_CHARS:
        raise TooLargeError(
            f"The arguments have {size:,} characters, {_MOST_CHARS:,} at most.", hint="Write a file, and name it."
        )


@cache
def _validator(name: str) -> Draft202012Validator:
    (schema,) = (tool.input for tool in schemas.TOOLS if tool.name == name)
    return Draft202012Validator(schema)


def _characters(value: Any) -> int:
    """Return how many characters the texts in a JSON value have."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_characters, (*value, *value.values())))
    return sum(map(_characters, value)) if isinstance(value, list) else 1


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=shown.inert(text))], is_error=True)


async def _in_thread(ctx: ServerRequestContext[Any], work: Callable[[tools.Progress], Result]) -> Result:
    """Do the work in a thread, and report its progress; MCPError for a failure where no tool is called.

    If the client cancels the request, reading stops at the next report; what writes is finished all the same.
    """
    loop = asyncio.get_running_loop()
    cancelled = threading.Event()
    reported = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal reported
        if cancelled.is_set():
            raise _CancelledError
        if total and done / total - reported >= _STEP:
            reported = done / total
            asyncio.run_coroutine_threadsafe(ctx.session.report_progress(done, total), loop)

    try:
        return await asyncio.to_thread(work, progress)
    except asyncio.CancelledError:
        cancelled.set()
        raise
    except AgentwsError as error:
        if ctx.method == "tools/call":
            raise
        raise MCPError(types.INVALID_PARAMS, shown.inert(error.notice), {"code": error.code}) from error


PREFIX = "agentws:///"
"""The beginning of a resource's URI; its path in the workspace follows."""
TEMPLATE = f"{PREFIX}{{+path}}"
_FOLDERS = ("", layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, layout.DAYS, layout.IMPORTED)


def resource_paths(workspace: Workspace) -> list[str]:
    """Return the paths of all documents but the archives, the newest of dated ones first."""
    files = workspace.stores.visible_to().files
    paths: list[str] = []
    for folder in _FOLDERS:
        names = [name for name, kind in files.names(folder) if kind == "file"]
        documents = sorted(layout.markdown_files(layout.documents(folder, names)), reverse=folder != "")
        paths += [f"{folder}/{name}" if folder else name for name in documents]
    return paths


def resource_uri(path: str) -> str:
    """Return the URI of a document."""
    return PREFIX + quote(path)


def resource_text(workspace: Workspace, given: str) -> str:
    """Return the text of the document with this URI, without secrets; MissingFileError for any other file."""
    path = unquote(given.removeprefix(PREFIX), errors="surrogateescape")
    if not given.startswith(PREFIX) or not path.endswith(".md") or not layout.is_document(path):
        raise MissingFileError(
            f"{given} is not a document of the workspace.", hint=f"For example: {resource_uri(layout.MEMORY)}"
        )
    data = workspace.stores.visible_to().files.read(path)
    result: str = shown.inert(data.decode("utf-8", "replace"))
    return result
