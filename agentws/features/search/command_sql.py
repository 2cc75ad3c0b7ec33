"""The verb `agentws sql`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import invocation
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, number, words


def sql(run: Run, *, query: list[str], limit: int, timeout_s: int, csv: bool) -> None:
    """Query the search index in SQL, read-only. Without a query, list its views.

    Views: memories, events, sessions, tasks, handoffs, data, sources.
    """
    from agentws.features.search.render import sql as render

    asked = invocation.argument(" ".join(query))
    result = run.workspace().search.sql(asked, limit=limit, timeout_s=timeout_s)
    render.show(run, result, as_csv=csv, is_overview=not asked.strip())


VERBS = (
    Verb(
        "sql",
        sql,
        (
            words("query", "[QUERY]", "One SELECT; `-` reads standard input.", is_required=False, is_text=True),
            number("--limit", "N", "Show at most N rows.", default=1000, least=1, most=1_000_000),
            number("--timeout", "SECONDS", "Stop after this time.", default=10, least=1, most=3600, to="timeout_s"),
            flag("--csv", "Print CSV."),
        ),
        "agentws sql",
        "agentws sql \"SELECT created_at, content FROM memories WHERE kind = 'decision' ORDER BY 1 DESC LIMIT 5\"",
        'agentws sql --csv "SELECT event_type, count(*) FROM events GROUP BY 1"',
    ),
)
