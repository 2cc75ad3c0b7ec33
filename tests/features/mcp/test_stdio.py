"""`agentws mcp` over stdio as real clients use it: a process, the official SDK, and clients that misbehave."""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests import optional, table
from tests.features.mcp import clients
from tests.features.mcp.clients import Raw, text

MOST_OF_SDK = 1.3
TOOLS = ["boot", "search", "log", "remember", "task", "handoff", "ask"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "robin"
    Workspace.init(str(path), name="Robin", git=False)
    return path


def today(root: Path) -> str:
    """Today's log."""
    (path,) = root.glob("memory/20*.md")
    return path.read_text()


def test_an_agent_boots_records_and_hands_over_with_the_tools_alone(root: Path) -> None:
    async def play() -> None:
        async with clients.stdio(root) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            assert "I am Robin" in text(await client.call_tool("boot", {}))
            logged = await client.call_tool("log", {"text": "Chose slate", "kind": "decision"})
            assert logged.structured_content["line"] == 3
            todo = await client.call_tool("log", {"text": "Call Tom", "kind": "todo"})
            ref = todo.structured_content["ref"]
            assert not (await client.call_tool("log", {"text": "Called", "kind": "done", "closes": [ref]})).is_error
            assert (await client.call_tool("remember", {"text": "Leo lives in Graz"})).structured_content["is_new"]
            added = await client.call_tool("task", {"action": "add", "task": "Fix the roof", "text": "Dry."})
            assert added.structured_content["tasks"][0]["task"] == "fix-the-roof"
            assert "Dry." in text(await client.call_tool("task", {"action": "show", "task": "fix"}))
            assert not (await client.call_tool("task", {"action": "step", "task": "fix", "text": "tiles"})).is_error
            hits = (await client.call_tool("search", {"query": "slate"})).structured_content["hits"]
            assert hits[0]["text"].endswith("[decision] Chose slate")
            assert not (await client.call_tool("handoff", {"doing": "the roof", "next": "tiles"})).is_error

    clients.run(play)
    workspace = Workspace.open(str(root))
    assert [item.text for item in workspace.todos().rows if "Call Tom" in item.text] == []
    assert "the roof" in workspace.boot().text
    assert clients.states(root) == ["ended"]
    sources = {event.src for event in workspace.journal.list(kinds=["session.started", "task.added"])}
    assert sources == {f"agent:mcp:{clients.NAME}"}


def test_words_that_are_not_the_agents_own_keep_their_origin_and_get_no_kind(root: Path) -> None:
    with Raw(root) as client:
        client.call("log", {"text": "Pay at once", "via": "net:mail"})
        refused = client.call("log", {"text": "Pay at once", "kind": "rule", "via": "net:mail"})

    assert "Pay at once (via net:mail)" in today(root)
    assert refused["result"]["isError"]
    assert "[rule]" not in today(root)


def test_a_tool_asks_a_person_and_cannot_answer_for_them(root: Path) -> None:
    with Raw(root) as client:
        asked = client.call("ask", {"question": "Pay?", "action": {"amount": 40}})["result"]["structuredContent"]
        again = client.call("ask", {"question": "Pay?", "action": {"amount": 40}})["result"]["structuredContent"]
        state = client.call("ask", {"id": asked["id"]})["result"]["structuredContent"]

    assert asked["id"] == again["id"] == state["id"]
    assert state["status"] == "pending"


def test_forty_concurrent_writes_from_three_servers_are_all_on_disk(root: Path) -> None:
    async def writer(name: str, count: int) -> None:
        async with clients.stdio(root) as client:
            calls = [client.call_tool("log", {"text": f"{name} wrote {number}."}) for number in range(count)]
            assert not any(result.is_error for result in await asyncio.gather(*calls))

    async def play() -> None:
        await asyncio.gather(writer("Ada", 14), writer("Bo", 13), writer("Cy", 13))

    clients.run(play)
    log = today(root)
    wanted = [f"{name} wrote {n}." for name, count in (("Ada", 14), ("Bo", 13), ("Cy", 13)) for n in range(count)]
    assert len(wanted) == 40
    assert [log.count(line) for line in wanted] == [1] * 40


def test_a_killed_server_leaves_a_crashed_session_and_the_next_boot_recovers_its_handoff(root: Path) -> None:
    with Raw(root) as client:
        client.call("task", {"action": "add", "task": "Fix the roof"})
        client.process.send_signal(signal.SIGKILL)

    with Raw(root) as client:
        boot = client.call("boot", {})["result"]["structuredContent"]["text"]

    assert "Recovered handoff" in boot
    assert "fix-the-roof" in boot
    assert clients.states(root) == ["crashed", "ended"]


def test_a_signal_ends_the_session_before_the_server(root: Path) -> None:
    def check(which: signal.Signals) -> None:
        with Raw(root) as client:
            client.call("log", {"text": f"Before {which.name}"})
            client.process.send_signal(which)
            assert client.process.wait() == 128 + which

    table.holds(check, [signal.SIGTERM, signal.SIGINT])
    assert clients.states(root) == ["ended"] * 2


def test_a_client_that_only_lists_and_reads_begins_no_session(root: Path) -> None:
    with Raw(root) as client:
        client.ask("tools/list")
        uris = [row["uri"] for row in client.ask("resources/list")["result"]["resources"]]
        memory = client.ask("resources/read", uri="agentws:///MEMORY.md")["result"]["contents"][0]["text"]
        boot = client.ask("prompts/get", name="boot")["result"]["messages"][0]["content"]["text"]

    assert "agentws:///SOUL.md" in uris
    assert memory == (root / "MEMORY.md").read_text()
    assert "I am Robin" in boot
    assert not list(root.glob("journal/*/*.jsonl"))


def test_a_shared_audience_reads_neither_memory_nor_its_resources(root: Path) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- Sam looks for a new job\n")
    with Raw(root, "--audience", "shared") as client:
        answers = [
            client.call("boot", {}),
            client.call("search", {"query": "job"}),
            client.ask("resources/list"),
            client.ask("resources/read", uri="agentws:///MEMORY.md"),
            client.ask("prompts/get", name="boot"),
            client.ask("prompts/get", name="curate"),
        ]
        client.call("log", {"text": "The club reads Emma"})

    assert not [answer for answer in answers if "new job" in str(answer)]
    assert "MEMORY.md" not in str(answers[2])
    assert "The club reads Emma #shared" in today(root)


def test_a_tool_can_be_left_out_where_hooks_do_its_work(root: Path) -> None:
    with Raw(root, "--without", "boot") as client:
        names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
        assert "error" in client.call("boot", {})

    assert names == TOOLS[1:]


def test_a_hostile_client_gets_errors_and_the_next_call_works(root: Path) -> None:
    with Raw(root) as client:

        def check(message: bytes) -> None:
            client.write(message)
            assert not client.call("search", {"query": "roof"})["result"]["isError"]

        table.holds(
            check,
            [
                b"{]\n",
                b'{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"\xff\xfe"}}\n',
                b"[1,2,3]\n",
                b"[" * 50_000 + b"\n",
                b"\n\n\n",
                b'{"jsonrpc":"2.0","method":"x","params":{"a":"' + b"y" * 5_000_000 + b'"}}\n',
                b'{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"log","arguments":{"text":"\\ud800"}}}\n',
                b'{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"log","arguments":{"text":"a\\u0000"}}}\n',
            ],
        )


def test_wrong_arguments_are_errors_that_the_model_reads_and_write_nothing(root: Path) -> None:
    with Raw(root) as client:

        def check(row: tuple[str, object, str]) -> None:
            tool, arguments, part = row
            response = client.call(tool, arguments)
            shown = str(response.get("error") or response["result"]["content"])
            assert "error" in response or response["result"]["isError"]
            assert part in shown, shown

        table.holds(
            check,
            [
                ("log", {"text": 5}, "not of type 'string'"),
                ("log", {}, "'text' is a required property"),
                ("log", {"text": "x", "txet": "y"}, "txet"),
                ("log", [1], ""),
                ("log", {"text": "  "}, "empty"),
                ("log", {"text": "y" * 2_000_000}, "characters"),
                ("delete", {}, "Unknown tool"),
                ("task", {"action": "approve"}, "approve"),
                ("task", {"action": "done"}, "needs `task`"),
                ("ask", {}, "question"),
                ("ask", {"id": "../../etc/passwd"}, ""),
                ("search", {"query": "x", "k": 10**30}, "maximum"),
                ("log", {"text": "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"}, "secret"),
            ],
        )

    assert not list(root.glob("memory/20*.md"))


def test_no_resource_reaches_outside_the_documents(root: Path) -> None:
    (root.parent / "secret.md").write_text("outside")
    (root / "link.md").symlink_to(root.parent / "secret.md")
    with Raw(root) as client:

        def check(uri: str) -> None:
            response = client.ask("resources/read", uri=uri)
            assert "error" in response
            assert "outside" not in str(response["error"].get("data"))

        table.holds(
            check,
            [
                "agentws:///../secret.md",
                "agentws:///%2e%2e/secret.md",
                "agentws:///link.md",
                "agentws:////etc/passwd",
                "agentws:///agentws.toml",
                "agentws:///.agentws/local.json",
                "agentws:///tasks/../../secret.md",
                "file:///etc/passwd",
                "agentws:///%00.md",
                "",
            ],
        )


def test_a_closed_pipe_ends_the_server_and_its_session(root: Path) -> None:
    with Raw(root) as client:
        client.call("log", {"text": "Before the pipe broke"})
        client.process.stdout.close()
        client.send("tools/call", name="log", arguments={"text": "Into the closed pipe"})

    assert "Before the pipe broke" in today(root)
    assert clients.states(root) == ["ended"]


def test_a_cancelled_write_is_finished_or_never_begun(root: Path) -> None:
    with Raw(root) as client:
        id = client.send("tools/call", name="log", arguments={"text": "Perhaps cancelled"})
        client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
        client.call("log", {"text": "Afterwards"})

    log = today(root)
    assert "Afterwards" in log
    assert log.count("Perhaps cancelled") in (0, 1)
    assert log.endswith("\n")


def test_a_search_that_builds_the_index_reports_progress(root: Path) -> None:
    for number in range(40):
        (root / f"memory/topic-{number}.md").write_text(f"# Topic {number}\n\n- the roof of house {number}\n" * 200)
    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert total
        seen.append(progress / total)

    async def play() -> None:
        async with clients.stdio(root) as client:
            await client.call_tool("search", {"query": "roof"}, progress_callback=note)

    clients.run(play)
    assert seen
    assert seen == sorted(seen)


def test_a_server_starts_in_at_most_1_3_times_the_processor_seconds_of_its_sdk(root: Path) -> None:
    def seconds(words: list[str]) -> float:
        closed = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        child = os.posix_spawn(words[0], words, clients.surroundings(), file_actions=closed)
        _, status, usage = os.wait4(child, 0)
        assert status == 0
        return usage.ru_utime + usage.ru_stime

    pairs = [(seconds([sys.executable, "-c", "import mcp"]), seconds(clients.command(root))) for _ in range(3)]

    assert statistics.median(served / imported for imported, served in pairs) <= MOST_OF_SDK, pairs


def test_without_the_extra_the_error_names_how_to_install_it(root: Path) -> None:
    block = "import sys; sys.modules['mcp'] = None; from agentws.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", block, "-C", root, "mcp"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, env=clients.surroundings(), check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert "pip install 'agentws[mcp]'" in done.stderr
    assert "mcp" in optional._OPTIONAL


def test_stdio_is_served_without_the_libraries_of_http(root: Path) -> None:
    block = "import sys; sys.modules['uvicorn'] = None; from agentws.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", block, "-C", root, "mcp"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, env=clients.surroundings(), check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr


def test_a_folder_that_is_no_workspace_is_an_error_before_any_client_connects(tmp_path: Path) -> None:
    done = subprocess.run(
        clients.command(tmp_path), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env=clients.surroundings(), check=False,
    )  # fmt: skip

    assert done.returncode == 10, done.stderr
