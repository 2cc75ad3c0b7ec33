"""Makes everything that a release publishes, in FOLDER: sdist and wheel (python/), the npm packages (openclaw/, pi/),
the plugin of Claude Code (claude-code/), a Homebrew formula, a container file, and server.json for the MCP registry.

    python tools/packages.py [--tag TAG] [--sdist-url URL] FOLDER

With `--tag` it first checks that TAG is `v` and the version, and that the changelog has a section for it. The formula
is made with `--sdist-url`, once the sdist is published; pip names the addresses and digests of its dependencies.
server.json is made if [project.urls] of pyproject.toml has a Repository on GitHub.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import build_plugin  # noqa: E402

from agentws import __version__  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

    Resource = tuple[str, str, str]
    """The name, address and SHA-256 of a dependency's wheel or sdist."""

_PURE = "-none-any.whl"
"""The end of the address of a wheel that Homebrew installs."""


def main() -> None:
    """Make the packages, or exit with what is missing."""
    parser = argparse.ArgumentParser(description="Make everything that a release publishes.")
    parser.add_argument("--tag", help="the tag of the release")
    parser.add_argument("--sdist-url", metavar="URL", help="where the sdist is published; makes the formula")
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    if asked.tag and (wrong := tag_error(asked.tag, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))):
        sys.exit(f"packages: {wrong}")
    folder = asked.folder.resolve()
    subprocess.run([sys.executable, ROOT / "tools/check_wheel.py", folder / "python"], check=True)
    for name, build in (
        ("claude-code", build_plugin.build),
        ("openclaw", build_plugin.build_openclaw),
        ("pi", build_plugin.build_pi),
    ):
        shutil.rmtree(folder / name, ignore_errors=True)
        build(folder / name)
    (folder / "Containerfile").write_text(containerfile(), encoding="utf-8")
    if described := mcp_server():
        (folder / "server.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
    if asked.sdist_url:
        sdist = (folder / "python" / f"agentws-{__version__}.tar.gz").read_bytes()
        formula = homebrew(asked.sdist_url, hashlib.sha256(sdist).hexdigest(), resources(pip_report()))
        (folder / "agentws.rb").write_text(formula, encoding="utf-8")
    print(f"Made the packages of {__version__} in {folder}.")


def tag_error(tag: str, changelog: str) -> str:
    """Return why a tag is not that of a release of this version; empty if it is."""
    if tag != f"v{__version__}":
        return f"the tag {tag} is not v{__version__}, the version of agentws/__init__.py"
    if f"\n## {__version__}" not in changelog:
        return f"CHANGELOG.md has no section {__version__}"
    return ""


def pip_report() -> dict[str, Any]:
    """Return what pip would install for agentws: wheels for every machine, and sdists of what has no such wheel."""
    report = _report()
    rows = [row for row in report["install"] if row["metadata"]["name"] != "agentws"]
    compiled = [row["metadata"]["name"] for row in rows if not row["download_info"]["url"].endswith(_PURE)]
    return _report("--no-binary", ",".join(compiled)) if compiled else report


def _report(*options: str) -> dict[str, Any]:
    words = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", *options]
    done = subprocess.run([*words, "--report", "-", ROOT], check=True, stdout=subprocess.PIPE)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def resources(report: dict[str, Any]) -> list[Resource]:
    """Return the dependencies in a report of pip, by name."""
    rows = []
    for row in report["install"]:
        if row["metadata"]["name"] != "agentws":
            download = row["download_info"]
            rows.append((row["metadata"]["name"], download["url"], download["archive_info"]["hashes"]["sha256"]))
    return sorted(rows)


def homebrew(url: str, sha256: str, dependencies: Iterable[Resource]) -> str:
    """Return the Homebrew formula for an sdist."""
    project = build_plugin.project()
    homepage = project.get("urls", {}).get("Homepage")
    if not homepage:
        sys.exit("packages: a formula needs a home page: set Homepage in [project.urls] of pyproject.toml")
    blocks = "".join(
        f'  resource "{name}" do\n    url "{place}"\n    sha256 "{digest}"\n  end\n\n'
        for name, place, digest in dependencies
    )
    return _FORMULA.format(
        description=project["description"].partition(":")[0],
        homepage=homepage,
        url=url,
        sha256=sha256,
        license=project["license"],
        python=newest_python(),
        resources=blocks,
    )


def newest_python() -> str:
    """Return the newest Python version of the project's classifiers."""
    prefix = "Programming Language :: Python :: "
    classifiers = build_plugin.project()["classifiers"]
    versions = [name.removeprefix(prefix) for name in classifiers if name.startswith(prefix)]
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])


def containerfile() -> str:
    """Return the file from which a container image is built, in the folder of the packages."""
    return _CONTAINER.format(version=__version__, python=newest_python(), license=build_plugin.project()["license"])


def mcp_server() -> dict[str, Any] | None:
    """Return what the MCP registry lists of `agentws mcp`; None without a repository on GitHub, which names its owner.

    The registry compares its name with a line `mcp-name: NAME` in the README of the package.
    """
    project = build_plugin.project()
    repository = project.get("urls", {}).get("Repository", "")
    if not repository.startswith(_GITHUB):
        return None
    owner = repository.removeprefix(_GITHUB).partition("/")[0]
    package = {
        "registryType": "pypi",
        "identifier": project["name"],
        "version": __version__,
        "runtimeHint": "uvx",
        "runtimeArguments": [{"type": "named", "name": "--from", "value": f"{project['name']}[mcp]=={__version__}"}],
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "environmentVariables": [
            {
                "name": "AGENTWS_WORKSPACE",
                "description": "Folder of the workspace",
                "format": "filepath",
                "isRequired": True,
            }
        ],
        "transport": {"type": "stdio"},
    }
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json",
        "name": f"io.github.{owner}/{project['name']}",
        "description": project["description"].partition(":")[0],
        "repository": {"url": repository, "source": "github"},
        "version": __version__,
        "packages": [package],
    }


_GITHUB = "https://github.com/"

_FORMULA = """\
class Agentws < Formula
  include Language::Python::Virtualenv

  desc "{description}"
  homepage "{homepage}"
  url "{url}"
  sha256 "{sha256}"
  license "{license}"

  depends_on "libyaml"
  depends_on "python@{python}"

{resources}  def install
    virtualenv_install_with_resources
  end

  test do
    system bin/"agentws", "init", "robin", "--name", "Robin"
    assert_match "# Robin", shell_output("#{{bin}}/agentws boot -C robin")
  end
end
"""

_CONTAINER = """\
# Build: podman build -t agentws:{version} -f Containerfile .
# Run:   podman run --rm -v ~/agents/robin:/workspace agentws:{version} boot
FROM docker.io/library/python:{python}-slim
LABEL org.opencontainers.image.title="agentws" org.opencontainers.image.version="{version}" \\
      org.opencontainers.image.licenses="{license}"
RUN apt-get update && apt-get install -y --no-install-recommends git openssh-client && rm -rf /var/lib/apt/lists/*
COPY python/agentws-{version}-py3-none-any.whl /tmp/
RUN pip install --no-cache-dir /tmp/agentws-{version}-py3-none-any.whl && rm /tmp/agentws-*.whl
WORKDIR /workspace
ENTRYPOINT ["agentws"]
CMD ["boot"]
"""


if __name__ == "__main__":
    main()
