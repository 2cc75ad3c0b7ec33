"""Which files a host loads by itself."""

from __future__ import annotations

import pytest

from agentws.core.hosts import loading
from agentws.errors import UsageError
from agentws.features import hosts
from agentws.features.boot import host_preset
from tests.features.hosts import payloads


def test_a_host_is_recognised_by_its_signs_and_named_with_the_files_it_loads_here() -> None:
    found = hosts.recognised({"CLAUDE.md", "SOUL.md"})

    assert [(host.name, files) for host, files in found] == [("claude-code", ("CLAUDE.md",))]


def test_an_openclaw_workspace_is_recognised() -> None:
    found = {h.name: files for h, files in hosts.recognised({"IDENTITY.md", "SOUL.md", "MEMORY.md"})}

    assert found == {"openclaw": ("SOUL.md", "IDENTITY.md", "MEMORY.md")}


def test_a_folder_without_signs_belongs_to_no_host() -> None:
    assert hosts.recognised({"SOUL.md", "memory"}) == []


class Files:
    """A workspace as a host sees it; None stands for a file that cannot be read."""

    def __init__(self, files: dict[str, str | None]) -> None:
        self.files = files

    def has(self, path: str) -> bool:
        return path in self.files

    def text(self, path: str) -> str | None:
        return self.files.get(path)


def whole(host: str, files: dict[str, str | None], **more: bool) -> set[str]:
    return loading.loaded(host_preset.host(host), Files(files), **more).whole


def test_an_unknown_host_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as refused:
        host_preset.host("emacs")

    assert refused.value.hint == f"Choose one of: plain, {', '.join(payloads.HOSTS)}."


def test_claude_code_loads_what_its_file_imports_and_agents_only_where_there_is_no_other() -> None:
    files: dict[str, str | None] = {"CLAUDE.md": "@SOUL.md", "SOUL.md": "@USER.md", "USER.md": "", "AGENTS.md": ""}

    assert whole("claude-code", files) == {"CLAUDE.md", "SOUL.md", "USER.md"}
    assert whole("claude-code", {"AGENTS.md": "@SOUL.md", "SOUL.md": ""}) == {"AGENTS.md", "SOUL.md"}
    assert whole("claude-code", {"CLAUDE.md": None, "AGENTS.md": ""}) == set(), "it is there, and cannot be read"


def test_codex_loads_a_file_up_to_its_limit_in_bytes() -> None:
    assert whole("codex", {"AGENTS.md": "é" * 16_384}) == {"AGENTS.md"}
    assert whole("codex", {"AGENTS.md": "é" * 16_384 + "."}) == set()
    assert whole("codex", {"AGENTS.override.md": "", "AGENTS.md": ""}) == {"AGENTS.override.md"}


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (None, {"GEMINI.md", "style.md"}),
        ("{}", {"GEMINI.md", "style.md"}),
        ('{"context": {"fileName": "AGENTS.md"}}', {"AGENTS.md"}),
        ('{"context": {"fileName": ["AGENTS.md", "GEMINI.md", 3]}}', {"AGENTS.md", "GEMINI.md", "style.md"}),
        ('{"contextFileName": "AGENTS.md"}', {"AGENTS.md"}),
        ('{"context": "?"}', set()),
        ('{"context": {"fileName": 3}}', set()),
        ("[" * 100_000, set()),
        ("// a comment", set()),
    ],
)
def test_gemini_loads_the_files_that_its_settings_name_with_their_imports(
    settings: str | None, found: set[str]
) -> None:
    files: dict[str, str | None] = {
        "GEMINI.md": "@style.md @notes.txt",
        "AGENTS.md": "",
        "style.md": "",
        "notes.txt": "",
    }

    assert whole("gemini", files | ({".gemini/settings.json": settings} if settings else {})) == found


def test_openclaw_cuts_large_files_and_those_do_not_count_as_loaded() -> None:
    files: dict[str, str | None] = {
        "AGENTS.md": "a" * 20_000, "SOUL.md": "🦊" * 10_001, "USER.md": "u" * 4_001, "IDENTITY.md": "",
        "HEARTBEAT.md": "h" * 10_000, "MEMORY.md": "m" * 6_001,
    }  # fmt: skip

    found = loading.loaded(host_preset.host("openclaw"), Files(files))

    assert found.whole == {"AGENTS.md", "IDENTITY.md", "HEARTBEAT.md"}
    assert found.size == 60_000
    assert whole("openclaw", files | {"MEMORY.md": "m" * 6_000}) == found.whole | {"MEMORY.md"}


def test_openclaw_keeps_its_memory_to_the_main_session() -> None:
    files: dict[str, str | None] = {"SOUL.md": "", "MEMORY.md": ""}

    assert whole("openclaw", files) == {"SOUL.md", "MEMORY.md"}
    assert whole("openclaw", files, shared=True) == {"SOUL.md"}


def test_a_program_of_which_nothing_is_known_loads_nothing() -> None:
    assert whole("plain", {"AGENTS.md": "", "CLAUDE.md": ""}) == set()


def test_claude_code_without_a_file_of_its_own_is_named_with_the_one_it_falls_back_to() -> None:
    found = hosts.recognised({".claude", "AGENTS.md"})

    assert [(host.name, files) for host, files in found] == [("claude-code", ("AGENTS.md",))]
