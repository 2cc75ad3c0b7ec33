"""schedule with a crontab: put in, replaced, taken out; nothing of the user's is lost, whatever goes wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.core.installation import cron
from agentws.errors import (
    ChangedUnderneathError,
    DamagedError,
    MayNotWriteError,
    NoWorkspaceError,
    OutsideProgramError,
    UsageError,
)
from agentws.workspace import Environment, Workspace
from tests.features.automation.schedule.programs import Machine

SCRIPT = "/opt/tools/agentws"
MINE = b"# mine\nMAILTO=sam\n0 5 * * 1  tar cf x .\t# \xe4\n"


@pytest.fixture(autouse=True)
def _with_cron(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.has(crontab=True)
    monkeypatch.setattr(cron, "zone", lambda: UTC)


def test_a_job_is_put_into_the_crontab_and_taken_out_again(workspace: Workspace, machine: Machine) -> None:
    machine.crontab = MINE

    done = workspace.schedule.install("doctor", script=SCRIPT, at="08:05")

    agent = workspace.stores.manifest.agent_id
    line = f"5 8 * * * {SCRIPT} -C {workspace.root} doctor # agentws schedule doctor {agent}\n"
    assert machine.crontab == MINE + line.encode()
    assert (done.place, done.done, done.when) == ("crontab", True, "5 8 * * *")
    assert done.next == datetime(2026, 11, 20, 8, 5, tzinfo=UTC)

    workspace.schedule.remove("doctor")
    assert machine.crontab == MINE


def test_what_runs_for_a_retired_agent_is_shown_and_taken_out_and_nothing_is_added(
    workspace: Workspace, machine: Machine
) -> None:
    machine.crontab = MINE
    workspace.schedule.install("doctor", script=SCRIPT)
    workspace.identity.retire()

    shown = workspace.schedule.show()
    workspace.schedule.remove("doctor")

    assert [row.job for row in shown.rows] == ["doctor"]
    assert machine.crontab == MINE
    with pytest.raises(MayNotWriteError):
        workspace.schedule.install("doctor", script=SCRIPT)
    assert machine.crontab == MINE


def test_who_had_no_crontab_has_none_afterwards(workspace: Workspace, machine: Machine) -> None:
    workspace.schedule.install("doctor", script=SCRIPT)
    assert machine.crontab

    workspace.schedule.remove("doctor")
    assert machine.crontab is None


def test_the_same_again_writes_nothing(workspace: Workspace, machine: Machine) -> None:
    workspace.schedule.install("doctor", script=SCRIPT)
    before = len(machine.calls)

    again = workspace.schedule.install("doctor", script=SCRIPT)

    assert again.steps == ()
    assert machine.calls[before:] == ["crontab -l"]


def test_an_older_line_is_replaced_and_its_time_kept_where_none_is_named(
    workspace: Workspace, machine: Machine
) -> None:
    workspace.schedule.install("doctor", script="/old/agentws", at="04:44")

    workspace.schedule.install("doctor", script=SCRIPT)

    assert machine.crontab is not None
    assert machine.crontab.startswith(b"44 4 * * * /opt/tools/agentws ")
    assert machine.crontab.count(b"\n") == 1


def test_two_workspaces_do_not_touch_each_other(
    workspace: Workspace, machine: Machine, tmp_path: Path, environment: Environment
) -> None:
    other = Workspace.init(str(tmp_path / "wren"), environment=environment, name="Wren", git=False)
    other.schedule.install("doctor", script=SCRIPT)
    theirs = machine.crontab

    workspace.schedule.install("doctor", script=SCRIPT)
    assert len(workspace.schedule.show().rows) == len(other.schedule.show().rows) == 1
    workspace.schedule.remove("doctor")

    assert machine.crontab == theirs


def test_a_dry_run_shows_the_change_and_makes_none(workspace: Workspace, machine: Machine) -> None:
    machine.crontab = MINE

    planned = workspace.schedule.install("doctor", script=SCRIPT, dry_run=True)

    (change,) = planned.changes
    assert (change.where, planned.done) == ("crontab", False)
    assert machine.crontab == MINE
    workspace.schedule.carry_out(planned)
    assert machine.crontab == (change.after or "").encode("utf-8", "surrogateescape")


def test_a_crontab_that_changed_since_it_was_shown_is_left_alone(workspace: Workspace, machine: Machine) -> None:
    planned = workspace.schedule.install("doctor", script=SCRIPT, dry_run=True)
    machine.crontab = MINE

    with pytest.raises(ChangedUnderneathError):
        workspace.schedule.carry_out(planned)

    assert machine.crontab == MINE


def test_a_crontab_that_cannot_be_read_is_never_taken_for_an_empty_one(workspace: Workspace, machine: Machine) -> None:
    machine.crontab = MINE
    machine.denies_cron()

    for call in (
        lambda: workspace.schedule.install("doctor", script=SCRIPT),
        lambda: workspace.schedule.install("doctor", script=SCRIPT, dry_run=True),
        lambda: workspace.schedule.remove("doctor"),
    ):
        with pytest.raises(OutsideProgramError, match="not allowed to use this program"):
            call()

    assert machine.crontab == MINE
    (notice,) = workspace.schedule.show().notices
    assert "not allowed" in notice


def test_what_crontab_refuses_is_said_in_its_words(workspace: Workspace, machine: Machine) -> None:
    machine.crontab = b"0 5 * * * no end"

    with pytest.raises(OutsideProgramError, match="missing newline before EOF"):
        workspace.schedule.install("doctor", script=SCRIPT)

    assert machine.crontab == b"0 5 * * * no end"


def test_a_crontab_that_does_not_keep_what_it_is_given_is_an_error(workspace: Workspace, machine: Machine) -> None:
    program = machine.folder / "bin" / "crontab"
    program.write_text(program.read_text().replace("mv ", "echo lost > /dev/null; : "))

    with pytest.raises(OutsideProgramError, match="was not stored"):
        workspace.schedule.install("doctor", script=SCRIPT)


def test_what_is_there_is_shown_with_its_next_run(workspace: Workspace, machine: Machine) -> None:
    workspace.schedule.install("doctor", script=SCRIPT, at="03:30")

    (row,) = workspace.schedule.show("doctor").rows

    assert (row.job, row.place, row.when, row.on) == ("doctor", "crontab", "30 3 * * *", True)
    assert row.next == datetime(2026, 11, 21, 3, 30, tzinfo=UTC)
    assert row.command == f"{SCRIPT} -C {workspace.root} doctor"


def test_a_line_that_names_another_folder_is_shown_so(
    workspace: Workspace, machine: Machine, tmp_path: Path, environment: Environment
) -> None:
    workspace.schedule.install("doctor", script=SCRIPT)
    assert workspace.schedule.show().rows[0].here

    Path(workspace.root).rename(tmp_path / "it's 50% wren")
    moved = Workspace.open(str(tmp_path / "it's 50% wren"), environment=environment)
    assert not moved.schedule.show().rows[0].here

    moved.schedule.install("doctor", script=SCRIPT)
    assert moved.schedule.show().rows[0].here


def test_when_a_line_runs_is_not_known_where_the_crontab_has_a_zone_of_its_own(
    workspace: Workspace, machine: Machine
) -> None:
    machine.crontab = b"CRON_TZ=Asia/Tokyo\n"

    assert workspace.schedule.install("doctor", script=SCRIPT, at="03:30").next is None
    assert workspace.schedule.show().rows[0].next is None


def test_variables_that_say_where_the_key_is_are_carried(workspace: Workspace, machine: Machine) -> None:
    workspace.schedule.install("doctor", script=SCRIPT, variables={"AGENTWS_STATE_DIR": "/var/lib/my agent"})

    assert machine.crontab is not None
    assert b" /usr/bin/env 'AGENTWS_STATE_DIR=/var/lib/my agent' /opt/tools/agentws " in machine.crontab


def test_programs_that_cron_would_not_find_are_found(workspace: Workspace, machine: Machine) -> None:
    git = machine.folder / "bin" / "git"
    git.write_text("#!/bin/sh\n")
    git.chmod(0o755)

    workspace.schedule.install("doctor", script=SCRIPT)

    assert machine.crontab is not None
    assert f"PATH={git.parent}:/usr/bin:/bin".encode() in machine.crontab


def test_an_id_that_would_be_a_line_of_its_own_is_refused(
    workspace: Workspace, machine: Machine, environment: Environment
) -> None:
    """A workspace that somebody else has made must not write into the crontab what it likes."""
    manifest = Path(workspace.root, "agentws.toml")
    hostile = manifest.read_text().replace(workspace.stores.manifest.agent_id, "0f3c9a52\\n* * * * * id\\n#")
    manifest.write_text(hostile)

    with pytest.raises(DamagedError, match="not scheduled"):
        Workspace.open(workspace.root, environment=environment).schedule.install("doctor", script=SCRIPT)

    assert machine.crontab is None


def test_a_folder_whose_name_would_be_a_line_of_its_own_is_refused(
    machine: Machine, tmp_path: Path, environment: Environment
) -> None:
    hostile = Workspace.init(str(tmp_path / "a\n* * * * * id #"), environment=environment, name="A", git=False)

    with pytest.raises(UsageError, match="control character"):
        hostile.schedule.install("doctor", script=SCRIPT)

    assert machine.crontab is None


def test_a_folder_that_was_not_adopted_has_no_schedule(
    machine: Machine, tmp_path: Path, environment: Environment
) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "SOUL.md").write_text("# Soul\n")
    old = Workspace.open(str(tmp_path / "old"), environment=environment)

    with pytest.raises(NoWorkspaceError):
        old.schedule.install("doctor", script=SCRIPT)


def test_words_that_mean_nothing_are_refused_before_anything_is_asked(workspace: Workspace, machine: Machine) -> None:
    for job, place, at in (("dream", None, None), ("doctor", "anacron", None), ("doctor", None, "25:00")):
        with pytest.raises(UsageError):
            workspace.schedule.install(job, script=SCRIPT, place=place, at=at)

    assert machine.calls == []
