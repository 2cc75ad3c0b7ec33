"""The verb `agentws docs`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, words
from agentws.features.daily import docs as _docs

_PARTIAL = "No page has all of these words. Each of these has most of them:"


def docs(run: Run, *, page: list[str]) -> None:
    """List the pages of the documentation, read one, or search them."""
    matches = _docs.find(page) if page else _docs.Matches(_docs.pages())
    pages, notices = matches.pages, [] if matches.has_all_words else [_PARTIAL]
    is_read = bool(page) and len(pages) == 1 and matches.has_all_words
    fields = [{"name": each.name, "title": each.title, "text": each.text if is_read else None} for each in pages]
    if not is_read:
        widest = max(len(each.name) for each in pages)
        lines, look = [f"{each.name:<{widest}}  {each.title}" for each in pages], output.ROWS
    else:
        lines, look = pages[0].text.rstrip("\n").split("\n"), output.MARKDOWN
    run.done("docs", {"pages": fields}, lines, notices, look=look)


VERBS = (
    Verb(
        "docs",
        docs,
        (
            words(
                "page",
                "[PAGE]",
                "Page name or its beginning, or words to search for.",
                is_required=False,
                completes="page",
            ),
        ),
        "agentws docs",
        "agentws docs tutorial",
        "agentws docs restore a backup",
    ),
)
