"""The verb `agentws start`: a workspace, the agent programs of this machine, and the first boot in one command."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from agentws import features
from agentws.core import environment
from agentws.core.disk import locate
from agentws.core.findings import quoted
from agentws.core.terminal import console_script, dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, flag, optional, text, texts
from agentws.core.text.names import many
from agentws.errors import AgentwsError, UsageError
from agentws.features.hosts.install import hosts
from agentws.features.hosts.install.install import Installed
from agentws.features.init import command, render
from agentws.features.init.apply import Initialised
from agentws.features.transfer import offers, render_import, sources
from agentws.features.transfer.imported import Imported, Stopped
from agentws.workspace import Workspace, initialise

_NONE = "none"
_INTERRUPTED = "Interrupted. The workspace is made. To connect the rest, run the same command again."
_APART = "To keep it in .agentmem/ instead: "
_NO_HOST = "no agent program (later: agentws install HOST)"


def start(
    run: Run,
    *,
    directory: str,
    name: str | None,
    user: str | None,
    host: Sequence[str] | None,
    imports: Sequence[str] | None,
    own_folder: bool | None,
    dry_run: bool,
) -> None:
    """Make or adopt a workspace, connect the agent programs of this machine to it, and print the first boot.

    It imports what these programs remember of this project, unless it has done so before; one `undo` takes that back.
    It may be run again: it then does what is missing, and changes no other document.
    """
    chosen = _chosen(host)
    wanted = None if imports is None else [each for each in imports if each != _NONE]
    for each in wanted or ():
        sources.source(each)  # an unknown one is refused before anything is made
    at = partial(initialise, environment=run.environment(), home=environment.variables().get("HOME", ""))
    root, private = _place(run, directory, own_folder, at)
    is_among_files = own_folder is None and _is_among_files(root)
    done = at(root, name=name, private=private, agreed=False, dry_run=True)
    if done.wide is not None:
        raise UsageError(done.wide.message, hint="Go to the folder of a project, or name one: agentws start DIR")
    names = _present_hosts(locate.project(done.root)) if chosen is None else sorted(chosen)
    offered = offers.found(done.root, environment.variables()) if wanted is None else wanted
    if dry_run and not done.already:
        if is_among_files:
            done.notices.append(f"The memory would be among the files of {root}. {_APART}agentws start --own-folder")
        planned = [{"host": word, "connected": False, "files": []} for word in names]
        fields = {**output.fields(done, "root name already"), "dry_run": True, "hosts": planned, "to_import": offered}
        run.done("start", fields, _planned(done, names, offered), done.notices)
        return
    if done.already and user:
        done.notices.append("--user was ignored: it needs a new workspace. Edit USER.md instead.")
    elif not done.already:
        if dialog.is_terminal(run) and not user:
            output.lines(_announced(done, names, offered))
            answers = command.ask_names(done, name)
            name, user = answers["name"], answers["user"]
        done = at(root, name=name, user=user or "", private=private)
        if is_among_files:
            undo = "undo each change that `agentws undo --list` shows, then run: agentws start --own-folder"
            done.notices.append(f"The memory is among the files of {root}. {_APART}{undo}")
    workspace = Workspace.open(done.root, environment=run.environment())
    notices = list(done.notices)
    try:
        connected = _connect(workspace, names, notices, is_named=chosen is not None, dry_run=dry_run)
        imported = _import(run, workspace, offered, notices, is_named=wanted is not None, dry_run=dry_run)
    except KeyboardInterrupt as stopped:
        says = stopped.notice if isinstance(stopped, Stopped) else _INTERRUPTED
        output.notices([*notices, says], quiet=run.quiet)
        raise
    booted = workspace.boot()
    steps = _steps(done, connected)
    fields = {
        **output.fields(done, "root name already"),
        "dry_run": dry_run,
        "hosts": [
            {
                "host": installed.host,
                "connected": not (installed.changes and installed.dry_run),
                "files": [change.place for change in installed.changes],
            }
            for installed in connected
        ],
        "imported": [
            {
                **output.fields(each, "source sessions memories known secrets forgotten"),
                "reasons": dict(sorted(each.reasons.items())),
            }
            for each in imported
        ],
        "boot": {"tokens": booted.tokens, "text": booted.text},
        "next_steps": steps,
    }
    lines = _lines(done, connected, imported, booted.text, steps)
    run.done("start", fields, lines, [*notices, *booted.notices])


def _chosen(named: Sequence[str] | None) -> set[str] | None:
    """Return the hosts to connect, None for all that are found. UsageError for an unknown one."""
    if not named:
        return None
    known = [*features.HOSTS, _NONE]
    for host in named:
        if host not in known:
            raise UsageError(f"Unknown host: {host!r}.", hint=f"Name one of {', '.join(known)}.")
    if _NONE in named and len(set(named)) > 1:
        raise UsageError(f"--host {_NONE} cannot be used with another --host.", hint="Use one of them.")
    return set(named) - {_NONE}


def _place(
    run: Run, directory: str, own_folder: bool | None, at: Callable[..., Initialised]
) -> tuple[str, bool | None]:
    """Return where the workspace is or will be, and whether git is to ignore it.

    In a repository with code and without an agent's memory, that is `.agentmem/` in its top folder. `own_folder` asks
    for an `.agentmem/` anywhere, or for none.
    """
    root = command.root_of(run, directory)
    if own_folder:
        repository = _repository(root)
        return locate.own_folder(repository or root), True if repository else None
    if root == locate.here() and (value := locate.around(root)):
        locate.check_owner(None, value)
        return value, None
    if value := locate.find(root):
        return value, None
    planned = at(root, agreed=False, dry_run=True)
    top = _repository(root)
    if own_folder is False or not planned.is_in_code or top is None or locate.find_unadopted(root):
        return root, None
    return locate.own_folder(top), True


def _repository(root: str) -> str | None:
    """Return the top folder of the git repository around `root`; None without one."""
    return locate.nearest(root, lambda folder: os.path.lexists(f"{folder}/.git"))


def _is_among_files(root: str) -> bool:
    """Return whether a new workspace at `root`, outside any repository, would be among files that are not notes."""
    if not os.path.isdir(root) or _repository(root) or locate.find_unadopted(root):
        return False
    return any(not name.startswith(".") and not name.endswith(".md") for name in os.listdir(root))


def _present_hosts(project: str) -> list[str]:
    """Return the hosts with hooks that are on this machine, or that the project uses."""
    variables = environment.variables()
    return [hook for hook in features.with_hooks() if hosts.is_found(project, hook, variables)]


def _connect(
    workspace: Workspace, names: Sequence[str], notices: list[str], *, is_named: bool, dry_run: bool
) -> list[Installed]:
    """Connect these hosts; failures of those that the user did not name are notices."""
    done = []
    for name in names:
        try:
            done.append(
                workspace.hosts.install(
                    name,
                    script=console_script.path(),
                    named=console_script.is_named(),
                    variables=environment.variables(),
                    dry_run=dry_run,
                )
            )
        except AgentwsError as error:
            if is_named:
                raise
            notices.append(f"{features.HOSTS[name].title} was not connected: {error.notice}")
    return done


def _import(
    run: Run, workspace: Workspace, names: Sequence[str], notices: list[str], *, is_named: bool, dry_run: bool
) -> list[Imported]:
    """Import from these sources, as one change for `undo`; failures of those that the user did not name are notices."""
    done: list[Imported] = []
    for name in names:
        title = sources.source(name).title
        try:
            with dialog.progress_bar(run, f"Importing from {title}") as update:
                imported = workspace.memory.import_from(
                    name,
                    variables=environment.variables(),
                    dry_run=dry_run,
                    progress=update,
                    continues=done[-1] if done else None,
                )
            done.append(imported)
        except AgentwsError as error:
            if is_named:
                raise
            notices.append(f"Nothing was imported from {title}: {error.notice}")
    return done


def _steps(done: Initialised, connected: Sequence[Installed]) -> list[str]:
    """Return what the person does next, at most three things."""
    steps = [step for installed in connected[:1] for step in installed.next_steps[:1] if installed.changes]
    project = locate.project(done.root)
    if locate.here() != project:
        steps.insert(0, f"cd {quoted(project)}")
    asks = [installed.host for installed in connected if installed.allowed is False]
    steps += [f"agentws install {host} --allow lets the agent run these commands without asking" for host in asks[:1]]
    steps += ['agentws log "…" records a line', "agentws boot prints what the agent reads at its start"]
    return [*steps, "agentws status shows whether all is well"][:3]


def _announced(done: Initialised, names: Sequence[str], offered: Sequence[str]) -> Iterator[str]:
    """Yield what start is about to do, before its questions."""
    yield f"{'Adopts the folder' if done.adopted else 'Makes a workspace in'} {done.root}"
    yield f"  connect  {_titles(names) or _NO_HOST}" + "; without: --host none" * bool(names)
    if offered:
        yield f"  import   what {_source_titles(offered)} remembers of this project; without: --import none"
    yield "Ctrl-C stops before anything is made."


def _planned(done: Initialised, names: Sequence[str], offered: Sequence[str]) -> Iterator[str]:
    yield from render.lines(done, [])
    yield f"Would connect: {_titles(names) or _NO_HOST}"
    if offered:
        yield f"Would import what {_source_titles(offered)} remembers of this project"


def _titles(names: Sequence[str]) -> str:
    return ", ".join(features.HOSTS[name].title for name in names)


def _source_titles(names: Sequence[str]) -> str:
    return ", ".join(sources.source(name).title for name in names)


def _lines(
    done: Initialised,
    connected: Sequence[Installed],
    imported: Sequence[Imported],
    boot: str,
    steps: Sequence[str],
) -> Iterator[str]:
    yield from render.lines(done, [])
    for installed in connected:
        files = ", ".join(change.place for change in installed.changes)
        if installed.changes:
            verb = "Would connect" if installed.dry_run else "Connected"
            yield f"{verb} {installed.title}: {files}. To remove it: agentws uninstall {installed.host}"
        else:
            yield f"{installed.title} is connected."
    if not connected:
        yield f"Connected: {_NO_HOST}"
    for each in imported:
        verb = "Would import" if each.dry_run else "Imported"
        requests = many(each.sessions, "session request")
        memories = "1 memory" if each.memories == 1 else f"{each.memories:,} memories"
        yield f"{verb} from {each.source}: {requests}, {memories}"
        yield from render_import.left_out(each)
    if any(each.paths and not each.dry_run for each in imported):
        yield "To take back all that was imported: agentws undo"
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
            texts(
                "--import",
                "SOURCE",
                "Import what a program remembers of this project; repeatable; or none. Default: all programs.",
                to="imports",
                completes="source",
            ),
            flag(
                "--own-folder/--no-own-folder",
                "Keep the memory in .agentmem/. Default: in a git repository with other files, at its top.",
                default=None,
            ),
            DRY_RUN,
        ),
        "agentws start",
        "agentws start ~/robin --name Robin --user Sam",
        "agentws start --host claude-code",
        "agentws start --import claude-code",
        "agentws start --dry-run",
    ),
)
