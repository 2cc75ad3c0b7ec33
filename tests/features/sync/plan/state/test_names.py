from agentws.features.sync.plan.state import moves


def test_names_that_differ_in_case_alone_get_names_of_their_own_and_a_known_one_keeps_its_own() -> None:
    paths = ["knowledge/Notes.md", "knowledge/notes.md", "knowledge/other.md"]
    found = moves.settled(paths, ())
    assert found == {"knowledge/notes.md": found["knowledge/notes.md"]}
    assert found["knowledge/notes.md"].startswith("knowledge/notes-")
    assert found["knowledge/notes.md"].endswith(".md")
    assert [*moves.settled(paths, {"knowledge/notes.md"})] == ["knowledge/Notes.md"]
    assert moves.settled(paths[1:], ()) == {}


def test_a_file_gives_way_to_a_folder_of_its_name() -> None:
    found = moves.settled(["a", "a/b", "A/c"], ())
    assert [*found] == ["a", "a/b"]
    assert found["a/b"] == "A/b"
    assert found["a"].startswith("a-")


def test_one_name_written_in_two_ways_of_unicode_is_one() -> None:
    assert len(moves.settled(["caf\u00e9.md", "cafe\u0301.md"], ())) == 1


def test_what_agentws_reads_by_name_keeps_that() -> None:
    assert [*moves.settled(["Memory/2026-11-20.md", "memory/2026-11-20.md"], {"Memory/2026-11-20.md"})] == [
        "Memory/2026-11-20.md"
    ]
    assert moves.settled(["Memory/a.md", "memory/b.md"], ()) == {"Memory/a.md": "memory/a.md"}
    assert [*moves.settled(["MEMORY.md", "Memory.md"], {"Memory.md"})] == ["Memory.md"]


def test_the_names_that_come_out_are_settled() -> None:
    paths = ["a", "A/b", "a/B", "a/b", "A", "x/y/z", "X/Y/Z", "x/Y", "straße", "STRASSE"]
    found = moves.settled(paths, ())
    after = [found.get(path, path) for path in paths]
    assert len({*after}) == len(paths)
    assert moves.settled(after, ()) == {}
