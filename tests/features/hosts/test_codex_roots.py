"""Where Codex's sandbox may write: the workspace put into a person's config.toml, and every byte of theirs kept."""

from __future__ import annotations

import tomllib

import pytest

from agentws.core.hosts import plan
from agentws.errors import DamagedError, UsageError
from agentws.features.hosts.codex import roots
from agentws.features.hosts.codex.settings import SETTINGS

ROOT = '/home/l"eo/heron ☃'
TEXTS = (
    "",
    'model = "best"  # mine',
    "# only words\n",
    '[projects."/home/leo/src"]\ntrust_level = "trusted"\n\n\n',
    "[sandbox_workspace_write]\nnetwork_access = true # needed\n\n[tui]\ntheme = 'x'\n",
    "[sandbox_workspace_write]",
    "[ sandbox_workspace_write ] # mine\nwritable_roots=[] # none yet\n",
    "[sandbox_workspace_write]\nwritable_roots = ['/a', \"/b\"]\n[tui]\n",
    '[sandbox_workspace_write]\nwritable_roots = [ # where\n    "/a", # one\n    "/b"\n]\nnetwork_access = false\n',
    'sandbox_workspace_write.writable_roots = ["/a"]\nmodel = "best"\n',
    'sandbox_workspace_write = { writable_roots = ["/a"], network_access = true }\n',
    'notify = "writable_roots = ["\n[sandbox_workspace_write]\nwritable_roots = ["/a"]\n',
    '[profiles.x.sandbox_workspace_write]\nwritable_roots = ["/p"]\n',
    'model = "best"\r\n[sandbox_workspace_write]\r\nwritable_roots = ["/a"]\r\n',
)


def said(text: str) -> tuple[list[str], dict[str, object]]:
    """The roots, and all the rest."""
    found = tomllib.loads(text)
    table = found.pop("sandbox_workspace_write", {})
    return table.pop("writable_roots", []), {**found, **table}


@pytest.mark.parametrize("text", TEXTS)
def test_the_workspace_comes_in_and_goes_out_again(text: str) -> None:
    made = roots.with_root(text, ROOT, where="config.toml")

    known, rest = said(text)
    assert said(made) == ([ROOT, *known], rest)
    assert roots.ours(made) == [ROOT]
    assert roots.with_root(made, ROOT, where="config.toml") == made
    assert roots.without_roots(made, where="config.toml").rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize("text", TEXTS)
def test_what_somebody_adds_to_it_later_stays(text: str) -> None:
    made = roots.with_root(text, ROOT, where="config.toml")
    made = made.replace("[\n    ", '["/later",\n    ', 1) + "\n[mine]\nx = 1\n"
    known, rest = said(made)
    assert "/later" in known

    left = roots.without_roots(made, where="config.toml")

    assert said(left) == ([one for one in known if one != ROOT], rest)


def test_a_root_of_a_persons_own_is_left_to_them() -> None:
    text = f"[sandbox_workspace_write]\nwritable_roots = ['{ROOT}']\n"

    assert roots.with_root(text, ROOT, where="config.toml") == text
    assert roots.without_roots(text, where="config.toml") == text


def test_what_cannot_be_edited_with_certainty_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be edited automatically"):
        roots.with_root("sandbox_workspace_write = {}\n", ROOT, where="config.toml")
    with pytest.raises(DamagedError, match="not valid TOML"):
        roots.with_root("model = \n", ROOT, where="config.toml")


def wiring(workspace: str, *, allows: bool | None, level: str = plan.USER) -> plan.Wiring:
    return plan.Wiring("/opt/bin/agentws", workspace, level=level, parts=1, allows=allows)


def test_it_is_written_with_the_permission_and_for_the_user_alone() -> None:
    mine = {"config.toml": TEXTS[4]}

    assert "config.toml" not in SETTINGS.install(mine, wiring("/w", allows=None))
    assert "config.toml" not in SETTINGS.install(mine, wiring("/w", allows=False))
    assert not any("config" in place for place in SETTINGS.install({}, wiring("/w", allows=True, level=plan.FOLDER)))
    allowed = SETTINGS.install(mine, wiring("/w", allows=True))["config.toml"]
    assert allowed is not None
    assert roots.ours(allowed) == ["/w"]
    replaced = SETTINGS.install({"config.toml": allowed}, wiring("/other", allows=True))["config.toml"]
    assert replaced is not None
    assert roots.ours(replaced) == ["/other"]
    assert "config.toml" not in SETTINGS.install({"config.toml": allowed}, wiring("/w", allows=None))
    for after in (
        SETTINGS.install({"config.toml": allowed}, wiring("/w", allows=False)),
        SETTINGS.uninstall({"config.toml": allowed}, plan.USER),
    ):
        assert after["config.toml"] == TEXTS[4]


def test_a_file_that_was_made_for_it_goes_again() -> None:
    made = SETTINGS.install({}, wiring("/w", allows=True))["config.toml"]

    assert made is not None
    assert SETTINGS.install({"config.toml": made}, wiring("/w", allows=False))["config.toml"] is None
    assert SETTINGS.uninstall({"config.toml": made}, plan.USER)["config.toml"] is None
