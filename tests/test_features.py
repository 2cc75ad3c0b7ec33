"""The table of features: every name in it exists, and a feature that leaves takes along what it added."""

from __future__ import annotations

import importlib
from pathlib import Path

import agentws.features
from agentws import features
from agentws.cli import commands

FOLDER = Path(features.__file__).parent


def test_every_folder_of_a_feature_is_in_the_table() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}

    assert folders == set(features.FEATURES)


def test_every_command_is_on_one_panel_and_has_its_verbs_where_the_table_says() -> None:
    shown = [name for names in commands.PANELS.values() for name in names]
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
