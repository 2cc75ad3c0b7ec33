"""Stories of work that waits, told in sessions of a real agent program: each a new process, with what was kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from tests.judges.rig import Scene

Play = Callable[..., str]
"""A session in which the model runs these commands, one after another; the text that it was told at the end."""

_RULES = '[ask]\ntyped = true\n\n[[ask.rules]]\ncommand = "./pay*"\nwhy = "money leaves"\n'
_PAY = "#!/bin/sh\necho $1 >> paid.txt\n"
_DEPLOY = """
import os, sys
from agentws import Workspace
def upload(package):
    with open("server.log", "a") as server:
        server.write(f"{package} is released\\n")
    if os.environ.get("POWER") == "fails":
        os._exit(9)
    return package
with Workspace.find().workflow("deploy-2.4") as flow:
    package = flow.step("build", lambda: "app-2.4.tar")
    print("released:", flow.step("upload", upload, package))
"""


def loan_over_a_weekend(scene: Scene, play: Play) -> None:
    """The payment is denied, the task is put aside; on Monday a person has said yes, and it is paid once."""
    config = scene.home / ".config/agentws/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(_RULES, encoding="utf-8")
    scene.write("pay", _PAY)
    scene.workspace.joinpath("pay").chmod(0o755)
    paid, own = scene.workspace / "paid.txt", scene.script

    told = play(
        f"{own} task add 'Loan 7' --start",
        f"""echo '{{"rate": 3.6}}' | {own} checkpoint save loan-7 --label assessed""",
        "./pay 250",
        f"{own} task pause loan-7 weekend",
    )

    (request,) = _json(scene, "ask", "list", "--pending")["approvals"]
    assert request["id"] in told
    assert not paid.exists(), "it paid without a yes"
    scene.agentws("ask", "approve", request["id"], "--yes")

    told = play(f"{own} task resume loan-7 --state", "./pay 250", "./pay 250", f"{own} task done loan-7")

    assert '"rate": 3.6' in told
    assert paid.read_text(encoding="utf-8") == "250\n", "paid twice by one yes, or never"
    assert _json(scene, "task", "show", "loan-7")["status"] == "done"


def deployment_that_crashed(scene: Scene, play: Play) -> None:
    """What was uploaded is not uploaded again: the next session asks, a person has looked, the one after goes on."""
    scene.write("deploy.py", _DEPLOY)
    deploy, log = f"{sys.executable} deploy.py", scene.workspace / "server.log"

    play(f"POWER=fails {deploy}")
    told = play(deploy, f"{scene.script} workflow resolve deploy-2.4 upload --not-done", deploy)

    assert "released:" not in told
    assert log.read_text(encoding="utf-8") == "app-2.4.tar is released\n"
    (flow,) = _json(scene, "workflow", "list")["workflows"]
    assert flow["status"] == "unknown"
    scene.agentws("workflow", "resolve", "deploy-2.4", "upload", "--result", '"app-2.4.tar"')

    assert "released: app-2.4.tar" in play(deploy)
    assert log.read_text(encoding="utf-8") == "app-2.4.tar is released\n"


def second_attempt(scene: Scene, play: Play) -> None:
    """The next session goes back to an earlier checkpoint, and what it saves is a branch of its own."""
    own = scene.script
    save = f"""echo '{{"rate": %s}}' | {own} checkpoint save loan-8"""
    play(f"{own} task add 'Loan 8' --start", f"{save % 'null'} --label read", save % 4.1)

    told = play(f"{own} checkpoint restore loan-8 --to read", f"{save % 3.6} --label second")

    assert '"rate": null' in told
    rows = _json(scene, "checkpoint", "list", "loan-8")["checkpoints"]
    first, spoiled, second = sorted(rows, key=lambda row: row["seq"])
    assert (spoiled["parent"], second["parent"]) == (first["id"], first["id"])
    assert scene.agentws("checkpoint", "diff", "loan-8", "2", "second") == "- rate: 4.1\n+ rate: 3.6\n"


ALL = (loan_over_a_weekend, deployment_that_crashed, second_attempt)


def _json(scene: Scene, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scene.agentws(*words, "--json"))
    return found
