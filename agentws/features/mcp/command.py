"""The verb agentws mcp."""

from __future__ import annotations

from agentws.core import environment, extras
from agentws.core.formats import audience as _audience
from agentws.core.terminal import output
from agentws.core.terminal.options import Verb, number, text, texts
from agentws.errors import DiskError, UsageError
from agentws.features.mcp.plan import schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from agentws.core.terminal.invocation import Run
    from agentws.workspace import Workspace

_LOOPBACK = "127.0.0.1"
_TOKEN_BYTES = 32


def mcp(run: Run, *, http: int | None, without: list[str] | None, audience: str | None) -> None:
    """Serve the workspace to a program that speaks the Model Context Protocol (MCP), over standard input and output.

    Each client has its own session, which ends when the client leaves.
    """
    names = [tool.name for tool in schemas.TOOLS]
    if unknown := [name for name in without or () if name not in names]:
        raise UsageError(f"Unknown tool: {unknown[0]}.", hint=f"Tools: {', '.join(names)}.")
    if audience is not None and audience not in _audience.AUDIENCES:
        raise UsageError(f"--audience must be {' or '.join(_audience.AUDIENCES)}, not {audience!r}.")
    _opened(run, audience)  # errors are reported before a client connects
    with extras.needed("mcp"):
        from agentws.features.mcp import serve
    from agentws.features.mcp.connections import Connections

    connections = Connections(lambda: _opened(run, audience), is_daemon=http is not None)
    if http is None:
        serve.over_stdio(connections, without or ())
        return
    token, is_new = _token()
    listener = _listener(http)
    address = f"http://{_LOOPBACK}:{listener.getsockname()[1]}/mcp"
    shown = token if is_new else ""
    run.done("mcp", {"url": address, "token": shown or None}, [address], ())
    if shown and not run.as_json:
        output.text(f"Token: {shown}\n")  # `output.line` masks what looks like a secret
    serve.over_http(connections, without or (), listener, token)


def _opened(run: Run, audience: str | None) -> Workspace:
    """Return the workspace, opened again for a client: an agent calls, and errors name parameters."""
    workspace = run.workspace()
    surroundings = workspace.stores.environment
    surroundings.by_command, surroundings.by_agent = False, True
    if _audience.narrower(surroundings.audience, audience) == _audience.SHARED:
        surroundings.audience = _audience.SHARED
    return workspace


def _token() -> tuple[str, bool]:
    """Return the token that clients must send, and whether it was made now."""
    given = environment.mcp_token()
    if given is None:
        import secrets

        return secrets.token_urlsafe(_TOKEN_BYTES), True
    return given, False


def _listener(port: int) -> socket.socket:
    """Return a socket that listens on this machine only; DiskError if the port is in use."""
    import socket

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((_LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise DiskError(f"Port {port}: {error.strerror}.", hint="Take another one, or 0 for any: --http 0") from error
    listener.listen()
    return listener


VERBS = (
    Verb(
        "mcp",
        mcp,
        (
            number("--http", "PORT", "Serve HTTP on this machine instead; 0: any free port.", least=0, most=65535),
            texts("--without", "TOOL", "Leave out a tool: boot, where hooks bring it."),
            text("--audience", "WHO", "main or shared; shared if others read the client."),
        ),
        "agentws -C ~/agents/robin mcp      what a client starts",
        "agentws mcp --without boot",
        "agentws mcp --http 8765",
    ),
)
