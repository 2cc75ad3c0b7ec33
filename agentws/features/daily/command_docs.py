"""The verb `agentws docs`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.options import Verb, optional
from agentws.features.daily import docs as _docs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.terminal.invocation import Run


def docs(run: Run, *, page: str | None) -> None:
    """List the pages of the documentation, or read one.

    Given any other word, list the pages that contain that word.
    """
    pages = _docs.pages() if page is None else _docs.found(page)
    is_read = page is not None and len(pages) == 1
    fields = [{"name": one.name, "title": one.title, "text": one.text if is_read else None} for one in pages]
    if not is_read:
        widest = max(len(one.name) for one in pages)
        lines, look = [f"{one.name:<{widest}}  {one.title}" for one in pages], output.ROWS
    else:
        lines, look = pages[0].text.rstrip("\n").split("\n"), output.MARKDOWN
    run.done("docs", {"pages": fields}, lines, (), look=look)


VERBS = (
    Verb(
        "docs",
        docs,
        (optional("page", "[PAGE]", "Page name or its beginning; otherwise a word to search for.", completes="page"),),
        "agentws docs",
        "agentws docs tutorial",
        "agentws docs format/journal",
    ),
)
