"""What search finds, how it is narrowed, and that every hit stands in its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import UsageError
from agentws.workspace import Environment, Workspace
from tests.features.search.worlds import DAY, opened, put

SIGNS = (
    '"',
    "'",
    "*",
    "()",
    "AND OR NOT",
    "a NEAR b",
    "foo-bar",
    "C++",
    "\0",
    "%_",
    "-",
    ";",
    "🔑",
    "\ud800",
    "x" * 5000,
)


def found(workspace: Workspace, question: str = "", **named: object) -> list[str]:
    return [f"{hit.unit.path}:{hit.unit.line}" for hit in workspace.search(question, **named).hits]  # type: ignore[arg-type]


def test_each_kind_of_file_is_searched(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "# Friday\n\n- The heron log\n")
    put(workspace, "memory/archive/2025/2025-03-01.md", "- A heron of the archive\n")
    put(workspace, "memory/birds.md", "- A heron among notes\n")
    put(workspace, "MEMORY.md", "# Memory\n\n- A heron to keep\n")
    for name in ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md"):
        put(workspace, name, f"# {name}\n\n- Never scare the heron, says {name}\n")
    put(workspace, "tasks/heron.md", "---\nstatus: open\n---\n# Count the heron\n")
    put(workspace, "handoffs/2026-11-19.md", "---\nsession: one\n---\n## Next step\n\nThe heron first.\n")
    put(workspace, "contexts/pond.md", "- Where a heron stands\n")
    put(workspace, "knowledge/deep/pond.md", "The heron of a document\n")
    put(workspace, "other/pond.md", "A heron that nobody named\n")
    manifest = Path(workspace.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + '\n[search]\ninclude = ["knowledge/**.md"]\n')
    workspace.event("note", "A heron was heard")

    paths = {
        place.rpartition(":")[0]
        for place in found(Workspace.open(workspace.root, environment=workspace.stores.environment), "heron", k=50)
    }

    journal = {path for path in paths if path.startswith("journal/")}
    assert len(journal) == 1
    assert paths - journal == {
        *(f"memory/{DAY}.md", "memory/archive/2025/2025-03-01.md", "memory/birds.md", "MEMORY.md", "tasks/heron.md"),
        *("handoffs/2026-11-19.md", "contexts/pond.md", "knowledge/deep/pond.md"),
        *("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md"),
    }


@pytest.mark.parametrize("has_index", [True, False])
def test_identity_files_and_pinned_ones_are_a_place_of_their_own(tmp_path: Path, *, has_index: bool) -> None:
    root = str(tmp_path / "robin")
    Workspace.init(root, environment=Environment(cache=None), name="Robin", git=False)
    workspace = opened(root, cache=str(tmp_path / "cache") if has_index else None)
    put(workspace, "USER.md", "# User\n\n- **Name:** Odile\n- **Boat:**\n- Odile keeps a heron\n")
    put(workspace, "TOOLS.md", "# Tools\n\n- A net for the heron\n")
    put(workspace, "MEMORY.md", "# Memory\n\n- A heron to keep\n")
    manifest = Path(root, "agentws.toml")
    manifest.write_text(manifest.read_text() + '\n[boot]\npinned = ["TOOLS.md", "missing.md", "../outside.md"]\n')
    workspace = opened(root, cache=workspace.stores.environment.cache)

    assert sorted(found(workspace, "heron", rooms=["identity"])) == ["TOOLS.md:3", "USER.md:5"]
    assert found(workspace, "heron", rooms=["memory"]) == ["MEMORY.md:3"]
    assert found(workspace, "Odile", rooms=["identity"]) == ["USER.md:3", "USER.md:5"]
    assert found(workspace, "boat") == []

    put(workspace, "USER.md", "# User\n\n- **Name:** Kim\n")
    assert found(workspace, "Odile") == []
    assert found(workspace, "Kim") == ["USER.md:3"]


def test_a_shared_audience_finds_nothing_of_the_person(workspace: Workspace) -> None:
    for name in ("SOUL.md", "IDENTITY.md", "AGENTS.md", "USER.md", "MEMORY.md"):
        put(workspace, name, f"# {name}\n\n- The stork, says {name}\n- A private stork #private\n")

    places = found(workspace, "stork", audience="shared")

    assert sorted(places) == ["AGENTS.md:3", "IDENTITY.md:3", "SOUL.md:3"]


def test_archived_days_are_found_where_compaction_put_them(workspace: Workspace) -> None:
    put(workspace, "memory/2026-10-01.md", "# 2026-10-01\n\n- 09:00 The heron took the goldfish\n- [ ] Buy a net\n")
    assert found(workspace, "goldfish") == ["memory/2026-10-01.md:3"]

    workspace.memory.compact()

    archived = "memory/archive/2026/2026-10-01.md"
    assert Path(workspace.root, archived).is_file()
    assert found(workspace, "goldfish") == [f"{archived}:3"]
    (hit,) = workspace.search("net").hits
    assert (hit.path, hit.state) == (archived, "open")
    (closed,) = workspace.done("buy", "net").closed
    assert closed.logged is not None
    workspace.memory.compact()
    hits = {hit.path: (hit.state, hit.closed_by) for hit in workspace.search("net").hits}
    assert hits[archived] == ("done", f"{closed.logged.path}:{closed.logged.line}")


def test_a_hit_is_the_whole_entry_with_what_is_nested(workspace: Workspace) -> None:
    put(
        workspace,
        f"memory/{DAY}.md",
        "# Friday\n\n## Garden\n\n- 09:14 [decision] Gravel !7 #path\n  - from the quarry\n- next\n",
    )

    (hit,) = workspace.search("quarry").hits

    assert (hit.unit.line, hit.unit.end_line) == (5, 6)
    assert hit.text == "- 09:14 [decision] Gravel !7 #path\n  - from the quarry"
    assert (hit.at, hit.unit.kind, hit.unit.importance, hit.unit.tags) == (f"{DAY}T09:14", "decision", 7, ("path",))
    assert hit.unit.headings == ("Friday", "Garden")


@pytest.mark.parametrize("question", SIGNS)
def test_any_text_is_a_question(workspace: Workspace, question: str) -> None:
    put(workspace, f"memory/{DAY}.md", "- nothing of the kind\n")

    workspace.search(question or "x")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("鍵は庭の門の下にある", "庭の門"),
        ("钥匙在花园的门下", "花园"),
        ("열쇠는 정원 문 아래에 있다", "정원"),
        ("Der Schlüssel liegt unter dem Tor", "schlussel"),
        ("ключ под воротами", "Ключ"),
        ("see src/app/main.py for it", "src/app/main.py"),
        ("it fails with ERR_1234", "ERR_1234"),
        ("since v2.3 it works", "v2.3"),
        ("the deployment was rolled back", "deploy*"),
    ],
)
def test_every_script_and_name_is_found(workspace: Workspace, text: str, question: str) -> None:
    put(workspace, f"memory/{DAY}.md", f"- {text}\n- something else\n")

    assert found(workspace, question)[0] == f"memory/{DAY}.md:1"


def test_filters_narrow_what_is_found(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-01.md", "- [lesson] owl one #birds/night\n- owl two\n")
    put(workspace, f"memory/{DAY}.md", "- owl three #birds\n")
    put(workspace, "tasks/owls.md", "---\nstatus: open\n---\n# Owl box\n\n- [ ] owl four\n")

    assert found(workspace, "owl", kinds=["lesson"]) == ["memory/2026-11-01.md:1"]
    assert set(found(workspace, "owl", tags=["#Birds"])) == {"memory/2026-11-01.md:1", f"memory/{DAY}.md:1"}
    assert found(workspace, "owl", since=DAY, rooms=["logs"]) == [f"memory/{DAY}.md:1"]
    assert set(found(workspace, "owl", until="2026-11-02", rooms=["logs"])) == {
        "memory/2026-11-01.md:1",
        "memory/2026-11-01.md:2",
    }
    assert set(found(workspace, "owl", task="owls")) == {"tasks/owls.md:1", "tasks/owls.md:6"}
    assert found(workspace, kinds=["lesson"]) == ["memory/2026-11-01.md:1"]
    with pytest.raises(UsageError):
        workspace.search("")
    with pytest.raises(UsageError):
        workspace.search("owl", rooms=["attic"])


def test_what_comes_from_outside_is_a_hit_of_its_own(workspace: Workspace) -> None:
    put(
        workspace,
        f"memory/{DAY}.md",
        "- my own robin\n  - [decision] their robin !9 (via net:chat)\n- mine again, robin\n",
    )

    units = {hit.unit.line: hit.unit for hit in workspace.search("robin").hits}

    assert {line: (unit.src, unit.end_line) for line, unit in units.items()} == {
        1: ("", 1),
        2: ("net:chat", 2),
        3: ("", 3),
    }
    assert (units[2].kind, units[2].importance) == ("", 0)


def test_a_document_and_a_handoff_from_elsewhere_say_so(workspace: Workspace) -> None:
    workspace.event("note", "this machine is a writer")
    put(workspace, "tasks/fence.md", "---\nstatus: open\nsrc: net:chat\n---\n# Fence\n\n- [decision] a plover !9\n")
    put(workspace, "handoffs/2026-11-19.md", "---\nsession: one\n---\n## Next step\n\nThe plover first.\n")

    units = {hit.unit.room: hit.unit for hit in workspace.search("plover").hits}

    assert {room: unit.src for room, unit in units.items()} == {"tasks": "net:chat", "handoffs": "other"}
    assert (units["tasks"].kind, units["tasks"].importance) == ("", 0)


def test_neighbours_and_a_budget(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "- first\n- second\n- wren here\n- fourth\n- " + "wren " * 400 + "\n")

    (hit, *_) = workspace.search("here", context=2).hits
    cut = workspace.search("wren", budget=20)

    assert [one.text for one in hit.before] == ["- first", "- second"]
    assert hit.behind[0].text == "- fourth"
    assert len(cut.hits) == 1
    assert cut.left_out == 1


def test_a_shared_audience_finds_what_it_may_hear(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "# Friday\n\n- a private stork\n\n- 09:00 a shared stork #shared\n")
    put(workspace, "MEMORY.md", "- a stork to keep\n")

    result = workspace.search("stork", audience="shared")

    assert [(hit.unit.line, hit.text) for hit in result.hits] == [(5, "- 09:00 a shared stork #shared")]
    assert any("hidden" in notice for notice in result.notices)


@pytest.mark.parametrize(
    ("line", "longer", "other", "question"),
    [
        (
            "- [ ] Ask Mara for the key of the boathouse by the old mill",
            "- [ ] Ask Mara again for the key of the boathouse by the old mill",
            "- [ ] Ask Tara for the key of the boathouse by the old mill",
            "boathouse key",
        ),
        (
            "- [ ] Спросить Марину про ключ от лодочного сарая у мельницы",
            "- [ ] Спросить Марину снова про ключ от лодочного сарая у мельницы",
            "- [ ] Спросить Дарину про ключ от лодочного сарая у мельницы",
            "ключ от сарая",
        ),
        (
            "- [ ] 水車小屋の鍵を真理さんに聞く",
            "- [ ] 水車小屋の鍵を真理さんに聞く。",
            "- [ ] 屋根の鍵を直す",
            "水車小屋の鍵",
        ),
    ],
)
def test_what_was_carried_over_is_one_hit(
    workspace: Workspace, line: str, longer: str, other: str, question: str
) -> None:
    for day, text in ((16, line), (17, line), (18, longer), (19, line)):
        put(workspace, f"memory/2026-11-{day}.md", f"# Day\n\n- Rain\n{text}\n")
    put(workspace, "memory/2026-11-15.md", f"{line.replace('[ ]', '[x]')}\n{other}\n")

    hits = workspace.search(question).hits

    open_ones = [hit for hit in hits if hit.unit.state == "open" and hit.also]
    assert len(open_ones) == 1
    days = [open_ones[0].unit.day, *(one.day for one in open_ones[0].also)]
    assert sorted(days) == ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"]
    assert days[1:] == sorted(days[1:], reverse=True)
    assert {hit.unit.text for hit in hits} >= {line.replace("[ ]", "[x]"), other}


def test_a_short_hit_tells_what_stands_around_it_in_its_section(workspace: Workspace) -> None:
    section = "- The pump of the pond failed\n- A twig was stuck in it\n"
    many = "".join(f"- Entry {number} about a fence that is long enough to fill a line\n" for number in range(20))
    put(workspace, "memory/pond.md", f"# Notes\n\n## Pond\n\n{section}\n## Fence\n\n{many}\n## Hedge\n\n- Trimmed\n")

    pump = workspace.search("pump failed").hits[0]
    fence = workspace.search("entry 7 fence", k=1).hits[0]
    hedge = workspace.search("trimmed").hits[0]
    both = workspace.search("pump twig").hits

    assert [one.text for one in pump.context] == ["- A twig was stuck in it"]
    assert [one.line for one in fence.context] == [fence.line - 1, fence.line + 1]
    assert hedge.context == []
    assert [hit.context for hit in both] == [[], []]
    assert workspace.search("pump failed", context=1).hits[0].context == []


def test_what_has_its_own_time_is_told_alone(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "# 2026-11-18\n\n- 09:10 The pump failed\n- 09:40 Painted the fence\n")

    assert workspace.search("pump failed").hits[0].context == []


def test_a_question_of_a_day_is_answered_by_that_day_alone(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-17.md", "- What happened on 2026-11-18 was planned here\n")
    put(workspace, "memory/2026-11-18.md", "- The pump failed\n- Painted the fence\n")

    found = workspace.search("what happened on 2026-11-18")

    assert {hit.unit.text for hit in found.hits} == {"- The pump failed", "- Painted the fence"}
    assert found.is_certain
    assert not workspace.search("what happened on 2026-10-02").hits


def test_nothing_is_certain_about_words_that_no_entry_contains(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "# Friday\n\n- The heron of the pond eats frogs\n- Rain\n- Wind\n- Frost\n")

    known = workspace.search("what does the heron of the pond eat: frogs?")
    other = workspace.search("what does the heron of the pond eat: frogs or quinces?")

    assert (known.is_certain, known.unknown_words) == (True, [])
    assert (other.is_certain, other.unknown_words) == (False, ["quinces"])
    assert other.hits[0].unit.text == known.hits[0].unit.text


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("a copy of the map", "copy*"),
        ("a library card", "library*"),
        ("the invoices arrived", "invoices*"),
        ("running late again", "runnin*"),
        ("gardening tools", "gardening*"),
        ("never deploy on Friday", "deploy*"),
        ("Zürich in spring", "züri*"),
    ],
)
def test_a_prefix_finds_for_certain_every_word_that_begins_so(workspace: Workspace, text: str, prefix: str) -> None:
    workspace.log(text)
    workspace.log("the boiler hums")

    hits = workspace.search(prefix)

    assert [text in hit.unit.text for hit in hits.hits] == [True]
    assert hits.is_certain


@pytest.mark.parametrize("cache", ["index", None])
def test_a_prefix_finds_its_word_among_many_newer_ones_that_begin_nearly_so(
    workspace: Workspace, tmp_path: Path, cache: str | None
) -> None:
    newer = "".join(f"- the corner {at} was garnished by the lilac\n" for at in range(300))
    put(workspace, f"memory/{DAY}.md", f"- a copy of the map\n- gardening tools\n- a library card\n{newer}")
    asked = opened(workspace.root, cache=str(tmp_path / cache) if cache else None)

    for prefix, text in (("copy*", "a copy of the map"), ("library*", "a library card"), ("gardening*", "gardening")):
        hits = asked.search(prefix, rooms=["logs"])
        assert [text in hit.unit.text for hit in hits.hits] == [True], prefix
        assert hits.is_certain, prefix


@pytest.mark.parametrize("prefix", ["ERR_12*", "err*", "12*", "設定*"])
def test_a_prefix_finds_codes_and_signs_for_certain(workspace: Workspace, prefix: str) -> None:
    put(workspace, f"memory/{DAY}.md", "- it failed with ERR_1234 at 初期設定\n- a heron\n")

    hits = workspace.search(prefix, rooms=["logs"])

    assert ["ERR_1234" in hit.unit.text for hit in hits.hits] == [True]
    assert hits.is_certain


def test_quoted_words_must_be_adjacent_and_in_order(workspace: Workspace) -> None:
    workspace.log("The garden gate hinges squeak")
    workspace.log("A gate without a garden")

    together = workspace.search('"garden gate"')

    assert (len(together.hits), together.is_certain) == (1, True)
    assert "hinges" in together.hits[0].unit.text
    assert not workspace.search('"garden squeak"').is_certain
    assert not workspace.search('"gate garden"').is_certain


def test_several_questions_are_answered_in_a_row(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "- a crane\n- a goose\n")
    searcher = workspace.search.open()

    assert [searcher.find(word).hits[0].unit.line for word in ("crane", "goose", "crane")] == [1, 2, 1]


def test_who_finds_nothing_within_limits_is_told_them(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "- [lesson] a finch\n")

    found = workspace.search("finch", kinds=["lessons", "rule"], rooms=["logs"], since=DAY)
    whole = workspace.search("heron")

    assert found.hits == whole.hits == []
    assert found.notices == [f"Searched only within these limits: in logs; kind lessons, rule; since {DAY}."]
    assert whole.notices == []


def test_retrieve_speaks_the_words_of_frameworks(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "- [lesson] a finch\n- another finch\n")

    (one,) = workspace.search.retrieve("finch", top_k=5, where={"kind": "lesson"})

    assert one["content"] == "- [lesson] a finch"
    assert one["metadata"]["path"] == f"memory/{DAY}.md"
    assert one["metadata"]["line"] == 1


def test_a_hit_tells_its_place_and_marks_as_retrieve_does(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "- [lesson] a finch #pond\n- another finch (via tool:web)\n")

    found = workspace.search("finch")
    told = [{"content": hit.text, "score": hit.score, "metadata": hit.metadata} for hit in found]

    assert len(found) == 2
    assert not workspace.search("heron")
    assert told == workspace.search.retrieve("finch")
    assert {hit.path for hit in found} == {f"memory/{DAY}.md"}
    first, second = sorted((hit.metadata for hit in found), key=lambda marks: str(marks["line"]))
    assert (first["kind"], first["tags"], second["source"]) == ("lesson", ["pond"], "tool:web")


WRONG = (
    ({"top_k": 0}, "top_k must be 1 to 1000, not 0."),
    ({"top_k": 1001}, "top_k must be 1 to 1000, not 1001."),
    ({"top_k": "3"}, "top_k must be 1 to 1000, not '3'."),
    ({"where": ["kind"]}, "where must be a dict, not list."),
)


def test_retrieve_names_its_own_arguments_where_they_are_wrong(workspace: Workspace) -> None:
    for named, message in WRONG:
        with pytest.raises(UsageError) as caught:
            workspace.search.retrieve("finch", **named)  # type: ignore[arg-type]
        assert caught.value.message == message


def test_retrieve_tells_what_stands_beside_a_short_memory(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "## Pond\n\n- a finch\n- it is green\n")

    (one,) = workspace.search.retrieve("finch", top_k=1)

    assert one["metadata"]["context"] == ["- it is green"]


def test_a_fact_is_stored_and_retrieved_with_the_same_metadata(workspace: Workspace) -> None:
    workspace.remember("Gravel sinks into clay", metadata={"source": "tool:web", "section": None})

    (one,) = workspace.search.retrieve("gravel clay", top_k=1)

    assert one["content"] == "- Gravel sinks into clay (via tool:web)"
    assert (one["metadata"]["source"], one["metadata"]["room"]) == ("tool:web", "memory")
    for wrong in ({"colour": ["red"]}, {"source": 5}):
        with pytest.raises(UsageError):
            workspace.remember("Gravel", metadata=wrong)


def test_without_a_folder_for_the_index_the_same_is_found(workspace: Workspace, tmp_path: Path) -> None:
    put(workspace, f"memory/{DAY}.md", "- a lark\n- a lark and a tit\n")
    bare = opened(workspace.root, cache=None)

    assert found(bare, "lark tit") == found(opened(workspace.root, cache=str(tmp_path / "c")), "lark tit") != []


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    Workspace.init(str(tmp_path / "w"), environment=Environment(cache=None), name="Robin", git=False)
    return opened(str(tmp_path / "w"), cache=str(tmp_path / "cache"))


def test_a_line_of_a_log_belongs_to_the_task_that_it_names(workspace: Workspace) -> None:
    workspace.log("The heron fence is white", task="fence")
    workspace.log("The heron fence is high")

    assert found(workspace, "heron", task="fence") == [f"memory/{DAY}.md:3"]


@pytest.mark.parametrize("limit", [{"kinds": ""}, {"kinds": " "}, {"tags": ""}, {"rooms": ""}, {"task": ""}])
def test_an_empty_limit_is_none(workspace: Workspace, limit: dict[str, str]) -> None:
    workspace.log("Water the ferns", kind="decision")

    assert len(workspace.search("ferns", **limit).hits) == 1
