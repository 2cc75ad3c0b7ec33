"""Makes the plugins that are packages, from what `agentws install` writes: that of Claude Code with its marketplace in
dist/claude-code and in .claude-plugin, so that this repository is a marketplace too, and the npm packages of OpenClaw
and Pi in dist/openclaw and dist/pi.

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
from agentws.features.hosts import javascript  # noqa: E402
from agentws.features.hosts.claude_code.settings import SETTINGS as CLAUDE_CODE  # noqa: E402
from agentws.features.hosts.openclaw import settings as _openclaw  # noqa: E402
from agentws.features.hosts.pi.settings import SETTINGS as PI_SETTINGS  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = ROOT / "dist" / "claude-code"
OPENCLAW = ROOT / "dist" / "openclaw"
PI = ROOT / "dist" / "pi"
NAME = "agentws"
PARTS = 7
"""So many texts a boot of the usual budget can need (core/hosts/plan.py); of a larger one the last says what is
missing."""
SCRIPT = "scripts/hook.sh"
_TOP = ".claude-plugin"
"""The folder of the plugin's manifest; in this repository, which is a plugin too, also that of its other files."""
PACKAGE, PI_PACKAGE = "agentws-openclaw", "agentws-pi"
_OLDEST = ">=2026.9.0"
"""The OpenClaw that the plugin was tried with: earlier ones have other hooks."""
_AUTHOR = {"name": "The agentws founders"}
_SAYS = "An agent's durable memory in plain files: it wakes up with it, and writes to it."


class _Bundled(plan.Wiring):
    """What the hooks of a plugin call: a script in it, since neither workspace nor command is known when it is made."""

    hook_file = SCRIPT

    def command(self, host: str, event: str, *, part: int | None = None, project: str = "") -> str:
        return " ".join((f'sh "${{CLAUDE_PLUGIN_ROOT}}/{self.hook_file}"', event, *self.behind(part)))


class _AtTheTop(_Bundled):
    """The same for the plugin that this repository is."""

    hook_file = f"{_TOP}/hook.sh"


def build(place: Path) -> None:
    """Write the marketplace, with the plugin in it."""
    _write(place, files())


def build_pi(place: Path) -> None:
    """Write the package for Pi."""
    _write(place, pi_files())


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
    wiring = _Bundled("agentws", "", level=plan.USER, parts=PARTS)
    return {
        f"{_TOP}/marketplace.json": _json(_market(f"./{NAME}")),
        f"{NAME}/{_TOP}/plugin.json": _json(_manifest()),
        f"{NAME}/hooks/hooks.json": _json({"description": _SAYS, "hooks": CLAUDE_CODE.hooks(wiring)}),
        f"{NAME}/{SCRIPT}": _HOOK,
        f"{NAME}/skills/{NAME}/SKILL.md": shipped.skill(),
    }


def top_files() -> dict[str, str]:
    """Return each file, by its path, that makes this repository a plugin and its marketplace; it has the skill."""
    wiring = _AtTheTop("agentws", "", level=plan.USER, parts=PARTS)
    return {
        f"{_TOP}/marketplace.json": _json(_market("./")),
        f"{_TOP}/plugin.json": _json({**_manifest(), "hooks": f"./{_TOP}/hooks.json"}),
        f"{_TOP}/hooks.json": _json({"description": _SAYS, "hooks": CLAUDE_CODE.hooks(wiring)}),
        _AtTheTop.hook_file: _HOOK,
    }


def project() -> dict[str, Any]:
    """Return what pyproject.toml says of the project, the only place of its license and addresses."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def _market(source: str) -> dict[str, Any]:
    plugin = {"name": NAME, "description": _SAYS, "source": source}
    return {"name": NAME, "owner": _AUTHOR, "metadata": {"description": _SAYS}, "plugins": [plugin]}


def _manifest() -> dict[str, Any]:
    about = {"name": NAME, "description": _SAYS, "version": __version__, "author": _AUTHOR}
    homepage = project().get("urls", {}).get("Homepage")
    return {**about, "license": project()["license"], **({"homepage": homepage} if homepage else {})}


def pi_files() -> dict[str, str]:
    """Each file of the package for Pi by its path."""
    source = javascript.shipped("pi/plugin.js").replace(
        "@MARK@, written by `agentws install pi`.", f"{PI_SETTINGS.mark}, a package."
    )
    source = source.replace(" `agentws uninstall pi` removes it.", "")
    package = {
        "name": PI_PACKAGE,
        "version": __version__,
        "description": _SAYS,
        "type": "module",
        "license": project()["license"],
        "keywords": ["pi-package", "memory", NAME],
        "files": ["extensions", "skills", "README.md"],
        "pi": {"extensions": ["./extensions"], "skills": ["./skills"]},
    }
    return {
        "package.json": _json(package),
        f"extensions/{NAME}.js": javascript.wired_to([NAME, "-C", "", "hook", "pi"], (), source),
        f"skills/{NAME}/SKILL.md": shipped.skill(),
        "README.md": _PI_README,
    }


def openclaw_files() -> dict[str, str]:
    """Each file of the package for OpenClaw by its path."""
    made = _openclaw.files([NAME, "-C", "", "hook", "openclaw"], by="as a package.")
    manifest, package = (json.loads(made[name]) for name in (_openclaw.MANIFEST, _openclaw.PACKAGE))
    manifest |= {"version": __version__, "skills": ["./skills"]}
    package |= {
        "name": PACKAGE,
        "version": __version__,
        "license": project()["license"],
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


_PI_README = """\
# agentws for Pi

An agent's durable memory in plain files: it wakes up with it, and what it does is recorded there.

1. Install `agentws`, so that it is on the PATH of Pi: `pipx install agentws`.
2. Make a workspace in your project: `agentws init`.
3. Install this package with `pi install`, and start a new session.

In a folder without a workspace it does nothing. Do not also run `agentws install pi`.
"""

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


def validate(claude: str, *places: Path) -> None:
    """Let the program say whether it takes the marketplace and the plugin; CalledProcessError where it does not."""
    with tempfile.TemporaryDirectory() as home:
        quiet = {**os.environ, "HOME": home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        for folder in places:
            subprocess.run([claude, "plugin", "validate", str(folder)], check=True, env=quiet, stdin=subprocess.DEVNULL)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the plugins that are packages.")
    parser.add_argument("--check", metavar="CLAUDE", help="the program that is to validate it")
    asked = parser.parse_args()
    build(PLACE)
    build_openclaw(OPENCLAW)
    build_pi(PI)
    _write(ROOT, top_files())
    for place in (PLACE, OPENCLAW, PI, ROOT / _TOP):
        print(place.relative_to(ROOT))
    if asked.check:
        validate(asked.check, PLACE, PLACE / NAME)
        validate(asked.check, ROOT)


if __name__ == "__main__":
    main()
