"""Waits for an answer, a command, a URL, a process and an event: each wakes by what it names, and by nothing else."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.tasks.events import put, text, told


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.fixture
def ws(workspace: Workspace, settings: Path) -> Workspace:
    workspace.tasks.add("Roof")
    return opened(workspace, settings)


def opened(workspace: Workspace, settings: Path) -> Workspace:
    environment = Environment(now=NOW, timezone="UTC", config=str(settings))
    return Workspace.open(workspace.root, environment=environment)


def woken(ws: Workspace) -> list[str]:
    return [one.slug for one in ws.tasks.due().woken]


def test_an_answer_wakes_whatever_it_is(ws: Workspace) -> None:
    request = ws.ask("May I?", action={"tool": "saw"})
    ws.tasks.wait("roof", approval=request.id[:4])

    assert woken(ws) == []
    ws.approvals.decide(request.id, approve=False, message="Not today")
    assert woken(ws) == ["roof"]
    assert told(ws)[-1]["text"] == f"it waited for approval {request.id}"


def test_a_request_whose_file_is_gone_is_waited_for_until_it_is_answered(ws: Workspace) -> None:
    request = ws.ask("May I?", action={"tool": "saw"})
    ws.tasks.wait("roof", approval=request.id)
    Path(ws.root, request.path).unlink()

    done = ws.tasks.due()
    assert done.woken == []
    assert f"{request.path} is missing. The request can be answered: agentws ask show {request.id}" in done.notices
    ws.approvals.decide(request.id, approve=False)
    assert woken(ws) == ["roof"]


def test_what_a_file_alone_says_of_an_answer_wakes_nobody(ws: Workspace) -> None:
    request = ws.ask("May I?", action={"tool": "saw"})
    ws.tasks.wait("roof", approval=request.id)
    file = Path(ws.root, request.path)
    file.write_text(file.read_text().replace("status: pending", "status: approved"))

    assert woken(ws) == []
    ws.approvals.decide(request.id, approve=False)
    assert woken(ws) == ["roof"]


def test_a_request_that_is_past_wakes_too(ws: Workspace) -> None:
    request = ws.ask("May I?", expires="2h")
    ws.tasks.wait("roof", approval=request.id)
    later = Workspace.open(ws.root, environment=Environment(now=NOW.replace(hour=12), timezone="UTC"))

    assert woken(later) == ["roof"]


def test_a_command_is_named_by_the_user_alone(ws: Workspace, settings: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name no command 'site'"):
        ws.tasks.wait("roof", command="site")
    settings.write_text(f'[waits.site]\ncommand = "test -e {tmp_path}/built"\n')
    ws.tasks.wait("roof", command="site")

    assert woken(ws) == []
    (tmp_path / "built").touch()
    assert [one.slug for one in ws.tasks.list().tasks if one.status == "waiting"] == ["roof"]
    assert ws.tasks.list().ready == set()  # reading runs nothing
    assert woken(ws) == ["roof"]


def test_a_command_in_the_task_s_own_file_is_a_name_and_never_run(ws: Workspace, tmp_path: Path) -> None:
    put(ws, "roof", f"---\nstatus: waiting\nwaiting_on:\n  command: touch {tmp_path}/ran\n---\n# Roof\n")

    done = ws.tasks.due()

    assert done.woken == []
    assert any("name no command" in said for said in done.notices)
    assert not (tmp_path / "ran").exists()


def test_a_command_that_cannot_be_run_or_does_not_end_is_a_notice(ws: Workspace, settings: Path) -> None:
    settings.write_text(
        '[waits.gone]\ncommand = "/no/such/program"\n[waits.long]\ncommand = "sleep 60"\ntimeout_s = 1\n'
    )
    ws.tasks.add("Report")
    ws.tasks.wait("roof", command="gone")
    ws.tasks.wait("report", command="long")

    done = ws.tasks.due()

    assert done.woken == []
    assert [said for said in done.notices if said.startswith("command")] == [
        "command long: it did not end within 1 s",
        "command gone: /no/such/program was not found on PATH; use an absolute path",
    ]


class _Site(BaseHTTPRequestHandler):
    status = 503

    def do_GET(self) -> None:
        self.send_response(type(self).status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Site)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/site?a=b"
    server.shutdown()
    server.server_close()


def test_a_url_wakes_by_the_status_that_is_expected_and_is_not_followed(
    ws: Workspace, settings: Path, site: str
) -> None:
    settings.write_text(f'[waits.site]\nurl = "{site}"\n[waits.file]\nurl = "file:///etc/passwd"\n')
    with pytest.raises(UsageError, match="must begin with http"):
        ws.tasks.wait("roof", url="file")
    ws.tasks.wait("roof", url="site")

    seen = []
    for status in (503, 302, 200):
        _Site.status = status
        seen.append(woken(ws))
    assert seen == [[], [], ["roof"]]


def test_a_process_wakes_when_it_ends_and_is_not_mistaken_for_another(ws: Workspace) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    ws.tasks.wait("roof", process=process.pid)

    assert woken(ws) == []
    process.communicate(b"\n")
    assert woken(ws) == ["roof"]
    with pytest.raises(UsageError, match="No process"):
        ws.tasks.wait("roof", process=process.pid)


def test_a_process_of_another_machine_is_not_told(ws: Workspace) -> None:
    put(ws, "roof", "---\nstatus: waiting\nwaiting_on:\n  process: 1\n  host: elsewhere\n---\n# Roof\n")

    done = ws.tasks.due()

    assert done.woken == []
    assert done.notices == ["process 1: it started on another machine, elsewhere"]


def test_an_event_wakes_that_comes_after_and_of_that_kind(ws: Workspace) -> None:
    ws.event("deploy.done", "one from before")
    ws.tasks.wait("roof", event="deploy.*")

    assert woken(ws) == []
    ws.event("deployed", "another kind")
    assert woken(ws) == []
    ws.event("deploy.done", "now")
    assert woken(ws) == ["roof"]


def test_the_wait_itself_wakes_nobody_nor_does_what_was_edited_by_hand_before(ws: Workspace) -> None:
    put(ws, "roof", text(ws, "roof").replace("# Roof", "step: the ridge\n# Roof", 1))
    ws.tasks.wait("roof", event="task.*")

    assert woken(ws) == []
    ws.tasks.add("Report")
    assert woken(ws) == ["roof"]


def test_an_address_that_sends_a_byte_now_and_then_is_given_up(ws: Workspace, settings: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=_drip, args=(server,), daemon=True).start()
        settings.write_text(f'[waits.drip]\nurl = "http://127.0.0.1:{server.getsockname()[1]}/"\ntimeout_s = 1\n')
        ws.tasks.wait("roof", url="drip")

        done = ws.tasks.due()

    assert done.woken == []
    assert done.notices == ["url drip: it did not answer within 1 s"]


def _drip(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection = server.accept()[0]
        with connection:
            for byte in b"HTTP/1.1 200 " + b"x" * 20:
                connection.send(bytes((byte,)))
                time.sleep(0.1)


def test_an_event_that_was_retracted_wakes_nobody(ws: Workspace) -> None:
    ws.tasks.wait("roof", event="deploy.done")
    ws.journal.retract([ws.event("deploy.done", "the wrong site").cursor], reason="another site")

    assert woken(ws) == []
    ws.event("deploy.done", "now")
    assert woken(ws) == ["roof"]


def test_one_thing_is_waited_for(ws: Workspace) -> None:
    for wrong in ({}, {"until": "2h", "event": "x"}, {"on": "Sam", "writer": "x"}):
        with pytest.raises(AgentwsError):
            ws.tasks.wait("roof", **wrong)
    with pytest.raises(MissingFileError):
        ws.tasks.wait("roof", approval="zzzz")
    assert "waiting_on" not in text(ws, "roof")


def test_a_kind_that_no_event_can_have_is_not_waited_for(ws: Workspace) -> None:
    for kind in ("two words", "", "*", "x" * 1_000):
        with pytest.raises(UsageError, match="not a valid event kind"):
            ws.tasks.wait("roof", event=kind)
