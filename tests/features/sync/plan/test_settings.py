"""agentws.toml: key by key, comments kept."""

from __future__ import annotations

from agentws.core.formats import toml_edit
from tests.features.sync.plan.sides import SETTINGS, both, text, told

TOML = 'agent = "x"\n\n# Boot\n[boot]\nbudget = 4000  # tokens\nfiles = ["a.md"]\n\n[log]\nheading = "Log"\n'


def test_each_key_is_merged_by_itself() -> None:
    ours = TOML.replace("4000", "5000") + '\n[sync]\nlease = "off"\n'
    theirs = TOML.replace('"Log"', '"Notes"').replace("# Boot", "# Boot, long") + "\n[sync]\nhooks = true\n"

    made = text(SETTINGS, TOML, ours, theirs)

    assert made == (
        TOML.replace("4000", "5000").replace('"Log"', '"Notes"').replace("# Boot", "# Boot, long")
        + '\n[sync]\nhooks = true\nlease = "off"\n'
    )
    assert toml_edit.table(made)["sync"] == {"hooks": True, "lease": "off"}


def test_a_key_that_both_set_keeps_one_value_and_the_other_is_a_conflict() -> None:
    made, conflicts = told(SETTINGS, TOML, TOML.replace("4000", "5000"), TOML.replace("4000", "16000"))

    assert made == TOML.replace("4000", "16000")
    assert conflicts == [("field", "boot.budget", *(f"budget = {count}  # tokens" for count in (4000, 5000, 16000)))]


def test_a_list_is_merged_by_item() -> None:
    ours, theirs = TOML.replace('["a.md"]', '["a.md", "b.md"]'), TOML.replace('["a.md"]', '[\n  "a.md",\n  "c.md",\n]')

    assert text(SETTINGS, TOML, ours, theirs) == TOML.replace('["a.md"]', '["a.md", "b.md", "c.md"]')


def test_what_would_not_parse_or_would_say_something_else_leaves_the_file_whole() -> None:
    for ours, theirs in [
        (b"a = [\n", b"a = 2\n"),
        (b"[t]\na = 1\n", b"t.a = 2\n"),
        (b"a = 1\nb = 2\n", b"a" + b".b" * 1200 + b" = 1\n"),
    ]:
        merged = both(SETTINGS, b"a = 0\n", ours, theirs)
        assert merged.content in (ours, theirs)
        assert [conflict.what for conflict in merged.conflicts] == ["file"]
