import tomllib

import pytest
from hypothesis import given, settings, strategies as st

from agentws.core.formats import manifest
from agentws.errors import AgentwsError, DamagedError, FormatVersionError, TooLargeError

HEAD = 'format = 1\nid = "abc"\nname = "Robin"\ntimezone = "UTC"\ncreated = "2026-11-20"\n'
VALUES = {"boot.context": "blog", "boot.budget": 1234, "boot.pinned": ["a.md", 'q"\\\n.md', "ü.md"],
          "history.commits": "off", "log.heading": "Log 🦊"}  # fmt: skip
LINES = st.sampled_from(
    [
        "",
        "# a comment",
        "x = 1",
        "y = [",
        "  1, # one",
        "  2,",
        "]",
        "[boot]",
        "[boot] # with a comment",
        "[log]",
        "[other]",
        "[ boot ]",
        "[boot.deep]",
        "[[list]]",
        'context = "old"',
        'context = "old"   # why',
        "context = 'old'",
        "budget = 8_000",
        'pinned = ["a", # one',
        '  "b"]',
        "pinned = [",
        '"c",',
        'boot.context = "x"',
        "boot = 1",
        'boot = {context = "a"}',
        'text = """',
        '"""',
        "context = 1 \\",
        "\ttabbed = true",
        "  context = 'indented'",
        '"context" = "quoted"',
        "é = 1",
        '"ключ" = "знач"',
        "commits = 'ref'",
        "[history]",
        "budget=5#c",
        "z = {a = 1}",
        "d = 2026-11-20",
        "n = nan",
        'heading = "a # b"',
        "heading = '''",
        "[vocabulary]",
        "[vocabulary.kinds]",
        "kinds = 1",
        'open = ["a"]',
        "open = [1]",
        "'''",
    ]
)


def _tables(text: str) -> dict:
    return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))


@given(
    lines=st.lists(LINES, max_size=10), newline=st.sampled_from(["\n", "\r\n"]), bom=st.sampled_from(["", "\ufeff"]),
    last=st.booleans(), key=st.sampled_from(sorted(VALUES)),
)  # fmt: skip
@settings(max_examples=800)
def test_a_setting_is_changed_alone_or_not_at_all(
    lines: list[str], newline: str, bom: str, last: bool, key: str
) -> None:
    text = bom + (HEAD + "\n".join(lines)).replace("\n", newline) + (newline if last else "")
    try:
        before = _tables(text)
    except tomllib.TOMLDecodeError:
        before = None
    try:
        after = manifest.with_setting(text, key, VALUES[key], where="agentws.toml")
    except DamagedError:
        return

    assert before is not None
    section, _, name = key.partition(".")
    before.setdefault(section, {})[name] = VALUES[key]
    assert _tables(after) == before
    assert after.startswith(bom)
    if newline == "\r\n":
        assert after.count("\n") == after.count("\r\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[boot]\ncontext = "old"\n', '[boot]\ncontext = "blog"\n'),
        ('[boot]\ncontext = "old"  # why\nx = 1\n', '[boot]\ncontext = "blog"  # why\nx = 1\n'),
        ('[boot]\n  context="a#b"# c\n', '[boot]\n  context = "blog"# c\n'),
        ("[boot]\ncontext = 'old'", '[boot]\ncontext = "blog"'),
        ("[boot]", '[boot]\ncontext = "blog"\n'),
        ("[boot]\nbudget = 900\n\n[log]\n", '[boot]\nbudget = 900\ncontext = "blog"\n\n[log]\n'),
        ("# the end", '# the end\n\n[boot]\ncontext = "blog"\n'),
        ('[boot]\ncontext = """\nold # no comment\n""" # why\ny = 2\n', '[boot]\ncontext = "blog" # why\ny = 2\n'),
        ('\n# a\n[boot]# b\n# c\ncontext = ""\n# d\n', '\n# a\n[boot]# b\n# c\ncontext = "blog"\n# d\n'),
    ],
)  # fmt: skip
def test_all_other_bytes_stay_with_comments_line_ends_and_indent(before: str, after: str, newline: str) -> None:
    text, wanted = ((HEAD + part).replace("\n", newline) for part in (before, after))

    assert manifest.with_setting(text, "boot.context", "blog", where="agentws.toml") == wanted


def test_a_list_over_several_lines_is_replaced_as_a_whole() -> None:
    text = HEAD + '[boot]\npinned = [\n  "a]", # one ]\n  \'b"\',\n] # end\nbudget = 900\n'

    after = manifest.with_setting(text, "boot.pinned", ["c"], where="agentws.toml")

    assert after == HEAD + '[boot]\npinned = ["c"] # end\nbudget = 900\n'


@pytest.mark.parametrize(
    "line", ['boot.context = "x"', "boot = 1", 'boot = {context = "a"}', "[[boot]]", '[boot]\n"context" = "a"']
)
def test_a_section_written_in_another_way_is_left_alone(line: str) -> None:
    with pytest.raises(DamagedError):
        manifest.with_setting(HEAD + line + "\n", "boot.context", "blog", where="agentws.toml")


@given(
    name=st.text(st.characters(exclude_categories=["Cs"])),
    pinned=st.lists(st.text(st.characters(exclude_categories=["Cs"]))),
)
def test_a_new_manifest_reads_back_as_itself(name: str, pinned: list[str]) -> None:
    text = manifest.encode_new(
        agent_id="abc", name=name, timezone="Europe/Berlin", created="2026-11-20", settings={"boot.pinned": pinned}
    )

    read = manifest.decode(text.encode(), where="agentws.toml")

    assert (read.agent_id, read.name, read.timezone, read.text) == ("abc", name, "Europe/Berlin", text)
    assert read.setting("boot.pinned") == pinned
    assert read.setting("boot.budget") == 8000


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_a_manifest_or_an_error_of_ours(data: bytes, headed: bool) -> None:
    try:
        manifest.decode((HEAD.encode() if headed else b"") + data, where="agentws.toml")
    except AgentwsError as error:
        said = error.message
    else:
        said = "agentws.toml"
    assert "agentws.toml" in said


@pytest.mark.parametrize(
    "tail",
    [
        "x = " + "1" * 5000,
        "x = " + "[" * 5000,
        "a" + ".a" * 5000 + " = 1",
        "requires = 1",
        "requires = {read = 1}",
        "[boot]\nprivate_tags = 'family'",
        "name = 1",
    ],
)
def test_what_makes_no_sense_is_damage(tail: str) -> None:
    with pytest.raises(DamagedError, match=r"agentws\.toml"):
        manifest.decode((HEAD.replace('name = "Robin"\n', "") + tail).encode(), where="agentws.toml")


def test_a_manifest_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLargeError):
        manifest.decode(HEAD.encode() + b"# x\n" * 20_000, where="agentws.toml")


def test_many_pinned_files_on_one_line_are_not_taken_for_a_bomb() -> None:
    pinned = [f"notes/v1.{number}.md" for number in range(2000)]
    text = manifest.encode_new(agent_id="a", name="b", timezone="UTC", created="", settings={"boot.pinned": pinned})

    assert manifest.decode(text.encode(), where="agentws.toml").setting("boot.pinned") == pinned


@pytest.mark.parametrize(
    "line", ["format = 2", "format = true", "format = '1'", 'format = 1\nrequires = {read = ["x"]}']
)
def test_another_format_is_no_damage_but_a_version(line: str) -> None:
    with pytest.raises(FormatVersionError):
        manifest.decode(line.encode(), where="agentws.toml")


@pytest.mark.parametrize("text", ["", "\n", 'id = "x"\n'])
def test_a_manifest_that_a_power_cut_has_emptied_is_damage(text: str) -> None:
    with pytest.raises(DamagedError, match=r"does not begin with `format = 1`") as raised:
        manifest.decode(text.encode(), where="agentws.toml")

    assert "agentws restore agentws.toml" in (raised.value.hint or "")


def test_a_manifest_holds_words_of_its_own() -> None:
    text = HEAD + '[vocabulary]\nopen = ["Nachlese"]\n[vocabulary.kinds]\nrule = ["Merksatz"]\n'
    made = manifest.decode(text.encode(), where="m")

    assert made.vocabulary == {"open": ["Nachlese"], "kinds.rule": ["Merksatz"]}
    assert made.unknown_settings == ()
    assert manifest.restored(made.plain(), text.encode()).vocabulary == made.vocabulary
    assert manifest.decode(HEAD.encode(), where="m").vocabulary == {}


def test_words_of_earlier_versions_are_read_where_they_have_a_use() -> None:
    text = (
        HEAD
        + '[vocabulary.headings]\nopen = ["Nachlese …"]\ndone = ["geerntet"]\n'
        + '[vocabulary.markers]\ntodo = ["Pflicht"]\nrule = ["Merksatz"]\nnone = ["fast"]\n'
        + '[vocabulary.items]\nnothing = ["alles ruhig"]\n'
    )
    made = manifest.decode(text.encode(), where="m")

    assert made.vocabulary == {"open": ["Nachlese …"], "todo": ["Pflicht"], "kinds.rule": ["Merksatz"]}
    assert made.unknown_settings == ()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("vocabulary = 1", "m:1: vocabulary must be a table."),
        ("[vocabulary]\nkinds = []", "m:7: vocabulary.kinds must be a table."),
        ('[vocabulary]\nrules = "x"', "m:7: vocabulary.rules must be a list of texts."),
        ("[vocabulary.kinds]\nrule = [1]", "m:7: vocabulary.kinds.rule must be a list of texts."),
        ("[vocabulary.markers]\nrule = [1]", "m:7: vocabulary.markers.rule must be a list of texts."),
    ],
)
def test_words_that_are_no_lists_of_texts_are_damage_with_a_line(table: str, says: str) -> None:
    text = f"{table}\n{HEAD}" if table.startswith("vocabulary") else f"{HEAD}{table}\n"
    with pytest.raises(DamagedError) as caught:
        manifest.decode(text.encode(), where="m")
    assert caught.value.message == says


def test_kinds_that_do_not_exist_are_kept_and_named() -> None:
    text = HEAD + '[vocabulary]\nopne = ["x"]\n[vocabulary.kinds]\nidea = ["y"]\n'
    made = manifest.decode(text.encode(), where="m")

    assert made.unknown_settings == ("vocabulary.kinds.idea", "vocabulary.opne")
    assert made.vocabulary == {}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("[boot]\nbudget = '5'", "m:7: boot.budget must be a whole number. agentws now uses 8000."),
        ("[boot]\nbudget = true", "m:7: boot.budget must be a whole number. agentws now uses 8000."),
        ("[boot]\npinned = [1]", "m:7: boot.pinned must be a list of texts. agentws now uses []."),
        (
            '[identity]\nmode = "warn"\n[compaction]\nmode = "propse"',
            'm:9: compaction.mode must be one of "", marked, propose, auto, not \'propse\'. agentws now uses "".',
        ),
        (
            "[history]\ncommits = 'none'",
            "m:7: history.commits must be one of branch, ref, off, not 'none'. agentws now uses \"off\".",
        ),
        (
            "identity.mode = 'requier'",
            "m:6: identity.mode must be one of warn, require, not 'requier'. agentws now uses \"require\".",
        ),
    ],
)
def test_a_wrong_value_is_read_as_a_safe_one_and_said_with_its_line(table: str, says: str) -> None:
    text = HEAD + table + "\n"
    made = manifest.decode(text.encode(), where="m")
    (key,) = made.wrong

    assert made.wrong[key] == says
    assert made.name == "Robin"
    assert manifest.restored(made.plain(), text.encode()).wrong == made.wrong


def test_other_settings_hold_where_one_is_wrong() -> None:
    text = HEAD + "[boot]\nbudget = 900\n[curation]\nask = 'turns'\n"
    made = manifest.decode(text.encode(), where="m")

    assert (made.setting("boot.budget"), made.setting("curation.ask")) == (900, "session")
    made.check("compaction", "boot")
    with pytest.raises(DamagedError, match=r"curation\.ask must be one of session, turn, never"):
        made.check("curation")
