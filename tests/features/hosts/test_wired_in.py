"""The files in which hooks of a host may stand are those that its settings name."""

from __future__ import annotations

import pytest

from agentws import features
from agentws.core.hosts import plan
from agentws.errors import AgentwsError
from agentws.features import hosts
from agentws.features.hosts.obstacles import HostFiles

VARIABLES: tuple[dict[str, str], ...] = (
    {"HOME": "/home/leo"},
    {"HOME": "/home/leo/", "XDG_CONFIG_HOME": "/etc/leo/"},
    {"HOME": "/home/leo", "XDG_CONFIG_HOME": "leo", "OPENCLAW_HOME": "leo"},
    {
        "HOME": "/home/leo", "CLAUDE_CONFIG_DIR": "/a/claude", "CODEX_HOME": "/a/codex", "GEMINI_CLI_HOME": "/a/gemini",
        "QWEN_HOME": "/a/qwen", "COPILOT_HOME": "/a/copilot", "OPENCLAW_STATE_DIR": "/a/openclaw",
        "FACTORY_HOME_OVERRIDE": "/a/droid", "PI_CODING_AGENT_DIR": "/a/pi",
    },
    {"HOME": "/home/leo", "OPENCLAW_HOME": "/a/claw"},
    {},
)  # fmt: skip


def written(host: str, level: str) -> set[str]:
    """The places into which `install` writes what it wires, and those that a broken text makes damaged."""
    settings = hosts.settings(host)
    found = set()
    for place in settings.places(level):
        for text in ("{", "agentws"):
            try:
                settings.wired({place: text}, level)
            except AgentwsError:
                found.add(place)
    after = settings.install({}, plan.Wiring("/bin/agentws", "/w", level=level, parts=1))
    texts = {place: text for place, text in after.items() if text is not None}
    assert settings.wired(texts, level), (host, level)
    found |= {place for place in texts if not settings.wired({**texts, place: ""}, level)}
    return found


@pytest.mark.parametrize("variables", VARIABLES)
@pytest.mark.parametrize("host", features.HOSTS)
def test_no_file_that_wires_a_host_is_missing_in_its_description(host: str, variables: dict[str, str]) -> None:
    described = set(hosts.paths(features.host(host), "/w", variables))

    home = hosts.settings(host).home(variables)
    folders = [(plan.PROJECT, "/w"), *([(plan.USER, home)] if home is not None else [])]
    for level, folder in folders[1 if host == "claude-desktop" else 0 :]:
        assert {f"{folder}/{place}" for place in written(host, level)} <= described
        assert written(host, level) <= set(hosts.settings(host).places(level))


def test_the_files_that_may_name_the_memory_of_claude_code_are_in_its_description() -> None:
    described = set(hosts.paths(features.host("claude-code"), "/w", {"HOME": "/home/leo"}))

    folders = {plan.PROJECT: "/w", plan.USER: "/home/leo/.claude"}
    asked: set[str] = set()

    def read(level: str, place: str) -> str:
        asked.add(f"{folders[level]}/{place}")
        return '{"autoMemoryDirectory": "/w"}' if level == plan.USER else ""

    assert hosts.settings("claude-code").memory(HostFiles(plan.USER, folders, read))[0] == "/w"
    assert asked <= described


def test_it_names_few_files_that_are_always_there() -> None:
    named = {path for host in features.HOSTS for path in hosts.paths(features.host(host), "/w", {"HOME": "/home/leo"})}

    assert {path for path in named if path.endswith(".md")} == {"/w/AGENTS.md"}
