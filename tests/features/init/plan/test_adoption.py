"""What init would add."""

from __future__ import annotations

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core.formats import adoption, agent_name, manifest


def plan(existing: set[str], *, repository: bool = False) -> ChangeSet:
    return adoption.plan(
        existing=existing,
        template={"SOUL.md": b"I am {{name}}.\n", "MEMORY.md": b"# Memory\n"},
        name="Robin",
        agent_id="abc",
        timezone="Europe/Berlin",
        created="2026-11-20T07:15:00+00:00",
        settings={"boot.pinned": ["STATE.md"]},
        new_repository=repository,
    )


def test_only_what_is_missing_is_added_and_each_file_is_expected_to_be_absent() -> None:
    changes = plan({"SOUL.md", "memory"})

    assert changes.paths == ("MEMORY.md", "agentws.toml", "memory/.gitattributes")
    assert all(isinstance(change, Write) and change.expects == ABSENT for change in changes.changes)


def test_the_manifest_comes_last_since_its_arrival_makes_the_workspace() -> None:
    last = plan(set()).changes[-1]

    assert isinstance(last, Write)
    made = manifest.decode(last.data, where="agentws.toml")
    assert (made.name, made.timezone, made.setting("boot.pinned")) == ("Robin", "Europe/Berlin", ["STATE.md"])


def test_a_template_speaks_of_the_agent_by_name() -> None:
    first = next(change for change in plan(set()).changes if change.path == "SOUL.md")

    assert isinstance(first, Write)
    assert first.data == b"I am Robin.\n"


def test_a_new_repository_ignores_what_may_never_be_pushed() -> None:
    assert ".gitignore" in plan(set(), repository=True).paths
    assert ".gitignore" not in plan(set()).paths


def test_days_are_counted_once_and_impossible_ones_are_told() -> None:
    names = {
        "memory/2026-11-19.md",
        "memory/2026-11-19-standup.md",
        "memory/2026-02-31.md",
        "memory/topic.md",
        "SOUL.md",
    }

    assert adoption.days(names) == ["2026-11-19"]
    assert adoption.not_days(names) == ["memory/2026-02-31.md"]


def test_a_name_is_taken_from_the_identity_file() -> None:
    assert agent_name.from_identity("# Identity\n\n- **Name:** Robin (the second)\n") == "Robin"
    assert agent_name.from_identity("Name: DuneFox\n") == "DuneFox"
    assert agent_name.from_identity("- **Name:** _(pick something)_\n") == ""
    assert agent_name.from_identity("no such thing") == ""
    assert agent_name.from_folder("/srv/agents/robin/") == "robin"
