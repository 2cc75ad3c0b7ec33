"""Runs of compaction, and answers to briefs, that are killed, cut and starved; what must be true of each afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentws.core.formats.documents import managed, proposals, sources
from agentws.errors import ChangedUnderneathError
from agentws.workspace import Workspace
from tests.crash import harness, scenarios, verb_scenarios
from tests.crash.scenarios import Ack
from tests.crash.verb_scenarios import Stage, Verb
from tests.features.memory.curate import proposed

DAYS = {
    "memory/2026-07-01.md": b"# 2026-07-01\n\n- [decision] Chose SQLite for the address book\n- lunch\n",
    "memory/2026-07-02-export.md": b"- [ ] Send the export to Maria Keller\r\n\r\n## Next steps\r\n- ask Kim\r\n- rain",
    "memory/2026-06-30.2.md": b"## Lessons\n- [lesson] Never run the import twice: it doubles 412 contacts\n",
}
STRONG = (
    b"- [decision] Chose PostgreSQL 17 over SQLite, approved by Maria Keller on 4 October 2026 !9\n- [ ] Tell Sam\n"
)
LATER = "memory/2026-11-05.md"
PAGE = b"""\
# Digest of the logs

Chosen by agentws from compacted days; not reviewed. Newest week first.

## Open

- [ ] 2026-05-03 Send the ferry list to Maria ^t3fk

## 2026-W18

- 2026-05-02 Painted the hide by the well
"""
"""A digest of an earlier version."""
EDITED, LEFT = "a fact of somebody", " is unchanged: "
"""What a person has in MEMORY.md; what a run says that could not read all that it was to fold."""


def run(workspace: Workspace) -> Any:
    """A run that somebody has agreed to."""
    return workspace.memory.compact(agreed=True)


def old(root: str, *paths: str) -> None:
    """Days of July, written by hand."""
    for path in paths or DAYS:
        scenarios.put(root, path, DAYS.get(path, STRONG))


def first(workspace: Workspace) -> None:
    """Three old days, and a fact of somebody's own; the journal has been sealed before, so that its key is there."""
    workspace.event("note")
    assert workspace.journal.seal().seq
    workspace.remember(EDITED)
    old(workspace.root)


def stays(workspace: Workspace) -> None:
    """The same where days stay where they are, and marked lines count from July on."""
    first(workspace)
    settings(workspace, '[compaction]\narchive = false\nsince = "2026-07-01"')


def second(workspace: Workspace) -> None:
    """A run has been here, another day has come since, and the digest is one of an earlier version."""
    first(workspace)
    assert run(workspace).new
    scenarios.put(workspace.root, "memory/digest.md", PAGE)
    old(workspace.root, LATER)


def expiring(workspace: Workspace) -> None:
    """Archived days, a closed handoff and a task that the rules of retention find due."""
    second(workspace)
    scenarios.put(
        workspace.root, "handoffs/2026-01-02-a.md", b"---\nat: 2026-01-02T10:00:00+00:00\nstatus: closed\n---\nx\n"
    )
    scenarios.put(workspace.root, "tasks/over.md", b"---\nstatus: done\nupdated: 2026-01-02\n---\nx\n")
    settings(workspace, '[retention]\narchive = "50d"\nhandoffs = "90d"\ntasks = "90d"')


def folded_twice(workspace: Workspace) -> None:
    """Two runs, the second of which took the text of an earlier version out of the digest; and a later fact."""
    second(workspace)
    assert "memory/archive/digest.md" in run(workspace).changes.paths
    workspace.remember("a fact that came later")


# The author of MEMORY.md

OWN = b"# Memory\r\n\r\n- mine \xff\r\n- " + EDITED.encode() + b"\r\n"
FOLDED = b"""\
- [rule] Ask Sam first
- [decision] SQLite for the index
- [decision] One file for the cache
- [fact] The pump is blue
- [lesson] Never run the import twice
"""
YOUNG = b"- [lesson] Ice breaks the old pump\n- [lesson] Salt does not help there\n- [rule] Wear gloves at the pump\n"
HEARD = "The harbour opens at 6 (via tool:web)"
ANSWER = """\
KEEP 1
MERGE 2 3 -> SQLite for the index, one file for the cache
UPDATE 4 The import: never run it twice
RETIRE 5 expired
ADD [preference] Kim wants short answers {memory/2026-10-02.md:1}
ADD [lesson] Ice breaks the old pump {memory/2026-11-18.md:1}
"""
"""To the brief that `briefed` has seen; two candidates are not named."""
DECIDED = {
    "The harbour opens at 6": ("y", ""),
    "Kim wants short answers": ("y", "Kim wants answers that are short"),
    "Ice breaks the old pump": ("y", ""),
    "Wear gloves at the pump": ("n", ""),
}


def briefed(workspace: Workspace) -> None:
    """Entries that a run made, a person's, a proposal, and young lines; a brief has shown them."""
    root = workspace.root
    workspace.event("note")
    assert workspace.journal.seal().seq
    scenarios.put(root, "MEMORY.md", OWN)
    scenarios.put(root, "memory/2026-10-01.md", FOLDED)
    workspace.memory.compact()
    scenarios.put(root, "memory/2026-10-02.md", b"- [preference] Kim wants short answers\n")
    waiting = proposals.Proposal("Kim wants short answers", "preference", ["memory/2026-10-02.md:1"])
    scenarios.put(root, proposals.PATH, proposed.with_added("", [waiting]).encode())
    scenarios.put(root, "memory/2026-11-18.md", YOUNG)
    scenarios.opened(root).memory.brief()


def heard(workspace: Workspace) -> None:
    """The same, and an entry that an earlier version kept from outside."""
    briefed(workspace)
    row = sources.Made(managed.of_text(HEARD), [], day="2026-10-01", run="", src="tool:web")
    added = {"MEMORY.md": f"\r\n### {managed.HEARD}\r\n- {HEARD}\r\n", sources.PATH: sources.encode([row])}
    for path, text in added.items():
        scenarios.put(workspace.root, path, harness.contents(f"{workspace.root}/{path}") + text.encode())


def answers(workspace: Workspace) -> Any:
    """An answer with every operation that changes something."""
    return workspace.memory.curate(ANSWER)


def decides(workspace: Workspace) -> Any:
    """A review by a person, who wants some of it in their own words."""
    found = workspace.memory.review().proposed
    for one in found:
        one.decision, one.edited = DECIDED.get(one.text, ("", ""))
    return workspace.memory.decide(found)


# What is checked


def settings(workspace: Workspace, text: str) -> None:
    with open(f"{workspace.root}/agentws.toml", "a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


def raw(found: dict[str, bytes]) -> list[bytes]:
    """Every folded file that stands anywhere, in order."""
    folders = ("memory/", "handoffs/", "tasks/")
    ours = (
        "memory/archive/superseded.md",
        "memory/archive/digest.md",
        "memory/digest.md",
        "memory/proposed.md",
        "memory/context",
        "tasks/another",
    )
    return sorted(data for path, data in found.items() if path.startswith(folders) and path.endswith(".md")
                  and not path.startswith(ours))  # fmt: skip


def old_or_new(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """Each file is old or new and no line is lost; the next verb finds one of the two; a rerun ends where it should."""
    before, after = verb_scenarios.notes(stage.before), verb_scenarios.notes(stage.after)
    is_whole = not (acks and any(LEFT in notice for notice in acks[0]))
    found = verb_scenarios.notes(harness.documents(root))
    for path in {*before, *after, *found} if is_whole else ():
        assert found.get(path) in (before.get(path), after.get(path)), f"{path}: neither old nor new"
    for data in raw(after):
        assert data in raw(found), f"a log is nowhere: {data!r}"

    looked = harness.run(_look, root)
    assert looked.error is None, f"status failed:\n{looked.error[3]}"
    assert verb_scenarios.notes(harness.documents(root)) == found, "status changed something"
    mended = harness.run(_recover, root)
    assert mended.error is None, f"what came next failed:\n{mended.error[3]}"
    settled, faults = mended.acks
    assert faults == [], faults
    if is_whole:
        assert settled in (before, after), f"between: {_difference(settled, before, after)}"
        assert settled == after or not acks, "acknowledged and lost"

    again = harness.run(_again(verb, is_done=settled == after), root)
    assert again.error is None, f"the rerun failed:\n{again.error[3]}"
    now, faults = again.acks
    assert faults == [], faults
    assert raw(now) == raw(after), "a line is not there once"
    if is_whole:
        assert now == after, _difference(now, after, after)
    else:
        assert entries(now) == entries(after)


def entries(found: dict[str, bytes]) -> list[str]:
    """The entries of the managed section, sorted."""
    return sorted(one.text for one in managed.read(found["MEMORY.md"].decode()).entries)


def _look(root: str, ack: Ack) -> None:
    ack(scenarios.opened(root).status().name)


def _recover(root: str, ack: Ack) -> None:
    scenarios._recover(root)
    _tell(root, ack)


def _tell(root: str, ack: Ack) -> None:
    ack(verb_scenarios.notes(harness.documents(root)))
    ack([f"{one.path}:{one.line} {one.wrong}" for one in scenarios.opened(root).memory.verify().faults])


def _again(verb: Verb, *, is_done: bool) -> harness.Act:
    def act(root: str, ack: Ack) -> None:
        if not is_done or verb.kind != "compaction.undone":
            try:
                verb.act(scenarios.opened(root))
            except ChangedUnderneathError:
                verb.act(scenarios.opened(root))  # its hint: run the same command again
        _tell(root, ack)

    return act


def _difference(found: dict[str, bytes], *wanted: dict[str, bytes]) -> str:
    return "\n".join(
        f"{path}: {found.get(path)!r} is not {[one.get(path) for one in wanted]!r}"
        for path in sorted({*found, *wanted[0], *wanted[-1]})
        if any(found.get(path) != one.get(path) for one in wanted)
    )


def _verb(name: str, prepare: Callable[[Workspace], Any], act: Callable[[Workspace], Any], kind: str) -> Verb:
    return Verb(name, prepare, act, old_or_new, kind=kind)


FINISHED, UNDONE, CURATED = "compaction.finished", "compaction.undone", "memory.curated"
FIRST = _verb("compact", first, run, FINISHED)
STAYS = _verb("compact where days stay", stays, run, FINISHED)
LEAVING = _verb("compact with a digest of an earlier version", second, run, FINISHED)
EXPIRING = _verb("compact with rules of retention", expiring, run, FINISHED)
UNDO = _verb("compact --undo", folded_twice, lambda workspace: workspace.memory.undo(), UNDONE)
CURATE = _verb("curate --apply", briefed, answers, CURATED)
REVIEW = _verb("curate --review", heard, decides, CURATED)
ALL = [FIRST, STAYS, LEAVING, EXPIRING, UNDO, CURATE, REVIEW]
EDITED_MEANWHILE = [LEAVING, UNDO, CURATE, REVIEW]
USUAL = [LEAVING, UNDO]
"""Of these more points are tried each time."""
