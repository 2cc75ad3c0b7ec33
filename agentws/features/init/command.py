"""The verb `agentws init`: its options and its call."""

from __future__ import annotations

import os
import pwd
from functools import partial

from agentws.core import environment
from agentws.core.disk import clock, locate
from agentws.core.formats import layout
from agentws.core.terminal import dialog
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, flag, optional, text
from agentws.errors import AgentwsError, UsageError
from agentws.features.init import render
from agentws.workspace import Workspace, initialise

_APART = "This is a code repository. Keep the agent's memory apart, in .agentmem/, which git then ignores?"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.install.hosts import Known
    from agentws.features.init.apply import Initialised


def init(
    run: Run,
    *,
    directory: str,
    name: str | None,
    template: str | None,
    timezone: str | None,
    git: bool,
    private: bool | None,
    own_folder: bool | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Create a workspace, or adopt existing files without changing a byte."""
    path, root = locate.here(), root_of(run, directory)
    asks = dialog.is_terminal(run) and not (yes or dry_run)
    home = environment.variables().get("HOME", "")
    at = partial(
        initialise, environment=run.environment(), name=name, template=template, timezone=timezone, git=git, home=home
    )
    if own_folder is None:
        own_folder = _is_kept_apart(root) or (
            asks and private is None and at(root, dry_run=True).is_top_of_code and dialog.confirm(_APART, default=True)
        )
    if own_folder:
        root, private = locate.own_folder(root), private is not False
    make = partial(at, root)
    if asks:
        planned = make(agreed=False, dry_run=True)
        if private is None and planned.is_in_code:
            private = dialog.confirm(
                "`git add -A` here would include the agent's memory. Let git ignore the workspace?", default=True
            )
        if planned.wide is not None:
            if not dialog.confirm(f"{planned.wide.message} Create it anyway?"):
                raise planned.wide
            yes = True
        if not planned.already:
            make = partial(make, **_answers(planned, name, timezone))
    done = make(private=private, agreed=yes, dry_run=dry_run)
    steps = [] if done.dry_run or done.already else render.next_steps(done, _hosts(run, root), cwd=path)
    first, last = (done.days[0], done.days[-1]) if done.days else (None, None)
    run.result(
        "init",
        done,
        render.FIELDS,
        render.lines(done, steps),
        days=len(done.days),
        first_day=first,
        last_day=last,
        loads=[{"host": host, "files": list(files)} for host, files in done.loads],
        next_steps=[step for step, _ in steps],
    )


def _answers(planned: Initialised, name: str | None, timezone: str | None) -> dict[str, str]:
    """Ask for what is not given: the agent's name, the person's and the time zone; nothing has been written yet."""
    names = ask_names(planned, name)
    question = f"Your time zone [{planned.timezone}]"
    while timezone is None:
        timezone = dialog.prompt(question, planned.timezone)
        try:
            clock.zone(timezone)
        except UsageError as error:
            question, timezone = f"{error.message} {question.rpartition('. ')[2]}", None
    return {**names, "timezone": timezone}


def ask_names(planned: Initialised, name: str | None) -> dict[str, str]:
    """Ask for the agent's name, unless it is given, and for the person's, unless there is a USER.md."""
    user = ""
    if name is None:
        name = dialog.prompt(f"The agent's name [{planned.name}]", planned.name)
    if layout.USER in planned.added:
        usual = pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0]
        user = dialog.prompt(f"Your name [{usual}]" if usual else "Your name (Enter: none)", usual)
    return {"name": name, "user": user}


def root_of(run: Run, directory: str) -> str:
    """Return the real path of the folder that `directory` names from where the command runs."""
    base = run.directory or "."
    return os.path.realpath(os.path.join(os.path.expanduser(base), os.path.expanduser(directory)))


def _is_kept_apart(project: str) -> bool:
    """Return whether the workspace of this folder is in its `.agentmem`."""
    return locate.find(project) == locate.own_folder(project)


def _hosts(run: Run, root: str) -> list[Known]:
    """Return the agent programs on this machine; none if they cannot be listed."""
    try:
        return Workspace.open(root, environment=run.environment()).hosts.list(variables=environment.variables()).hosts
    except AgentwsError:
        return []


VERBS = (
    Verb(
        "init",
        init,
        (
            optional("directory", "DIR", "The folder; created if missing.", default="."),
            text("--name", "NAME", "The agent's name."),
            text("--template", "NAME|DIR", "default, assistant, coder, or your own folder."),
            text(
                "--timezone",
                "NAME",
                "Time zone (Europe/Berlin). Default: that of USER.md, else of this machine.",
            ),
            flag("--git/--no-git", "Keep history in git.", default=True),
            flag(
                "--private/--no-private",
                "Exclude the workspace from `git add`. Default: ask on a terminal.",
                default=None,
            ),
            flag(
                "--own-folder/--no-own-folder",
                "In a code repository: use .agentmem/. Default: ask on a terminal.",
                default=None,
            ),
            flag(
                "--yes",
                "Ask nothing, and use no .agentmem/ without --own-folder. Allow the home folder, its parents, or /.",
            ),
            DRY_RUN,
        ),
        "agentws init my-agent --name Robin",
        "agentws init                       adopts existing files",
        "agentws init --dry-run             shows what it would find and add",
        "agentws init ops --template coder --no-git",
        "agentws init --private             in a code repository: `git add` ignores it",
        "agentws init --own-folder          there: all of it in .agentmem/",
    ),
)
