"""The verb agentws ui."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import webbrowser

from agentws.core import extras
from agentws.core.terminal import output
from agentws.core.terminal.options import Verb, flag, number, optional, text
from agentws.core.text.names import many
from agentws.errors import NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentws.core.environment import Environment
    from agentws.core.terminal.invocation import Run


_LOOPBACK = "127.0.0.1"
_COMMAND = "agentws ui"


def ui(
    run: Run,
    *,
    url: str | None,
    team: str | None,
    host: str,
    port: int,
    no_open: bool,
    read_only: bool,
    export: str | None,
    days: int | None,
    audience: str | None,
) -> None:
    """Open the page for people in a browser: what the agent knows, where that came from, what waits for you.

    Only a person may, at a terminal. Ctrl-C ends it. With --export it becomes files that need no server. With the URL
    of a fleet it shows that alone, and needs no workspace.
    """
    if url and export is not None:
        raise UsageError("The page of a fleet cannot be exported.", hint=f"{_COMMAND} URL")
    if export is not None:
        _export(run, export, days, audience)
        return
    if team is not None and not url:
        raise UsageError("--team is for the URL of a fleet.", hint=f"{_COMMAND} service=fleet --team garden")
    if days is not None or audience is not None:
        raise UsageError("--days and --audience are for --export.", hint="agentws ui --export FOLDER --days 7")
    _check_address(host)
    run.check_main_audience()
    _check_person(run.environment() if url else run.workspace().stores.environment)
    with extras.needed("ui"):
        from agentws.features.ui import serve
    from agentws.features.ui.guard import is_loopback
    from agentws.features.ui.pages import PAGES, fleet

    opened, pages = fleet.alone(run.environment, url, team) if url else (run.workspace, PAGES)
    server = serve.Server(opened, serve.listen(host, port), pages, is_read_only=read_only)
    if not is_loopback(host):
        warning = f"{host} is open to others, and HTTP is not encrypted. Safer: ssh -L PORT:{_LOOPBACK}:PORT MACHINE"
        output.notices([warning], quiet=False)
    link = server.link()
    if run.as_json:
        output.data("ui", {"url": link})
    else:
        _say(link)
    with browser("" if no_open else link) as used:
        server.run(_say, used)


def _export(run: Run, path: str, days: int | None, audience: str | None) -> None:
    from agentws.core.formats.audience import MAIN, SHARED, narrower
    from agentws.workspace import Workspace

    workspace = run.workspace()
    environment = workspace.stores.environment
    environment.check_person(f"{_COMMAND} --export {path}", "export the page for people")
    if audience not in (None, MAIN, SHARED):
        raise UsageError(f"Unknown --audience: {audience!r}.", hint=f"Choose one of: {MAIN}, {SHARED}.")
    environment.audience = narrower(environment.audience, audience)
    workspace = Workspace.open(workspace.root, environment=environment)
    with extras.needed("ui"):
        from agentws.features.ui import export
    progress = output.progress_line("Page {} of at least {}".format, quiet=run.quiet)
    since = workspace.moment(f"{days - 1}d").date().isoformat() if days else ""
    done = export.export(workspace, os.path.join(run.directory or ".", path), since=since, progress=progress)
    lines = [f"Exported {many(done.pages, 'page')}: {done.path}/index.html"]
    lines += [f"Not for this audience: {', '.join(done.left_out)}"] if done.left_out else []
    run.result("ui", done, "path pages left_out notices", lines)


def _say(link: str) -> None:
    # `output.line` masks what looks like a secret.
    output.text(f"{link}\nOpens once, within 5 minutes. Enter: a new link. Ctrl-C: end.\n")


def _check_person(environment: Environment) -> None:
    """Raise NeedsYouError for an agent's process: by its environment, or because there is no terminal."""
    environment.check_person(_COMMAND, "open the page for people")
    if sys.stdin is None or not sys.stdin.isatty():
        raise NeedsYouError(
            "Only a person may open the page for people. There is no terminal.",
            hint=f"A person runs, in their own terminal: {_COMMAND}",
        )


def _check_address(host: str) -> None:
    """Raise UsageError unless `host` is one numeric address: requests to other names are refused."""
    from ipaddress import ip_address

    try:
        address = ip_address(host)
    except ValueError:
        address = None
    if address is None or address.is_unspecified or address.is_multicast:
        raise UsageError(
            f"--host must be one address of this machine, not {host!r}.", hint=f"For this machine only: {_LOOPBACK}"
        )


VERBS = (
    Verb(
        "ui",
        ui,
        (
            optional("url", "[URL]", "Database of a fleet, to show that alone."),
            text("--team", "TEAM", "With a URL: team of the fleet, if you see several."),
            text("--host", "ADDRESS", "Address; all but the default let others in.", default=_LOOPBACK),
            number("--port", "PORT", "Port; 0: any free one.", least=0, most=65535, default=0),
            flag("--no-open", "Do not start a browser: print the link only."),
            flag("--read-only", "Refuse every change."),
            text("--export", "FOLDER", "Write the pages as files that need no server, and end."),
            number("--days", "N", "With --export: only days and events of the last N days.", least=1, default=None),
            text("--audience", "WHO", "With --export: main or shared; shared leaves out private content."),
        ),
        "agentws ui",
        "agentws ui --no-open --port 8760",
        "agentws ui --read-only",
        "agentws ui postgresql://robin@db.example.org/fleet",
        "agentws ui --export ~/robin-week --days 7",
    ),
)


@contextlib.contextmanager
def browser(link: str) -> Iterator[Callable[[], None]]:
    """Open `link` in a browser, nothing if it is empty; yields what removes the file that leads there, once it is used.

    Every process of this machine can read the arguments of a browser, so these name a file that only this user can
    read.
    """
    if not link:
        yield lambda: None
        return
    with (made := tempfile.TemporaryDirectory(prefix="agentws-ui-")) as folder:
        path = os.path.join(folder, "open.html")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(f'<!doctype html><title>agentws</title><meta http-equiv="refresh" content="0; url={link}">\n')
        with contextlib.suppress(webbrowser.Error):
            chosen = webbrowser.get()
            if type(chosen) is not webbrowser.GenericBrowser:  # that would be in the terminal
                chosen.open(f"file://{path}")
        yield made.cleanup
