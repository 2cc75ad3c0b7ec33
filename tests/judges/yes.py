"""A tool that needs a person's yes, in a scene with a real agent program."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.judges.rig import Scene

COMMAND = "touch paid"
"""What the played model wants to run."""
_RULES = '[ask]\ntyped = true\n\n[[ask.rules]]\ncommand = "touch paid*"\nwhy = "money leaves"\n'


def asks(scene: Scene, do: str = "ask") -> None:
    """Say in the user's settings that the command needs a yes, and that what a person types is one."""
    config = scene.home / ".config/agentws/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'{_RULES}do = "{do}"\n', encoding="utf-8")


def judge(scene: Scene, play: Callable[[], object]) -> None:
    """The tool is denied; a person approves; the next session runs it once, and the one after that does not."""
    paid = scene.workspace / "paid"

    play()

    (request,) = _waiting(scene)
    assert not paid.exists(), "it ran without a yes"
    (error,) = scene.events("error")
    assert request in error["body"]["text"]
    scene.agentws("ask", "approve", request, "--yes")

    play()

    assert paid.exists(), "it was approved, and did not run"
    assert not _waiting(scene)
    paid.unlink()

    play()

    assert not paid.exists(), "it ran twice by one yes"
    assert len(_waiting(scene)) == 1


def judge_permission(scene: Scene, play: Callable[[], object]) -> None:
    """A yes is enough where the host itself would not have let the tool run."""
    paid = scene.workspace / "paid"
    asks(scene)
    play()
    (request,) = _waiting(scene)
    scene.agentws("ask", "approve", request, "--yes")

    play()

    assert paid.exists(), "it was approved, and did not run"
    paid.unlink()


def judge_confirm(scene: Scene, play: Callable[[], object]) -> None:
    """The host is told to ask its user, and nobody sits before it: the tool does not run, and no request was made."""
    asks(scene, "confirm")

    play()

    assert scene.events("action")
    assert not (scene.workspace / "paid").exists()
    assert not _waiting(scene)


def told(text: str) -> None:
    """The model was told in this request why the tool did not run."""
    assert "money leaves" in text
    assert "agentws ask approve" in text


def _waiting(scene: Scene) -> list[str]:
    found = json.loads(scene.agentws("ask", "list", "--pending", "--json"))
    return [one["id"] for one in found["approvals"]]
