"""A new workspace, or an old one adopted in place."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from agentws.core.disk import clock
from agentws.core.formats import manifest
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DiskError, NestedWorkspaceError, UsageError
from agentws.features.init import render
from agentws.workspace import Environment, Workspace, initialise
from tests.forked import run_text

SHAPE = {
    "SOUL.md": b"# Soul\r\n\r\nI am old.",
    "IDENTITY.md": b"\xef\xbb\xbf- **Name:** Wren\n",
    "AGENTS.md": b"See `memory/tasks/CURRENT.md`: what I work on, the source of truth.\n",
    "memory/2026-11-18.md": b"# 2026-11-18\n\n- did things\n",
    "memory/2026-11-19-standup.md": b"- stood up\n",
    "memory/2026-02-31.md": b"- on no day\n",
    "memory/tasks/CURRENT.md": b"status: ACTIVE\n",
    "skills/x/SKILL.md": b"do\n",
    "notes.bin": bytes(range(256)),
}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    for path, data in SHAPE.items():
        (tmp_path / "old" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "old" / path).write_bytes(data)
    return tmp_path / "old"


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("template", ["default", "assistant", "coder"])
def test_a_new_workspace_boots(tmp_path: Path, environment: Environment, template: str) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment, name="Robin", template=template, git=False)

    assert "Robin" in made.boot().text
    assert made.status().well
    assert "{{" not in "".join(data.decode() for data in contents(tmp_path / "a").values())


@pytest.mark.parametrize("exists", [False, True])
def test_a_new_folder_is_for_its_owner_alone_and_an_existing_one_keeps_its_mode(
    tmp_path: Path, environment: Environment, exists: bool
) -> None:
    root = tmp_path / "a"
    if exists:
        root.mkdir(0o755)
        root.chmod(0o755)

    initialise(str(root), environment, git=False)

    assert stat.S_IMODE(root.stat().st_mode) == (0o755 if exists else 0o700)


def test_adopting_changes_no_existing_byte(old: Path, environment: Environment) -> None:
    before = contents(old)

    done = initialise(str(old), environment)

    after = contents(old)
    assert {path: after[path] for path in before} == before
    assert done.adopted
    assert done.name == "Wren"


def test_adopting_says_what_it_found(old: Path, environment: Environment) -> None:
    done = initialise(str(old), environment, git=False)

    assert done.days == ["2026-11-18", "2026-11-19"]
    assert done.pinned == ["memory/tasks/CURRENT.md"]
    assert ("OpenClaw", ("AGENTS.md", "SOUL.md", "IDENTITY.md")) in done.loads
    assert any("2026-02-31" in notice for notice in done.notices)
    assert "status: ACTIVE" in Workspace.open(str(old), environment=environment).boot().text


def test_what_is_missing_is_added_without_putting_words_into_the_agents_mouth(
    old: Path, environment: Environment
) -> None:
    initialise(str(old), environment, git=False)

    assert (old / "USER.md").read_bytes() == b"# User\n"
    assert "be useful" not in Workspace.open(str(old), environment=environment).boot().text.lower()


def test_a_second_init_changes_nothing_and_says_so(old: Path, environment: Environment) -> None:
    initialise(str(old), environment)
    before = contents(old)

    again = initialise(str(old), environment)

    assert again.already
    assert contents(old) == before


def test_a_dry_run_tells_the_same_and_writes_nothing(old: Path, environment: Environment) -> None:
    before = contents(old)

    dry = initialise(str(old), environment, dry_run=True)

    assert contents(old) == before
    assert dry.added == initialise(str(old), environment).added


def test_a_dry_run_for_a_folder_that_is_not_there_makes_none(tmp_path: Path, environment: Environment) -> None:
    initialise(str(tmp_path / "new"), environment, dry_run=True)

    assert not (tmp_path / "new").exists()


def test_inside_another_workspace_it_refuses_and_shows_the_way_out(
    workspace: Workspace, environment: Environment
) -> None:
    with pytest.raises(NestedWorkspaceError) as refused:
        initialise(f"{workspace.root}/inner/deeper", environment)

    assert workspace.root in str(refused.value.hint)
    assert not os.path.exists(f"{workspace.root}/inner")


def test_lines_that_look_like_secrets_keep_their_file_out_of_history(old: Path, environment: Environment) -> None:
    secret = "gh" + "p_" + "a8Fk2Lq9Zx7Cv5Bn3Mm1Qw4Er6Ty8Ui0Op2A"
    (old / "memory/2026-11-18.md").write_text(f"# 2026-11-18\n\n- token {secret}\n")

    done = initialise(str(old), environment)

    assert [(found.path, found.line) for found in done.secrets] == [("memory/2026-11-18.md", 3)]
    kept = git(old, "ls-tree", "-r", "--name-only", "HEAD").split()
    assert "SOUL.md" in kept
    assert "memory/2026-11-18.md" not in kept
    assert secret not in git(old, "log", "-p")


def test_the_user_may_have_such_a_file_versioned(old: Path, environment: Environment) -> None:
    secret = "gh" + "p_" + "a8Fk2Lq9Zx7Cv5Bn3Mm1Qw4Er6Ty8Ui0Op2A"
    (old / "memory/2026-11-18.md").write_text(f"- token {secret}\n")
    initialise(str(old), environment)
    text = (old / "agentws.toml").read_text()
    include = ["memory/2026-11-18.md"]
    (old / "agentws.toml").write_text(manifest.with_setting(text, "history.include", include, where="agentws.toml"))

    Workspace.open(str(old), environment=environment).contexts.new("blog")

    assert "memory/2026-11-18.md" in git(old, "ls-tree", "-r", "--name-only", "HEAD").split()


def test_in_a_repository_that_was_there_branch_and_index_are_left_alone(old: Path, environment: Environment) -> None:
    git(old, "init", "-q", "-b", "trunk")
    git(old, "add", "SOUL.md")
    before = git(old, "status", "--porcelain", "SOUL.md", "notes.bin")

    done = initialise(str(old), environment)

    assert done.history == "ref"
    assert git(old, "status", "--porcelain", "SOUL.md", "notes.bin") == before
    assert "agentws init" in git(old, "log", "refs/agentws/auto")
    assert git(old, "symbolic-ref", "HEAD").strip() == "refs/heads/trunk"


def test_deeper_in_a_repository_the_ref_is_named_by_its_agent(old: Path, environment: Environment) -> None:
    git(old.parent, "init", "-q", "-b", "trunk")

    done = initialise(str(old), environment)

    (ref,) = git(old, "for-each-ref", "--format=%(refname)").split()
    found = Workspace.open(str(old), environment=environment)
    assert ref == done.ref == f"refs/agentws/{found.stores.manifest.agent_id}"
    assert any(f"{ref} in your repository" in line for line in render.lines(done, []))
    assert any(ref in check.says for check in found.status().checks)
    assert any(f"git push origin {ref}" in finding.remedy for finding in found.doctor().findings)
    Path(old, "agentws.toml").write_text(Path(old, "agentws.toml").read_text() + '[history]\ncommits = "branch"\n')
    found = Workspace.open(str(old), environment=environment)
    assert any(ref in check.says for check in found.status().checks)


def test_without_git_everything_else_works(
    tmp_path: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentws.core.states import plumbing as storage_git

    monkeypatch.setattr(storage_git, "available", lambda: False)

    done = initialise(str(tmp_path / "a"), environment)

    made = Workspace.open(str(tmp_path / "a"), environment=environment)
    assert done.history == "none"
    assert any("git" in notice for notice in done.notices)
    assert made.log("works").line == 3
    assert made.undo().verb == "log"
    assert made.status().well


def test_in_a_container_the_state_lies_beside_the_workspace(tmp_path: Path) -> None:
    done = initialise(str(tmp_path / "a"), Environment(container="podman"), git=False)

    assert done.state_beside
    assert (tmp_path / "a/.agentws/state").is_dir()


def test_in_a_container_a_declared_state_lies_where_it_was_declared(tmp_path: Path) -> None:
    environment = Environment(container="podman", state=(str(tmp_path / "state"), None))

    assert not initialise(str(tmp_path / "a"), environment, git=False).state_beside
    assert not (tmp_path / "a/.agentws/state").exists()


def test_this_machines_folder_is_never_versioned(tmp_path: Path, environment: Environment) -> None:
    initialise(str(tmp_path / "a"), environment)

    assert ".agentws" not in git(tmp_path / "a", "status", "--porcelain", "--untracked-files=all")


def test_a_template_of_ones_own_may_be_used(tmp_path: Path, environment: Environment) -> None:
    (tmp_path / "mine/contexts").mkdir(parents=True)
    (tmp_path / "mine/SOUL.md").write_text("I am {{name}}, of my own kind.\n")
    (tmp_path / "mine/contexts/blog.md").write_text("Write.\n")

    made = Workspace.init(
        str(tmp_path / "a"), environment=environment, name="Jay", template=str(tmp_path / "mine"), git=False
    )

    assert "I am Jay, of my own kind." in made.boot().text
    assert [one.name for one in made.contexts.list().contexts] == ["blog"]


def test_an_unknown_template_is_refused_with_the_known_ones(tmp_path: Path, environment: Environment) -> None:
    with pytest.raises(UsageError) as refused:
        initialise(str(tmp_path / "a"), environment, template="nope")

    assert "coder" in str(refused.value.hint)
    assert not (tmp_path / "a").exists()


def test_where_the_folder_cannot_be_made_it_says_so(tmp_path: Path, environment: Environment) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(DiskError):
        initialise(str(tmp_path / "file" / "a"), environment, git=False)


def test_every_refusal_is_an_error_of_ours(tmp_path: Path, environment: Environment) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/agentws.toml").mkdir()

    try:
        done = initialise(str(tmp_path / "a"), environment, git=False)
    except AgentwsError:
        return
    assert done.already
    assert done.notices


def git(root: Path, *words: str) -> str:
    settings = ["-c", "user.name=Sam", "-c", "user.email=sam@example.com"]
    return subprocess.run(["git", *settings, *words], cwd=root, check=True, capture_output=True, text=True).stdout


def test_after_undo_the_repository_is_still_known_for_our_own(tmp_path: Path, environment: Environment) -> None:
    Workspace.init(str(tmp_path / "a"), environment=environment).undo(yes=True)

    done = initialise(str(tmp_path / "a"), environment)

    assert done.history == "branch"


def test_a_killed_commit_is_loud_and_caught_up_with(
    tmp_path: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    with monkeypatch.context() as killed:
        killed.setattr(Stores, "record", lambda *_: None)
        made.contexts.new("blog")

    assert not made.status().well
    Workspace.open(made.root, environment=environment).contexts.use("blog")

    assert Workspace.open(made.root, environment=environment).status().well
    assert "contexts/blog.md" in git(tmp_path / "a", "ls-tree", "-r", "--name-only", "HEAD")


def test_a_secret_in_the_name_is_refused(tmp_path: Path, environment: Environment) -> None:
    with pytest.raises(AgentwsError):
        initialise(str(tmp_path / "a"), environment, name="gh" + "p_" + "a8Fk2Lq9Zx7Cv5Bn3Mm1Qw4Er6Ty8Ui0Op2A")

    assert not (tmp_path / "a").exists()


def test_an_empty_memory_folder_is_no_agent_yet(tmp_path: Path, environment: Environment) -> None:
    (tmp_path / "a/memory").mkdir(parents=True)

    done = initialise(str(tmp_path / "a"), environment, git=False)

    assert not done.adopted
    assert "I am a" in (tmp_path / "a/SOUL.md").read_text()


def test_a_template_without_files_is_refused(tmp_path: Path, environment: Environment) -> None:
    (tmp_path / "mine").mkdir()

    with pytest.raises(UsageError):
        initialise(str(tmp_path / "a"), environment, template=str(tmp_path / "mine"), git=False)

    assert not (tmp_path / "a").exists()


def with_a_life(folder: Path, environment: Environment, *, git: bool) -> str:
    """A workspace that has written; returns the id of its agent. Its manifest is gone."""
    made = Workspace.init(str(folder), environment=environment, name="Robin", git=git)
    made.remember("a fact")
    made.event("note", "a thing happened")
    agent = made.stores.manifest.agent_id
    (folder / "agentws.toml").unlink()
    return agent


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_a_manifest_that_was_lost_comes_back_from_history(tmp_path: Path, environment: Environment) -> None:
    agent = with_a_life(tmp_path / "a", environment, git=True)

    done = initialise(str(tmp_path / "a"), environment, name="Wren")

    again = Workspace.open(str(tmp_path / "a"), environment=environment)
    assert (again.stores.manifest.agent_id, again.stores.manifest.name, done.name) == (agent, "Robin", "Robin")
    assert again.stores.manifest.setting("history.commits") == "branch"
    assert "was restored from history. The agent keeps its name, Robin." in done.notices[0]
    assert "--name was ignored" in done.notices[1]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_a_dry_run_says_what_would_be_restored_from_history(tmp_path: Path, environment: Environment) -> None:
    with_a_life(tmp_path / "a", environment, git=True)

    done = initialise(str(tmp_path / "a"), environment, dry_run=True)

    assert "is missing and would be restored from history." in done.notices[0]


def test_without_history_the_journal_says_which_agent_it_was(tmp_path: Path, environment: Environment) -> None:
    agent = with_a_life(tmp_path / "a", environment, git=False)

    done = initialise(str(tmp_path / "a"), environment, git=False)

    again = Workspace.open(str(tmp_path / "a"), environment=environment)
    assert again.stores.manifest.agent_id == agent
    assert agent[:8] in done.notices[0]
    again.event("note", "it goes on")
    assert len({event.writer for event in again.journal.list()}) == 1


def test_journals_of_several_agents_say_nothing(tmp_path: Path, environment: Environment) -> None:
    agents = [with_a_life(tmp_path / name, environment, git=False) for name in ("a", "b")]
    for journal in (tmp_path / "b" / "journal").iterdir():
        if journal.is_dir():
            shutil.copytree(journal, tmp_path / "a" / "journal" / journal.name)

    initialise(str(tmp_path / "a"), environment, git=False)

    assert Workspace.open(str(tmp_path / "a"), environment=environment).stores.manifest.agent_id not in agents


@pytest.mark.parametrize(
    ("tz", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Asia/Tokyo", "Asia/Tokyo"),
        ("CST-8", "Etc/GMT-8"),
        ("GMT+3", "Etc/GMT+3"),
        ("<+08>-8", "Etc/GMT-8"),
        ("UTC0", "UTC"),
        ("CST--8", "UTC"),
        ("CST²", "UTC"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "Europe/Berlin"),
        (":CET-1CEST,M3.5.0/2,M10.5.0/3:00", "Europe/Berlin"),
        ("<+01>-1<+02>-2,M3.5.0,M10.5.0/3", "Europe/Berlin"),
        ("GMT0BST,M3.5.0/1,M10.5.0", "Europe/London"),
        ("EST5EDT,M3.2.0,M11.1.0", "America/New_York"),
        ("EST5EDT", "EST5EDT"),
        ("NST3:30NDT,M3.2.0,M11.1.0", "America/St_Johns"),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "Australia/Sydney"),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "Australia/LHI"),
        ("IST-5:30", "Asia/Kolkata"),
        ("Nowhere/At_All", "UTC"),
    ],
)
def test_the_zone_is_that_of_the_machine_also_as_posix_writes_it(
    tmp_path: Path, tz: str, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os.path, "realpath", lambda path: "" if path == "/etc/localtime" else path)

    done = initialise(str(tmp_path / "robin"), environment=Environment(timezone=tz), dry_run=True)

    assert done.timezone == zone
    assert f"  time zone {zone}; to change it: agentws config timezone Europe/Berlin" in render.lines(done, [])


@pytest.mark.parametrize("tz", ["garbage", "Nowhere/At_All", "CST²", "CST--8", ":/etc/nothing", "Europe/Berlin/"])
def test_what_is_no_zone_is_named_with_the_zone_that_is_used_instead(
    tmp_path: Path, tz: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "_of_file", lambda path: "Asia/Tokyo" if path == "/etc/localtime" else "")

    done = initialise(str(tmp_path / "robin"), environment=Environment(timezone=tz), dry_run=True)
    named = initialise(str(tmp_path / "robin"), environment=Environment(timezone=tz), timezone="UTC", dry_run=True)

    assert done.timezone == "Asia/Tokyo"
    assert f"TZ={tz}: this system does not know that time zone; Asia/Tokyo is used instead." in done.notices
    assert not any("TZ=" in notice for notice in named.notices)


@pytest.mark.parametrize("tz", [None, "", "Europe/Berlin", "CST-8", ":/usr/share/zoneinfo/Europe/Paris"])
def test_a_zone_is_used_without_a_word_also_by_the_path_of_its_file(tmp_path: Path, tz: str | None) -> None:
    done = initialise(str(tmp_path / "robin"), environment=Environment(timezone=tz), dry_run=True)

    assert not any("TZ=" in notice for notice in done.notices)
    assert not (tz or "").endswith("Paris") or done.timezone == "Europe/Paris"


@pytest.mark.parametrize("tz", ["CET-1CEST", "AAA-1BBB,M1.1.1,M2.2.2", "AAA-1:17"])
def test_a_zone_of_nowhere_is_asked_for_and_never_taken_for_utc(tmp_path: Path, tz: str) -> None:
    with pytest.raises(UsageError, match=f"TZ={tz} has the rule of no time zone") as refused:
        initialise(str(tmp_path / "robin"), environment=Environment(timezone=tz))

    assert refused.value.hint == "Name yours: agentws init --timezone Europe/Berlin"
    assert not (tmp_path / "robin").exists()
    done = initialise(str(tmp_path / "robin"), environment=Environment(timezone=tz), timezone="Europe/Paris")
    assert done.timezone == "Europe/Paris"
    opened = Workspace.open(str(tmp_path / "robin"), environment=Environment(timezone=tz))
    assert not [finding for finding in opened.doctor().findings if finding.name == "time-zone"]


def test_an_unknown_zone_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'Middle/Earth': unknown time zone"):
        initialise(str(tmp_path / "robin"), environment=Environment(timezone="UTC"), timezone="Middle/Earth")

    assert not (tmp_path / "robin").exists()


@pytest.mark.parametrize(
    ("line", "zone"),
    [
        ("- **Time zone:** Asia/Tokyo (JST)", "Asia/Tokyo"),
        ("Timezone: `Europe/Berlin`", "Europe/Berlin"),
        ("- **Time zone:**", "UTC"),
        ("- **Timezone:** Mountain Time (Denver)", "America/Denver"),
        ("- **Timezone:** Eastern US", "US/Eastern"),
        ("- **Timezone:** Bali (GMT+8)", "UTC"),
        ("- **Time zone:** Middle/Earth", "UTC"),
        ("- Time zone: ask me, and/or look it up", "UTC"),
        ("- Time zone: (for example Asia/Tokyo)", "UTC"),
    ],
)
def test_a_zone_that_user_md_names_comes_first(tmp_path: Path, line: str, zone: str) -> None:
    (tmp_path / "USER.md").write_text(f"# User\n\n{line}\n")

    done = initialise(str(tmp_path), environment=Environment(timezone="UTC"), dry_run=True)

    assert done.timezone == zone
    named = line.partition(":")[2].strip(" *`")
    assert any(named in notice for notice in done.notices) == (zone == "UTC" and named[:1].isalpha())


def test_the_next_steps_begin_in_the_folder_in_which_they_are_typed(tmp_path: Path) -> None:
    (tmp_path / "my agents").mkdir()
    done = initialise(str(tmp_path / "my agents/robin"), environment=Environment(timezone="UTC"), dry_run=True)

    elsewhere = [step for step, _ in render.next_steps(done, [], cwd=str(tmp_path))]
    inside = [step for step, _ in render.next_steps(done, [], cwd=done.root)]

    assert elsewhere == ["cd 'my agents/robin'", *inside]
    assert inside[0] == "$EDITOR USER.md"


def test_the_next_steps_say_whether_a_program_is_on_this_machine_or_used_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home/.codex").mkdir(parents=True)
    (tmp_path / "robin").mkdir()
    (tmp_path / "robin/CLAUDE.md").write_text("x\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    steps = run_text("init", str(tmp_path / "robin")).stdout

    assert "Claude Code is used in this project" in steps
    assert "Codex is on this machine" in steps
