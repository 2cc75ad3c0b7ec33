"""agentws's block in a Markdown file of the user's, between two comments that name its host. Pure."""

from __future__ import annotations

from agentws.core.hosts.plan import Wiring
from agentws.core.text import sh

_BOM = "\ufeff"


def with_block(text: str, host: str, body: str) -> str:
    """Return the text with `body` as the block for `host`: in its old place, or at the end after an empty line."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    new = line_end.join((_begin(host), *body.rstrip("\n").split("\n"), _end(host)))
    span = _span(text, host)
    if span is not None:
        return text[: span[0]] + new + text[span[1] :]
    if not text.removeprefix(_BOM):
        return text + new + line_end
    # A last line without a newline stays so: without the block, the file is what it was before.
    ended = text.endswith("\n")
    return text + line_end * (1 if ended else 2) + new + line_end * ended


def without_block(text: str, host: str) -> str:
    """Return the text without the block for `host` and the empty line before it."""
    span = _span(text, host)
    if span is None:
        return text
    before, after = text[: span[0]], text[span[1] :]
    if not before.removeprefix(_BOM):
        return before + _without_first_end(after)
    if not after:
        return _without_last_end(_without_last_end(before))
    return _without_last_end(before) + _without_first_end(after)


def body_of(text: str, host: str) -> str | None:
    """Return the content of the block for `host`, None without a block."""
    span = _span(text, host)
    if span is None:
        return None
    inside = text[span[0] : span[1] - len(_end(host))].partition("-->")[2]
    return inside.replace("\r\n", "\n").strip("\n")


def command(wiring: Wiring) -> str:
    """Return the command that the block tells the agent to call: `agentws`, with `-C` if the workspace is elsewhere."""
    return "agentws" if wiring.is_found else f"agentws -C {sh.quote(wiring.workspace)}"


def told_by_hooks(wiring: Wiring) -> str:
    """Return the block's instructions for an agent whose hooks run most of agentws."""
    agentws = command(wiring)
    return f"""\
## Your memory: agentws

Your start-up context comes from agentws, by a hook, at the start of each session and after each compaction: SOUL, USER,
MEMORY, the newest handoff, the tasks and the latest daily logs, within a budget. If other instructions say to read
these files first, that is done: open one only for what the context says was left out. Its end says how you write to
your memory. If no such context stands before you, no hook has run: begin with `{agentws} boot`.
"""


def _begin(host: str) -> str:
    return f"<!-- agentws:{host} begin · written by `agentws install`, taken out by `agentws uninstall {host}` -->"


def _end(host: str) -> str:
    return f"<!-- agentws:{host} end -->"


def _span(text: str, host: str) -> tuple[int, int] | None:
    start = text.find(f"<!-- agentws:{host} begin")
    end = text.find(_end(host), start)
    return None if start < 0 or end < 0 else (start, end + len(_end(host)))


def _without_last_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


def _without_first_end(text: str) -> str:
    return text.removeprefix("\r").removeprefix("\n") if text.startswith(("\n", "\r\n")) else text
