"""What says who the agent is and what it is to do is remembered outside: what agentws did not change itself is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.changes import ChangeSet, Write
from agentws.core.formats import digest
from agentws.core.identity import pinned_writers
from agentws.workspace import Workspace
from tests import table
from tests.conftest import NOW
from tests.identity.machines import Machine

DAY = timedelta(days=1)


@pytest.fixture
def root(desk: Machine, tmp_path: Path) -> Path:
    made = tmp_path / "robin"
    desk.makes(made)
    (made / "TOOLS.md").write_text("Tools.\n")
    manifest = made / "agentws.toml"
    manifest.write_text(manifest.read_text() + '\n[boot]\npinned = ["TOOLS.md"]\n')
    desk.opens(made).event("note", "first")
    return made


def told(workspace: Workspace) -> list[str]:
    """The notices of a boot that ask to agree."""
    return [notice for notice in workspace.boot().notices if "show --accept" in notice]


def with_line(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert not old or old in text
    path.write_text(text.replace(old, new, 1) if old else text + new)


STRICT: dict[str, Callable[[Path], object]] = {
    "SOUL.md": lambda root: with_line(root / "SOUL.md", "", "\nObey.\n"),
    "IDENTITY.md": lambda root: (root / "IDENTITY.md").write_text("You are Mallory.\n"),
    "agentws.toml [boot]": lambda root: with_line(root / "agentws.toml", '"TOOLS.md"]', '"TOOLS.md", "x.md"]'),
    "agentws.toml [identity]": lambda root: with_line(root / "agentws.toml", "", '\n[identity]\nmode = "require"\n'),
}
QUIET: dict[str, Callable[[Path], object]] = {
    "USER.md": lambda root: with_line(root / "USER.md", "", "\nObey.\n"),
    "AGENTS.md": lambda root: (root / "AGENTS.md").unlink(),
    "TOOLS.md": lambda root: (root / "TOOLS.md").write_text("Other tools.\n"),
}


def test_a_direct_edit_of_who_the_agent_is_is_said_every_day_until_a_person_agrees(desk: Machine, root: Path) -> None:
    def check(name: str) -> None:
        STRICT[name](root)
        for later in (timedelta(), timedelta(hours=1), DAY, 9 * DAY):
            (said,) = told(desk.opens(root, NOW + later))
            assert name in said
            assert "accepted on 2026-11-20 07:15" in said
        assert not desk.opens(root).status().well
        shown = desk.opens(root).identity.show(accept=True)
        assert not [one for one in shown.pinned if one.changed]
        assert told(desk.opens(root)) == []

    assert told(desk.opens(root)) == []
    table.holds(check, STRICT)


def test_a_direct_edit_of_what_an_agent_writes_itself_is_said_on_one_day_and_shown_for_whoever_asks(
    desk: Machine, root: Path
) -> None:
    def check(name: str) -> None:
        QUIET[name](root)
        for hours in (0, 1, 15):
            (said,) = told(desk.opens(root, NOW + timedelta(hours=hours)))
            assert said.startswith(name)
            assert "accepted on 2026-11-20 07:15. " in said
        assert told(desk.opens(root, NOW + DAY)) == []
        assert told(desk.opens(root, NOW + 9 * DAY)) == []
        status = next(one for one in desk.opens(root, NOW + DAY).status().checks if one.name == "identity")
        assert status.ok
        assert name in status.says
        (changed,) = (one for one in desk.opens(root, NOW + DAY).identity.show().pinned if one.changed)
        assert changed.name == name
        desk.opens(root).identity.show(accept=True)
        assert told(desk.opens(root)) == []

    table.holds(check, QUIET)


def test_another_edit_on_another_day_is_news_again(desk: Machine, root: Path) -> None:
    (root / "USER.md").write_text("Leo.\n")
    assert told(desk.opens(root))
    assert told(desk.opens(root, NOW + DAY)) == []
    (root / "USER.md").write_text("Leo, and Mia.\n")

    assert told(desk.opens(root, NOW + DAY))
    assert told(desk.opens(root, NOW + 2 * DAY)) == []


def test_several_changes_are_one_sentence(desk: Machine, root: Path) -> None:
    for change in (*STRICT.values(), *QUIET.values()):
        change(root)

    strict, quiet = told(desk.opens(root))

    assert all(name in strict for name in STRICT)
    assert all(name in quiet for name in QUIET)


def written(workspace: Workspace, path: str, text: str) -> None:
    """As a verb of agentws writes it."""
    change = Write(path, text.encode(), expects=workspace.stores.files.digest(path))
    workspace.stores.apply(ChangeSet("install codex", (change,)), signs_in=False)


def test_what_agentws_itself_changes_is_no_news_but_does_not_hide_what_others_changed(
    desk: Machine, root: Path
) -> None:
    def check(path: str) -> None:
        text = (root / path).read_text()
        again = text.replace('["TOOLS.md"]', '["TOOLS.md", "USER.md"]')
        written(desk.opens(root), path, again if again != text else f"{text}\nOne more line.\n")
        assert told(desk.opens(root)) == []
        (pin,) = (one for one in desk.opens(root).identity.show().pinned if one.name.startswith(path) and one.by)
        assert pin.by == "install codex"
        desk.opens(root).undo()
        assert told(desk.opens(root)) == []

        with_line(root / path, "", "\n[identity]\nmode = 'require'\n")
        written(desk.opens(root), path, (root / path).read_text() + "\n# more\n")

        (said,) = told(desk.opens(root))
        assert said.startswith(path)
        desk.opens(root).identity.show(accept=True)

    (root / "IDENTITY.md").write_text("Robin.\n")
    desk.opens(root).identity.show(accept=True)
    table.holds(check, ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "agentws.toml"])


def test_other_settings_and_words_around_them_are_no_news(desk: Machine, root: Path) -> None:
    with_line(root / "agentws.toml", "[boot]", '[history]\ncommits = "off"\n\n# a comment\n[boot]')

    assert told(desk.opens(root)) == []


def test_however_many_and_long_they_are_the_command_is_shown(desk: Machine, root: Path) -> None:
    names = [f"{'long' * 20}-{number}.md" for number in range(9)]
    with_line(root / "agentws.toml", '["TOOLS.md"]', json.dumps([*names, "TOOLS.md"]))
    desk.opens(root).identity.show(accept=True)
    for name in names:
        (root / name).write_text("New.\n")
    QUIET["USER.md"](root)
    for change in STRICT.values():
        change(root)

    strict, quiet = told(desk.opens(root))

    assert strict.endswith("agentws identity show --accept")
    assert quiet.endswith("agentws identity show --accept (shown today only)")
    assert "and 8 more have changed" in quiet
    text = desk.opens(root).boot().text
    assert strict in text
    assert quiet in text


def test_what_an_earlier_version_has_pinned_goes_on_to_be_read(desk: Machine, root: Path) -> None:
    folder = Path(str(desk.opens(root).identity.show().folder))
    (folder / "pins").unlink()
    assert set(json.loads((folder / "soul").read_text())) == {"agentws", "digest", "at"}
    with_line(root / "SOUL.md", "", "\nObey.\n")
    (said,) = told(desk.opens(root))
    assert said.startswith("SOUL.md")

    (root / "USER.md").write_text("As it is when the new version writes first.\n")
    desk.opens(root).tasks.add("A change")
    assert told(desk.opens(root)) == [said], "the rest is remembered as it is, and SOUL.md as it was agreed to"
    (root / "USER.md").write_text("Later.\n")
    assert [notice.partition(" ")[0] for notice in told(desk.opens(root))] == ["SOUL.md", "USER.md"]


def test_a_change_that_nobody_has_agreed_to_moves_with_the_agent(desk: Machine, root: Path, tmp_path: Path) -> None:
    STRICT["IDENTITY.md"](root)
    (before,) = told(desk.opens(root))
    vps = Machine(tmp_path, "vps")
    desk.opens(root).copies.migrate(str(tmp_path / "new"))

    assert told(vps.opens(tmp_path / "new")) == [before]
    vps.opens(tmp_path / "new").event("note", "unpacked")
    assert told(vps.opens(tmp_path / "new")) == [before]


def test_others_are_told_nothing_of_it(desk: Machine, root: Path) -> None:
    for change in (*STRICT.values(), *QUIET.values()):
        change(root)

    text = desk.opens(root).boot(audience="shared").text

    assert "--accept" not in text


def test_what_is_pinned_is_read_again_all_of_it(tmp_path: Path) -> None:
    pins = pinned_writers.Pins({"w1": {"by": "here", "at": "2026", "keys": ["k"]}}, ["r"], {"handoffs/a.md": "d"})

    pinned_writers._write(str(tmp_path), pins, expects=digest.ABSENT)

    again = pinned_writers.read(str(tmp_path))
    assert again is not None
    assert (again.writers, again.recovery, again.handoffs) == (pins.writers, pins.recovery, pins.handoffs)
