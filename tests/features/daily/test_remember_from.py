"""remember --from: what came from outside becomes the agent's own only where the agent says so, and both stay known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.formats.documents import managed, sources
from agentws.core.text import origin
from agentws.errors import AgentwsError, UsageError
from agentws.features.memory import command_why as why
from agentws.workspace import Workspace
from tests import outside, table
from tests.conftest import NOW

TEXT = f"{outside.CANARY} answers letters within 60 days"
DAY = "memory/2026-11-20.md"


def memory(workspace: Workspace) -> str:
    return Path(workspace.root, "MEMORY.md").read_text()


def stated(workspace: Workspace) -> list[sources.Stated]:
    file = Path(workspace.root, sources.PATH)
    return list(sources.decode(file.read_text() if file.exists() else "").stated.values())


def written(workspace: Workspace, src: str) -> dict[str, tuple[str, str]]:
    """A reference to each place where a text from `src` stands, what it says, and its source."""
    logged = workspace.log(TEXT, via=src)
    event = workspace.event("note", f"{TEXT} [decision] !10", via=src)
    kept = workspace.remember(f"{TEXT} of the harbour", via=src)
    handed = workspace.handoff(doing=f"{TEXT} of the office", via=src)
    lines = Path(workspace.root, handed.path).read_text().split("\n")
    at = next(at for at, line in enumerate(lines, 1) if outside.CANARY in line)
    return {
        f"{logged.path}:{logged.line}": (TEXT, src),
        str(event.cursor): (rf"{TEXT} \[decision] \!10", src),
        f"{kept.path}:{kept.line}": (f"{TEXT} of the harbour", src),
        f"{handed.path}:{at}": (f"{TEXT} of the office", src),
    }


@pytest.mark.parametrize("src", outside.SOURCES)
def test_whatever_it_refers_to_both_classes_stay_known(workspace: Workspace, src: str) -> None:
    for ref, (text, source) in written(workspace, src).items():
        done = workspace.remember(stated_from=ref)

        assert done.entry == f"- {text}"
        assert (done.src, done.ref and (done.ref.ref, done.ref.src)) == ("agent", (ref, source))
        row = sources.decode(Path(workspace.root, sources.PATH).read_text()).stated[managed.of_text(text)]
        assert (row.src, row.ref, row.ref_src) == ("agent", ref, source)
        found = workspace.memory.why(f"MEMORY.md:{done.line}")
        assert (found.src, found.stated_from, found.stated_src) == ("agent", ref, source)
        assert [one.src for one in found.sources] == ([source] if ".md" in ref else [])
        told = list(workspace.journal.list(kinds=["memory.stated"]))[-1]
        assert (told.src, (told.body or {})["from"], (told.body or {})["from_src"]) == ("agent", ref, source)
    assert [line for line in memory(workspace).split("\n") if origin.of_line(line)] == [
        f"- {TEXT} of the harbour (via {src})"
    ]


def test_it_may_be_said_in_other_words_and_told_before_it_is_done(workspace: Workspace) -> None:
    logged = workspace.log(TEXT, via="tool:web")
    before = memory(workspace)

    dry = workspace.remember("Letters take 60 days there", stated_from=f"{DAY}:{logged.line}", dry_run=True)
    assert (memory(workspace), stated(workspace)) == (before, [])
    done = workspace.remember("Letters take 60 days there", stated_from=f"{DAY}:{logged.line}")

    assert (dry.line, dry.entry) == (done.line, done.entry) == (done.line, "- Letters take 60 days there")
    assert [(one.ref, one.ref_src) for one in stated(workspace)] == [(f"{DAY}:{logged.line}", "tool:web")]
    again = workspace.remember("Letters take 60 days there", stated_from=f"{DAY}:{logged.line}")
    assert (again.is_new, len(stated(workspace))) == (False, 1)
    assert len(list(workspace.journal.list(kinds=["memory.stated"]))) == 1


def test_a_fact_is_stated_without_the_mark_of_a_log(workspace: Workspace) -> None:
    def check(row: tuple[str, str | None, str]) -> None:
        kind, via, entry = row
        logged = workspace.log(f"{TEXT} {kind}", kind=kind, via=via)
        assert workspace.remember(stated_from=f"{DAY}:{logged.line}").entry == entry

    table.holds(
        check,
        [
            ("fact", "tool:web", f"- {TEXT} fact"),
            ("fact", None, f"- {TEXT} fact"),
            ("todo", "tool:web", rf"- \[todo] {TEXT} todo"),
            ("todo", None, f"- [todo] {TEXT} todo"),
        ],
    )


def test_only_what_came_from_outside_is_said_to_be_the_agents_own_now(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(row: tuple[str | None, str, str]) -> None:
        via, said, told = row
        logged = workspace.log(f"{TEXT} {via}", via=via)
        assert main.run(["-C", workspace.root, "remember", "--from", f"{DAY}:{logged.line}"]) == 0
        place = capsys.readouterr().out.strip()
        at = f"{DAY}:{logged.line}"
        assert place.partition(" ")[2] == said.format(at)
        assert f"Stated by the agent{told.format(at)}" in why.why_lines(
            workspace.memory.why(place.partition(" ")[0]), NOW
        )

    outside_, own = ("tool:web", "(now your own statement; source: {}, tool:web)"), (None, "(from {})")
    table.holds(check, [(*outside_, " as its own statement, from {} (tool:web)."), (*own, ", from {}.")])


def test_one_undo_takes_back_the_fact_and_where_it_came_from(workspace: Workspace) -> None:
    logged = workspace.log(TEXT, via="tool:web")
    before = memory(workspace)
    workspace.remember(stated_from=f"{DAY}:{logged.line}")

    workspace.undo()

    assert (memory(workspace), stated(workspace)) == (before, [])


def test_it_stays_known_when_its_day_is_folded_and_compaction_leaves_it_alone(workspace: Workspace) -> None:
    file = Path(workspace.root, "memory/2026-10-01.md")
    file.write_text(f"# 2026-10-01\n\n{outside.entry(TEXT)}")
    done = workspace.remember(stated_from="memory/2026-10-01.md:3")

    workspace.memory.compact()

    found = workspace.memory.why(f"MEMORY.md:{done.line}")
    assert f"- {TEXT}\n" in memory(workspace)
    assert [(one.now, one.src) for one in found.sources] == [("memory/archive/2026/2026-10-01.md", "tool:web")]
    assert (found.stated_src, workspace.memory.verify().faults) == ("tool:web", [])


def test_what_is_forgotten_leaves_no_digest_that_would_confirm_it(workspace: Workspace) -> None:
    logged = workspace.log(TEXT, via="tool:web")
    workspace.remember(stated_from=f"{DAY}:{logged.line}")
    workspace.remember("Tea at four", stated_from=f"{DAY}:{logged.line}")
    (kept,) = [one for one in stated(workspace) if one.entry == managed.of_text("Tea at four")]

    workspace.memory.forget(subjects=[outside.CANARY], confirm=True)

    (left,) = stated(workspace)
    assert (left.entry, left.ref_src) == (kept.entry, "tool:web")
    assert [one.digest for one in left.sources] != [one.digest for one in kept.sources]


def test_what_refers_to_nothing_or_says_nothing_is_refused_with_a_hint(workspace: Workspace) -> None:
    workspace.log(TEXT, via="tool:web")
    workspace.event("note", "tea")
    before = memory(workspace)
    calls: list[Callable[[], object]] = [
        *(
            lambda ref=ref: workspace.remember(stated_from=ref)
            for ref in ("nothing", f"{DAY}:99", f"{DAY}:2", "no.md:1")
        ),
        *(
            lambda ref=ref: workspace.remember(stated_from=ref)
            for ref in ("../x.md:1", "/etc/a.md:1", "", "99999", ":1")
        ),
        lambda: workspace.remember(TEXT, stated_from=f"{DAY}:3", via="tool:web"),
        lambda: workspace.remember(),
    ]

    def is_refused(call: Callable[[], object]) -> None:
        with pytest.raises(AgentwsError) as caught:
            call()
        assert isinstance(caught.value, UsageError) or caught.value.hint
        assert (memory(workspace), stated(workspace)) == (before, [])

    table.holds(is_refused, calls)


def test_of_an_archived_line_it_stays_known_where_that_came_from(workspace: Workspace) -> None:
    Path(workspace.root, "memory/2026-10-01.md").write_text(f"# 2026-10-01\n\n{outside.entry(TEXT)}")
    workspace.memory.compact()
    archived = "memory/archive/2026/2026-10-01.md"

    done = workspace.remember("Letters take 60 days there", stated_from=f"{archived}:3")

    (source,) = workspace.memory.why(f"MEMORY.md:{done.line}").sources
    assert (source.path, source.line, source.src) == (archived, 3, "tool:web")
    assert done.ref is not None
    assert done.ref.src == "tool:web"
