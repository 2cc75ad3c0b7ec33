"""The Agent Skill says nothing that is not so: its form, its commands, and the work that it shows."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import yaml

from agentws.cli import app
from agentws.core.disk.system import shipped
from agentws.workspace import Workspace
from tests.features.hosts.install.test_install_cli import run

TEXT = shipped.skill()
BODY = TEXT.split("---\n", 2)[2]
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", BODY, re.DOTALL | re.MULTILINE)
INLINE = re.findall(r"`(agentws (?!-)[^`]+)`", re.sub(r"^```.*?^```$", "", BODY, flags=re.DOTALL | re.MULTILINE))


def test_its_front_matter_is_that_of_the_standard() -> None:
    fields = yaml.safe_load(TEXT.split("---\n")[1])

    assert fields["name"] == "agentws"
    assert 1 <= len(fields["description"]) <= 1024
    assert fields.keys() <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert all(isinstance(value, str) for value in fields["metadata"].values())


@pytest.mark.parametrize("line", [*INLINE, *(line for block in BLOCKS for line in block.splitlines())])
def test_its_commands_are_there(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    found: Any = app.program()
    while words and words[0] in getattr(found, "commands", {}):
        found = found.commands[words.pop(0)]

    assert words != shlex.split(line, comments=True)[1:]
    found.make_context("agentws", words)


def test_the_work_that_it_shows_can_be_done(workspace: Workspace) -> None:
    for line in BLOCKS[-1].splitlines():
        run(workspace, *shlex.split(line)[1:])

    assert "60% done" in run(workspace, "boot")
