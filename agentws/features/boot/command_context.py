"""The verbs agentws context list, new, show and use."""

from __future__ import annotations

from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, VIA, Verb, flag, optional, text, texts, word
from agentws.core.text import names
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.formats.documents.context import VirtualContext
    from agentws.features.boot.context import ContextChange, ContextList


def list_contexts(run: Run) -> None:
    """List contexts and mark the one in use. Exits 3 if a file cannot be read."""
    result = run.workspace().contexts.list()
    run.result(
        "context-list", result, f"in_use? contexts[{_CONTEXT}] notices", contexts_lines(result), look=output.ROWS
    )
    invocation.check_read(result.unread)


def new(
    run: Run, *, name: str, file: list[str] | None, tag: list[str] | None, text: str, via: str | None, dry_run: bool
) -> None:
    """Create a context."""
    done = run.workspace().contexts.new(
        name, files=file or (), tags=tag or (), text=invocation.argument(text) if text else "", via=via, dry_run=dry_run
    )
    run.result("context-new", done, _CHANGE, changed_lines(done, "Created context"))


def show(run: Run, *, name: str) -> None:
    """Show what a context loads."""
    result = run.workspace().contexts.show(name)
    run.result("context-show", result, _CONTEXT, context_lines(result), notices=(), look=output.MARKDOWN)


def use(run: Run, *, name: str, none: bool, dry_run: bool) -> None:
    """Select the context that boot loads."""
    if bool(name) == none:
        raise UsageError("Name a context, or pass --none.", hint="To list the contexts: agentws context list")
    done = run.workspace().contexts.use(name, dry_run=dry_run)
    run.result("context-use", done, _CHANGE, changed_lines(done, "Now using context"))


_CONTEXT = "name files tags tasks src? text=body.strip"
_CHANGE = "name? paths dry_run notices"
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


def contexts_lines(listing: ContextList) -> Iterator[str]:
    """Return the contexts, one a line."""
    if not listing.contexts and not listing.unread:
        yield "No contexts yet. Create one: agentws context new NAME"
    for context in listing.contexts:
        mark = "*" if context.name == listing.in_use else " "
        yield f"{mark} {context.name:<20} {', '.join(context.files) or 'no files'}"


def context_lines(context: VirtualContext) -> Iterator[str]:
    """Yield the lines of a context in full."""
    yield f"context {context.name}"
    for label, values in (("files", context.files), ("tags", context.tags), ("tasks", context.tasks)):
        yield f"  {label:<6} {', '.join(values) or 'none'}"
    if context.src:
        yield f"  via    {context.src}"
    yield ""
    yield context.body.strip()


def changed_lines(done: ContextChange, did: str) -> Iterator[str]:
    """Yield the lines about a changed context."""
    paths = names.some([*map(output.place, done.paths)])
    if not done.paths:
        already = f"Context {done.name} is already in use" if done.name else "No context was in use"
        yield f"{already}. Nothing was changed."
    elif done.dry_run:
        yield f"Would change {paths}. Nothing was changed."
    else:
        yield f"{f'{did} {done.name}' if done.name else 'No context is in use now'}: {paths}"
