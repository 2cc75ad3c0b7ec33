"""The launcher: the same as the console script in all that it does, with less of an interpreter; in doubt, the script.

Whether a start was the ordinary one is told by PYTHONPROFILEIMPORTTIME, which counts for it alone (`-I`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentws
from agentws.cli import launcher
from agentws.core.hosts import plan

_CALL = ("import sys", "from agentws.cli import start", 'if __name__ == "__main__":', "    sys.exit(start())")
_EARLIER = ("import sys", 'if __name__ == "__main__":', "    sys.exit(main())")
TOOL = {"session_id": "5b1c", "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls \N{SPARKLES}"}}
THAI = "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \N{SPARKLES}"


Done = subprocess.CompletedProcess[str]
NO_DEADLINE = "Within.__enter__ = Within.__exit__ = lambda self, *_: None\n"
"""At the end of deadline.py: a slow machine starts the program as a fast one does."""


class Installed:
    """agentws as an installer leaves it: an environment with the package, a console script, and a workspace."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = root / "robin\u00e9's own $HOME"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / "a venv"], check=True)
        (self.site,) = (root / "a venv").glob("lib/python3*/site-packages")
        self.package = self.site / "agentws"
        shutil.copytree(os.path.dirname(agentws.__file__), self.package)
        for name in ("templates", "skills"):
            shutil.copytree(f"{os.path.dirname(os.path.dirname(agentws.__file__))}/{name}", self.package / name)
        with (self.package / "features/hosts/entry/deadline.py").open("a") as file:
            file.write(NO_DEADLINE)
        (self.site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"])
        self.script = root / "a venv/bin/agentws"
        python = f"'''exec' '{root}/a venv/bin/python' \"$0\" \"$@\""
        self.script.write_text("\n".join(("#!/bin/sh", python, "' '''", *_CALL, "")))
        self.script.chmod(0o755)
        self.run([self.script, "init", self.workspace, "--no-git", "-q"])

    @property
    def surroundings(self) -> dict[str, str]:
        names = ("PATH", "TZ", "container")
        home = {"HOME": str(self.root / "home"), "PYTHONPROFILEIMPORTTIME": "1", "PYTHONNOUSERSITE": "1"}
        home["GEMINI_PROJECT_DIR"] = str(self.workspace)
        return {**{name: os.environ[name] for name in names if name in os.environ}, **home}

    def run(self, words: Any, said: str = "", *, codes: tuple[int, ...] = (0,), **more: str) -> Done:
        done = subprocess.run(
            words, input=said, capture_output=True, env={**self.surroundings, **more}, encoding="utf-8", check=False
        )
        assert done.returncode in codes, (words, done.stderr[-2000:])
        return done

    def agentws(self, *words: str, **more: str) -> str:
        return self.run([self.script, "-C", self.workspace, *words], **more).stdout

    def install(self, host: str = "gemini") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.agentws("install", host, "--json"))
        return found

    def command(self, event: str = "BeforeTool") -> str:
        """What the settings of Gemini CLI have it run."""
        settings = json.loads((self.workspace / ".gemini/settings.json").read_text())
        command: str = settings["hooks"][event][0]["hooks"][0]["command"]
        return command

    def start(self) -> list[str]:
        wired = plan.read_file((self.workspace / ".agentws/hook").read_text())
        assert wired is not None
        return [f"{self.root}/a venv/bin/python", "-IS", wired.launcher]

    def launchers(self) -> list[Path]:
        return sorted((self.root / "home/.cache/agentws").glob("launcher/*/*"))

    def actions(self) -> int:
        return sum(path.read_bytes().count(b'"kind":"action"') for path in self.workspace.glob("journal/*/*.jsonl"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("launcher \u0e01"))


@pytest.fixture
def installed(place: Installed) -> Installed:
    """Wired to Gemini CLI, by a launcher that is as new."""
    if len(place.launchers()) < 2 or not (place.workspace / ".gemini").exists():
        place.install()
    shutil.rmtree(place.workspace / ".agentws/calls", ignore_errors=True)  # each call starts Python here
    return place


def was_ordinary(done: Done) -> bool:
    return "import time:" in done.stderr


def test_a_hook_starts_by_the_launcher_without_site_and_finds_its_modules_in_place(installed: Installed) -> None:
    calls = {
        "hook": (["hook", "gemini", "BeforeTool"], json.dumps(TOOL)),
        "boot": (["boot"], ""),
        "log": (["log", "one line"], ""),
        "event": (["event", "action", "--tool", "ls", "--input", "{}"], ""),
    }
    timed = [*installed.start()[:1], "-X", "importtime", *installed.start()[1:], "-C", str(installed.workspace)]
    for name, (words, said) in calls.items():
        installed.run([*timed, *words], said)  # what a first call makes, a second one finds
        searched = {line.split("|")[-1].strip() for line in installed.run([*timed, *words], said).stderr.splitlines()}

        assert not searched & {"site", "sitecustomize", "importlib", "re", "hashlib"}
        # What is not there would be looked for in every folder of the path.
        assert not searched & {"_sha256" if sys.version_info >= (3, 12) else "_sha2"}
        files = set(launcher._files())
        lacking = sorted(module for module in searched if module.startswith("agentws") and module not in files)
        assert not lacking, f"add to _FEATURES (launcher.py) for {name}: {lacking}"


def test_each_event_of_a_session_starts_by_the_launcher(installed: Installed) -> None:
    said = json.dumps({"session_id": "5b1c", "prompt": "Count the herons", "prompt_response": "Done."})
    timed = [*installed.start()[:1], "-X", "importtime", *installed.start()[1:], "-C", str(installed.workspace)]
    for event in ("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"):
        searched = installed.run([*timed, "hook", "gemini", event], said).stderr

        # The ordinary start looks for site-packages; what it takes up the launcher had begun before.
        assert " site\n" not in searched, event
    while (installed.workspace / ".agentws/seal-aside").exists():
        os.sched_yield()  # it is sealed by a process of its own


def test_the_command_in_the_settings_is_one_for_sh_whatever_the_paths_are(installed: Installed) -> None:
    before = installed.actions()
    for shell in filter(None, map(shutil.which, ("sh", "dash", "bash"))):
        done = installed.run([shell, "-c", installed.command()], json.dumps(TOOL))

        assert not was_ordinary(done)
        assert json.loads(done.stdout) == {}
        before += 1
        assert installed.actions() == before

    wired = plan.read_file((installed.workspace / ".agentws/hook").read_text())
    assert wired is not None
    assert wired.script == str(installed.script)
    assert Path(wired.launcher) in installed.launchers()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["boot"], ""),
        (["log", THAI, "--json"], ""),
        (["event", "note", THAI, "--json"], ""),
        (["hook", "gemini", "BeforeTool"], "no JSON \u0e01"),
        (["hook", "gemini", "SessionStart"], json.dumps({"session_id": "s", "source": "startup"})),
    ],
    ids=["boot", "log", "event", "odd", "hook"],
)
def test_it_prints_what_the_script_prints_without_a_locale(installed: Installed, words: list[str], said: str) -> None:
    now = {"LC_ALL": "C", "AGENTWS_NOW": "2026-11-20T07:15:00+01:00"}
    installed.agentws("log", THAI, **now)
    told = []
    for start in ([str(installed.script)], installed.start()):
        done = installed.run([*start, "-C", str(installed.workspace), *words], said, **now)
        said_besides = [line for line in done.stderr.splitlines() if not line.startswith("import time:")]
        told.append((without_numbers(done.stdout), said_besides))

    assert told[0] == told[1]


def without_numbers(text: str) -> str:
    """What two calls print alike: a line that was changed, nor its id."""
    try:
        fields = json.loads(text)
    except ValueError:
        return text
    return json.dumps({name: value for name, value in fields.items() if name not in ("line", "seq", "id", "cursor")})


def touched(path: Path) -> Callable[[], None]:
    """Make the file look changed; how to take that back."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    return lambda: os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replaced(path: Path, data: bytes) -> Callable[[], None]:
    before = path.read_bytes()
    path.write_bytes(data)
    return lambda: path.write_bytes(before) and None


DOUBTS: dict[str, Callable[[Installed], Callable[[], object]]] = {
    "another version": lambda here: touched(here.package / "__init__.py"),
    "the console script": lambda here: touched(here.script),
    "another interpreter": lambda here: replaced(
        launched(here), launched(here).read_bytes().replace(str(sys.hexversion).encode(), b"1")
    ),
    "no modules": lambda here: replaced(modules(here), b""),
    "half of the modules": lambda here: replaced(modules(here), modules(here).read_bytes()[:20_000]),
    "other modules": lambda here: replaced(modules(here), b"x" * 20_000),
}


def launched(here: Installed) -> Path:
    return next(path for path in here.launchers() if path.name == "agentws")


def modules(here: Installed) -> Path:
    return next(path for path in here.launchers() if path.name != "agentws")


@pytest.mark.parametrize("doubt", DOUBTS)
def test_on_any_doubt_it_is_the_ordinary_start_and_nothing_is_lost(installed: Installed, doubt: str) -> None:
    before = installed.actions()

    back = DOUBTS[doubt](installed)
    try:
        done = installed.run(["sh", "-c", installed.command()], json.dumps(TOOL))
    finally:
        back()

    assert was_ordinary(done)
    assert json.loads(done.stdout) == {}
    assert installed.actions() == before + 1


def test_a_module_that_has_changed_is_read_as_it_is_now(installed: Installed) -> None:
    changed = installed.package / "features/hosts/command_hook.py"
    back = replaced(changed, changed.read_bytes() + b'\n__import__("posix").write(2, b"changed")\n')
    try:
        done = installed.run(["sh", "-c", installed.command()], json.dumps(TOOL))
    finally:
        back()

    assert not was_ordinary(done)
    assert done.stderr == "changed"


def test_words_for_the_other_door_are_the_ordinary_start(installed: Installed) -> None:
    done = installed.run([*installed.start(), "-C", str(installed.workspace), "status", "--json"])

    assert was_ordinary(done)
    assert json.loads(done.stdout)["schema"].startswith("agentws/status@")


@pytest.mark.parametrize("gone", ["launcher", "text", "interpreter"])
def test_hooks_run_where_the_launcher_is_gone(installed: Installed, gone: str) -> None:
    command = installed.command()
    if gone == "launcher":
        shutil.rmtree(launched(installed).parent)
    elif gone == "text":
        launched(installed).write_bytes(b"")
        modules(installed).unlink()
    else:
        hook = installed.workspace / ".agentws/hook"
        hook.write_text(hook.read_text().replace("bin/python' &&", "bin/python0' &&", 1))
    before = installed.actions()

    done = installed.run(["sh", "-c", command], json.dumps(TOOL))
    installed.install()

    assert was_ordinary(done)
    assert installed.actions() == before + 1


def new_python(place: Installed) -> None:
    """The interpreter is of another version, which does not find the package."""
    shutil.rmtree(place.package)
    file = Path(place.start()[-1])
    file.write_text(file.read_text().replace(f"!= {sys.hexversion}:", "!= 1:"))


AWAY: dict[str, Callable[[Installed], object]] = {
    "pip uninstall": lambda one: (shutil.rmtree(one.package), one.script.unlink()),
    "pip uninstall, and the launcher is gone": lambda one: (
        shutil.rmtree(one.package), one.script.unlink(), shutil.rmtree(one.root / "home/.cache")
    ),
    "the package alone is gone": lambda one: shutil.rmtree(one.package),
    "the environment was moved": lambda one: (one.root / "a venv").rename(one.root / "b venv"),
    "the environment was removed": lambda one: shutil.rmtree(one.root / "a venv"),
    "a new Python": new_python,
}  # fmt: skip


@pytest.fixture
def own(tmp_path: Path) -> Installed:
    found = Installed(tmp_path / "own \u0e01")
    found.install()
    return found


@pytest.mark.parametrize("away", AWAY)
def test_a_hook_without_agentws_succeeds_and_names_the_command_that_mends_it(own: Installed, away: str) -> None:
    command = own.command()
    AWAY[away](own)

    done = own.run(["sh", "-c", command], json.dumps(TOOL))

    gone = plan.GONE.format(script=own.script, workspace=own.workspace, host="gemini")
    assert (done.stdout, done.stderr) == ("", f"{gone}\n")


@pytest.mark.parametrize("away", ["the interpreter is gone", "a new Python, and the launcher is gone"])
def test_a_script_that_cannot_start_is_named_in_one_line(own: Installed, away: str) -> None:
    command = own.command()
    shutil.rmtree(own.root / "home/.cache")
    shutil.rmtree(own.package) if away.startswith("a new") else (own.root / "a venv/bin/python").unlink()

    done = own.run(["sh", "-c", command], json.dumps(TOOL))

    assert done.stdout == ""
    assert done.stderr.endswith(" install gemini\n")
    assert done.stderr.count("\n") == 1


def test_install_renews_what_is_out_of_date_and_doctor_says_so_and_mends_it(installed: Installed) -> None:
    def advice() -> list[str]:
        said = installed.run([installed.script, "-C", installed.workspace, "doctor", "--json"], codes=(0, 3)).stdout
        found = json.loads(said)["findings"]
        return [each["path"] for each in found if each["name"] == "hook-launcher"]

    path = str(launched(installed))
    assert not advice()
    back = touched(installed.package / "errors.py")
    try:
        assert advice() == [path]
        assert installed.install()["launcher"] == path
        assert not advice()
    finally:
        back()
    assert advice() == [path]
    fixed = installed.run([installed.script, "-C", installed.workspace, "doctor", "--fix"], codes=(0, 3))
    assert "rebuilt" in fixed.stdout
    assert not advice()
    assert len(installed.launchers()) == 2, "nothing is left of the older ones"


def test_a_dry_run_names_it_and_makes_nothing(place: Installed) -> None:
    place.agentws("uninstall", "gemini")

    shown = place.agentws("install", "gemini", "--dry-run")

    assert "would make" in shown
    assert not place.launchers()


def test_the_last_uninstall_leaves_nothing_behind(installed: Installed) -> None:
    installed.install("codex")
    installed.agentws("uninstall", "gemini")
    assert installed.launchers()

    installed.agentws("uninstall", "codex")

    assert not (installed.root / "home/.cache/agentws/launcher").exists()


def test_a_script_that_somebody_wrapped_is_run_itself(place: Installed) -> None:
    place.agentws("uninstall", "gemini")
    back = replaced(place.script, place.script.read_bytes() + b"import os\n")
    try:
        assert place.install()["launcher"] is None
        assert "-IS" not in (place.workspace / ".agentws/hook").read_text()
        assert was_ordinary(place.run(["sh", "-c", place.command()], json.dumps(TOOL)))
    finally:
        back()
        place.agentws("uninstall", "gemini")


def test_where_nothing_can_be_kept_there_is_none(place: Installed) -> None:
    place.agentws("uninstall", "gemini")
    (place.root / "home/.cache").mkdir(parents=True, exist_ok=True)
    (place.root / "home/.cache/no folder").write_text("")
    done = json.loads(
        place.agentws("install", "gemini", "--json", XDG_CACHE_HOME=f"{place.root}/home/.cache/no folder")
    )
    try:
        assert done["launcher"] is None
        assert launcher.find(None, str(place.workspace), str(place.script)) is None
    finally:
        place.agentws("uninstall", "gemini")


PIP = 'sys.argv[0] = re.sub(r"(-script\\.pyw|\\.exe)?$", "", sys.argv[0])'
UV = (
    'if sys.argv[0].endswith("-script.pyw"):',
    "sys.argv[0] = sys.argv[0][:-11]",
    'elif sys.argv[0].endswith(".exe"):',
)
SCRIPTS = {
    "pip": ("#!{python}", "# -*- coding: utf-8 -*-", "import re", *_CALL[:-1], PIP, _CALL[-1]),
    "uv": ("#!{python}", *_CALL[:-1], *UV, _CALL[-1]),
    "long": ("#!/bin/sh", "'''exec' '{python}' \"$0\" \"$@\"", "' '''", *_CALL),
    "of an earlier version": ("#!{python}", "from agentws.__main__ import main", *_EARLIER),
    "of the first version": ("#!{python}", "from agentws.cli.main import main", *_EARLIER),
}
OTHERS = {
    "another interpreter": ("#!/usr/bin/python0", *_CALL),
    "one more line": ("#!{python}", *_CALL[:-1], 'print("mine")', _CALL[-1]),
    "a shell script": ("#!/bin/sh", 'exec {python} -m agentws "$@"'),
    "nothing": (),
}


@pytest.mark.parametrize("kind", [*SCRIPTS, *OTHERS])
def test_console_scripts_are_known_by_all_their_lines(tmp_path: Path, kind: str) -> None:
    script = tmp_path / "agentws"
    script.write_text("\n".join({**SCRIPTS, **OTHERS}[kind]).replace("{python}", sys.executable) + "\n")

    found = launcher.find(str(tmp_path), "/home/sam/robin", str(script))

    assert (found is not None) == (kind in SCRIPTS)
    assert found is None or found.python == sys.executable


def test_only_so_many_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = str(Path(sys.executable).with_name("agentws"))
    made = [launcher.find(str(tmp_path / "cache"), f"/home/sam/{number}", script) for number in range(3)]
    monkeypatch.setattr(launcher, "_MOST", 2)

    for number, one in enumerate(made):
        assert one is not None
        assert one.make()
        os.utime(os.path.dirname(one.path), (number, number))

    assert [one is not None and one.is_current() for one in made] == [False, True, True]
