"""The table of features: every name in it exists, and a feature that leaves takes along what it added."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import agentws.features
from agentws import features
from agentws.cli import commands
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.features.approvals import people

FOLDER = Path(features.__file__).parent
COMMANDS = {
    "help": "help --all",
    "status": "status --full",
    "doctor": "doctor",
    "todo": "todo",
    "forget": "forget --matching heron --dry-run",
    "boot": "boot",
    "sync": "sync ../stick",
}
"""The commands that ask every feature, and how each is called. `sync` is last: it changes the workspace."""
WITHOUT = """
import sys
from agentws import features
name, *calls = sys.argv[1:]
adds = features.FEATURES.pop(name, features.Feature())
modules = [*adds.commands.values(), *(hook[0] for hook in adds.hooks.values())]
from agentws.cli import main
for call in calls:
    code = main.start(call.split())
    print(f"exit {code}", end="\\f", flush=True)
print(*({f"agentws.features.{name}.{module}" for module in modules} & set(sys.modules)))
"""
"""Run commands without one feature; behind what they print stand the modules of that feature that they imported."""


def test_every_folder_of_a_feature_is_in_the_table() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}

    assert folders == set(features.FEATURES)


def test_every_command_is_on_one_panel_and_has_its_verbs_where_the_table_says() -> None:
    shown = [name for names in commands.panels().values() for name in names]
    named = [name for adds in features.FEATURES.values() for name in adds.commands]

    assert sorted(shown) == sorted(set(named))
    assert len(set(shown)) == len(shown)
    for name in shown:
        for module in features.command_modules(name):
            own = {verb.name: verb for verb in importlib.import_module(module).VERBS}
            assert any(verb == name or verb.startswith(f"{name} ") for verb in own), module


def test_every_hook_is_a_function_of_the_module_that_the_table_names() -> None:
    hooks = {hook for adds in features.FEATURES.values() for hook in adds.hooks}

    for hook in hooks:
        assert f"\n{hook} " in str(agentws.features.__doc__), hook
        assert all(map(callable, features.each(hook)))


def without(name: str, called: Iterable[str], root: str) -> tuple[dict[str, str], list[str]]:
    """What commands print if a feature is not in the table, and which modules of that feature they import."""
    names = list(called)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, name, *(COMMANDS[command] for command in names)],
        cwd=root,
        # With a cache of its own, for boot prints what it printed before if nothing but the table has changed.
        env={
            **os.environ,
            "AGENTWS_NOW": NOW.isoformat(),
            "COLUMNS": "120",
            "TZ": "UTC",
            "XDG_CACHE_HOME": f"{root}-cache-{name}",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    *printed, imported = done.stdout.split("\f")
    outputs = dict(zip(names, printed, strict=True))
    assert all(text.endswith(("exit 0", "exit 3")) for text in printed), done.stdout
    return outputs, imported.split()


@pytest.fixture
def wren(workspace: Workspace, tmp_path: Path) -> str:
    """The root of a workspace of which several features have something to say."""
    (tmp_path / "stick").mkdir()
    workspace.tasks.add("Roof", start=True)
    workspace.checkpoints.save("roof", {"note": "a heron on the ridge"})
    damaged = Path(workspace.root, workspace.checkpoints.save("roof", {"slates": 40}).path)
    damaged.write_bytes(damaged.read_bytes()[:-3])
    people.at(workspace).ask("Pay the slater?", action=people.ACTION, expires="3d")
    return workspace.root


@pytest.mark.parametrize("name", sorted(features.FEATURES))
def test_commands_that_ask_every_feature_work_without_it_and_import_nothing_of_it(name: str, wren: str) -> None:
    own = features.FEATURES[name].commands

    _, imported = without(name, [command for command in COMMANDS if command not in own], wren)

    assert not imported


@pytest.mark.parametrize(
    ("name", "mentions"),
    [
        ("checkpoints", dict.fromkeys(("help", "status", "doctor", "forget"), "checkpoint")),
        ("approvals", {"status": "agentws ask list", "boot": "agentws ask list", "todo": "Pay the slater?"}),
        ("tasks", {"boot": "## Tasks"}),
    ],
)
def test_no_command_mentions_a_feature_that_is_gone(name: str, mentions: dict[str, str], wren: str) -> None:
    before, _ = without("", mentions, wren)
    after, _ = without(name, mentions, wren)

    assert [command for command, word in mentions.items() if word not in before[command]] == []
    assert [command for command, word in mentions.items() if word in after[command]] == []
