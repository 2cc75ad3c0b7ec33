"""The public class: few names, in groups; what its verbs return can be printed."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import re
from collections.abc import Callable
from datetime import date, datetime
from types import ModuleType

import pytest

from agentws import verbs
from agentws.errors import UsageError
from agentws.workspace import Workspace, read_environment
from tests import table

MOST_NAMES, MOST_IN_GROUP = 40, 15


def groups() -> dict[str, type[verbs.Group]]:
    """Each group of the public class with its name, except the one for hooks and the command line."""
    found = {name: one.fget.__self__ for name, one in vars(Workspace).items() if hasattr(one, "fget")
             and isinstance(getattr(one.fget, "__self__", None), type)}  # fmt: skip
    del found["plumbing"]
    return found


def verbs_of(kind: type) -> dict[str, verbs.Verb]:
    """The verbs that a class has."""
    return {name: one for name, one in vars(kind).items() if isinstance(one, verbs.Verb)}


def test_the_class_has_few_names_and_so_has_each_group() -> None:
    named = {name for name in dir(Workspace) if not name.startswith("_")}

    assert len(named) <= MOST_NAMES
    assert {"boot", "log", "todo", "done", "remember", "handoff", "search", "tasks", "journal"} <= named
    table.holds(lambda name: assert_few(groups()[name]), list(groups()))


def assert_few(kind: type) -> None:
    assert 2 <= len(verbs_of(kind)) <= MOST_IN_GROUP


def resolved(module: ModuleType, name: str) -> object:
    """What a name in an annotation of a module means, also if only type checkers import it."""
    if hasattr(module, name):
        return getattr(module, name)
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and name in [one.name for one in node.names]:
            return getattr(importlib.import_module(str(node.module)), name)
    return None


def test_what_a_verb_returns_shows_its_fields_when_it_is_printed() -> None:
    every = {f"{kind.__name__}.{name}": one for kind in (Workspace, *groups().values())
             for name, one in verbs_of(kind).items()}  # fmt: skip
    seen = set()

    def check(name: str) -> None:
        function = every[name].loaded()
        module = importlib.import_module(function.__module__)
        told = str(inspect.signature(function).return_annotation) if inspect.isfunction(function) else function.__name__
        for word in re.findall(r"\w+", told):
            kind = resolved(module, word)
            if isinstance(kind, type) and kind.__module__.startswith("agentws"):
                seen.add(kind)
                assert kind.__repr__ is not object.__repr__, kind

    table.holds(check, list(every))
    assert len(seen) > 50


def test_a_result_is_shown_with_its_fields(workspace: Workspace) -> None:
    made = workspace.log("Sam wants tea, " + "and biscuits, " * 20)

    assert re.fullmatch(r"Logged\(.*path='memory/2026-11-20\.md'.*\)", repr(made))
    assert len(repr(made)) < 1000
    assert repr(workspace) == f"<Workspace of {workspace.root!r}>"


def test_an_error_in_the_module_of_a_verb_is_not_taken_for_a_missing_name(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: verbs.Verb) -> None:
        raise AttributeError("half imported")

    monkeypatch.setattr(verbs.Verb, "loaded", broken)

    with pytest.raises(AttributeError, match="half imported"):
        workspace.log("x")


def test_one_text_is_taken_where_several_are_expected(workspace: Workspace) -> None:
    workspace.log("wired", tags="shed", kind="decision")
    workspace.log("painted")

    assert "#shed" in workspace.log("roofed", tags="shed").entry
    assert [hit.text for hit in workspace.search("wired painted", kinds="decision")] == [
        "- 07:15 [decision] wired #shed"
    ]
    assert len(list(workspace.journal.list(kinds="log"))) == len(list(workspace.journal.list(kinds=["log"])))
    steps = workspace.stores.files.read(workspace.tasks.add("Shed", steps="collect wood").path).decode()
    assert "- [ ] collect wood" in steps
    text = workspace.handoff(pending="call Sam", decided="oak", failed="glue").text
    assert all(f"- {line}\n" in text for line in ("call Sam", "oak", "glue"))


def test_a_workspace_can_be_copied(workspace: Workspace) -> None:
    assert copy.copy(workspace).root == workspace.root


def test_no_result_is_shown_as_an_address(workspace: Workspace) -> None:
    with workspace.session("Nightly") as session, session.action("mail", {"to": "sam"}) as call:
        assert repr(call) == f"Call(id={call.id!r}, tool='mail', is_ended=False)"
    workspace.todo("Call Ada")
    workspace.ask("Pay?", action={"euros": 90})
    task = workspace.tasks.add("Roof", steps=["slates"]).slug
    workspace.checkpoints.save(task, {"n": 1})
    results: dict[str, Callable[[], object]] = {
        "todos": workspace.todos,
        "done": lambda: workspace.done("ada"),
        "ask": workspace.approvals.list,
        "journal": lambda: workspace.journal.list(),
        "verify": workspace.journal.verify,
        "task": lambda: workspace.tasks.show(task),
        "checkpoint": lambda: workspace.checkpoints.show(task),
        "compact": workspace.memory.compact,
        "brief": workspace.memory.brief,
        "hosts": lambda: workspace.hosts.list(variables={}),
    }

    assert repr(next(iter(workspace.journal.list(kinds="action")))).startswith("Event(cursor=")
    assert "Task(slug='roof', title='Roof', status='open', steps=(0, 1)" in repr(workspace.tasks.show(task))

    def check(name: str) -> None:
        shown = repr(results[name]())
        assert re.fullmatch(r"\w+\(.+\)|\[.+\]", shown, re.DOTALL)
        assert "0x" not in shown

    table.holds(check, list(results))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: it.log(5), "text must be str, not 5."),
        (lambda it: it.log("x", importance="8"), "importance must be int | None, not '8'."),
        (lambda it: it.log("x", tags=[7]), "tags must be str | Sequence[str], not [7]."),
        (lambda it: it.done("x", 5), "words must be str, not ('x', 5)."),
        (lambda it: it.search("x", k="2"), "k must be int, not '2'."),
        (lambda it: it.event("note", "x", task=7), "task must be str | None, not 7."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_argument_of_a_wrong_type_is_named(
    workspace: Workspace, call: Callable[[Workspace], object], message: str
) -> None:
    with pytest.raises(UsageError) as failure:
        call(workspace)

    assert failure.value.message == str(failure.value) == message
    assert isinstance(failure.value.__cause__, AttributeError | TypeError)


def test_a_fault_of_a_function_that_was_passed_is_raised_as_it_is(workspace: Workspace) -> None:
    workspace.event("note", "one")

    with pytest.raises(TypeError, match="unsupported operand"):
        workspace.journal.fold(0, lambda state, event: state + event.body)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        workspace.log("x", colour="red")


def test_an_error_names_parameters_in_python_and_options_on_the_command_line(workspace: Workspace) -> None:
    with pytest.raises(UsageError) as failure:
        workspace.tasks.wait("roof")
    assert failure.value.hint == "One of until, path, on, approval, command, url, process, event."
    with pytest.raises(UsageError, match=r"^importance must be 1 to 10, not 80\.$"):
        workspace.log("x", importance=80)
    with pytest.raises(UsageError) as failure:
        workspace.boot(budget=1)
    assert failure.value.hint == "For example: agentws boot --budget 2000"
    with pytest.raises(UsageError) as failure:
        workspace.memory.forget()
    assert failure.value.hint == "matching=TEXT, or subjects=NAME"

    with pytest.raises(UsageError, match=r"^'--due N' "):
        workspace.tasks.add("Roof", due="--due N")

    environment = read_environment()
    environment.by_command = True
    with pytest.raises(UsageError, match=r"^--importance must be 1 to 10"):
        Workspace.open(workspace.root, environment=environment).log("x", importance=80)


def test_moments_and_steps_are_taken_in_the_forms_of_the_command_line_and_of_python(workspace: Workspace) -> None:
    workspace.log("wired")
    workspace.event("note", "one")
    task = workspace.tasks.add("Roof", steps=["slates", "nails"], due=date(2026, 12, 1)).slug

    every = len(list(workspace.journal.list()))
    assert len(list(workspace.journal.list(since="yesterday"))) == every
    assert len(list(workspace.journal.list(since=date(2020, 1, 1)))) == every
    assert not list(workspace.journal.list(since=datetime(2100, 1, 1)))
    assert workspace.journal.replay(until=date(2020, 1, 1)).state.events == 0
    assert workspace.tasks.show(task).task.due == "2026-12-01"
    assert workspace.tasks.step(task, 1).task.steps == (1, 2)
    assert workspace.tasks.step(task, done=2).task.steps == (2, 2)
    assert workspace.config.set("boot.budget", 4000).settings[0].value == 4000
    with pytest.raises(UsageError, match="'5' is not a time"):
        workspace.todo("Call Ada", due=5)


def test_done_ends_an_action_in_flight(workspace: Workspace) -> None:
    call = workspace.event("action", tool="mail", input={"to": "sam"}).cursor

    done = workspace.done(call=call, note="sent")

    assert (done.closed, done.call, done.kind) == ([], call, "done")
    assert [one.body["text"] for one in workspace.journal.list(kinds="result")] == ["sent"]
    with pytest.raises(UsageError, match="call cannot be combined"):
        workspace.done("ada", call=call)
