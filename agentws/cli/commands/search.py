"""agentws search."""

from __future__ import annotations

from agentws.cli import invocation
from agentws.cli.options import Verb, flag, number, words
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.cli.invocation import Run


def search(run: Run, *, query: list[str], k: int, stdin: bool) -> None:
    """Find entries of logs, archive, MEMORY.md, tasks and handoffs by their words."""
    from agentws.cli.render import search as search_render

    if stdin:
        if query:
            raise UsageError("--stdin reads the questions: leave out QUERY.")
        search_render.answer_lines(run, k=k)
        return
    if not query:
        raise UsageError("Missing QUERY.", hint='agentws search "why SQLite"')
    found = run.workspace().search(invocation.said(query), k=k)
    run.done("search", search_render.fields(found), search_render.lines(found), found.notices)


VERBS = (
    Verb(
        "search",
        search,
        (
            words("query", "QUERY", "Words to look for, in any order.", is_required=False, is_text=True),
            number("-k --limit", "N", "Show at most N hits.", default=10, least=1, most=1000, to="k"),
            flag("--stdin", "Answer many: JSON lines of id, query and now."),
        ),
        "agentws search why SQLite",
    ),
)
