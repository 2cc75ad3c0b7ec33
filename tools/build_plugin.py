"""Makes the plugins that are packages, from what `agentws install` writes: that of Claude Code with its marketplace in
dist/claude-code, and that of OpenClaw in dist/openclaw.

    python tools/build_plugin.py [--check CLAUDE]

`--check` asks the program itself (`claude plugin validate`) whether it takes what was made. OpenClaw has a validator
for plugins that are tools alone; tests/judges has it install ours.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentws import __version__  # noqa: E402
from agentws.core.disk.system import shipped  # noqa: E402
from agentws.core.hosts import plan  # noqa: E402
from agentws.features.hosts.claude_code import settings  # noqa: E402
from agentws.features.hosts.openclaw import plugin as _openclaw  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = ROOT / "dist" / "claude-code"
OPENCLAW = ROOT / "dist" / "openclaw"
NAME = "agentws"
PARTS = 7
"""So many texts a boot of the usual budget can need (core/hosts/plan.py); of a larger one the last says what is
missing."""
SCRIPT = "scripts/hook.sh"
PACKAGE = "agentws-openclaw"
_OLDEST = ">=2026.9.0"
"""The OpenClaw that the plugin was tried with: earlier ones have other hooks."""
_SAYS = "An agent's durable memory in plain files: it wakes up with it, and writes to it."


class _Bundled(plan.Wiring):
    """What the hooks of a plugin call: a script in it, since neither workspace nor command is known when it is made."""

    def command(self, host: str, event: str, *, part: int | None = None, project: str = "") -> str:
        return " ".join((f'sh "${{CLAUDE_PLUGIN_ROOT}}/{SCRIPT}"', event, *self.behind(part)))


def build(place: Path) -> None:
    """Write the marketplace, with the plugin in it."""
    _write(place, files())


def build_openclaw(place: Path) -> None:
    """Write the package for OpenClaw."""
    _write(place, openclaw_files())


def _write(place: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def files() -> dict[str, str]:
    """Each file by its path."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = {"name": NAME, "description": _SAYS}
    author = {"name": "The agentws founders"}
    plugin = {**about, "version": __version__, "author": author, "license": project["license"]}
    market = {"name": NAME, "owner": author, "metadata": {"description": _SAYS}}
    wiring = _Bundled("agentws", "", level=plan.USER, parts=PARTS)
    return {
        ".claude-plugin/marketplace.json": _json({**market, "plugins": [{**about, "source": f"./{NAME}"}]}),
        f"{NAME}/.claude-plugin/plugin.json": _json(plugin),
        f"{NAME}/hooks/hooks.json": _json({"description": _SAYS, "hooks": settings.hooks(wiring)}),
        f"{NAME}/{SCRIPT}": _HOOK,
        f"{NAME}/skills/{NAME}/SKILL.md": shipped.skill(),
    }


def openclaw_files() -> dict[str, str]:
    """Each file of the package for OpenClaw by its path."""
    made = _openclaw.files([NAME, "-C", "", "hook", "openclaw"], by="as a package.")
    manifest, package = (json.loads(made[name]) for name in (_openclaw.MANIFEST, _openclaw.PACKAGE))
    license_ = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license"]
    manifest |= {"version": __version__, "skills": ["./skills"]}
    package |= {
        "name": PACKAGE,
        "version": __version__,
        "license": license_,
        "keywords": ["openclaw", "openclaw-plugin", "memory", NAME],
        "files": [_openclaw.MODULE, _openclaw.MANIFEST, "skills", "README.md"],
    }
    package["openclaw"] |= {"install": {"minHostVersion": _OLDEST}, "compat": {"pluginApi": _OLDEST}}
    return {
        _openclaw.MANIFEST: _json(manifest),
        _openclaw.PACKAGE: _json(package),
        _openclaw.MODULE: made[_openclaw.MODULE],
        f"skills/{NAME}/SKILL.md": shipped.skill(),
        "README.md": _README,
    }


_README = """\
# agentws for OpenClaw

An agent's durable memory in plain files: it wakes up with it, and what it does is recorded there.

1. Install `agentws`, so that it is on the PATH of OpenClaw's gateway: `pipx install agentws`.
2. Let agentws keep the workspace of your agent: `agentws init`, in the folder that OpenClaw calls its workspace.
3. Install this package with `openclaw plugins install`, and let it hear what is said:
   `openclaw config set plugins.entries.agentws.hooks.allowConversationAccess true`.
4. Restart the gateway.

It serves each agent whose own workspace agentws keeps, and no other.
"""

_HOOK = """\
#!/bin/sh
# What the hooks of this plugin call: hook.sh EVENT [--part K [--of N]]. It never stops Claude Code.
here=${CLAUDE_PROJECT_DIR:-$PWD}
own=${CLAUDE_CONFIG_DIR:-$HOME/.claude}

# Where `agentws install claude-code` has wired this folder or this user, its own hooks do all of it: nothing twice.
grep -qs 'hook.* claude-code ' "$here/.claude/settings.json" "$here/.claude/settings.local.json" \\
  "$own/settings.json" && exit 0

# In a folder of no agent there is nothing to do.
where=${AGENTWS_WORKSPACE:-}
folder=$here
while [ -z "$where" ] && [ -n "$folder" ]; do
  [ -f "$folder/agentws.toml" ] && where=$folder
  folder=${folder%/*}
done
[ -n "$where" ] || exit 0
command -v agentws >/dev/null 2>&1 || exit 0

# Where nothing is left of the boot for this part, a mark says so (docs/format/local.md).
[ "${2:-}" = --part ] && [ -e "$where/.agentws/idle-parts/claude-code-$3" ] && exit 0

event=$1
shift
exec agentws -C "$where" hook claude-code "$event" "$@"
"""


def validate(claude: str, place: Path) -> None:
    """Let the program say whether it takes the marketplace and the plugin; CalledProcessError where it does not."""
    with tempfile.TemporaryDirectory() as home:
        quiet = {**os.environ, "HOME": home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        for folder in (place, place / NAME):
            subprocess.run([claude, "plugin", "validate", str(folder)], check=True, env=quiet, stdin=subprocess.DEVNULL)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the plugins that are packages.")
    parser.add_argument("--check", metavar="CLAUDE", help="the program that is to validate it")
    asked = parser.parse_args()
    build(PLACE)
    build_openclaw(OPENCLAW)
    for place in (PLACE, OPENCLAW):
        print(place.relative_to(ROOT))
    if asked.check:
        validate(asked.check, PLACE)


if __name__ == "__main__":
    main()
