"""Open pages learn that a file changed; closed ones are forgotten; the server ends although pages are open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path

import pytest

from agentws.core.disk.watcher import CHANGED, STOPPED
from agentws.features.ui.changes import Changes
from agentws.workspace import Workspace

EVENT = b"event: changed\ndata:\n\n"


async def opened(changes: Changes) -> AsyncIterator[bytes]:
    stream = changes.stream()
    assert (await anext(stream)).startswith(b"retry:")
    return stream


async def two_tabs(changes: Changes) -> None:
    first, second = await opened(changes), await opened(changes)
    waiting = [asyncio.ensure_future(anext(each)) for each in (first, second)]
    await asyncio.sleep(0)
    changes.announce()
    assert await asyncio.gather(*waiting) == [EVENT, EVENT]
    await first.aclose()  # type: ignore[attr-defined]
    assert len(changes._wakes) == 1
    changes.announce()
    assert await anext(second) == EVENT
    changes.close()
    with pytest.raises(StopAsyncIteration):
        await anext(second)
    assert len(changes._wakes) == 0


async def quick(changes: Changes) -> None:
    """Several changes while a page does nothing are one event."""
    stream = await opened(changes)
    for _ in range(3):
        changes.announce()
    assert await anext(stream) == EVENT
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    changes.close()
    with pytest.raises(StopAsyncIteration):
        await waiting


async def between_page_and_stream(changes: Changes) -> None:
    """A change while a page was being made is an event for that page."""
    seen = str(changes.count)
    changes.announce()
    late, newest = changes.stream(seen), changes.stream(str(changes.count))
    assert (await anext(late), await anext(newest)) == (await anext(changes.stream()),) * 2
    assert await anext(late) == EVENT
    waiting = asyncio.ensure_future(anext(newest))
    await asyncio.sleep(0)
    assert not waiting.done()
    changes.close()
    with pytest.raises(StopAsyncIteration):
        await waiting


async def after_the_end(changes: Changes) -> None:
    changes.close()
    stream = await opened(changes)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


@pytest.mark.parametrize("play", [two_tabs, quick, between_page_and_stream, after_the_end])
def test_streams(play: Callable[[Changes], Coroutine[None, None, None]]) -> None:
    asyncio.run(play(Changes()))


def test_a_page_hears_of_a_file_that_changes_all_the_time(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Busy:
        def wait(self, timeout_s: float | None) -> str:
            self.waits = getattr(self, "waits", 0) + 1
            return CHANGED if self.waits < 100 else STOPPED

        def close(self) -> None:
            pass

    changes, heard = Changes(), []
    monkeypatch.setattr("agentws.features.ui.changes._source", lambda root: Busy())
    monkeypatch.setattr(changes, "announce", lambda: heard.append(1))

    changes._follow(workspace.root)

    assert len(heard) > 10


@pytest.mark.parametrize("path", ["memory/2026-11-20.md", "MEMORY.md", "journal/x/1.jsonl"])
def test_a_change_of_a_file_reaches_the_page(workspace: Workspace, path: str) -> None:
    async def play() -> None:
        changes = Changes()
        stream = await opened(changes)
        changes.watch(workspace.root)
        waiting = asyncio.ensure_future(anext(stream))
        file = Path(workspace.root, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        count = 0
        while not waiting.done():  # the thread may not watch yet
            file.write_text(f"{count}\n")
            count += 1
            await asyncio.wait([waiting], timeout=0.5)
        assert waiting.result() == EVENT
        changes.close()

    asyncio.run(play())
