"""The public class: few names, in groups; what its verbs return can be printed; former names work and warn."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import re
from types import ModuleType

import pytest

from agentws import renamed, verbs
from agentws.workspace import Workspace
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


def test_a_former_name_does_what_the_present_one_does_and_warns(workspace: Workspace) -> None:
    with pytest.warns(DeprecationWarning, match=r"Workspace\.add_task is now Workspace\.tasks\.add"):
        workspace.add_task("Roof")
    with pytest.warns(DeprecationWarning, match=r"Workspace\.tasks\(\) is now Workspace\.tasks\.list\(\)"):
        (roof,) = workspace.tasks().tasks
    with pytest.warns(DeprecationWarning, match=r"Workspace\.manifest is now Workspace\.stores\.manifest"):
        assert workspace.manifest is workspace.stores.manifest

    assert roof.slug == "roof"
    assert "add_task" not in dir(workspace)
    with pytest.raises(AttributeError, match="no attribute 'add_tusk'"):
        workspace.add_tusk("Roof")


def test_an_error_in_the_module_of_a_verb_is_not_taken_for_a_missing_name(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: verbs.Verb) -> None:
        raise AttributeError("half imported")

    monkeypatch.setattr(verbs.Verb, "loaded", broken)

    with pytest.raises(AttributeError, match="half imported"):
        workspace.log("x")


def test_every_former_name_leads_to_a_verb(workspace: Workspace) -> None:
    def check(name: str) -> None:
        group, _, verb = renamed.RENAMED[name].partition(".")
        assert verb in verbs_of(type(getattr(workspace, group)))

    table.holds(check, list(renamed.RENAMED))


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
