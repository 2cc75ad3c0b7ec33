"""The verb `agentws start`: a workspace, the agent programs of this machine, and the first boot in one command."""

from __future__ import annotations

import os
from functools import partial

from agentws import features
from agentws.core import environment
from agentws.core.disk import locate
from agentws.core.findings import quoted
from agentws.core.terminal import asking, console_script, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, optional, text, texts
from agentws.errors import AgentwsError, UsageError
from agentws.features.init import command, render
from agentws.workspace import Workspace, initialise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.hosts.install.install import Installed
    from agentws.features.init.apply import Initialised

_NONE = "none"


def start(
    run: Run, *, directory: str, name: str | None, user: str | None, host: Sequence[str] | None, dry_run: bool
) -> None:
    """Make or adopt a workspace, connect the agent programs of this machine to it, and print the first boot.

    It may be run again: what is there stays, what is missing is added.
    """
    chosen = _chosen(host)
    done = _made(run, command.root_of(run, directory), name, user, dry_run=dry_run)
    if dry_run and not done.already:
        run.done("start", {"root": done.root, "dry_run": True}, _planned(done, chosen), done.notices)
        return
    workspace = Workspace.open(done.root, environment=run.environment())
    notices = list(done.notices)
    connected = _connect(workspace, chosen, notices, dry_run=dry_run)
    booted = workspace.boot()
    steps = _steps(done, connected)
    fields = {
        **output.fields(done, "root name already"),
        "dry_run": dry_run,
        "hosts": [{"host": one.host, "connected": bool(one.changes)} for one in connected],
        "boot": {"tokens": booted.tokens, "text": booted.text},
        "next_steps": steps,
    }
    run.done("start", fields, _lines(done, connected, booted.text, steps), [*notices, *booted.notices])


def _chosen(named: Sequence[str] | None) -> set[str] | None:
    """Return the hosts to connect, None for all that are found. UsageError for an unknown one."""
    if not named:
        return None
    known = [*features.HOSTS, _NONE]
    for one in named:
        if one not in known:
            raise UsageError(f"Unknown host: {one!r}.", hint=f"Name one of {', '.join(known)}.")
    return set(named) - {_NONE}


def _made(run: Run, root: str, name: str | None, user: str | None, *, dry_run: bool) -> Initialised:
    """Make the workspace, in a code repository in its own folder; ask for names that are not given, on a terminal."""
    home = environment.variables().get("HOME", "")
    at = partial(initialise, environment=run.environment(), home=home)
    private = None
    if found := locate.around(root):
        locate.check_owner(None, found)
        root = found
    elif at(root, dry_run=True).is_top_of_code:
        root, private = locate.own_folder(root), True
    planned = at(root, name=name, private=private, agreed=False, dry_run=True)
    if dry_run or planned.already:
        return planned
    user = user or ""
    if asking.is_terminal(run) and not user:
        names = command.ask_names(planned, name)
        name, user = names["name"], names["user"]
    return at(root, name=name, user=user, private=private)


def _connect(workspace: Workspace, chosen: set[str] | None, notices: list[str], *, dry_run: bool) -> list[Installed]:
    """Connect the chosen hosts, by default those that are found and not connected yet; a failure is a notice."""
    variables, done = environment.variables(), []
    for known in workspace.hosts.list(variables=variables).hosts:
        is_ours = any(wire.ours for wire in known.wires)
        is_found = known.found and features.HOSTS[known.name].has_hooks and not is_ours
        if not (is_found if chosen is None else known.name in chosen):
            continue
        try:
            done.append(
                workspace.hosts.install(
                    known.name,
                    script=console_script.path(),
                    named=console_script.is_named(),
                    variables=variables,
                    dry_run=dry_run,
                )
            )
        except AgentwsError as error:
            notices.append(f"{known.title} was not connected: {error.message} {error.hint or ''}".rstrip())
    return done


def _steps(done: Initialised, connected: Sequence[Installed]) -> list[str]:
    """Return what the person does next, at most three things."""
    steps = [step for one in connected[:1] for step in one.next_steps[:1]]
    project = locate.project(done.root)
    if os.path.realpath(".") != project:
        steps.insert(0, f"cd {quoted(project)}")
    steps += ['agentws log "…" records a line', "agentws boot prints what the agent reads at its start"]
    return [*steps, "agentws status shows whether all is well"][:3]


def _planned(done: Initialised, chosen: set[str] | None) -> Iterator[str]:
    yield from render.lines(done, [])
    hosts = "the agent programs that are found" if chosen is None else ", ".join(sorted(chosen)) or "no agent program"
    yield f"It would connect {hosts}, and print the first boot."


def _lines(done: Initialised, connected: Sequence[Installed], boot: str, steps: Sequence[str]) -> Iterator[str]:
    yield from render.lines(done, [])
    for one in connected:
        files = ", ".join(change.place for change in one.changes)
        if one.changes:
            verb = "Would connect" if one.dry_run else "Connected"
            yield f"{verb} {one.title}: {files}. To remove it: agentws uninstall {one.host}"
        else:
            yield f"{one.title} is connected."
    yield ""
    yield "$ agentws boot"
    yield from boot.splitlines()
    yield ""
    for number, step in enumerate(steps):
        yield f"{'' if number else 'Next:':<6}{step}"


VERBS = (
    Verb(
        "start",
        start,
        (
            optional("directory", "DIR", "The folder; created if missing.", default="."),
            text("--name", "NAME", "The agent's name. Default: ask on a terminal."),
            text("--user", "NAME", "Your name, for USER.md. Default: ask on a terminal."),
            texts(
                "--host",
                "HOST",
                f"Connect {features.one_of([*features.HOSTS, _NONE])}; repeatable. Default: all that are found.",
                completes="host",
            ),
            DRY_RUN,
        ),
        "agentws start",
        "agentws start ~/robin --name Robin --user Sam",
        "agentws start --host claude-code",
        "agentws start --dry-run",
    ),
)
