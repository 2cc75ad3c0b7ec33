from __future__ import annotations

import json

import pytest

from agentws.core.hosts import plan
from agentws.errors import UsageError
from agentws.features import hosts
from agentws.features.hosts.openclaw import settings as plugin

settings = hosts.settings("openclaw")

MANIFEST, PACKAGE, MODULE, DESCRIPTION, HANDLER, SKILL = settings.places(plan.PROJECT)
PLUGIN = [MODULE, MANIFEST, PACKAGE]
HOOK = {
    DESCRIPTION: "---\nname: agentws\n---\n\n`agentws uninstall openclaw` removes it.\n",
    HANDLER: '// agentws hook for OpenClaw\nconst COMMAND = ["/opt/agentws", "-C", "/old", "hook", "openclaw"]\n',
}
"""What an earlier version installed."""


def wiring(script: str = "/opt/agentws", workspace: str = "/home/robin", level: str = plan.PROJECT) -> plan.Wiring:
    return plan.Wiring(script, workspace, level=level, parts=1)


def written(**words: str) -> dict[str, str]:
    return {place: str(text) for place, text in settings.install({}, wiring(**words)).items()}


def test_install_writes_the_plugin_and_a_second_time_nothing() -> None:
    files = written()

    assert sorted(files) == PLUGIN
    assert settings.install(files, wiring()) == {}


def test_for_all_agents_it_lies_where_openclaw_looks() -> None:
    assert sorted(written(level=plan.USER)) == [place.removeprefix(".openclaw/") for place in PLUGIN]


def test_another_workspace_changes_the_module_alone() -> None:
    assert list(settings.install(written(), wiring(workspace="/home/other"))) == [MODULE]


def test_the_package_is_one_as_openclaw_takes_it() -> None:
    files = written()

    manifest, package = json.loads(files[MANIFEST]), json.loads(files[PACKAGE])

    assert manifest["id"] == package["name"] == "agentws"
    assert manifest["configSchema"]["type"] == "object"
    assert package["openclaw"]["extensions"] == [f"./{plugin.MODULE}"]
    assert manifest["version"] == package["version"]


def test_it_takes_the_place_of_the_hook_that_was_installed_before() -> None:
    assert [one.workspace for one in settings.wired(HOOK, plan.PROJECT)] == ["/old"]

    after = settings.install(HOOK, wiring())

    assert {place for place, text in after.items() if text is None} == {DESCRIPTION, HANDLER}
    assert sorted(place for place, text in after.items() if text is not None) == PLUGIN
    assert settings.uninstall(HOOK, plan.PROJECT) == {DESCRIPTION: None, HANDLER: None}


def test_the_module_says_what_it_is_wired_to() -> None:
    odd = '/home/"a b" $x\\n `y` é\n'

    (wired,) = settings.wired(written(script="/opt/it's/agentws", workspace=odd), plan.PROJECT)

    assert (wired.script, wired.workspace) == ("/opt/it's/agentws", odd)


def test_a_plugin_of_somebody_else_is_neither_replaced_nor_removed() -> None:
    theirs = {MANIFEST: '{"id": "mine"}', PACKAGE: "spoilt", MODULE: "export default {}\n", HANDLER: "mine\n"}

    with pytest.raises(UsageError, match="does not belong to the agentws plugin"):
        settings.install(theirs, wiring())

    assert settings.uninstall(theirs, plan.PROJECT) == {}
    assert settings.wired(theirs, plan.PROJECT) == ()


def test_uninstall_removes_what_is_ours_and_what_is_left_of_it() -> None:
    files = written()
    half = {MODULE: f"{plugin.MARK}\nspoilt\n"}

    assert settings.uninstall(files, plan.PROJECT) == dict.fromkeys(PLUGIN)
    assert settings.uninstall(half, plan.PROJECT) == {MODULE: None}
    assert settings.uninstall({}, plan.PROJECT) == {}


def test_a_person_is_told_to_enable_the_plugin_and_what_it_may_not_hear_before() -> None:
    enable, hears, *_ = settings.next_steps(wiring())

    assert "openclaw plugins enable agentws" in enable
    assert "allowConversationAccess true" in hears
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
def test_the_plugin_for_all_agents_is_where_openclaw_looks(variables: dict[str, str], folder: str | None) -> None:
    assert settings.home(variables) == folder
