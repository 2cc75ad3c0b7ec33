from tests.planning.sync.trees import merged


def test_files_that_one_side_changed_are_taken_whichever_side_it_was() -> None:
    base = {"a.md": b"a\n", "b.md": b"b\n", "c.md": b"c\n"}
    ours = {"a.md": b"A\n", "b.md": b"b\n", "new.md": b"n\n"}
    theirs = {"a.md": b"a\n", "b.md": b"B\n", "c.md": b"c\n", "newer.md": b"m\n"}
    after, plan = merged(base, ours, theirs)
    assert after == {"a.md": b"A\n", "b.md": b"B\n", "new.md": b"n\n", "newer.md": b"m\n"}
    assert merged(base, theirs, ours)[0] == after
    assert plan.conflicts == plan.notices == []
    assert [*plan.changes] == ["b.md", "newer.md"]


def test_what_is_the_same_here_is_no_change() -> None:
    files = {"a.md": b"a\n"}
    assert merged({}, files, files)[1].changes == {}


def test_an_edit_stays_where_the_other_side_removed_the_file() -> None:
    base, edited = {"knowledge/a.bin": b"\x00"}, {"knowledge/a.bin": b"\x00\x01"}
    for ours, theirs in [(edited, {}), ({}, edited)]:
        after, plan = merged(base, ours, theirs)
        assert after == edited
        assert [one.what for one in plan.conflicts] == ["removal"]


def test_two_files_whose_names_differ_in_case_alone_both_stay() -> None:
    after, plan = merged({}, {"knowledge/Notes.md": b"mine\n"}, {"knowledge/notes.md": b"yours\n"})
    assert sorted(after.values()) == [b"mine\n", b"yours\n"]
    assert after["knowledge/Notes.md"] == b"mine\n"
    assert len(plan.notices) == 1
    assert merged({}, {"knowledge/notes.md": b"yours\n"}, {"knowledge/Notes.md": b"mine\n"})[0] == after
