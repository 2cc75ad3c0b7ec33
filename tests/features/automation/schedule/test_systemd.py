"""schedule with timers of systemd, and the choice of the place."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.core.installation import cron, state_dir
from agentws.errors import ChangedUnderneathError, OutsideProgramError, UsageError
from agentws.workspace import Environment, Workspace
from tests.features.automation.schedule.programs import Machine

SCRIPT = "/opt/tools/agentws"
MINE = b"# mine\n"


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cron, "zone", lambda: UTC)


def names(workspace: Workspace) -> tuple[str, str]:
    """The timer and the service."""
    name = f"agentws-doctor-{workspace.stores.manifest.agent_id}"
    return f"{name}.timer", f"{name}.service"


def test_a_timer_is_written_switched_on_and_taken_away_with_its_service(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    timer, service = names(workspace)

    done = workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, at="03:30")

    assert (done.place, done.next) == ("systemd", datetime(2026, 11, 21, 3, 30, tzinfo=UTC))
    assert "OnCalendar=*-*-* 03:30:00\nPersistent=true\n" in (machine.waits_for(timer) or "")
    assert f"ExecStart={SCRIPT} -C {workspace.root} doctor\n" in (machine.units / service).read_text()
    assert any("loginctl enable-linger" in notice for notice in done.notices)

    workspace.schedule.remove("doctor", config=machine.config)
    assert machine.files() == {}
    assert machine.waits_for(timer) is None
    assert machine.calls[-1] == "systemctl --user daemon-reload"


def test_the_same_again_changes_nothing(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)
    before = machine.files()

    again = workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)

    assert again.steps == ()
    assert machine.files() == before


def test_systemd_waits_for_a_new_time_at_once(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, at="03:30")

    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, at="04:40")

    assert "04:40" in (machine.waits_for(names(workspace)[0]) or "")
    assert workspace.schedule.show(config=machine.config).rows[0].when == "*-*-* 04:40:00"


def test_a_timer_that_was_switched_off_is_shown_so_and_switched_on_again(
    workspace: Workspace, machine: Machine
) -> None:
    machine.has(systemd=True)
    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)
    cron.switch_off(names(workspace)[0])

    (row,) = workspace.schedule.show(config=machine.config).rows
    assert (row.on, row.next) == (False, None)

    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)
    assert workspace.schedule.show(config=machine.config).rows[0].on


def test_a_service_that_names_another_folder_is_shown_so(
    workspace: Workspace, machine: Machine, tmp_path: Path, environment: Environment
) -> None:
    machine.has(systemd=True)
    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)

    Path(workspace.root).rename(tmp_path / "it's $50% wren")
    moved = Workspace.open(str(tmp_path / "it's $50% wren"), environment=environment)
    assert not moved.schedule.show(config=machine.config).rows[0].here

    moved.schedule.install("doctor", script=SCRIPT, config=machine.config)
    assert moved.schedule.show(config=machine.config).rows[0].here


def test_a_failing_systemctl_is_said_in_its_words_and_the_next_try_goes_on_from_there(
    workspace: Workspace, machine: Machine
) -> None:
    machine.has(systemd=True, manager=False)

    with pytest.raises(OutsideProgramError, match="Failed to connect to bus"):
        workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="systemd")

    machine.has(systemd=True)
    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="systemd")
    assert machine.waits_for(names(workspace)[0])


def test_where_systemd_fails_no_unit_is_left_that_nothing_runs_by(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True, manager=False)

    with pytest.raises(OutsideProgramError) as raised:
        workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="systemd")

    assert [path.name for path in machine.units.iterdir()] == []
    assert "units are unchanged" in (raised.value.hint or "")


def test_where_systemd_fails_the_units_that_were_there_come_back(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="systemd", at="03:30")
    before = {path.name: path.read_bytes() for path in machine.units.iterdir() if path.is_file()}
    (machine.folder / "manager").unlink()

    with pytest.raises(OutsideProgramError):
        workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="systemd", at="04:40")

    assert {path.name: path.read_bytes() for path in machine.units.iterdir() if path.is_file()} == before


def test_a_unit_that_changed_since_it_was_shown_is_left_alone(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    _, service = names(workspace)
    planned = workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, dry_run=True)
    machine.units.mkdir(parents=True)
    (machine.units / service).write_text("[Service]\nExecStart=/bin/mine\n")

    with pytest.raises(ChangedUnderneathError):
        workspace.schedule.carry_out(planned, config=machine.config)

    assert "/bin/mine" in (machine.units / service).read_text()


def test_a_settings_folder_that_is_a_link_is_written_through(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    (machine.folder / "dotfiles").mkdir()
    Path(machine.config).symlink_to(machine.folder / "dotfiles")

    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)

    assert (machine.folder / "dotfiles" / "systemd" / "user" / names(workspace)[0]).is_file()


def test_units_of_others_stay(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    machine.units.mkdir(parents=True)
    (machine.units / "backup.timer").write_text("[Timer]\n")
    before = machine.files()

    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)
    workspace.schedule.remove("doctor", config=machine.config)

    assert machine.files() == before


# Where


def test_where_systemd_runs_for_the_user_it_is_taken(workspace: Workspace, machine: Machine) -> None:
    machine.has(crontab=True, systemd=True)

    planned = workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, dry_run=True)

    assert planned.place == "systemd"


def test_else_the_crontab_is_taken(workspace: Workspace, machine: Machine) -> None:
    machine.has(crontab=True, systemd=True, manager=False)

    planned = workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, dry_run=True)

    assert planned.place == "crontab"


def test_else_the_line_is_given_to_whoever_asks(workspace: Workspace, machine: Machine) -> None:
    done = workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, at="03:30")

    end = f"doctor # agentws schedule doctor {workspace.stores.manifest.agent_id}"
    assert done.line == f"30 3 * * * {SCRIPT} -C {workspace.root} {end}"
    assert (done.place, done.by_hand, done.done) == ("print", True, False)
    assert machine.files() == {}
    assert not workspace.schedule.install("doctor", script=SCRIPT, place="print").by_hand


def test_inside_a_container_it_is_a_line_for_its_host_and_nothing_is_written(
    workspace: Workspace, machine: Machine, environment: Environment
) -> None:
    machine.has(crontab=True, systemd=True)
    inside = Workspace.open(
        workspace.root, environment=Environment(now=environment.now, timezone="UTC", container="docker")
    )

    done = inside.schedule.install(
        "doctor", script=SCRIPT, config=machine.config, at="03:30", variables={"AGENTWS_STATE_DIR": "/state"}
    )

    assert done.line is not None
    words = done.line.split()
    assert words[5:8] in (["docker", "exec", "--user"], ["podman", "exec", "--user"], ["kubectl", "exec", words[7]])
    assert f" /usr/bin/env AGENTWS_STATE_DIR=/state {SCRIPT} -C {workspace.root} doctor " in done.line
    assert done.by_hand
    assert done.next is None, "the host has a clock of its own"
    assert machine.files() == {}
    assert any("This is a container" in notice for notice in inside.schedule.show().notices)
    assert any(workspace.stores.manifest.agent_id in notice for notice in inside.schedule.remove("doctor").notices)


def test_signs_of_a_container_are_seen_without_its_telling(
    workspace: Workspace, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = machine.folder / "dockerenv"
    sign.touch()
    monkeypatch.setattr(state_dir, "_CONTAINER", (str(sign),))

    assert workspace.schedule.install("doctor", script=SCRIPT).place == "print"


def test_a_job_that_moves_to_another_place_leaves_the_old_one(workspace: Workspace, machine: Machine) -> None:
    machine.has(crontab=True, systemd=True)
    machine.crontab = MINE
    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="crontab", at="04:44")

    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="systemd")
    assert machine.crontab == MINE
    assert "04:44" in (machine.waits_for(names(workspace)[0]) or "")

    workspace.schedule.install("doctor", script=SCRIPT, config=machine.config, place="crontab")
    assert list(machine.files()) == ["crontab"]
    assert [row.place for row in workspace.schedule.show(config=machine.config).rows] == ["crontab"]


def test_a_crontab_that_may_not_be_read_is_no_obstacle_to_a_timer(workspace: Workspace, machine: Machine) -> None:
    machine.has(crontab=True, systemd=True)
    machine.denies_cron()

    done = workspace.schedule.install("doctor", script=SCRIPT, config=machine.config)

    assert done.place == "systemd"
    assert any("not allowed" in notice for notice in done.notices)
    workspace.schedule.remove("doctor", config=machine.config)
    assert machine.files() == {}


def test_a_timer_needs_a_place_for_the_users_units(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)

    with pytest.raises(UsageError, match="folder for systemd's user units is unknown"):
        workspace.schedule.install("doctor", script=SCRIPT, place="systemd")


# A job that runs all the time


def test_what_watches_runs_all_the_time_and_ends_when_it_is_taken_out(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    timer, service = (name.replace("doctor", "watch") for name in names(workspace))

    done = workspace.schedule.install("watch", script=SCRIPT, config=machine.config)

    assert (done.place, done.when, done.next) == ("systemd", "always", None)
    assert "OnActiveSec=5\nOnUnitInactiveSec=60\n" in (machine.waits_for(timer) or "")
    text = (machine.units / service).read_text()
    assert f"Type=exec\nExecStart={SCRIPT} -C {workspace.root} watch -q\n" in text
    (row,) = workspace.schedule.show(config=machine.config).rows
    assert (row.job, row.when, row.next, row.here, row.on) == ("watch", "always", None, True, True)
    assert workspace.schedule.install("watch", script=SCRIPT, config=machine.config).steps == ()

    workspace.schedule.remove("watch", config=machine.config)
    assert machine.files() == {}
    assert f"systemctl --user stop {service}" in machine.calls
    assert machine.calls[-1] == "systemctl --user daemon-reload"


def test_another_path_ends_what_watches_before_it_begins_anew(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True)
    timer, service = (name.replace("doctor", "watch") for name in names(workspace))
    workspace.schedule.install("watch", script=SCRIPT, config=machine.config)
    assert not any(service in call for call in machine.calls), "nothing ran"

    workspace.schedule.install("watch", script="/opt/new/agentws", config=machine.config)

    ended = machine.calls.index(f"systemctl --user stop {service}")
    assert machine.calls[ended:].count(f"systemctl --user restart {timer}") == 1
    assert "/opt/new/agentws" in (machine.units / service).read_text()


def test_by_a_crontab_it_looks_often_and_leaves_systemd(workspace: Workspace, machine: Machine) -> None:
    machine.has(systemd=True, crontab=True)
    workspace.schedule.install("watch", script=SCRIPT, config=machine.config)

    done = workspace.schedule.install("watch", script=SCRIPT, config=machine.config, place="crontab")

    line = f"*/10 * * * * {SCRIPT} -C {workspace.root} watch --once -q # agentws schedule watch "
    assert (done.when, done.next) == ("*/10 * * * *", None)
    assert (machine.crontab or b"").decode().startswith(line)
    assert not [name for name in machine.files() if "watch" in name]


@pytest.mark.parametrize("given", [{"at": "03:30"}, {"every": "sun"}])
def test_what_runs_all_the_time_has_no_time_of_its_own(
    workspace: Workspace, machine: Machine, given: dict[str, str]
) -> None:
    machine.has(systemd=True)

    with pytest.raises(UsageError, match="all the time"):
        workspace.schedule.install("watch", script=SCRIPT, config=machine.config, **given)
    assert machine.files() == {}
