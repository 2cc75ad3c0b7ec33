"""What a shell may put in place of a word that is begun: in bash, zsh and fish, from the table of the verb."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer._completion_shared import get_completion_script

from agentws.cli import app, commands, completion
from agentws.workspace import Workspace
from tests import forked, table

SHELLS = {
    "bash": lambda line: {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)},
    "zsh": lambda line: {"_TYPER_COMPLETE_ARGS": line},
    "fish": lambda line: {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    """A workspace with a task, a session, a context and a thing to do."""
    workspace.tasks.add("Mend the fence")
    workspace.tasks.add("Over and done", start=True)
    workspace.tasks.done("over-and-done")
    workspace.session.start("Letters", session="letters-1", process=os.getpid())
    workspace.contexts.new("garden", text="Write short sentences.")
    workspace.todo("Call Tom")
    workspace.data.append("orders", {"id": 7})
    workspace.data.add_artifact(f"{workspace.root}/SOUL.md", name="soul-1")
    return workspace


def offered(shell: str, line: str, cwd: str) -> set[str]:
    """The words that are offered behind this line, without what is said of them."""
    done = forked.run_text(cwd=cwd, env={**os.environ, "_AGENTWS_COMPLETE": f"complete_{shell}", **SHELLS[shell](line)})
    assert done.stderr == ""
    if shell == "zsh":
        return set(re.findall(r'(?:^|\()"([^"]+)"', done.stdout, re.MULTILINE))
    return {row.partition("\t")[0] for row in done.stdout.split("\n") if row}


def test_every_shell_is_offered_what_there_is(robin: Workspace) -> None:
    (reference,) = (one.ref for one in robin.todos().rows if one.form != "task")
    rows = [
        ("agentws sta", {"start", "status"}),
        ("agentws task st", {"start", "step"}),
        ("agentws task show m", {"mend-the-fence"}),
        ("agentws task resume ov", {"over-and-done"}),
        ("agentws log --task me", {"mend-the-fence"}),
        ("agentws done ", {one.ref for one in robin.todos().rows}),
        (f"agentws log --closes {reference[:2]}", {reference}),
        ("agentws session end le", {"letters-1"}),
        ("agentws journal list --session le", {"letters-1"}),
        ("agentws context use ", {"garden"}),
        ("agentws boot --context g", {"garden"}),
        ("agentws data query o", {"orders"}),
        ("agentws artifact get s", {"soul-1"}),
        ("agentws install open", {"opencode", "openclaw"}),
        ("agentws log --kind de", {"decision"}),
        ("agentws event pl", {"plan"}),
        ("agentws task add --pri", {"--priority"}),
        ("agentws config boot.b", {"boot.budget"}),
        ("agentws config set retention.h", {"retention.handoffs"}),
        ("agentws config --user compaction.", {"compaction.summarizer", "compaction.timeout_s"}),
        ("agentws docs guides/tas", {"guides/tasks"}),
        ("agentws docs tas", {"task", "tasks"}),
        ("agentws schedule install comp", {"compact"}),
        ("agentws boot --tokenizer ", {"o200k_base", "claude", "gemini", "bytes", "chars4"}),
        ("agentws compact --tokenizer ch", {"chars4"}),
        ("agentws help tas", {"task", "tasks"}),
        (f"agentws -C {robin.root} task show m", {"mend-the-fence"}),
    ]

    def check(shell: str, line: str, words: set[str]) -> None:
        assert offered(shell, line, robin.root) == words

    table.holds(lambda row: check(*row), [("bash", *row) for row in rows])
    table.holds(lambda row: check(*row), [(shell, *row) for shell in SHELLS for row in rows[:3]])


def test_plumbing_is_not_offered_and_can_be_had(robin: Workspace) -> None:
    assert "boot" in offered("bash", "agentws ", robin.root)
    assert not {"hook", "event", "drill"} & offered("bash", "agentws ", robin.root)
    assert offered("bash", "agentws session ", robin.root) == {"start", "end", "list", "show"}


def test_where_there_is_no_workspace_nothing_is_offered(tmp_path: Path) -> None:
    assert offered("bash", "agentws task show ", str(tmp_path)) == set()


def test_a_name_that_a_shell_would_act_on_is_not_offered(robin: Workspace) -> None:
    odd = Path(robin.root, "tasks", "$(touch x).md")
    odd.write_text("---\nstatus: active\n---\n# Odd\n")

    for shell in SHELLS:
        assert offered(shell, "agentws task show ", robin.root) == {"mend-the-fence", "over-and-done"}


def test_every_source_that_a_table_names_is_there_and_used() -> None:
    told = [one for verb in commands.all_verbs() for one in (*verb.words, *verb.options)]
    named = {one.completes for one in told if one.completes}

    assert named | {"topic", completion.USER_SETTING} == completion.SOURCES.keys()
    assert all(one.completes for one in told if one.metavar in ("SLUG", "HOST", "[HOST]", "WORDS|REF..."))


def test_zsh_is_answered_at_the_first_tab_too() -> None:
    app.program()
    script = get_completion_script(prog_name="agentws", complete_var="_AGENTWS_COMPLETE", shell="zsh")

    assert script.startswith("#compdef agentws\n")
    assert script.endswith('[[ "$funcstack[1]" == "_agentws" ]]; then\n  _agentws_completion "$@"\nfi')


def test_no_name_is_offered_that_would_be_an_option(robin: Workspace) -> None:
    Path(robin.root, "tasks/--debug.md").write_text("---\nstatus: open\n---\n# T\n")

    assert offered("bash", "agentws task show ", robin.root) == {"mend-the-fence", "over-and-done"}
