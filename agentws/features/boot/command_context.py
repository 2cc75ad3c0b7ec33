"""The verbs agentws context list, new, show and use."""

from __future__ import annotations

from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, VIA, Verb, flag, optional, text, texts, word
from agentws.errors import UsageError
from agentws.features.boot import render_context as render


def list_contexts(run: Run) -> None:
    """List contexts and mark the one in use. Exits 3 if a file cannot be read."""
    found = run.workspace().contexts()
    run.done(
        "context-list", render.contexts_fields(found), render.contexts_lines(found), found.notices, look=output.ROWS
    )
    invocation.check_read(found.unread)


def new(
    run: Run, *, name: str, file: list[str] | None, tag: list[str] | None, text: str, via: str | None, dry_run: bool
) -> None:
    """Create a context."""
    done = run.workspace().new_context(
        name, files=file or (), tags=tag or (), text=invocation.argument(text) if text else "", via=via, dry_run=dry_run
    )
    run.done("context-new", render.changed_fields(done), render.changed_lines(done, "made"), done.notices)


def show(run: Run, *, name: str) -> None:
    """Show what a context loads."""
    found = run.workspace().context(name)
    run.done("context-show", render.context_fields(found), render.context_lines(found), (), look=output.MARKDOWN)


def use(run: Run, *, name: str, none: bool, dry_run: bool) -> None:
    """Select the context that boot loads."""
    if bool(name) == none:
        raise UsageError("Name a context, or pass --none.", hint="To list the contexts: agentws context list")
    done = run.workspace().use_context(name, dry_run=dry_run)
    run.done("context-use", render.changed_fields(done), render.changed_lines(done, "in use"), done.notices)


VERBS = (
    Verb("context list", list_contexts, (), "agentws context list"),
    Verb(
        "context new",
        new,
        (
            word("name", "NAME", "Name of the context."),
            texts("--file", "PATH", "A file to load; repeatable."),
            texts("--tag", "TAG", "A tag that matters; repeatable."),
            text("--text", "TEXT", "Text for the agent in this context; `-` reads standard input.", default=""),
            VIA,
            DRY_RUN,
        ),
        "agentws context new blog --file notes/style.md --tag writing",
        'agentws context new blog --text "Write short sentences."',
    ),
    Verb(
        "context show",
        show,
        (word("name", "NAME", "Name of the context.", completes="context"),),
        "agentws context show blog",
    ),
    Verb(
        "context use",
        use,
        (
            optional("name", "[NAME]", "Name of the context.", default="", completes="context"),
            flag("--none", "Use no context."),
            DRY_RUN,
        ),
        "agentws context use blog",
        "agentws context use --none",
    ),
)
