"""Others may guess at what a main session made: each verb of a shared session answers a right guess as a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.notes import transitions
from agentws.errors import AgentwsError, UsageError
from agentws.workspace import Environment, Workspace
from tests import table
from tests.conftest import NOW

RIGHT, WRONG = "Write to the bank", "Bring the plates"
CALL, NO_CALL = "c-main", "c-none"

Ask = Callable[[Workspace, str, str], object]


def opened(root: str, session: str) -> Workspace:
    return Workspace.open(root, environment=Environment(now=NOW, timezone="UTC", session=session))


@pytest.fixture
def group(workspace: Workspace) -> Workspace:
    """A shared session beside a main one that made a fact, a task and an action in flight."""
    main = opened(workspace.root, "m")
    main.session.start(session="m")
    main.remember(RIGHT)
    main.remember("Another one", section=RIGHT)
    main.tasks.add(RIGHT)
    main.event("action", tool="search", call=CALL)
    group = opened(workspace.root, "g")
    group.session.start(session="g", audience="shared")
    group.event("action", tool="search", call="c-own")
    return group


def remembered(group: Workspace, text: str, **more: object) -> list[object]:
    done = group.remember(text, **more)  # type: ignore[arg-type]
    return [done.path, done.line, done.is_new, done.entry, done.notices]


def added(group: Workspace, title: str) -> list[object]:
    done = group.tasks.add(title)
    return [done.slug, done.path, done.notices, done.noticed]


ASKS: dict[str, Ask] = {
    "remember": lambda group, text, _: remembered(group, text),
    "remember again": lambda group, text, _: remembered(group, text),
    "remember, dry": lambda group, text, _: remembered(group, text, dry_run=True),
    "remember in a section": lambda group, text, _: remembered(group, "The club meets on Monday", section=text),
    "task add": lambda group, text, _: added(group, text),
    # A slug names a task by its words, too: here the one that the group itself added.
    "task show": lambda group, text, _: group.tasks.show(_slug(text)).task.slug,
    "task start": lambda group, text, _: group.tasks.start(_slug(text)).task.slug,
    "task done": lambda group, text, _: group.tasks.done(_slug(text)).task.slug,
    "event result": lambda group, _, call: group.event("result", "found", call=call),
    "event error": lambda group, _, call: group.event("error", "failed", call=call),
}
"""What is asked with a word of a main session, or another one."""


def _slug(title: str) -> str:
    return transitions.slug(title, ())


def _answer(ask: Ask, group: Workspace, text: str, call: str) -> str:
    try:
        told: object = ask(group, text, call)
    except AgentwsError as error:
        told = f"{type(error).__name__}: {error.message} {error.hint}"
    slug = str(transitions.slug(text, ()))
    return str(told).replace(text, "TEXT").replace(slug, "SLUG").replace(call, "CALL")


def test_a_right_guess_is_answered_as_a_wrong_one(group: Workspace) -> None:
    def check(name: str) -> None:
        right = _answer(ASKS[name], group, RIGHT, CALL)
        assert right == _answer(ASKS[name], group, WRONG, NO_CALL)
        assert CALL not in right

    table.holds(check, ASKS)


def test_nothing_of_a_main_session_was_ended_or_overwritten(group: Workspace) -> None:
    (seq,) = [one.seq for one in opened(group.root, "m").journal.list(kinds=["action"]) if one.call == CALL]
    with pytest.raises(UsageError) as refused:
        group.event("result", "found", call=str(seq))
    with pytest.raises(UsageError) as unknown:
        group.event("result", "found", call=str(seq + 700))
    before = (Path(group.root) / "tasks" / f"{_slug(RIGHT)}.md").read_bytes()
    group.tasks.add(RIGHT)
    group.event("result", "found", call="c-own")

    assert refused.value.message == unknown.value.message.replace(str(seq + 700), str(seq))
    assert (Path(group.root) / "tasks" / f"{_slug(RIGHT)}.md").read_bytes() == before
    assert [call for _, call in opened(group.root, "m").journal.replay().state.actions] == [CALL]


def test_what_a_shared_session_remembers_is_there_once(group: Workspace) -> None:
    for _ in range(2):
        group.remember("The club reads Emma")

    assert (Path(group.root) / "MEMORY.md").read_text().count("The club reads Emma") == 1


def test_no_title_of_a_main_session_leads_to_the_name_of_a_shared_one() -> None:
    table.holds(
        lambda title: table_is_apart(transitions.slug(title, ())),
        (
            "shared--bring",
            "Shared: bring",
            "shared -- bring",
            "SHARED--",
            "--",
            "shared\u2010\u2010bring",
            "ＳＨＡＲＥＤ--x",
        ),
    )


def table_is_apart(name: str) -> None:
    assert not name.startswith(transitions.SHARED)
