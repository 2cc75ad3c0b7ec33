"""The door of handoffs: options, standard input, an editor on a terminal, what is printed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.core.terminal import editor as drafts
from agentws.errors import OutsideProgramError
from agentws.workspace import Workspace
from tests import forked


@pytest.fixture
def root(workspace: Workspace) -> Path:
    return Path(workspace.root)


def run(root: Path, *words: str, given: str = "", code: int = 0, **variables: str) -> str:
    """What the command prints on stdout."""
    done = forked.run_text(*words, "-C", str(root), given=given, env={**os.environ, **variables})
    assert done.returncode == code, done.stderr
    return done.stdout


def on_a_terminal(root: Path, *words: str, **variables: str) -> tuple[int, str]:
    """(exit code, stderr) of the command where standard input is a terminal."""
    master, terminal = pty.openpty()
    try:
        surrounded = {**os.environ, "VISUAL": "", "EDITOR": "", **variables}
        done = forked.run_text("-C", str(root), *words, stdin=terminal, env=surrounded)
    finally:
        os.close(master)
        os.close(terminal)
    return done.returncode, done.stderr


def notes(root: Path) -> list[str]:
    return [path.read_text() for path in sorted(root.glob("handoffs/*.md"))]


def test_the_verb_alone_writes_and_its_verbs_list_show_and_close(root: Path) -> None:
    path = run(root, "handoff", "--doing", "the roof", "--next", "nails", "--session", "evening").strip()

    listed = json.loads(run(root, "handoff", "list", "--json"))
    shown = json.loads(run(root, "handoff", "show", "--json"))
    closed = json.loads(run(root, "handoff", "ack", "--json"))

    assert (root / path).exists()
    assert [row["path"] for row in listed["handoffs"]] == [path]
    assert shown["sections"] == {"doing": "- the roof\n", "next": "- nails\n"}
    assert (closed["schema"], closed["path"], closed["already"]) == ("agentws/handoff-ack@1", path, False)
    assert run(root, "handoff", "list") == "No open handoff.\n"


def test_the_options_of_every_verb_stand_before_and_after_it(root: Path) -> None:
    fields = json.loads(run(root, "--json", "handoff", "--doing", "x", "--dry-run"))

    assert fields["schema"] == "agentws/handoff@1"
    assert fields["sections"] == {"doing": "- x\n"}
    assert notes(root) == []


def test_standard_input_is_read_as_markdown_or_json(root: Path) -> None:
    run(root, "handoff", "--stdin", given="## Where we left off\n\nthe roof\n")
    run(root, "handoff", "--stdin", given='{"next": ["nails"]}')

    assert "## Doing\n\nthe roof\n" in notes(root)[0] + notes(root)[1]
    assert "## Next step\n\n- nails\n" in notes(root)[0] + notes(root)[1]


def test_with_nothing_given_and_no_terminal_it_says_what_to_give(root: Path) -> None:
    run(root, "handoff", code=2)
    run(root, "handoff", "--stdin", code=2)

    assert notes(root) == []


def editor(folder: Path, script: str) -> str:
    path = folder / "an editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return f"'{path}' --wait"


def test_on_a_terminal_an_editor_opens_with_the_headings_and_what_is_known(root: Path, tmp_path: Path) -> None:
    run(root, "event", "decision", "oak")
    add = f'cp "$2" {tmp_path}/seen; sed -i "s/^## Doing$/## Doing\\nthe roof/" "$2"'

    code, _ = on_a_terminal(root, "handoff", VISUAL=editor(tmp_path, add), EDITOR="false")

    assert code == 0
    assert "- oak" in (tmp_path / "seen").read_text()
    (note,) = notes(root)
    assert "the roof" in note
    assert "- oak" in note
    assert "<!--" not in note
    assert "## Pending" not in note


@pytest.mark.parametrize(("script", "exits"), [("exit 3", 20), (": > $2", 2), ("rm $2; echo '## Doing' > $2", 2)])
def test_an_editor_that_fails_or_leaves_nothing_writes_nothing(
    root: Path, tmp_path: Path, script: str, exits: int
) -> None:
    code, _ = on_a_terminal(root, "handoff", EDITOR=editor(tmp_path, script))

    assert code == exits
    assert notes(root) == []


@pytest.mark.parametrize("option", ["--doing", "--next", "--decided"])
def test_an_option_that_is_given_again_says_two_things(root: Path, option: str) -> None:
    run(root, "handoff", option, "the roof", option, "the gutter")

    (note,) = notes(root)
    assert note.endswith("\n\n- the roof\n- the gutter\n")


def test_what_a_person_wrote_with_a_secret_is_kept_for_nobody_else_to_read(root: Path, tmp_path: Path) -> None:
    token = "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    script = f"printf '## Doing\\n\\nAn hour of words, and {token}\\n' > \"$2\""

    code, says = on_a_terminal(root, "handoff", EDITOR=editor(tmp_path, script))

    (kept,) = (root / ".agentws").glob("handoff-draft-*")
    assert code != 0
    assert notes(root) == []
    assert f".agentws/{kept.name}" in says
    assert token not in says
    assert "An hour of words" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_what_a_person_wrote_is_kept_where_the_editor_fails_afterwards(root: Path, tmp_path: Path) -> None:
    script = "printf '## Doing\\n\\nAn hour of words\\n' > \"$2\"; exit 3"

    code, says = on_a_terminal(root, "handoff", EDITOR=editor(tmp_path, script))

    (kept,) = (root / ".agentws").glob("handoff-draft-*")
    assert (code, notes(root)) == (20, [])
    assert kept.name in says
    assert "An hour of words" in kept.read_text()


def test_what_a_person_wrote_is_kept_where_something_fails_that_nobody_foresaw(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt), drafts.kept_if_it_fails(Workspace.open(str(root)), "## Doing\n\nwords\n"):
        raise KeyboardInterrupt

    (kept,) = (root / ".agentws").glob("handoff-draft-*")
    # It is said so that it can be typed there, wherever that is.
    assert f"agentws handoff --stdin < {kept}" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "exits"), [("vi 'half", 2), ("rm -f", 20)])
def test_an_editor_that_is_none_or_leaves_no_file_is_told(root: Path, words: str, exits: int) -> None:
    code, says = on_a_terminal(root, "handoff", EDITOR=words)

    assert code == exits
    assert "bug" not in says
    assert notes(root) == []


def test_without_an_editor_it_says_so(root: Path) -> None:
    code, says = on_a_terminal(root, "handoff")
    missing, what_then = on_a_terminal(root, "handoff", EDITOR="/no/such/editor")

    assert (code, missing) == (2, 20)
    assert "$EDITOR" in says
    assert "--doing" in what_then


def test_a_missing_editor_is_told_to_who_opens_a_file_without_a_word_of_handoffs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor")

    with pytest.raises(OutsideProgramError) as told:
        drafts.show("MEMORY.md")

    assert "open MEMORY.md yourself" in (told.value.hint or "")
    assert "handoff" not in (told.value.hint or "")


def test_what_is_printed_of_a_note_does_nothing_to_a_terminal(root: Path) -> None:
    (root / "handoffs").mkdir(exist_ok=True)
    (root / "handoffs/2026-11-19-x.md").write_text('---\nsession: "a\\e[31mb"\n---\n\x1b]0;owned\x07 words\u202e\n')

    for words in (["show"], ["list"], ["show", "--json"]):
        printed = run(root, "handoff", *words)
        assert not {"\x1b", "\x07", "\u202e"} & set(printed)


def test_status_says_that_a_handoff_waits_that_nobody_wrote(root: Path) -> None:
    agentws = f"{sys.executable} -m agentws -C {root}"
    script = f"{agentws} session start --session s1\n{agentws} event plan x --session s1\nkill -9 $$\n"
    subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    run(root, "handoff", "--doing", "the roof", "--session", "other", "--auto")
    run(root, "session", "start", "--session", "s2")

    fields = json.loads(run(root, "status", "--json"))
    listed = json.loads(run(root, "handoff", "list", "--json"))["handoffs"]

    assert fields["open_handoffs"] == [row["path"] or row["name"] for row in listed]
    assert f"handoffs   {len(listed)} open (" in run(root, "status", "--full")


def test_an_automatic_one_does_not_close_what_a_session_that_was_killed_left(root: Path) -> None:
    agentws = f"{sys.executable} -m agentws -C {root}"
    script = (
        f"{agentws} session start --session killed\n"
        f"{agentws} event plan 'Import the contacts' --session killed\n"
        f"{agentws} event action --tool send_mail --call c1 --session killed\n"
        "kill -9 $$\n"
    )
    subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    for session in ("passing", "another"):
        run(root, "session", "start", "--session", session)
        run(root, "event", "note", "What time is it?", "--via", "user", "--session", session)
        run(root, "handoff", "--auto", "--session", session, "--max-tokens", "200")
        run(root, "session", "end", "--session", session)

    shown = json.loads(run(root, "handoff", "show", "--json"))
    boot = run(root, "boot")

    assert (shown["session"], len(notes(root))) == ("killed", 2)
    assert "Import the contacts" in shown["sections"]["doing"]
    assert "Recovered handoff: session killed" in boot
    assert boot.count("· call c1 · no result recorded") == 1


def test_its_origin_is_shown_once(root: Path) -> None:
    run(root, "handoff", "--doing", "Count the tiles", "--via", "net:mail")

    assert run(root, "handoff", "show").splitlines()[0].count("net:mail") == 1


@pytest.mark.parametrize("name", ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"])
def test_no_editor_opens_for_the_program_of_an_agent(root: Path, tmp_path: Path, name: str) -> None:
    code, says = on_a_terminal(root, "handoff", EDITOR=editor(tmp_path, "touch $1.opened"), **{name: "s1"})

    assert code == 2
    assert "an agent is calling" in says
    assert not notes(root)


def test_auto_without_anything_to_derive_says_what_counts_and_does_not_name_itself(root: Path) -> None:
    run(root, "log", "Fed the hens")

    done = forked.run_text("handoff", "--auto", "-C", str(root), env=dict(os.environ))

    assert done.returncode == 2
    assert "`log` lines do not count" in done.stderr
    assert "--auto" not in done.stderr


def test_of_several_automatic_ones_at_once_one_is_written(root: Path) -> None:
    run(root, "session", "start", "--session", "s1")
    run(root, "event", "note", "Count the herons", "--via", "user", "--session", "s1")

    words = [sys.executable, "-m", "agentws", "-C", str(root), "handoff", "--auto", "--session", "s1"]
    writing = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for _ in range(6)]

    assert [process.wait() for process in writing] == [0] * len(writing)
    assert len(notes(root)) == 1
