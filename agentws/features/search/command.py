"""The verb `agentws search`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import invocation
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, number, text, texts, words
from agentws.errors import UsageError

_USUAL = 10


def search(
    run: Run,
    *,
    query: list[str],
    k: int | None,
    since: str | None,
    until: str | None,
    kinds: list[str] | None,
    tags: list[str] | None,
    task: str | None,
    rooms: list[str] | None,
    audience: str | None,
    budget: int | None,
    context: int,
    explain: bool,
    stdin: bool,
) -> None:
    """Find entries of documents and the journal by their words.

    Each hit names path and line. Quoted words must be adjacent; `word*` matches every word that begins so.
    """
    from agentws.features.search.render import search as search_render

    if stdin:
        if query or any((since, until, kinds, tags, task, rooms, budget, context)):
            raise UsageError("--stdin cannot be used with QUERY or filters.")
        search_render.answer_lines(run, k=k or _USUAL, audience=audience)
        return
    workspace = run.workspace().search(
        invocation.argument(" ".join(query)),
        k=k or _USUAL,
        since=since,
        until=until,
        kinds=kinds or (),
        tags=tags or (),
        task=task,
        rooms=rooms or (),
        audience=audience,
        budget=budget,
        context=context,
        progress=search_render.indexing(run),
    )
    search_render.show(run, workspace, explain=explain, is_brief=k is None)


VERBS = (
    Verb(
        "search",
        search,
        (
            words("query", "[QUERY]", "Words to look for, in any order.", is_required=False, is_text=True),
            number("-k --limit", "N", "Show at most N hits: 10, at a terminal 5.", least=1, most=1000, to="k"),
            text("--since", "TIME", "Only from this day on: 2026-11-20, yesterday, 3d."),
            text("--until", "TIME", "Only up to this day."),
            texts(
                "--kind",
                "KIND",
                "Only this kind: decision, lesson, todo; repeatable.",
                to="kinds",
                completes="log-kind",
            ),
            texts("--tag", "TAG", "Only with this tag. Repeatable.", to="tags"),
            text("--task", "SLUG", "Only of this task.", completes="task"),
            texts(
                "--in",
                "PLACE",
                "Only in logs, memory, identity, tasks, handoffs, contexts, journal, documents or all. Repeatable.",
                to="rooms",
            ),
            text("--audience", "WHO", "main or shared; shared hides private content."),
            number("--budget", "TOKENS", "Maximum tokens of the shown hits.", least=1),
            number("--context", "N", "Show N entries before and after each hit.", default=0, least=0, most=50),
            flag("--explain", "Show the reasons for each rank."),
            flag("--stdin", "Answer many: JSON lines of id, query and now."),
        ),
        "agentws search why SQLite",
        "agentws search '\"garden gate\"' --since 30d",
        "agentws search lease --kind decision --context 2",
        "agentws search --kind lesson --since 7d     the newest lessons, without a question",
        "agentws search 'deploy*' -k 3 --json",
    ),
)
