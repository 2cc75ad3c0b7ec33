"""What install writes into each host's settings, and that it comes out again without a trace."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from agentws.core.hosts import block, loading, plan
from agentws.errors import DamagedError, UsageError
from agentws.features import hosts
from agentws.features.hosts.host_settings import HostSettings

claude_code, codex, gemini, qwen, copilot, droid, agents_md = map(
    hosts.settings, ("claude-code", "codex", "gemini", "qwen", "copilot", "droid", "agents-md")
)
NESTED = (claude_code, codex, gemini, qwen, copilot, droid)
PLACES = {
    claude_code: ".claude/settings.json",
    codex: ".codex/hooks.json",
    gemini: ".gemini/settings.json",
    qwen: ".qwen/settings.json",
    copilot: ".github/hooks/agentws.json",
    droid: ".factory/settings.json",
}
USERS = """\
{
  "model": "best",
  "hooks": {
    "Stop": [
      {
        "hooks": [{ "type": "command", "command": "say done" }]
      }
    ]
  }
}
"""


def wiring(
    *, script: str = "/opt/agent ws/bin/agentws", workspace: str = "/home/leo/heron", level: str = plan.PROJECT,
    parts: int = 3, auto_memory: bool = False,
) -> plan.Wiring:  # fmt: skip
    return plan.Wiring(script, workspace, level=level, parts=parts, auto_memory=auto_memory)


def applied(present: dict[str, str], after: plan.After) -> dict[str, str]:
    return {place: text for place, text in {**present, **after}.items() if text is not None}


def hooks_of(texts: dict[str, str], place: str) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(texts[place])["hooks"]
    return found


def commands(groups: list[dict[str, object]]) -> list[list[str]]:
    """The words of each hook that start its hook file, or all words of another program's."""
    lines = [shlex.split(hook["command"]) for group in groups for hook in group["hooks"]]  # type: ignore[attr-defined]
    return [words[words.index("exec") + 1 :] if "exec" in words else words for words in lines]


# Hooks


@pytest.mark.parametrize("host", NESTED)
def test_every_event_starts_the_hook_file_of_the_workspace(host: HostSettings) -> None:
    texts = applied({}, host.install({}, wiring()))

    hooks = hooks_of(texts, PLACES[host])
    assert tuple(hooks) == host.events
    for event, groups in hooks.items():
        assert all(words[:4] == ["sh", "$f", host.name, event] for words in commands(groups))


VARIABLES = {claude_code: "CLAUDE_PROJECT_DIR", gemini: "GEMINI_PROJECT_DIR", qwen: "QWEN_PROJECT_DIR"}


@pytest.mark.parametrize(
    ("level", "below", "is_shared"),
    [
        (plan.PROJECT, "", True),
        (plan.FOLDER, ".agentmem", True),
        (plan.FOLDER, "l'eo's notes", True),
        (plan.FOLDER, None, False),
        (plan.USER, None, False),
    ],
)
@pytest.mark.parametrize("host", NESTED)
def test_a_hook_is_short_and_names_no_place_of_the_machine_that_a_team_would_share(
    host: HostSettings, level: str, below: str | None, is_shared: bool, tmp_path: Path
) -> None:
    project = tmp_path / """a "project"; of $HOME's"""
    workspace = project / below if below is not None else tmp_path / "robin"
    told = workspace / ".agentws/hook"
    told.parent.mkdir(parents=True)
    told.write_text('printf "%s " "$@"\n')
    inner = project / "a src/x"
    inner.mkdir(parents=True)
    searches = is_shared and host not in VARIABLES
    made = plan.Wiring("/opt/bin/agentws", str(workspace), level=level, parts=3, below=below)
    texts = applied({}, host.install({}, made))
    (settings,) = (text for place, text in texts.items() if place.endswith(Path(PLACES[host]).name))
    lines = [
        hook["command"] for groups in json.loads(settings)["hooks"].values() for one in groups for hook in one["hooks"]
    ]

    for line in lines:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=inner if searches else "/",
            env={VARIABLES.get(host, "X"): str(project)},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"{host.name} ")
    (found,) = {
        (plan.in_folder(one.workspace, str(project)), plan.in_folder(one.file, str(project)))
        for one in host.wired(texts, level)
    }
    assert found == (str(workspace), str(told))
    if is_shared:
        assert str(tmp_path) not in settings
        assert max(map(len, lines)) <= 120 + len(shlex.quote(below) if below and searches else below or "")


@pytest.mark.parametrize("below", [None, ""])
@pytest.mark.parametrize("host", NESTED)
def test_on_a_machine_without_the_hook_file_a_hook_does_nothing(
    host: HostSettings, below: str | None, tmp_path: Path
) -> None:
    made = plan.Wiring("/opt/bin/agentws", "/home/leo/heron", level=plan.PROJECT, parts=3, below=below)
    (line, *_) = (
        hook["command"]
        for groups in hooks_of(applied({}, host.install({}, made)), PLACES[host]).values()
        for group in groups
        for hook in group["hooks"]  # type: ignore[attr-defined]
    )

    for folder in ("/", "//", tmp_path):
        done = subprocess.run(
            ["sh", "-c", line], cwd=folder, env={}, input="{}", capture_output=True, text=True, timeout=60
        )

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_boot_in_parts_has_a_hook_for_each() -> None:
    texts = applied({}, claude_code.install({}, wiring(parts=4)))

    (group,) = hooks_of(texts, PLACES[claude_code])["SessionStart"]
    *most, last = [words[words.index("--part") :] for words in commands([group])]
    assert most == [["--part", str(part)] for part in (1, 2, 3)]
    assert last == ["--part", "4", "--of", "4"]
    assert "compact" in str(group["matcher"]).split("|")


@pytest.mark.parametrize("launcher", [(), ("/nowhere/python", "-IS", "/nowhere/agentws")])
def test_a_part_of_a_boot_that_is_idle_starts_nothing(tmp_path: Path, launcher: tuple[str, ...]) -> None:
    script = tmp_path / "agentws"
    script.write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    script.chmod(0o755)
    workspace = tmp_path / "l'eo's heron"
    wired = plan.Wiring(str(script), str(workspace), level=plan.PROJECT, parts=4, launcher=launcher)
    file = workspace / ".agentws/hook"
    file.parent.mkdir(parents=True)
    file.write_text(wired.hook_file())

    def told() -> list[str]:
        commands = [wired.command("claude-code", "SessionStart", part=part) for part in (1, 2, 3, 4)]
        done = [subprocess.run(["sh", "-c", one], input="{}", capture_output=True, text=True) for one in commands]
        assert all((one.returncode, one.stderr) == (0, "") for one in done)
        return [one.stdout.partition("--part ")[2] for one in done]

    assert told() == ["1 ", "2 ", "3 ", "4 --of 4 "]
    mark = workspace / ".agentws/idle-parts/claude-code-3"
    mark.parent.mkdir(parents=True)
    mark.touch()

    assert told() == ["1 ", "2 ", "", "4 --of 4 "]


def test_a_hook_goes_on_after_ctrl_c(tmp_path: Path) -> None:
    script = tmp_path / "agentws"
    script.write_text('#!/bin/sh\ntest "$1" = --version || kill -INT $$\necho ran\n')
    script.chmod(0o755)
    file = tmp_path / ".agentws/hook"
    file.parent.mkdir()
    file.write_text(plan.Wiring(str(script), str(tmp_path), level=plan.PROJECT, parts=1).hook_file())

    done = subprocess.run(["sh", str(file), "codex", "Stop"], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "ran\n")


@pytest.mark.parametrize(
    "launcher", [(), ("/opt/a b/bin/python", "-IS", "/home/l'eo/.cache/agentws/launcher/0f/agentws")]
)
@pytest.mark.parametrize("script", ["/opt/a b/bin/agentws", "/home/l'eo/exec; exec hook $HOME/agentws"])
def test_a_hook_file_is_read_back(script: str, launcher: tuple[str, ...]) -> None:
    text = plan.Wiring(script, "/home/leo/heron", level=plan.USER, parts=4, launcher=launcher).hook_file()

    found = plan.read_file(text)

    assert found is not None
    assert found.script == script
    assert found.launcher == (launcher[-1] if launcher else "")
    assert plan.read_file("") is None
    assert plan.read_file("echo hook 'unclosed\n") is None


@pytest.mark.parametrize(
    ("content", "status", "printed", "said"),
    [
        ('#!/bin/sh\ntest "$1" = --version || echo ran "$@"\n', 0, "ran -C {ws} hook codex Stop\n", ""),
        ('#!/bin/sh\ntest "$1" = --version || exit 2\n', 2, "", ""),
        ('#!/bin/sh\ntest "$1" = --version || kill -9 $$\n', -9, "", ""),
        ("#!/nowhere/python\n", 0, "", "does not start"),
        (None, 0, "", "does not start"),
    ],
)
def test_a_script_that_does_not_start_is_named_in_one_line(
    content: str | None, status: int, printed: str, said: str, tmp_path: Path
) -> None:
    script = tmp_path / "agentws"
    if content is not None:
        script.write_text(content)
        script.chmod(0o755)
    workspace = tmp_path / "heron"
    file = workspace / ".agentws/hook"
    file.parent.mkdir(parents=True)
    wired = plan.Wiring(str(script), str(workspace), level=plan.PROJECT, parts=1)
    file.write_text(wired.hook_file())

    done = subprocess.run(["sh", "-c", wired.command("codex", "Stop")], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (status, printed.format(ws=workspace))
    assert said in done.stderr
    assert done.stderr.count("\n") == bool(said)
    assert f"-C {workspace} install codex\n" in done.stderr or not said


def test_codex_is_told_to_take_a_boot_whole() -> None:
    texts = applied({}, codex.install({}, wiring(parts=1)))

    hooks = hooks_of(texts, ".codex/hooks.json")
    ((start,),) = ([*group["hooks"]] for group in hooks["SessionStart"])  # type: ignore[misc]
    assert commands(hooks["SessionStart"])[0][-1] == "SessionStart"
    assert start["additionalContextLimit"] > 20_000
    assert str(hooks).count("additionalContextLimit") == 1
    assert "compact" in str(hooks["SessionStart"][0]["matcher"]).split("|")


def test_gemini_takes_a_boot_whole() -> None:
    texts = applied({}, gemini.install({}, wiring(parts=1)))

    assert commands(hooks_of(texts, ".gemini/settings.json")["SessionStart"])[0][-1] == "SessionStart"


def test_times_are_in_the_units_of_each_host() -> None:
    def times(host: HostSettings) -> dict[str, int]:
        hooks = hooks_of(applied({}, host.install({}, wiring())), PLACES[host])
        return {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()}  # type: ignore[index]

    assert times(claude_code)["SessionEnd"] > 1.5
    assert max(times(claude_code).values()) <= 60
    assert times(codex)["SessionEnd"] == 3
    assert min(times(gemini).values()) >= 1000
    assert max(times(qwen).values()) < 1000, "what is more would be milliseconds"


@pytest.mark.parametrize("host", NESTED)
@pytest.mark.parametrize(
    "text", ["", USERS, "{}\n", '{"a":1}', '\ufeff{\r\n\t"a": 1\r\n}\r\n', '{\n  "a": 1, // one\n}\n']
)
def test_uninstall_leaves_the_settings_as_they_were(host: HostSettings, text: str) -> None:
    text = text if host is gemini else text.replace(", // one", "")  # the others take no comments
    present = {PLACES[host]: text} if text else {}

    wired = applied(present, host.install(present, wiring()))
    back = applied(wired, host.uninstall(wired, plan.PROJECT))

    assert back == (present if text.strip("{} \n") else {}), "only what says nothing may go"


@pytest.mark.parametrize(
    ("host", "place"),
    [
        (claude_code, ".claude/settings.json"),
        (claude_code, ".claude/settings.local.json"),
        (codex, ".codex/hooks.json"),
    ],
)
@pytest.mark.parametrize("text", ['{\n  "a": 1 // one\n}\n', '{\n  "a": 1,\n}\n', '{\n  /* one */ "a": 1\n}\n'])
def test_settings_that_the_host_would_not_read_are_refused(host: HostSettings, place: str, text: str) -> None:
    with pytest.raises(DamagedError, match=rf"{place}:[23]: .* would ignore the file and run no hook"):
        host.install({place: text}, wiring())


@pytest.mark.parametrize("host", NESTED)
def test_what_others_wrote_among_our_hooks_stays(host: HostSettings) -> None:
    place = PLACES[host]
    wired = applied({}, host.install({}, wiring()))
    settings = json.loads(wired[place])
    settings["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "date"})
    settings["theme"] = "dark"
    wired[place] = json.dumps(settings, indent=4)

    back = applied(wired, host.uninstall(wired, plan.PROJECT))

    left = json.loads(back[place])
    assert left["theme"] == "dark"
    assert list(left["hooks"]) == ["SessionStart"]
    assert commands(left["hooks"]["SessionStart"]) == [["date"]]


@pytest.mark.parametrize("host", [*NESTED, agents_md])
def test_a_second_install_changes_nothing(host: HostSettings) -> None:
    present = {PLACES[host]: USERS} if host in PLACES else {"AGENTS.md": "# Mine\n"}
    wired = applied(present, host.install(present, wiring()))

    assert host.install(wired, wiring()) == {}


@pytest.mark.parametrize("host", NESTED)
def test_a_second_install_changes_nothing_where_the_host_has_written_the_file_anew(host: HostSettings) -> None:
    wired = applied({}, host.install({}, wiring()))
    wired[PLACES[host]] = json.dumps(json.loads(wired[PLACES[host]]), indent=4, sort_keys=True)

    assert host.install(wired, wiring()) == {}


@pytest.mark.parametrize("host", NESTED)
@pytest.mark.parametrize(
    "older", [{"script": "/old/bin/agentws"}, {"workspace": "/home/leo/older"}, {"parts": 2}, {"parts": 5}]
)
def test_what_an_older_install_wrote_is_replaced(host: HostSettings, older: dict[str, str]) -> None:
    place = PLACES[host]
    present = {place: USERS}
    before = applied(present, host.install(present, wiring(**older)))  # type: ignore[arg-type]

    after = applied(before, host.install(before, wiring()))

    whole = "".join(after.values())
    assert "/old/" not in whole
    assert "/home/leo/older" not in whole
    assert "say done" in after[place]
    assert {one.workspace for one in host.wired(after, plan.PROJECT)} == {"/home/leo/heron"}
    assert len(host.wired(after, plan.PROJECT)) == len(
        host.wired(applied(present, host.install(present, wiring())), plan.PROJECT)
    )
    assert applied(after, host.uninstall(after, plan.PROJECT)) == present


@pytest.mark.parametrize("host", NESTED)
def test_settings_that_cannot_be_understood_are_refused_with_file_and_line(host: HostSettings) -> None:
    with pytest.raises(DamagedError, match=rf"^{PLACES[host]}:2: "):
        host.install({PLACES[host]: '{\n  "hooks": }'}, wiring())
    with pytest.raises(DamagedError, match=rf"^{PLACES[host]}:2: "):
        host.install({PLACES[host]: '{\n  "hooks": []\n}'}, wiring())


def test_only_commands_of_ours_are_taken_for_ours() -> None:
    for command in ("agentws -C /w hook codex Stop", "'/a b/agentws' -C '/w w' hook codex Stop --part 2"):
        assert plan.read(command, "codex") is not None
    for command in ("agentws -C /w boot", "agentws hook gemini Stop", "hook codex Stop", "echo 'agentws", ""):
        assert plan.read(command, "codex") is None


# Claude Code


def test_claude_code_is_told_in_its_instructions_and_reads_agents_md_still() -> None:
    present = {"AGENTS.md": "# How I work\n"}

    texts = applied(present, claude_code.install(present, wiring()))

    assert loading.targets(texts["CLAUDE.md"]) == ["AGENTS.md"]
    assert texts["AGENTS.md"] == "# How I work\n"


@pytest.mark.parametrize(
    "present",
    [{"CLAUDE.md": "# Mine\n", "AGENTS.md": "# All\n"}, {}, {".claude/CLAUDE.md": "# Mine\n", "AGENTS.md": "# All\n"}],
)
def test_agents_md_is_not_imported_where_that_is_not_ours_to_decide(present: dict[str, str]) -> None:
    texts = applied(present, claude_code.install(present, wiring()))

    assert all("@AGENTS.md" not in text for text in texts.values())
    assert sum(block.body_of(text, "claude-code") is not None for text in texts.values()) == 1
    assert all(text.startswith(present[place]) for place, text in texts.items() if place in present)


def test_the_import_stays_where_a_person_writes_into_the_file_that_we_made() -> None:
    present = {"AGENTS.md": "# All\n"}
    texts = applied(present, claude_code.install(present, wiring()))
    texts["CLAUDE.md"] += "\nMine too.\n"

    assert claude_code.install(texts, wiring()) == {}


def test_the_users_own_instructions_import_nothing() -> None:
    texts = applied({}, claude_code.install({}, wiring(level=plan.USER)))

    assert set(texts) == {"settings.json", "CLAUDE.md"}
    assert "agentws -C /home/leo/heron boot" in texts["CLAUDE.md"]
    assert "@" not in texts["CLAUDE.md"]


@pytest.mark.parametrize(
    ("level", "place"), [(plan.PROJECT, ".claude/settings.local.json"), (plan.USER, "settings.json")]
)
def test_its_own_memory_goes_where_it_may_be_set(level: str, place: str) -> None:
    texts = applied({}, claude_code.install({}, wiring(level=level, auto_memory=True)))

    assert json.loads(texts[place])["autoMemoryDirectory"] == "/home/leo/heron/memory/claude-code"
    assert applied(texts, claude_code.uninstall(texts, level)) == {}


def test_a_memory_that_somebody_else_set_is_left_alone() -> None:
    present = {"settings.json": '{\n  "autoMemoryDirectory": "~/elsewhere"\n}\n'}
    texts = applied(present, claude_code.install(present, wiring(level=plan.USER)))

    assert applied(texts, claude_code.uninstall(texts, plan.USER)) == present


# AGENTS.md


def test_an_agent_without_hooks_is_told_what_to_do_and_what_is_done_already() -> None:
    texts = applied({"AGENTS.md": "# Mine\n"}, agents_md.install({"AGENTS.md": "# Mine\n"}, wiring()))

    body = " ".join((block.body_of(texts["AGENTS.md"], "agents-md") or "").split())
    for words in ("`agentws boot`", "agentws log", "agentws handoff", "SOUL, USER, MEMORY", "that is done"):
        assert words in body


def test_elsewhere_the_workspace_is_named_and_read_back() -> None:
    there = wiring(level=plan.FOLDER, workspace="/home/leo/my heron")

    texts = applied({}, agents_md.install({}, there))

    assert [one.workspace for one in agents_md.wired(texts, plan.FOLDER)] == ["/home/leo/my heron"]
    assert [one.workspace for one in agents_md.wired(applied({}, agents_md.install({}, wiring())), plan.PROJECT)] == [
        ""
    ]
    assert applied(texts, agents_md.uninstall(texts, plan.FOLDER)) == {}


# All


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "agents-md", "cursor"])
def test_every_host_offers_what_install_asks_for(name: str) -> None:
    settings = hosts.settings(name)

    for level in (plan.PROJECT, plan.FOLDER, plan.USER):
        assert settings.next_steps(wiring(level=level))
        assert set(settings.install({}, wiring(level=level))) <= set(settings.places(level))
        assert not settings.wired({}, level)
        assert not settings.uninstall({}, level)


def test_an_unknown_host_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as refused:
        hosts.settings("emacs")

    assert "claude-code" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("host", "variables", "folder"),
    [
        ("claude-code", {}, "/home/leo/.claude"),
        ("claude-code", {"CLAUDE_CONFIG_DIR": "/etc/claude/"}, "/etc/claude"),
        ("codex", {"CODEX_HOME": "relative"}, "/home/leo/.codex"),
        ("gemini", {"GEMINI_CLI_HOME": "/srv"}, "/srv/.gemini"),
        ("codex", {"HOME": ""}, None),
        ("agents-md", {}, None),
        ("opencode", {}, "/home/leo/.config/opencode"),
        ("opencode", {"XDG_CONFIG_HOME": "/etc/robin/"}, "/etc/robin/opencode"),
        ("opencode", {"XDG_CONFIG_HOME": "relative"}, "/home/leo/.config/opencode"),
        ("openclaw", {}, "/home/leo/.openclaw"),
        ("openclaw", {"OPENCLAW_STATE_DIR": "/var/claw/"}, "/var/claw"),
        ("openclaw", {"OPENCLAW_HOME": "/srv/claw"}, "/srv/claw/.openclaw"),
        ("openclaw", {"OPENCLAW_HOME": "relative"}, None),
    ],
)
def test_the_users_settings_are_where_the_host_looks_for_them(
    host: str, variables: dict[str, str], folder: str | None
) -> None:
    assert hosts.settings(host).home({"HOME": "/home/leo", **variables}) == folder


def test_a_boot_has_room_for_all_that_its_budget_allows_or_one_part_more_than_today() -> None:
    assert plan.parts(0, 8000, now=1) == 1
    assert plan.parts(10_000, 1000, now=1) == 2
    assert plan.parts(10_000, 8000, now=2) == 6
    assert plan.parts(10_000, 1000, now=9) == 10


OLD = (
    "test -x /opt/bin/agentws && exec /opt/bin/agentws -C '/leo/exec; exec agentws' hook {host} Stop",
    "test -x /opt/bin/agentws && /opt/bin/agentws -C '/leo/exec; exec agentws' hook {host} Stop || echo gone >&2",
    "test -x /opt/python && test -s /c/l/agentws && exec /opt/python -IS /c/l/agentws -C '/leo/exec; exec agentws' "
    "hook {host} Stop; test -x /opt/bin/agentws && /opt/bin/agentws -C '/leo/exec; exec agentws' hook {host} Stop "
    "|| echo gone >&2",
    "test -e '/home/leo/idle' && exec cat >/dev/null; test -x /opt/bin/agentws && /opt/bin/agentws -C "
    "'/leo/exec; exec agentws' hook {host} Stop --part 3 || echo gone >&2",
)
"""How earlier versions wrote a hook."""


@pytest.mark.parametrize("old", OLD)
@pytest.mark.parametrize("host", NESTED)
def test_a_hook_of_an_earlier_version_is_read_and_replaced(host: HostSettings, old: str) -> None:
    hook = {"type": "command", "command": old.format(host=host.name)}
    before = {PLACES[host]: json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}})}

    (found,) = host.wired(before, plan.PROJECT)
    assert (found.script, found.workspace) == ("/opt/bin/agentws", "/leo/exec; exec agentws")
    assert found.launcher == ("/c/l/agentws" if "-IS" in old else "")
    assert found.file == ""
    after = applied(before, host.install(before, wiring()))
    assert json.loads(after[PLACES[host]]) == json.loads(applied({}, host.install({}, wiring()))[PLACES[host]])
    assert applied(after, host.uninstall(after, plan.PROJECT)) == {}


@pytest.mark.parametrize("level", [plan.FOLDER, plan.USER])
def test_codex_elsewhere_is_told_where_its_sandbox_ends(level: str) -> None:
    told = 'writable_roots = ["/home/leo/heron"]'

    assert codex.next_steps(wiring(level=level))[-1].endswith(told)
    assert told not in str(codex.next_steps(wiring(level=plan.PROJECT)))
    allowed = wiring(level=level)
    allowed.allows = True
    assert told not in str(codex.next_steps(allowed))


def test_a_workspace_of_its_own_in_a_project_is_found_without_its_path() -> None:
    inside = plan.Wiring("/b/agentws", "/home/leo/heron/.agentmem", level=plan.FOLDER, parts=1, below=".agentmem")
    beside = plan.Wiring("/b/agentws", "/home/leo/heron/notes", level=plan.FOLDER, parts=1, below="notes")

    assert "/home" not in block.told_by_hooks(inside)
    assert "/home/leo/heron/notes" in block.told_by_hooks(beside)
