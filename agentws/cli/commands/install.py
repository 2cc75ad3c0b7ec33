"""agentws install, agentws uninstall."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from agentws.cli import console_script, environment, typer_glue
from agentws.cli.invocation import Run
from agentws.cli.render import install as render
from agentws.errors import UsageError

EXAMPLES = typer_glue.examples(
    "agentws install                                 which hosts there are, and what is installed",
    "agentws install claude-code --dry-run           shows what it would write",
    "agentws install claude-code                     in this workspace's folder",
    "agentws install claude-code --user              in every folder of yours",
    "agentws install codex --folder ~/src/heron      in another project",
    "agentws install gemini --allow                  the agent may write its memory without being asked",
    "agentws install gemini --no-allow               takes that back",
)
UNINSTALL_EXAMPLES = typer_glue.examples(
    "agentws uninstall claude-code --dry-run",
    "agentws uninstall claude-code",
    "agentws uninstall claude-code --user",
)

_OFF_PATH = "The agent is told to call `agentws`, which is not on your PATH: put it there ({})."

_QUESTION = f"May the agent run {render.VERBS} of agentws without asking you, and nothing else of it?"

Host = Annotated[
    str,
    typer.Argument(metavar="HOST", help="claude-code, codex, gemini, qwen, copilot, opencode, openclaw or agents-md."),
]
User = Annotated[bool, typer.Option("--user", help="Your own settings, which count in every folder.")]
Project = Annotated[bool, typer.Option("--project", help="The settings of the workspace's own folder, as usual.")]
Folder = Annotated[str | None, typer.Option("--folder", metavar="DIR", help="The settings of another project.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]


def install(
    context: typer.Context,
    host: Annotated[
        str | None,
        typer.Argument(
            metavar="[HOST]",
            help="claude-code, codex, gemini, qwen, copilot, opencode, openclaw or agents-md; without: lists them.",
        ),
    ] = None,
    user: User = False,
    project: Project = False,
    folder: Folder = None,
    auto_memory: Annotated[
        bool, typer.Option("--auto-memory", help="Let the host keep its own memory in the workspace too (claude-code).")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also where another workspace is wired there: this one takes its place.")
    ] = False,
    allow: Annotated[
        bool | None,
        typer.Option(
            "--allow/--no-allow",
            show_default=False,
            help=f"Let the agent run {render.VERBS} without being asked, and nothing else of agentws. Else it stays as "
            "it is; where it is not allowed yet, a terminal is asked.",
        ),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Wire an agent program to this workspace: it wakes up with it, and what it does is recorded here."""
    asked = typer_glue.of(context)
    workspace, variables = asked.workspace(), environment.variables()
    if host is None:
        listed = workspace.hosts(variables=variables)
        asked.done("install-list", render.list_fields(listed), render.list_lines(listed), listed.notices)
        return
    level = _level(user, project, folder)
    allowed = partial(workspace.is_allowed, host, variables=variables, level=level, folder=folder)
    # None is a host that cannot be told so.
    if allow is None and not dry_run and _is_terminal(asked) and allowed() is False:
        allow = typer.confirm(_QUESTION, err=True)
    done = workspace.install(
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
    asked.done("install", render.installed_fields(done), render.installed_lines(done), done.notices)


def uninstall(
    context: typer.Context,
    host: Host,
    user: User = False,
    project: Project = False,
    folder: Folder = None,
    dry_run: DryRun = False,
) -> None:
    """Take out what install wrote. Settings that nobody has edited since are again what they were, byte for byte."""
    asked = typer_glue.of(context)
    done = asked.workspace().uninstall(
        host,
        variables=environment.variables(),
        level=_level(user, project, folder),
        folder=folder,
        dry_run=dry_run,
    )
    asked.done("uninstall", render.uninstalled_fields(done), render.uninstalled_lines(done), done.notices)


def _is_terminal(asked: Run) -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return not asked.as_json and all(stream is not None and stream.isatty() for stream in streams)


def _level(user: bool, project: bool, folder: str | None) -> str:
    if user + project + (folder is not None) > 1:
        raise UsageError("--user, --project and --folder exclude each other.", hint="Give one of them, or none.")
    return "user" if user else "project" if folder is None else "folder"
