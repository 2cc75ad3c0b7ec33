from __future__ import annotations

import pytest

from agentws.core.hosts import plan
from agentws.errors import UsageError
from agentws.features import hosts

settings = hosts.settings("opencode")
MARK = "// agentws plugin for OpenCode"
PLACE = ".opencode/plugin/agentws.js"


def wiring(script: str = "/opt/agentws", workspace: str = "/home/robin", level: str = plan.PROJECT) -> plan.Wiring:
    return plan.Wiring(script, workspace, level=level, parts=1)


def test_install_writes_the_plugin_and_a_second_time_nothing() -> None:
    written = settings.install({}, wiring())

    again = settings.install({PLACE: str(written[PLACE])}, wiring())

    assert list(written) == [PLACE]
    assert again == {}


def test_the_plugin_says_what_it_is_wired_to() -> None:
    odd = '/home/"a b" $x\\n `y` é\n'

    written = settings.install({}, wiring(script="/opt/it's/agentws", workspace=odd))

    (wired,) = settings.wired({PLACE: str(written[PLACE])}, plan.PROJECT)
    assert (wired.script, wired.workspace) == ("/opt/it's/agentws", odd)


def test_a_plugin_of_another_script_or_version_is_replaced() -> None:
    old = f"{MARK} of long ago\nanything\n"

    written = settings.install({PLACE: old}, wiring())

    assert written == settings.install({}, wiring())


def test_a_file_of_somebody_else_is_neither_replaced_nor_removed() -> None:
    theirs = {PLACE: "export default async () => ({})\n"}

    with pytest.raises(UsageError, match="not a plugin of agentws"):
        settings.install(theirs, wiring())

    assert settings.uninstall(theirs, plan.PROJECT) == {}
    assert settings.wired(theirs, plan.PROJECT) == ()


def test_uninstall_removes_the_plugin() -> None:
    written = {place: str(text) for place, text in settings.install({}, wiring()).items()}

    assert settings.uninstall(written, plan.PROJECT) == {PLACE: None}
    assert settings.uninstall({}, plan.PROJECT) == {}


def test_a_plugin_that_was_spoilt_is_still_ours() -> None:
    spoilt = {PLACE: f"{MARK}\nconst COMMAND = [1, oh\n"}

    assert settings.wired(spoilt, plan.PROJECT) == ()
    assert settings.uninstall(spoilt, plan.PROJECT) == {PLACE: None}


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"HOME": "/home/robin"}, "/home/robin/.config/opencode"),
        ({"HOME": "/home/robin", "XDG_CONFIG_HOME": "/etc/robin/"}, "/etc/robin/opencode"),
        ({"HOME": "/home/robin", "XDG_CONFIG_HOME": "relative"}, "/home/robin/.config/opencode"),
        ({}, None),
    ],
)
def test_the_users_plugins_are_where_opencode_looks(variables: dict[str, str], folder: str | None) -> None:
    assert settings.home(variables) == folder
    assert settings.places(plan.USER) == ("plugin/agentws.js", "skills/agentws/SKILL.md")
