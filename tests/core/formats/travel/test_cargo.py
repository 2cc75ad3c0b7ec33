"""What of a tree may travel: modes, git's settings and hooks wherever a repository lies, and what is named."""

from __future__ import annotations

from collections.abc import Mapping

from agentws import features
from agentws.core.formats import digest
from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.inventory import FILE, FOLDER, LINK, TreeEntry
from tests import table

EVIL = b"[core]\n\tfsmonitor = evil\n"


def tree(*told: str, mode: int = 0o644) -> dict[str, TreeEntry]:
    """Entries by their paths: `a/` is a folder, `a@` a link, `a*` may be run; what they lie in comes first."""
    found: dict[str, TreeEntry] = {}
    for text in told:
        path = text.rstrip("/@*")
        for at, char in enumerate(path):
            if char == "/":
                found.setdefault(path[:at], TreeEntry(path[:at], FOLDER, 0o755, 0, 0, ""))
        kind = {"/": FOLDER, "@": LINK}.get(text[-1], FILE)
        rights = 0o755 if text[-1] in "/*" else 0o777 if kind == LINK else mode
        found[path] = TreeEntry(path, kind, rights, 0, len(EVIL) if kind == FILE else 0, "x")
    return found


def loaded(found: Mapping[str, TreeEntry]) -> inventory.Cargo:
    return inventory.load_cargo(found, lambda entry: EVIL, digest.of)


PARTS = ("HEAD", "objects/", "refs/")
WHERE = {
    ".git": tuple(f".git/{part}" for part in PARTS),
    "deep/in/.git": tuple(f"deep/in/.git/{part}" for part in PARTS),
    "bare.git": tuple(f"bare.git/{part}" for part in PARTS),
    "odd name": tuple(f"odd name/{part}" for part in PARTS),
    "": PARTS,
    ".git/modules/sub": tuple(f".git/modules/sub/{part}" for part in PARTS),
    "links": ("links/HEAD@", "links/objects@", "links/refs@"),
    "tree": ("tree/HEAD", "tree/commondir"),
    "Loud": ("Loud/Head", "Loud/OBJECTS/", "Loud/Refs/"),
    "common": ("common/objects/", "common/refs/", "tree/HEAD", "tree/commondir"),
}


def test_settings_and_hooks_of_every_repository_are_found_wherever_it_lies() -> None:
    def check(row: tuple[str, tuple[str, ...]]) -> None:
        where, parts = row
        within = f"{where}/" if where else ""
        more = (f"{within}config", f"{within}config.worktree", f"{within}hooks/", f"{within}hooks/pre-commit*")
        done = loaded(tree(*parts, *more, f"{within}hooks/post-checkout@", f"{within}hooks/a.sample*", "config"))
        for name in ("config", "config.worktree"):
            assert done.texts[f"{within}{name}"] == b""
            assert done.entries[f"{within}{name}"].content == digest.of(b"")
        assert [path for path in done.entries if "hooks/" in path] == [f"{within}hooks/a.sample"]
        assert len(done.stripped) == len(done.texts) + 2
        assert ("config" in done.texts) == (where == ""), "a file of the user's that is called so is left alone"

    table.holds(check, WHERE.items())


def test_what_belongs_to_one_machine_stays_there_at_any_depth() -> None:
    found = tree("inner/.agentws/state/x/key", "deep/in/.agentws@", "inner/.agentws-notes/a", ".agentwsx/a")

    done = loaded(found)

    assert set(done.entries) == set(found) - {path for path in found if path.endswith("agentws") or "state" in path}
    assert len(done.stripped) == 2


def test_a_link_in_the_place_of_settings_or_hooks_is_not_followed() -> None:
    done = loaded(tree(*WHERE[".git"], ".git/config@", ".git/hooks@"))

    assert done.entries[".git/config"].kind == FILE
    assert ".git/hooks" not in done.entries
    assert len(done.stripped) == 2


def test_no_mode_lends_rights_or_lets_others_write() -> None:
    def check(mode: int) -> None:
        done = loaded(tree("a", mode=mode))
        assert done.entries["a"].mode == mode & 0o755
        assert bool(done.stripped) == bool(mode & 0o6000)

    table.holds(check, range(0o10000))


def test_what_travels_as_it_is_is_the_same_and_again_the_same() -> None:
    found = tree("SOUL.md", "bin/run*", "link@", "study/objects/", "study/refs/", "study/config", ".git/HEAD")

    done = loaded(found)

    assert list(done.entries.values()) == list(found.values())
    assert (done.stripped, done.texts) == ([], {})


def test_what_could_run_something_is_named_and_nothing_else() -> None:
    runs = ["bin/run*", "web/.claude/settings.json", ".vscode/tasks.json", ".opencode/plugin/x.js", "a/.envrc"]
    runs += [".git/rebase-merge/git-rebase-todo", ".git/x*", "like/HEAD", "like/objects/", "like/run*"]
    found = tree(
        *runs, *WHERE[".git"], "SOUL.md", "settings.json", "link@", ".git/hooks/a.sample*", "claude/tasks.json"
    )

    runs = [path.rstrip("*") for path in runs if not path.endswith(("HEAD", "/"))]
    assert sorted(inventory.what_runs(found, features.settings_that_run())) == sorted(runs)
