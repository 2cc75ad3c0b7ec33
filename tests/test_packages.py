"""What a release publishes: its tag, the lock file, formula and container file, and the workflow that makes them."""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from agentws import __version__

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import build_plugin  # noqa: E402
import packages  # noqa: E402

WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
LOCK = (ROOT / ".ci/requirements.txt").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_a_tag_must_be_the_version_and_have_a_section_in_the_changelog() -> None:
    changelog = f"# Changelog\n\n## {__version__} - unreleased\n"

    assert packages.tag_error(f"v{__version__}", changelog) == ""
    assert "is not" in packages.tag_error("v9.9.9", changelog)
    assert "no section" in packages.tag_error(f"v{__version__}", "# Changelog\n\n## 0.0.1\n")


def test_a_merge_of_the_changelog_brought_no_second_list_and_no_line_twice() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()

    assert "## Unreleased" not in lines
    assert [line for line, count in Counter(lines).items() if count > 1 and line.startswith("- ")] == []


def installed(name: str, digest: str) -> dict[str, Any]:
    """A row of a report of pip."""
    download = {"url": f"https://e.example/{name}.tar.gz", "archive_info": {"hashes": {"sha256": digest}}}
    return {"metadata": {"name": name}, "download_info": download}


def test_the_formula_has_the_sdist_and_each_dependency_with_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("rich", "b" * 64), ("agentws", "c" * 64)]
    report = {"install": [installed(name, digest) for name, digest in rows]}
    about = {**build_plugin.project(), "urls": {"Homepage": "https://agent.example"}}
    monkeypatch.setattr(build_plugin, "project", lambda: about)

    formula = packages.homebrew("https://e.example/agentws.tar.gz", "a" * 64, packages.resources(report))

    assert f'url "https://e.example/agentws.tar.gz"\n  sha256 "{"a" * 64}"' in formula
    assert f'resource "rich" do\n    url "https://e.example/rich.tar.gz"\n    sha256 "{"b" * 64}"' in formula
    assert 'resource "agentws"' not in formula
    assert formula.count("  end\n") == formula.count(" do\n") + formula.count("  def ")


def test_a_formula_without_a_home_page_names_the_place_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_plugin, "project", lambda: {**PROJECT["project"], "urls": {}})

    with pytest.raises(SystemExit, match=r"\[project\.urls\]"):
        packages.homebrew("https://e.example/a.tar.gz", "a" * 64, [])


def test_the_mcp_registry_is_told_how_to_start_this_version(monkeypatch: pytest.MonkeyPatch) -> None:
    about = {**build_plugin.project(), "urls": {"Repository": "https://github.com/otter/agentws"}}
    monkeypatch.setattr(build_plugin, "project", lambda: about)

    described = packages.mcp_server()

    assert described is not None
    assert described["name"] == "io.github.otter/agentws"
    assert len(described["description"]) <= 100
    (package,) = described["packages"]
    assert package["version"] == described["version"] == __version__
    assert package["runtimeArguments"][0]["value"] == f"agentws[mcp]=={__version__}"
    assert "mcp" in PROJECT["project"]["optional-dependencies"]
    assert package["packageArguments"] == [{"type": "positional", "value": "mcp"}]


def test_without_a_repository_nothing_is_told_to_the_mcp_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_plugin, "project", lambda: {**PROJECT["project"], "urls": {}})

    assert packages.mcp_server() is None


def test_the_container_file_installs_the_wheel_of_this_version() -> None:
    text = packages.containerfile()

    assert f"agentws-{__version__}-py3-none-any.whl" in text
    assert f"python:{packages.newest_python()}-slim" in text


def test_the_lock_file_has_a_version_and_digests_for_every_requirement() -> None:
    pinned = dict(re.findall(r"^([\w.-]+)==([^ ;\\]+)", LOCK, re.MULTILINE))
    wanted = [Requirement(one) for one in (*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"])]

    for requirement in wanted:
        version = pinned.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not locked: make lock"
        assert requirement.specifier.contains(version), f"{requirement} is locked at {version}: make lock"
    blocks = re.split(r"^(?=[\w.-]+==)", LOCK, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_workflow_tests_every_supported_python_on_both_systems_before_it_publishes() -> None:
    matrix = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]
    prefix = "Programming Language :: Python :: "
    supported = [one.removeprefix(prefix) for one in PROJECT["project"]["classifiers"] if one.startswith(prefix)]

    assert matrix["python"] == supported
    assert matrix["os"] == ["ubuntu-latest", "macos-latest"]
    assert set(WORKFLOW["jobs"]["publish"]["needs"]) == {"test", "build"}


def test_only_the_publishing_job_may_ask_for_an_identity_and_no_secret_is_used() -> None:
    jobs = WORKFLOW["jobs"]

    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")


def test_the_targets_that_the_workflow_makes_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    steps = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]
    targets = [word for step in steps if step.startswith("make ") for word in step.split()[1:] if "=" not in word]

    assert targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
