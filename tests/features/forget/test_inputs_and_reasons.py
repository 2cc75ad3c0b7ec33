"""Each input of a workspace, with text that was forgotten, rejected or superseded, in several scripts.

Forgotten text is refused or left out. Rejected text is not offered for MEMORY.md. Superseded text never stands in
MEMORY.md or boot beside what replaced it without the remark that it was replaced.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentws import workspace as _workspace
from agentws.errors import ForgottenError, NothingToUndoError
from agentws.features.memory.curate.answer import NO
from agentws.workspace import Workspace
from tests.features.forget.test_kept_out import NAMES, forgotten
from tests.features.forget.test_left_out import text_of, write
from tests.features.hosts import payloads
from tests.features.sync.conftest import Machines, machines as machines
from tests.features.sync.trust.test_new_writers import writer

TEXTS = {script: names[0] for script, names in NAMES.items()}
NEW = "Sam keeps the book of number {}"
DAY, LATER, OLD_DAY = "memory/2026-11-18.md", "memory/2026-11-19.md", "memory/2026-10-20.md"
BY_HAND = ("2026-11-18.md", "2026-11-19.md", "2026-10-20.md")
"""Logs that the tests write themselves; nothing keeps a text out of them."""
FORGOTTEN, REJECTED, SUPERSEDED = "forgotten", "rejected", "superseded"

Steps = Iterator[None]
"""An input: what comes before the reason, a stop, and what brings the texts in again."""
Input = Callable[[Workspace, list[str]], Steps]


def direct(write: Callable[[Workspace, str], object]) -> Input:
    """An input of a command: forgotten text is refused."""

    def steps(workspace: Workspace, texts: list[str]) -> Steps:
        workspace.tasks.add("Plan")
        for number in range(len(texts)):
            workspace.todo(f"paint fence {number:02}")
        yield
        for number, text in enumerate(texts):
            try:
                write(workspace, f"{text}|{number:02}")
            except ForgottenError:
                assert FORGOTTEN in reasons(workspace)
            else:
                assert FORGOTTEN not in reasons(workspace), text

    return steps


def said(text: str) -> str:
    return text.partition("|")[0]


def hooks(workspace: Workspace, texts: list[str]) -> Steps:
    yield
    for text in texts:
        heard = _workspace.hear("claude-code", "UserPromptSubmit")
        heard.take(json.dumps({**payloads.of("claude-code")["UserPromptSubmit"], "prompt": f"a\n{text}"}).encode())
        workspace.plumbing.record_call(heard)


def imports(workspace: Workspace, texts: list[str]) -> Steps:
    yield
    folder = Path(workspace.root).parent / "vault"
    folder.mkdir()
    (folder / "notes.md").write_text(lines(texts))
    workspace.memory.import_from("markdown", str(folder))


def by_hand(workspace: Workspace, texts: list[str]) -> Steps:
    """Another program writes the log of a past day and MEMORY.md."""
    yield
    write(workspace, LATER, lines(texts))
    memory = text_of(workspace, "MEMORY.md") if Path(workspace.root, "MEMORY.md").exists() else ""
    write(workspace, "MEMORY.md", memory + "".join(f"- {text}\n" for text in texts))


def curate(workspace: Workspace, texts: list[str]) -> Steps:
    yield
    write(workspace, LATER, lines(texts))
    answer = (f"ADD [fact] {text} {{{LATER}:{at}}}\n" for at, text in enumerate(texts, 1))
    for line in answer:
        workspace.memory.curate(line)


def compact(workspace: Workspace, texts: list[str]) -> Steps:
    yield
    write(workspace, OLD_DAY, lines(texts))
    workspace.config.set("compaction.since", "2026-10-01")
    workspace.memory.compact()


def restore(workspace: Workspace, texts: list[str]) -> Steps:
    for text in texts:
        workspace.remember(text)
    old = workspace.history("MEMORY.md").changes[0].id
    yield
    workspace.history.restore("MEMORY.md", at=old)


def undo(workspace: Workspace, texts: list[str]) -> Steps:
    for text in texts:
        workspace.remember(text)
    yield
    with contextlib.suppress(NothingToUndoError):
        for _ in range(3):
            workspace.undo()


def checkpoint(workspace: Workspace, texts: list[str]) -> Steps:
    workspace.tasks.add("Loan")
    yield
    workspace.checkpoints.save("loan", {"who": texts})
    state = workspace.checkpoints.restore("loan").state
    assert isinstance(state, dict)
    assert state["who"] == texts if FORGOTTEN not in reasons(workspace) else not {*state["who"]} & {*texts}


def search(workspace: Workspace, texts: list[str]) -> Steps:
    yield
    write(workspace, LATER, lines(texts))
    for text in texts:
        found = [hit.text for hit in workspace.search(text).hits if text in hit.text]
        assert bool(found) == (FORGOTTEN not in reasons(workspace)), text
    Path(workspace.root, LATER).unlink()


INPUTS: dict[str, Input] = {
    "log": direct(lambda workspace, text: workspace.log(said(text))),
    "todo": direct(lambda workspace, text: workspace.todo(said(text))),
    "done": direct(lambda workspace, text: workspace.done("fence", text.partition("|")[2], note=said(text))),
    "remember": direct(lambda workspace, text: workspace.remember(said(text))),
    "task": direct(lambda workspace, text: workspace.tasks.edit("plan", goal=said(text))),
    "handoff": direct(lambda workspace, text: workspace.handoff(doing=said(text))),
    "event": direct(lambda workspace, text: workspace.event("note", said(text))),
    "hooks": hooks,
    "import": imports,
    "curate": curate,
    "compact": compact,
    "restore": restore,
    "undo": undo,
    "checkpoint restore": checkpoint,
    "search index": search,
}


def lines(texts: list[str]) -> str:
    return "".join(f"- [fact] {text}\n" for text in texts)


def reasons(workspace: Workspace) -> set[str]:
    return {entry.reason for entry in workspace.memory.kept_out()}


def forget(workspace: Workspace, texts: list[str]) -> None:
    forgotten(workspace, *texts)


def reject(workspace: Workspace, texts: list[str]) -> None:
    write(workspace, DAY, lines(texts))
    offers = workspace.memory.review().proposed
    for one in offers:
        one.decision = NO
    workspace.memory.decide(offers)
    rows = [row for row in workspace.memory.brief().brief.rows if any(text in row.entry.text for text in texts)]
    if rows:
        workspace.memory.curate("".join(f"RETIRE {row.number} retired\n" for row in rows))
    assert len(offers) + len(rows) == len(texts)


def supersede(workspace: Workspace, texts: list[str]) -> None:
    memory = text_of(workspace, "MEMORY.md") if Path(workspace.root, "MEMORY.md").exists() else ""
    for number, text in enumerate(texts):
        if f"- {text}\n" not in memory:
            workspace.remember(text)
        workspace.remember(NEW.format(number), replaces=text)


REASONS: dict[str, Callable[[Workspace, list[str]], None]] = {
    FORGOTTEN: forget, REJECTED: reject, SUPERSEDED: supersede,
}  # fmt: skip


def check(workspace: Workspace, reason: str, texts: list[str]) -> None:
    """The promise about text that is kept out for this reason, whatever brought it in again."""
    assert reason in reasons(workspace) or reason == SUPERSEDED
    memory = text_of(workspace, "MEMORY.md") if Path(workspace.root, "MEMORY.md").exists() else ""
    booted = workspace.boot().text.partition("## MEMORY.md")[2].partition("\n## ")[0]
    if reason == FORGOTTEN:
        files = [path for path in Path(workspace.root).rglob("*.*") if path.is_file() and path.name not in BY_HAND]
        held = [(path, text) for path in files for text in texts if text.encode() in path.read_bytes()]
        assert held == []
        assert not [text for text in texts if text in booted]
    elif reason == REJECTED:
        offered = [one.text for one in workspace.memory.review().proposed]
        assert not [text for text in texts for line in offered if line.endswith(text)]
    else:
        assert (NEW.format(0) in memory) == (NEW.format(0) in booted)
        for number, text in enumerate(texts):
            for shown in (memory, booted):
                beside = [line for line in shown.split("\n") if line.strip() in (f"- {text}", f"- [fact] {text}")]
                assert not (beside and NEW.format(number) in shown), (text, beside)


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("name", INPUTS)
def test_no_input_brings_back_what_is_kept_out_in_any_script(
    tmp_path: Path, environment: _workspace.Environment, name: str, reason: str
) -> None:
    texts = list(TEXTS.values())
    workspace = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")
    steps = INPUTS[name](workspace, texts)
    next(steps)
    REASONS[reason](workspace, texts)

    with pytest.raises(StopIteration):
        next(steps)

    check(workspace, reason, texts)


@pytest.mark.parametrize("reason", REASONS)
def test_a_sync_brings_back_nothing_that_is_kept_out_in_any_script(machines: Machines, reason: str) -> None:
    texts = list(TEXTS.values())
    desk = machines.first()
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    desk.identity.vouch(writer(attic))
    desk.sync()
    attic.sync()
    for _ in by_hand(attic, texts):
        REASONS[reason](desk, texts)
    for text in texts:
        attic.remember(text)

    desk.sync()
    for machine in ("attic", "desk", "attic"):
        machines.opened(machine).sync()

    for machine in ("desk", "attic"):
        check(machines.opened(machine), reason, texts)
