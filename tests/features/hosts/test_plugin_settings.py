"""What install writes for the hosts with a plugin: its files are all ours, and those of others are left alone."""

from __future__ import annotations

import json

import pytest

from agentws.core.hosts import plan
from agentws.errors import UsageError
from agentws.features import hosts
from agentws.features.hosts.host_settings import HostSettings

opencode, pi, openclaw = map(hosts.settings, ("opencode", "pi", "openclaw"))
MANIFEST, PACKAGE, MODULE, DESCRIPTION, HANDLER, SKILL = openclaw.places(plan.PROJECT)
PLACES = {
    opencode: [".opencode/plugin/agentws.js"],
    pi: [".pi/extensions/agentws.js"],
    openclaw: [MODULE, MANIFEST, PACKAGE],
}
"""The files of the plugin, its module first."""
MARKS = {
    opencode: "// agentws plugin for OpenCode",
    pi: "// agentws extension for Pi",
    openclaw: "// agentws plugin for OpenClaw",
}
HOOK = {
    DESCRIPTION: "---\nname: agentws\n---\n\n`agentws uninstall openclaw` removes it.\n",
    HANDLER: '// agentws hook for OpenClaw\nconst COMMAND = ["/opt/agentws", "-C", "/old", "hook", "openclaw"]\n',
}
"""What an earlier version installed for OpenClaw."""


def wiring(script: str = "/opt/agentws", workspace: str = "/home/robin", level: str = plan.PROJECT) -> plan.Wiring:
    return plan.Wiring(script, workspace, level=level, parts=1)


def written(host: HostSettings, **words: str) -> dict[str, str]:
    return {place: str(text) for place, text in host.install({}, wiring(**words)).items()}


@pytest.mark.parametrize("host", PLACES)
def test_install_writes_the_plugin_and_a_second_time_nothing(host: HostSettings) -> None:
    files = written(host)

    assert sorted(files) == sorted(PLACES[host])
    assert host.install(files, wiring()) == {}
    assert sorted(written(host, level=plan.USER)) == sorted(
        place.removeprefix(f"{host.folder}/") for place in PLACES[host]
    )


@pytest.mark.parametrize("host", PLACES)
def test_the_plugin_says_what_it_is_wired_to(host: HostSettings) -> None:
    odd = '/home/"a b" $x\\n `y` é\n'

    (wired,) = host.wired(written(host, script="/opt/it's/agentws", workspace=odd), plan.PROJECT)

    assert (wired.script, wired.workspace) == ("/opt/it's/agentws", odd)
    assert list(host.install(written(host), wiring(workspace="/home/other"))) == PLACES[host][:1]


@pytest.mark.parametrize("host", PLACES)
def test_a_plugin_that_was_spoilt_or_is_of_another_version_is_still_ours(host: HostSettings) -> None:
    spoilt = {PLACES[host][0]: f"{MARKS[host]} of long ago\nconst COMMAND = [1, oh\n"}

    assert host.install(spoilt, wiring()) == host.install({}, wiring())
    assert host.wired(spoilt, plan.PROJECT) == ()
    assert host.uninstall(spoilt, plan.PROJECT) == dict.fromkeys(spoilt)


@pytest.mark.parametrize("host", PLACES)
def test_a_file_of_somebody_else_is_neither_replaced_nor_removed(host: HostSettings) -> None:
    theirs = {PLACES[host][0]: "export default async () => ({})\n"}
    if host is openclaw:
        theirs |= {MANIFEST: '{"id": "mine"}', PACKAGE: "spoilt", HANDLER: "mine\n"}

    with pytest.raises(UsageError, match=r"is not a plugin of agentws|does not belong to the agentws plugin"):
        host.install(theirs, wiring())

    assert host.uninstall(theirs, plan.PROJECT) == {}
    assert host.wired(theirs, plan.PROJECT) == ()


@pytest.mark.parametrize("host", PLACES)
def test_uninstall_removes_the_plugin(host: HostSettings) -> None:
    assert host.uninstall(written(host), plan.PROJECT) == dict.fromkeys(PLACES[host])
    assert host.uninstall({}, plan.PROJECT) == {}


def test_the_package_is_one_as_openclaw_takes_it() -> None:
    files = written(openclaw)

    manifest, package = json.loads(files[MANIFEST]), json.loads(files[PACKAGE])

    assert manifest["id"] == package["name"] == "agentws"
    assert manifest["configSchema"]["type"] == "object"
    assert package["openclaw"]["extensions"] == ["./index.js"]
    assert manifest["version"] == package["version"]


def test_it_takes_the_place_of_the_hook_that_was_installed_before() -> None:
    assert [one.workspace for one in openclaw.wired(HOOK, plan.PROJECT)] == ["/old"]

    after = openclaw.install(HOOK, wiring())

    assert {place for place, text in after.items() if text is None} == {DESCRIPTION, HANDLER}
    assert {place for place, text in after.items() if text is not None} == set(PLACES[openclaw])
    assert openclaw.uninstall(HOOK, plan.PROJECT) == {DESCRIPTION: None, HANDLER: None}


def test_a_person_is_told_to_enable_the_plugin_and_what_it_may_not_hear_before() -> None:
    enable, hears, *_ = openclaw.next_steps(wiring())

    assert "openclaw plugins enable agentws" in enable
    assert "allowConversationAccess true" in hears
    assert "/home/robin" in " ".join(openclaw.next_steps(wiring(level=plan.USER)))
