"""Which files a host loads by itself."""

from __future__ import annotations

from agentws.hosts import loading


def test_a_host_is_recognised_by_its_signs_and_named_with_the_files_it_loads_here() -> None:
    found = loading.recognised({"CLAUDE.md", "SOUL.md"})

    assert [(host.name, files) for host, files in found] == [("claude-code", ("CLAUDE.md",))]


def test_an_openclaw_workspace_is_recognised() -> None:
    found = {h.name: files for h, files in loading.recognised({"IDENTITY.md", "SOUL.md", "MEMORY.md"})}

    assert found == {"openclaw": ("SOUL.md", "IDENTITY.md", "MEMORY.md")}


def test_a_folder_without_signs_belongs_to_no_host() -> None:
    assert loading.recognised({"SOUL.md", "memory"}) == []
