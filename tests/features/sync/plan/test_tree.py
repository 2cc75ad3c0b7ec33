from tests.features.sync.plan.trees import merged


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


def test_a_conflict_that_one_side_resolved_is_over() -> None:
    record = {"conflicts/0a1b2c3d.json": b'{"at":"1"}\n', "conflicts/0a1b2c3d/1-a.png": b"\x00"}
    again = {**record, "conflicts/0a1b2c3d.json": b'{"at":"2"}\n'}
    for ours, theirs in [(record, {}), ({}, record), (again, {}), ({}, again)]:
        assert merged(record, ours, theirs)[0] == {}


def test_a_conflict_that_both_found_is_one() -> None:
    one, other = ({"conflicts/0a1b2c3d.json": b'{"at":"%d"}\n' % number} for number in (1, 2))
    assert merged({}, one, other)[0] == merged({}, other, one)[0] == one
    assert merged({}, one, other)[1].conflicts == []


def test_of_what_one_side_took_away_no_conflict_keeps_what_it_was() -> None:
    path = "contexts/garden.md"
    base, edited = {path: b"# Garden\n\nThe old words stand here.\n"}, {path: b"# Garden\n\nThe new words.\n"}
    for ours, theirs in [(edited, {}), ({}, edited)]:
        after, plan = merged(base, ours, theirs)
        assert after == edited
        assert [(one.what, one.base) for one in plan.conflicts] == [("removal", None)]


def test_a_page_that_compaction_makes_goes_line_by_line() -> None:
    page = "memory/digest.md"
    head = b"# Digest of the logs\n\nFrom archived logs: the open items, and the newest list of next steps.\n"
    base = {page: head + b"\n## 2026-W36\n\n- 2026-09-01 One\n- 2026-09-02 Two\n"}
    more = {page: base[page] + b"- 2026-09-03 Three\n"}
    for ours, theirs in [(more, {}), ({}, more)]:
        after, plan = merged(base, ours, theirs)
        assert after == {page: head + b"\n## 2026-W36\n\n- 2026-09-03 Three\n"}
        assert plan.conflicts == []
    assert merged(base, {}, base)[0] == {}
    fewer = {page: base[page].replace(b"- 2026-09-01 One\n", b"")}
    assert merged(base, fewer, {})[0] == {}


def test_whatever_the_files_hold_nothing_raises() -> None:
    rows = [
        b"{",
        b"[1]\n",
        b'{"entry":[],"sources":[[1,2]]}\n',
        b'{"path":1,"sha256":2}\n',
        b'{"sources":[[',
        b"\xff\x00",
    ]
    rows += [
        b'{"path":"memory/a.md","to":"memory/archive/a.md","day":"2026-09-01","sha256":"0","size":"x","lines":3}\n'
    ]
    rows += [b'{"entry":"x","sources":[["memory/2026-09-01.md",-5,900000000,"0"]]}\n', b'{"waits":{},"text":[]}\n']
    paths = ["memory/sources.jsonl", "memory/archive/2026/2026-09.jsonl", "memory/archive/superseded.md", "MEMORY.md"]
    paths += ["memory/digest.md", "memory/proposed.md", "agentws.toml", "tasks/a.md", "memory/2026-09-01.2.md"]
    log = {"memory/2026-09-01.md": b"- 07:15 one\n"}
    for path in paths:
        for row in rows:
            for other in (b"", row * 2, b"other\n"):
                for base in ({}, {path: b"base\n"}, {path: row}):
                    ours, theirs = (
                        {path: row, **log},
                        {path: other, "memory/archive/2026/2026-09-01.md": b"- 07:15 one\n"},
                    )
                    assert merged(base, ours, theirs)[0] == merged(base, theirs, ours)[0]
