"""The hooks of hosts from end to end: what is done, what is answered, and that no failure ever reaches a host."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentws.features.hosts import call
from agentws.workspace import Workspace
from tests import forked, marks
from tests.features.hosts import payloads
from tests.thorough import THOROUGH

AGENTWS = str(Path(sys.executable).with_name("agentws"))
Done = subprocess.CompletedProcess[bytes]


@pytest.fixture
def root(workspace: Workspace) -> Path:
    return Path(workspace.root)


def hook(root: Path, host: str, event: str, said: bytes | dict[str, Any], *words: str, **variables: str) -> Done:
    """What the hook answers. An interpreter is started where `variables` say what it does first."""
    given = said if isinstance(said, bytes) else json.dumps(said).encode()
    called = ["-C", str(root), "hook", host, event, *words]
    if "PYTHONPATH" not in variables:
        return forked.run(*called, given=given, env={**os.environ, **variables})
    return started(*called, given=given, **variables)


def started(*words: str, given: bytes, **variables: str) -> Done:
    """A process of its own from the start on."""
    return subprocess.run(
        [AGENTWS, *words], input=given, capture_output=True, env={**os.environ, **variables}, check=False, timeout=60
    )


def context(done: Done) -> str:
    """The text for the agent, empty for none; the answer is one that a host understands."""
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    inner = found.get("hookSpecificOutput", found)
    return str(inner.get("additionalContext", "") or found.get("context", ""))


def said(host: str, event: str, **more: Any) -> dict[str, Any]:
    return {**payloads.of(host)[event], **more}


def agentws(root: Path, *words: str) -> Any:
    done = forked.run(*words, "--json", "-C", str(root))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def kinds(root: Path) -> list[str]:
    """The kinds of what was recorded, but for what holds the journal together."""
    found = (one["kind"] for one in agentws(root, "journal", "list")["events"])
    return [kind for kind in found if kind not in ("segment.opened", "seal")]


@contextmanager
def locked(root: Path, name: str) -> Iterator[None]:
    """Another process holds a lock of the workspace."""
    (root / ".agentws").mkdir(exist_ok=True)
    with (root / ".agentws" / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


STARTS = [(host, payloads.event(host, call.STARTED)) for host in payloads.HOSTS]
ENDS = [(host, payloads.event(host, call.ENDED), payloads.before_a_tool(host)) for host in payloads.HOSTS]


@pytest.mark.parametrize(("host", "event"), STARTS)
def test_a_session_begins_with_the_boot_for_its_host(root: Path, host: str, event: str) -> None:
    done = hook(root, host, event, said(host, event))

    booted = forked.run_text("boot", "--for", host, "-C", str(root))
    plain = [marks.without(text).splitlines()[0] for text in (context(done), booted.stdout)]
    assert plain == ["# Robin", "# Robin"]
    assert done.stderr == b""
    (row,) = agentws(root, "session", "list")["sessions"]
    assert (row["session"], row["state"]) == (said(host, event)["session_id"], "running")


def seals(root: Path) -> int:
    return sum(one["kind"] == "seal" for one in agentws(root, "journal", "list", "--limit", "1000")["events"])


def test_the_journal_is_sealed_once_and_aside_when_a_session_has_ended(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    hook(root, "claude-code", "UserPromptSubmit", said("claude-code", "UserPromptSubmit"))
    before = seals(root)

    hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))
    while (root / ".agentws/seal-aside").exists():
        os.sched_yield()

    assert kinds(root)[-2:] == ["handoff.written", "session.ended"]
    assert seals(root) == before + 1


def test_the_journal_is_sealed_aside_at_a_start_if_many_events_are_unsealed(root: Path) -> None:
    sealed = []
    for count in (60, 4):
        forked.run("event", "--stdin", "-C", str(root), given=b'{"kind": "note", "text": "Seven herons."}\n' * count)
        hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
        while (root / ".agentws/seal-aside").exists():
            os.sched_yield()
        sealed.append(seals(root))

    assert sealed == [0, 1]


def test_where_nobody_came_to_seal_aside_the_next_end_does_it_at_once(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    (root / ".agentws/seal-aside").touch()
    before = seals(root)

    hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))

    assert seals(root) == before + 1
    assert not (root / ".agentws/seal-aside").exists()


@pytest.mark.parametrize("waits", [False, True])
def test_what_the_newest_backup_lacks_is_backed_up_aside_when_a_session_has_ended(
    root: Path, tmp_path: Path, waits: bool
) -> None:
    """Also where nobody came to seal aside before, so that the hook seals."""
    agentws(root, "backup", "create", str(tmp_path / "disk"))
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    hook(root, "claude-code", "UserPromptSubmit", said("claude-code", "UserPromptSubmit"))
    if waits:
        (root / ".agentws/seal-aside").touch()

    done = hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))
    while not list(tmp_path.glob("disk/*/0002-*/manifest.jsonl")):
        os.sched_yield()

    assert (done.returncode, done.stderr) == (0, b"")
    (segment,) = root.glob("journal/*/000001.jsonl")
    (copy,) = tmp_path.glob("disk/*/0002-*/workspace/journal/*/000001.jsonl")
    assert copy.read_bytes() == segment.read_bytes(), "the seal of its end is in it"
    assert list(tmp_path.glob("disk/*/0002-*/workspace/handoffs/*.md"))


def test_a_disk_that_is_not_there_at_a_session_s_end_is_nobody_s_concern(root: Path, tmp_path: Path) -> None:
    agentws(root, "backup", "create", str(tmp_path / "disk"))
    (tmp_path / "disk").rename(tmp_path / "drawer")
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))

    done = hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))
    while "at a session's end it fails" not in forked.run_text("status", "-C", str(root)).stdout:
        os.sched_yield()

    assert (done.returncode, done.stderr) == (0, b"")
    assert not (tmp_path / "disk").exists()


def test_a_long_boot_comes_in_parts_and_the_session_begins_once(root: Path) -> None:
    entries = "".join(f"- shelf {number}: wrote down what stood on it\n" for number in range(900))
    (root / "memory" / "2026-11-19.md").write_text(f"# 2026-11-19\n\n{entries}")
    start = said("claude-code", "SessionStart")

    running = [
        subprocess.Popen(
            [AGENTWS, "-C", str(root), "hook", "claude-code", "SessionStart", "--part", str(part)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for part in (1, 2, 3, 9)
    ]  # fmt: skip
    told = [json.loads(one.communicate(json.dumps(start).encode())[0]) for one in running]

    texts = [one.get("hookSpecificOutput", {}).get("additionalContext", "") for one in told]
    assert texts[0].startswith("# Robin · start-up context, part 1 of "), "they may arrive in any order"
    assert texts[1].startswith("# Robin · start-up context, part 2 of ")
    assert all(0 < len(text) <= 10_000 for text in texts[:2])
    assert told[3] == {}
    assert kinds(root).count("session.started") == 1


def test_the_last_text_says_how_to_read_what_has_no_room(root: Path) -> None:
    entries = "".join(f"- shelf {number}: wrote down what stood on it\n" for number in range(900))
    (root / "memory" / "2026-11-19.md").write_text(f"# 2026-11-19\n\n{entries}")

    def told(part: int, of: int) -> str:
        start = said("claude-code", "SessionStart")
        return context(hook(root, "claude-code", "SessionStart", start, "--part", str(part), "--of", str(of)))

    assert told(1, 2).startswith("# Robin · start-up context, part 1 of 3")
    first, command, _ = told(2, 2).splitlines()
    assert first == "Your start-up context has 3 parts, and the hooks can load only 2 texts: the rest is missing."
    assert command.startswith("First of all, run this command and read its output: ")
    assert command.endswith(" boot")
    assert told(3, 3).startswith("# Robin · start-up context, part 3 of 3"), "there is room for all of it"


def test_hooks_that_would_bring_nothing_are_idle_until_the_boot_grows(root: Path) -> None:
    def told(*parts: int) -> list[str]:
        start = said("claude-code", "SessionStart")
        return [context(hook(root, "claude-code", "SessionStart", start, "--part", str(part))) for part in parts]

    def running() -> list[int]:
        return [part for part in range(1, 9) if not (root / f".agentws/idle-parts/claude-code-{part}").exists()]

    def grow(entries: int) -> None:
        lines = "".join(f"- shelf {number}: wrote down what stood on it\n" for number in range(entries))
        (root / "memory" / "2026-11-19.md").write_text(f"# 2026-11-19\n\n{lines}")

    assert [bool(text) for text in told(1, 2)] == [True, False]
    assert running() == [1], "the one that it needs: it is not half full"

    grow(240)
    (text,) = told(1)
    assert "in one text for Claude Code" in text
    assert 5_000 < len(text) <= 10_000, "what has room in one text, whole"
    assert running() == [1, 2, 3], "those that the next session needs, and one to spare"

    grow(900)
    first, _, third = told(1, 2, 3)
    assert first.startswith("# Robin · start-up context, part 1 of 3")
    assert third.startswith("# Robin · start-up context, part 3 of 3")
    assert running() == [1, 2, 3, 4]
    assert [text.partition("part ")[2][:6] for text in told(1, 2, 3)] == ["1 of 3", "2 of 3", "3 of 3"]

    (root / "memory" / "2026-11-19.md").unlink()
    told(*running())
    assert running() == [1, 2, 3, 4], "other sessions of this workspace may need them still"


def test_codex_is_told_a_long_boot_whole(root: Path) -> None:
    entries = "".join(f"- shelf {number}: wrote down what stood on it\n" for number in range(900))
    (root / "memory" / "2026-11-19.md").write_text(f"# 2026-11-19\n\n{entries}")

    told = context(hook(root, "codex", "SessionStart", said("codex", "SessionStart")))

    assert len(told.encode()) > 20_000, "by itself it takes 10,000 bytes; its settings say more"
    assert "one text for Codex" not in told


@pytest.mark.parametrize(
    ("host", "event", "place"),
    [
        ("claude-code", "SessionStart", "cwd"),
        ("codex", "SessionStart", "cwd"),
        ("opencode", "session.started", "directory"),
        ("openclaw", "agent:bootstrap", "workspace"),
    ],
)
def test_a_host_that_stands_in_another_folder_is_told_what_it_does_not_load_there(
    root: Path, tmp_path: Path, host: str, event: str, place: str
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(root)

    folders = (str(root), str(tmp_path / "link"), None, str(tmp_path / "project"))
    texts = [context(hook(root, host, event, said(host, event, **{place: folder}))) for folder in folders]

    # What AGENTS.md says is once in what the agent reads: told here, or loaded by its host.
    assert ["## AGENTS.md [" in text for text in texts] == [False, False, False, True]
    assert ["Loaded by" in text for text in texts] == [True, True, True, False]


def test_hooks_that_are_to_be_quiet_say_and_record_nothing(root: Path) -> None:
    done = hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"), AGENTWS_NO_HOOKS="1")

    assert done.returncode == 0
    assert b"Robin" not in done.stdout
    assert kinds(root) == []


@pytest.mark.parametrize("source", ["compact", "clear", "fork"])
def test_a_session_that_goes_on_is_booted_again_and_not_begun_again(root: Path, source: str) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))

    again = hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart", source=source))

    assert context(again).startswith("# Robin\n")
    assert kinds(root).count("session.started") == 1


def test_where_others_listen_nothing_private_is_told(root: Path) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- The code of the safe is 4711\n")
    start = said("openclaw", "agent:bootstrap")

    shared = hook(root, "openclaw", "agent:bootstrap", {**start, "audience": "shared"})

    assert "shared session" in context(shared)
    assert "4711" not in context(shared)


def test_hooks_that_were_installed_while_a_session_ran_begin_it_with_the_next_prompt(root: Path) -> None:
    done = hook(root, "claude-code", "UserPromptSubmit", said("claude-code", "UserPromptSubmit"))

    assert json.loads(done.stdout) == {}
    assert kinds(root) == ["session.started", "note"]


def test_two_hosts_in_one_workspace_are_told_apart(root: Path) -> None:
    for host in ("claude-code", "codex"):
        for event in ("SessionStart", "PreToolUse", "PostToolUse"):
            hook(root, host, event, said(host, event))

    rows = agentws(root, "journal", "audit")["rows"]
    assert [(row["src"], row["outcome"]) for row in rows if row["kind"] == "action"] == [
        ("agent:claude-code", "ok"), ("agent:codex", "ok"),
    ]  # fmt: skip
    assert len({row["session"] for row in rows}) == 2


@pytest.mark.parametrize(("host", "is_daemon"), [("codex", True), ("claude-code", None)])
def test_the_beginning_says_where_a_process_serves_several_sessions(
    root: Path, host: str, is_daemon: bool | None
) -> None:
    hook(root, host, "SessionStart", said(host, "SessionStart"))

    (begun,) = Workspace.open(str(root)).journal.list(kinds=("session.started",))
    assert (begun.body or {}).get("daemon") is is_daemon


# Compaction


def test_who_summarizes_is_told_what_to_keep(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    session = said("claude-code", "SessionStart")["session_id"]
    for words in (["decision", "Send it to Sam alone"], ["plan", "First the parser, then the mail"]):
        agentws(root, "event", *words, "--session", session)
    hook(root, "claude-code", "PreToolUse", said("claude-code", "PreToolUse"))

    done = hook(root, "claude-code", "PreCompact", said("claude-code", "PreCompact"))

    text = done.stdout.decode()
    assert done.returncode == 0
    assert not text.startswith("{"), "JSON does not reach who summarizes"
    for word in ("Send it to Sam alone", "First the parser", "/home/sam/notes.txt"):
        assert word in text
    assert len(text) < 8_000
    assert "host.compacting" in kinds(root)
    assert list(root.glob("handoffs/*")) == []


def test_where_nothing_is_open_who_summarizes_is_told_nothing(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))

    done = hook(root, "claude-code", "PreCompact", said("claude-code", "PreCompact"))

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(("host", "compaction", "prompt"), [("gemini", "PreCompress", "BeforeAgent")])
def test_where_a_compaction_takes_no_text_the_next_prompt_brings_the_boot_once(
    root: Path, host: str, compaction: str, prompt: str
) -> None:
    hook(root, host, "SessionStart", said(host, "SessionStart"))
    before = hook(root, host, prompt, said(host, prompt))
    told = hook(root, host, compaction, said(host, compaction))

    other = hook(root, host, prompt, said(host, prompt, session_id="another-session"))
    first = hook(root, host, prompt, said(host, prompt))
    second = hook(root, host, prompt, said(host, prompt))

    assert [context(one)[:7] for one in (before, told, other, first, second)] == ["", "", "", "# Robin", ""]
    assert "hookEventName" in json.loads(first.stdout)["hookSpecificOutput"]


def test_where_a_host_looks_whether_there_is_anything_to_compress_nothing_is_done(root: Path) -> None:
    hook(root, "gemini", "SessionStart", said("gemini", "SessionStart"))
    done = hook(root, "gemini", "PreCompress", said("gemini", "PreCompress", trigger="auto"))

    assert done.stdout == b"{}\n"
    assert "host.compacting" not in kinds(root)
    assert not context(hook(root, "gemini", "BeforeAgent", said("gemini", "BeforeAgent")))


def test_a_session_that_is_begun_again_after_a_compaction_is_not_booted_twice(root: Path) -> None:
    hook(root, "codex", "SessionStart", said("codex", "SessionStart"))
    hook(root, "codex", "PostCompact", said("codex", "PostCompact"))

    started = hook(root, "codex", "SessionStart", said("codex", "SessionStart", source="compact"))
    prompt = hook(root, "codex", "UserPromptSubmit", said("codex", "UserPromptSubmit"))

    assert context(started)
    assert not context(prompt)


def test_a_session_that_ends_is_not_due_a_boot_any_more(root: Path) -> None:
    for event in ("SessionStart", "PreCompress", "SessionEnd", "SessionStart"):
        hook(root, "gemini", event, said("gemini", event))

    assert not context(hook(root, "gemini", "BeforeAgent", said("gemini", "BeforeAgent")))
    assert list((root / ".agentws" / "boot-due").iterdir()) == []


# The end


@pytest.mark.parametrize(("host", "event", "work"), ENDS)
def test_a_session_ends_with_a_handoff(root: Path, host: str, event: str, work: str) -> None:
    start = dict(STARTS)[host]
    hook(root, host, start, said(host, start))
    hook(root, host, work, said(host, work))

    done = hook(root, host, event, said(host, event))

    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, {}, b"")
    (note,) = root.glob("handoffs/*.md")
    assert f"session: {said(host, event)['session_id']}\n" in note.read_text()
    assert kinds(root)[-2:] == ["handoff.written", "session.ended"]


@pytest.mark.parametrize(("host", "event", "work"), ENDS)
def test_a_session_that_did_nothing_only_ends(root: Path, host: str, event: str, work: str) -> None:
    start = dict(STARTS)[host]
    hook(root, host, start, said(host, start))

    hook(root, host, event, said(host, event))
    again = hook(root, host, event, said(host, event))

    assert (again.returncode, again.stderr) == (0, b"")
    assert list(root.glob("handoffs/*")) == []
    assert kinds(root) == ["session.started", "session.ended"]


def test_a_prompt_that_held_a_secret_is_handed_over_and_who_recorded_it_is_said(root: Path) -> None:
    token = "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    begun = said("claude-code", "SessionStart")
    hook(root, "claude-code", "SessionStart", begun)
    hook(root, "claude-code", "UserPromptSubmit", said("claude-code", "UserPromptSubmit", prompt=f"Use {token} there"))
    done = hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))

    (note,) = (path.read_text() for path in root.glob("handoffs/*.md"))
    found = [
        one for one in agentws(root, "journal", "list")["events"] if one["kind"].startswith(("session", "handoff"))
    ]
    assert "Use [hidden] there" in note
    assert "origin: auto\n" in note
    assert b"Hidden as possible secrets: github-token (1 place)." in done.stderr
    assert [(one["kind"], one["src"]) for one in found] == [
        (kind, "agent:claude-code") for kind in ("session.started", "handoff.written", "session.ended")
    ]


def test_work_of_which_nothing_can_be_told_is_not_passed_over(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    session = said("claude-code", "SessionStart")["session_id"]
    agentws(root, "event", "garden.watered", "--session", session)
    done = hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))

    assert b"Nothing to hand over" in done.stderr
    assert kinds(root)[-2:] == ["hook.failed", "session.ended"]


def test_a_handoff_that_the_agent_wrote_itself_is_not_written_over(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    hook(root, "claude-code", "PreToolUse", said("claude-code", "PreToolUse"))
    session = said("claude-code", "SessionStart")["session_id"]
    agentws(root, "handoff", "--doing", "the roof", "--next", "nails", "--session", session)
    for event in ("PostToolUse", "Stop", "SessionEnd"):
        hook(root, "claude-code", event, said("claude-code", event))

    (note,) = root.glob("handoffs/*.md")
    assert "nails" in note.read_text()
    assert len(agentws(root, "handoff", "list")["handoffs"]) == 1, "it is open"


def test_where_another_process_changes_the_workspace_the_handoff_is_left_to_the_next_boot(root: Path) -> None:
    # A host of its own, which is over when the next session begins.
    script = "".join(
        f"{AGENTWS} -C {root} hook claude-code {event} <<'END'\n{json.dumps(said('claude-code', event))}\nEND\n"
        for event in ("SessionStart", "PreToolUse", "SessionEnd")
    )
    with locked(root, "transaction"):
        ended = subprocess.run(["bash", "-s"], input=script.encode(), capture_output=True, check=True)

    next_one = hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart", session_id="next"))

    assert b"the next boot will recover the handoff" in ended.stderr
    assert list(root.glob("handoffs/*")) == []
    assert "Recovered handoff" in context(next_one)
    assert "/home/sam/notes.txt" in context(next_one)


def played(root: Path, session: str, *calls: tuple[str, dict[str, Any]]) -> None:
    """A host of its own, which says all this to its hooks, and is over then."""
    script = "".join(
        f"{AGENTWS} -C {root} hook claude-code {event} <<'END'\n"
        f"{json.dumps(said('claude-code', event, session_id=session, **more))}\nEND\n"
        for event, more in calls
    )
    subprocess.run(["bash", "-s"], input=script.encode(), capture_output=True, check=True)


def killed(root: Path) -> None:
    """A session that is killed in the middle of a call."""
    agentws(root, "event", "plan", "Import the contacts, then send Sam the report", "--session", "killed")
    asked = ("UserPromptSubmit", {"prompt": "Count the herons"})
    played(root, "killed", ("SessionStart", {}), asked, ("PreToolUse", {"tool_input": {"command": "send the mail"}}))


ONE_QUESTION: list[tuple[str, dict[str, Any]]] = [
    ("SessionStart", {}), ("UserPromptSubmit", {"prompt": "What time is it?"}),
    ("Stop", {"last_assistant_message": "Noon."}), ("SessionEnd", {}),
]  # fmt: skip


def test_a_session_of_one_question_closes_nothing_of_the_one_that_was_killed_before_it(root: Path) -> None:
    killed(root)
    played(root, "passing", *ONE_QUESTION)
    played(root, "another", *ONE_QUESTION)

    told = context(hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart", session_id="next")))

    assert list(root.glob("handoffs/*.md")) == []
    handed = told.partition("## Recovered handoff")[2].partition("\n## ")[0]
    assert "session killed ended without one" in handed
    assert "Import the contacts, then send Sam the report" in handed
    assert "Count the herons" in handed
    assert told.count("## In flight: 1 action") == 1
    assert told.count("· no result recorded") == 1


def test_who_looks_in_and_says_nothing_closes_nothing(root: Path) -> None:
    killed(root)
    played(root, "passing", ("SessionStart", {}), ("SessionEnd", {}))

    told = context(hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart", session_id="next")))

    assert "session killed ended without one" in told
    assert list(root.glob("handoffs/*")) == []


def test_a_session_that_is_resumed_after_a_crash_is_told_how_far_it_was(root: Path) -> None:
    killed(root)
    resumed = said("claude-code", "SessionStart", session_id="killed", source="resume")

    first = context(hook(root, "claude-code", "SessionStart", resumed))
    hook(root, "claude-code", "UserPromptSubmit", said("claude-code", "UserPromptSubmit", session_id="killed"))
    later = context(hook(root, "claude-code", "SessionStart", {**resumed, "source": "compact"}))

    assert "session killed ended without one" in first
    assert "Count the herons" in first.partition("### Doing")[2]
    assert "Recovered handoff" not in later
    assert kinds(root).count("session.started") == 2


# Failures


def failing(root: Path, how: str) -> Path:
    """The workspace in a state in which nothing can be recorded; or a folder that is none."""
    hook(root, "claude-code", "PreToolUse", said("claude-code", "PreToolUse"))
    (segment,) = root.glob("journal/*/000001.jsonl")
    if how == "no workspace":
        return root / "nowhere"
    if how == "a damaged journal":
        segment.write_bytes(segment.read_bytes().replace(b'"action"', b'"actiOn"'))
    elif how == "a damaged manifest":
        (root / "agentws.toml").write_bytes(b"format = [\xff")
    elif how == "a file where a folder should be":
        for path in (root / ".agentws").iterdir():
            if path.is_file():
                path.unlink()
        (root / "journal").rename(root / "elsewhere")
        (root / "journal").write_text("not a folder")
    return root


FAILURES = ("no workspace", "a damaged journal", "a damaged manifest", "a file where a folder should be")


@pytest.mark.parametrize("at", range(len(FAILURES)), ids=FAILURES)
def test_nothing_that_fails_breaks_a_host(root: Path, at: int) -> None:
    """Each event of each host meets one of the failures, in the thorough form all."""
    place = failing(root, FAILURES[at])

    for host, event in payloads.pairs()[slice(None) if THOROUGH else slice(at, None, len(FAILURES))]:
        done = hook(place, host, event, said(host, event))

        assert done.returncode == 0, (host, event, done.stderr)
        if host != "claude-code" or event not in ("PreCompact", "PostCompact"):
            json.loads(done.stdout)


@pytest.mark.parametrize(("host", "event"), STARTS)
def test_an_agent_that_could_not_be_told_its_boot_is_told_that(root: Path, host: str, event: str) -> None:
    gone = root / "gone"

    told = context(hook(gone, host, event, said(host, event)))

    assert "Your start-up context is missing" in told
    assert f"No workspace found in {gone}" in told
    assert f"{AGENTWS} -C {gone} boot\n" in told


def test_each_part_of_a_boot_for_which_there_was_no_time_is_missed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import time\n"
        "from agentws.features.hosts.hook import call as hearing\n"
        "from agentws.features.boot import assembly\n"
        "hearing._SLOW_S = 0.5\n"
        "assembly.assemble = lambda *_, **__: time.sleep(60)\n"
    )
    start = said("claude-code", "SessionStart")

    def told(part: int) -> str:
        return context(hook(root, "claude-code", "SessionStart", start, "--part", str(part), PYTHONPATH=str(tmp_path)))

    assert told(1).startswith(
        "Your start-up context is missing. agentws failed to create it: the time limit was reached"
    )
    assert told(2).startswith("Part 2 of your start-up context, if any, is missing")


def test_where_others_listen_what_is_missing_is_asked_for_without_what_is_private(root: Path) -> None:
    start = said("openclaw", "agent:bootstrap", audience="shared")

    assert "boot --audience shared\n" in context(hook(root / "gone", "openclaw", "agent:bootstrap", start))


@pytest.mark.parametrize("how", FAILURES)
def test_what_failed_is_said_on_stderr(root: Path, how: str) -> None:
    place = failing(root, how)

    done = hook(place, "codex", "PostToolUse", said("codex", "PostToolUse"))

    assert done.stdout == b"{}\n"
    assert b"notice: " in done.stderr


@pytest.mark.parametrize("how", ["a damaged journal", "a file where a folder should be"])
def test_an_agent_wakes_up_all_the_same(root: Path, how: str) -> None:
    place = failing(root, how)

    done = hook(place, "claude-code", "SessionStart", said("claude-code", "SessionStart"))

    assert context(done).startswith("# Robin\n")
    assert b"SessionStart of claude-code: " in done.stderr


def test_a_disk_that_takes_nothing_more_breaks_no_host(root: Path) -> None:
    hook(root, "claude-code", "PreToolUse", said("claude-code", "PreToolUse"))

    for event, what in payloads.of("claude-code").items():
        done = subprocess.run(
            ["bash", "-c", 'ulimit -f 0; exec "$@"', "hook", AGENTWS, "-C", str(root), "hook", "claude-code", event],
            input=json.dumps(what).encode(), capture_output=True, check=False,
        )  # fmt: skip

        assert done.returncode == 0
        if event == "SessionStart":
            assert context(done).startswith("# Robin\n")
        elif event == "PostCompact":
            assert done.stdout == b""  # Claude Code shows it to the person
        elif event != "PreCompact":
            assert done.stdout == b"{}\n"
        assert b"notice: " in done.stderr
    assert kinds(root) == ["action"]


def test_a_folder_that_was_not_adopted_is_booted_too(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("# Soul\n\nI am Robin.\n")

    started = hook(tmp_path, "gemini", "SessionStart", said("gemini", "SessionStart"))
    called = hook(tmp_path, "gemini", "BeforeTool", said("gemini", "BeforeTool"))

    assert "I am Robin." in context(started)
    assert called.stdout == b"{}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["SOUL.md"]


GARBAGE = (b"", b"{", b"\xff\x00", b"[]", b'{"session_id": 5, "tool_input": "\\ud800"}')


@pytest.mark.parametrize("at", range(len(GARBAGE)))
def test_garbage_on_standard_input_breaks_nothing(root: Path, at: int) -> None:
    """Each event of each host meets one of them, in the thorough form all."""
    for host, event in payloads.pairs()[slice(None) if THOROUGH else slice(at, None, len(GARBAGE))]:
        done = hook(root, host, event, GARBAGE[at])

        assert done.returncode == 0, (host, event, done.stderr)
    assert context(hook(root, "claude-code", "SessionStart", GARBAGE[at])).startswith("# Robin\n")


def test_a_host_that_says_very_much_finds_its_pipe_open_to_the_end(root: Path) -> None:
    what = said("claude-code", "PostToolUse", tool_response="x" * (9 << 20))
    hook(root, "claude-code", "PreToolUse", what)

    done = hook(root, "claude-code", "PostToolUse", what)

    assert done.stdout == b"{}\n"
    assert [row["outcome"] for row in agentws(root, "journal", "audit")["rows"]] == ["ok"]


def test_a_host_that_leaves_its_pipe_open_is_answered(root: Path) -> None:
    words = [AGENTWS, "-C", str(root), "hook", "claude-code", "PreToolUse"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout  # noqa: PT018
        process.stdin.write(json.dumps(said("claude-code", "PreToolUse")).encode())
        process.stdin.flush()

        assert process.stdout.read() == b"{}\n"
        assert process.wait() == 0
    assert kinds(root) == ["action"]


def test_who_reads_no_answer_is_no_failure(root: Path) -> None:
    words = [AGENTWS, "-C", str(root), "hook", "claude-code", "SessionStart"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout  # noqa: PT018
        process.stdout.close()
        process.stdin.write(json.dumps(said("claude-code", "SessionStart")).encode())
        process.stdin.close()

        assert process.wait() == 0


def test_no_hook_waits_longer_than_its_host(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    hook(root, "claude-code", "PreToolUse", said("claude-code", "PreToolUse"))

    with locked(root, "append"):  # which everybody waits for, half a minute if need be
        done = hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))

    assert done.stdout == b"{}\n"
    assert b"the time limit was reached" in done.stderr


def test_what_went_wrong_stands_in_the_journal_where_that_can_be(root: Path) -> None:
    (root / "handoffs").write_text("not a folder")
    hook(root, "codex", "SessionStart", said("codex", "SessionStart"))
    hook(root, "codex", "PreToolUse", said("codex", "PreToolUse"))

    done = hook(root, "codex", "SessionEnd", said("codex", "SessionEnd"))

    assert done.stdout == b"{}\n"
    assert kinds(root)[-1] == "hook.failed"
    assert "session.ended" not in kinds(root), "nothing was handed over: the next boot derives it"


def test_a_bug_of_ours_breaks_no_host(root: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "from agentws.features.hosts.hook import events as recording\n"
        "def broken(*_): raise ZeroDivisionError('oops')\n"
        "recording.events_of = broken\n"
    )

    done = hook(root, "codex", "PreToolUse", said("codex", "PreToolUse"), PYTHONPATH=str(tmp_path))

    assert (done.returncode, done.stdout) == (0, b"{}\n")
    assert b"a bug in agentws: ZeroDivisionError" in done.stderr


def test_an_event_that_is_not_known_is_told_to_go_on(root: Path) -> None:
    for host in payloads.HOSTS:
        done = hook(root, host, "SomethingNew", {"session_id": "s1"})

        assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    assert not (root / "journal").exists()


def test_a_host_that_is_not_known_is_told_to_go_on(root: Path) -> None:
    done = hook(root, "somebody", "SessionStart", {})

    assert (done.returncode, done.stdout) == (0, b"{}\n")
    assert ", ".join(payloads.HOSTS).encode() in done.stderr


CALLS = {
    "not a number": (["claude-code", "PreToolUse", "--part", "abc"], b"--part"),
    "no part": (["claude-code", "PreToolUse", "--part", "0"], b"--part"),
    "an unknown option": (["claude-code", "PreToolUse", "--bogus"], b"--bogus"),
    "an option without its value": (["claude-code", "PreToolUse", "--part"], b"--part"),
    "no event": (["claude-code"], b"EVENT"),
    "no host": ([], b"HOST"),
    "a word too many": (["codex", "Stop", "more"], b"more"),
    "another host": (["", ""], b"No such host with hooks"),
}


@pytest.mark.parametrize("how", CALLS)
def test_a_call_that_is_none_of_ours_stops_nothing_in_its_host(root: Path, how: str) -> None:
    words, complaint = CALLS[how]

    for common in ([], ["--json"], ["--debug"]):
        done = forked.run("-C", str(root), *common, "hook", *words, given=b"{}")

        assert (done.returncode, done.stdout) == (0, b"{}\n"), common
        assert complaint in done.stderr


def test_a_bad_call_before_a_compaction_adds_nothing_to_what_is_summarized(root: Path) -> None:
    done = hook(root, "claude-code", "PreCompact", said("claude-code", "PreCompact"), "--bogus")

    assert (done.returncode, done.stdout) == (0, b""), "plain text is what it takes there"


def test_a_person_may_still_ask_what_a_hook_is(root: Path) -> None:
    done = forked.run_text("hook", "--help")

    assert done.returncode == 0
    assert "Answer a hook of the agent program" in done.stdout


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_while_another_process_holds_the_journal_an_agent_wakes_up_all_the_same(root: Path, host: str) -> None:
    hook(root, host, "PreToolUse", said(host, "PreToolUse"))

    with locked(root, "append"):  # and does not let it go
        done = hook(root, host, "SessionStart", said(host, "SessionStart", session_id="another"))
        prompt = hook(root, host, "UserPromptSubmit", said(host, "UserPromptSubmit", session_id="another"))

    assert context(done).startswith("# Robin\n")
    assert b"Another process is changing" in done.stderr
    assert json.loads(prompt.stdout) == {}
    assert prompt.stderr.count(b"notice: ") == 1, "it was waited for once"
    assert kinds(root)[-1] == "action"
