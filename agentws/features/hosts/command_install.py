"""The verbs agentws install and agentws uninstall."""

from __future__ import annotations

from functools import partial

from agentws import features
from agentws.core import environment
from agentws.core.terminal import console_script, dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, optional, text, word
from agentws.errors import NoWorkspaceError, UsageError
from agentws.features.hosts import render_install as render

_OFF_PATH = "`agentws` is not on PATH; the agent needs it: {}"

_NO_SDK = "Install what the server needs: pip install 'agentws[mcp]'"
_QUESTION = "Allow the agent to {} without asking{}?"
_ROOT = ", and the sandbox to write to the workspace"


def install(
    run: Run,
    *,
    host: str | None,
    user: bool,
    project: bool,
    folder: str | None,
    auto_memory: bool,
    replace: bool,
    allow: bool | None,
    dry_run: bool,
) -> None:
    """Connect a host (agent program) to this workspace: it loads boot at each start, and its work is recorded here."""
    workspace, variables = run.workspace(), environment.variables()
    if host is None:
        listed = workspace.hosts.list(variables=variables)
        hosts = [
            output.fields(known, render.HOST, installed=any(wire.ours for wire in known.wires))
            for known in listed.hosts
        ]
        run.result("install-list", listed, "hosts notices", render.list_lines(listed), hosts=hosts)
        return
    level = _level(host, user, project, folder)
    allowed = partial(workspace.hosts.is_allowed, host, variables=variables, level=level, folder=folder)
    # None: the host has no setting to allow these commands.
    if allow is None and not dry_run and dialog.is_terminal(run) and allowed() is False:
        what = f"use {render.TOOLS}" if features.HOSTS[host].starts_mcp else f"run {render.VERBS}"
        allow = dialog.confirm(_QUESTION.format(what, _ROOT if user and features.host(host).sandboxed else ""))
    done = workspace.hosts.install(
        host,
        script=console_script.path(),
        variables=variables,
        level=level,
        folder=folder,
        auto_memory=auto_memory,
        replace=replace,
        allow=allow,
        named=console_script.is_named(),
        dry_run=dry_run,
    )
    if done.cost.block and not console_script.is_on_path():
        done.next_steps = (*done.next_steps, _OFF_PATH.format(done.script))
    if features.HOSTS[host].starts_mcp and not _has_sdk():
        done.next_steps = (_NO_SDK, *done.next_steps)
    run.done("install", render.installed_fields(done), render.installed_lines(done), done.notices)


def _has_sdk() -> bool:
    from importlib.util import find_spec

    return find_spec("mcp") is not None


def uninstall(run: Run, *, host: str, user: bool, project: bool, folder: str | None, dry_run: bool) -> None:
    """Remove what install wrote. Settings not edited since become identical to before."""
    try:
        workspace = run.workspace()
    except NoWorkspaceError as error:
        hint = f"If it was deleted, make it again to remove the hooks: agentws init --yes, agentws uninstall {host}"
        raise NoWorkspaceError(error.message, hint=f"{hint}. For an .agentmem/: agentws init --own-folder") from error
    done = workspace.hosts.uninstall(
        host,
        variables=environment.variables(),
        level=_level(host, user, project, folder),
        folder=folder,
        dry_run=dry_run,
    )
    changes = [
        {**render.change_fields(change, diff=done.dry_run), "restored": change.place in done.restored}
        for change in done.changes
    ]
    run.result("uninstall", done, render.UNINSTALLED, render.uninstalled_lines(done), changes=changes)


def _level(host: str, user: bool, project: bool, folder: str | None) -> str:
    if user + project + (folder is not None) > 1:
        raise UsageError("--user, --project and --folder cannot be used together.", hint="Use one of them.")
    if folder is not None:
        return "folder"
    has_user_only = host in features.HOSTS and not features.host(host).project_files
    return "user" if user or (has_user_only and not project) else "project"


_USER = flag("--user", "Change your user settings, for every folder.")
_PROJECT = flag("--project", "Change the settings of the workspace folder (default).")
_FOLDER = text("--folder", "DIR", "Change the settings of another project.")
_DRY_RUN = flag("--dry-run", "Show the result without applying it.")
VERBS = (
    Verb(
        "install",
        install,
        (
            optional(
                "host",
                "[HOST]",
                f"{features.one_of(features.HOSTS)}; without: lists them.",
                completes="host",
            ),
            _USER,
            _PROJECT,
            _FOLDER,
            flag("--auto-memory", "Store the host's own memory in the workspace (claude-code)."),
            flag("--replace", "Replace the workspace that the host uses now."),
            flag(
                "--allow/--no-allow",
                "Allow the agent to run boot, status, search, log, todo, done, drop, remember, task, handoff and "
                "curate without asking (codex with --user: its sandbox may write to the workspace, too). "
                "Default: unchanged; a terminal is asked once.",
                default=None,
            ),
            _DRY_RUN,
        ),
        "agentws install                                 lists hosts and what is installed",
        "agentws install claude-code --dry-run           shows what it would write",
        "agentws install claude-code --user              in every folder",
        "agentws install gemini --allow                  the agent may write its memory without being asked",
        "agentws install mcp-json --allow                for qwen -p and others whose agent has no shell",
        "agentws install claude-desktop                  a client of the Model Context Protocol",
    ),
    Verb(
        "uninstall",
        uninstall,
        (
            word(
                "host",
                "HOST",
                f"{features.one_of(features.HOSTS)}.",
                completes="host",
            ),
            _USER,
            _PROJECT,
            _FOLDER,
            _DRY_RUN,
        ),
        "agentws uninstall claude-code --dry-run",
        "agentws uninstall claude-code",
        "agentws uninstall claude-code --user",
    ),
)
