from __future__ import annotations

import json

import pytest

from agentws.errors import UsageError
from agentws.hosts import plan
from agentws.hosts.openclaw import handler, settings

DESCRIPTION, HANDLER, SKILL = settings.places(plan.PROJECT)


def wiring(script: str = "/opt/agentws", workspace: str = "/home/robin", level: str = plan.PROJECT) -> plan.Wiring:
    return plan.Wiring(script, workspace, level=level, parts=1)


def written(**words: str) -> dict[str, str]:
    return {place: str(text) for place, text in settings.install({}, wiring(**words)).items()}


def test_install_writes_the_hook_and_a_second_time_nothing() -> None:
    files = written()

    assert sorted(files) == ["hooks/agentws/HOOK.md", "hooks/agentws/handler.ts"]
    assert settings.install(files, wiring()) == {}


def test_another_workspace_changes_the_handler_alone() -> None:
    assert list(settings.install(written(), wiring(workspace="/home/other"))) == [HANDLER]


def test_the_description_names_the_events_that_the_handler_hears() -> None:
    files = written()

    header = files[DESCRIPTION].split("---\n")[1]
    named = json.loads(header.partition("metadata: ")[2])["openclaw"]["events"]

    assert named == list(settings.EVENTS)
    assert all(f'  "{event}":' in files[HANDLER] for event in named)


def test_the_handler_says_what_it_is_wired_to() -> None:
    odd = '/home/"a b" $x\\n `y` é\n'

    (wired,) = settings.wired(written(script="/opt/it's/agentws", workspace=odd), plan.PROJECT)

    assert (wired.script, wired.workspace) == ("/opt/it's/agentws", odd)


def test_a_hook_of_somebody_else_is_neither_replaced_nor_removed() -> None:
    theirs = {DESCRIPTION: "---\nname: agentws\n---\nMine.\n", HANDLER: "export default () => {}\n"}

    with pytest.raises(UsageError, match="not of the hook of agentws"):
        settings.install(theirs, wiring())

    assert settings.uninstall(theirs, plan.PROJECT) == {}
    assert settings.wired(theirs, plan.PROJECT) == ()


def test_uninstall_removes_what_is_ours_and_what_is_left_of_it() -> None:
    files = written()
    half = {HANDLER: f"{handler.MARK}\nspoilt\n"}

    assert settings.uninstall(files, plan.PROJECT) == {DESCRIPTION: None, HANDLER: None}
    assert settings.uninstall(half, plan.PROJECT) == {HANDLER: None}
    assert settings.uninstall({}, plan.PROJECT) == {}


def test_a_person_is_told_to_enable_the_hook() -> None:
    assert "openclaw hooks enable agentws" in settings.next_steps(wiring())[0]
    assert "/home/robin" in " ".join(settings.next_steps(wiring(level=plan.USER)))


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"HOME": "/home/robin"}, "/home/robin/.openclaw"),
        ({"HOME": "/home/robin", "OPENCLAW_STATE_DIR": "/var/claw/"}, "/var/claw"),
        ({"HOME": "/home/robin", "OPENCLAW_HOME": "/srv/claw"}, "/srv/claw/.openclaw"),
        ({}, None),
    ],
)
def test_the_hooks_for_all_agents_are_where_openclaw_looks(variables: dict[str, str], folder: str | None) -> None:
    assert settings.home(variables) == folder
