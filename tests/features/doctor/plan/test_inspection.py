"""What `doctor` makes of the facts: pure decisions, each with a case where it stays silent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from agentws.core import findings as finding
from agentws.core.findings import ADVICE, PROBLEM, WARNING
from agentws.features.doctor import contents
from agentws.features.doctor.plan import durability, location

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)


def names(found: list[finding.Finding]) -> list[tuple[str, str]]:
    return [(one.name, one.severity) for one in found]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("ext4", []),
        ("overlay", []),
        ("btrfs", []),
        ("", []),
        ("nfs4", [("network-folder", WARNING)]),
        ("cifs", [("network-folder", WARNING)]),
        ("fuse.sshfs", [("network-folder", WARNING)]),
        ("virtiofs", [("shared-folder", ADVICE)]),
        ("tmpfs", [("memory-folder", ADVICE)]),
    ],
)
def test_a_file_system_is_judged_by_its_kind(kind: str, expected: list[tuple[str, str]]) -> None:
    assert names(location.network(kind, "/mnt", "/mnt/robin")) == expected


@pytest.mark.parametrize(
    ("root", "program"),
    [
        ("/home/ada/Dropbox/robin", "Dropbox"),
        ("/Users/ada/Library/CloudStorage/OneDrive-Personal/robin", "a cloud drive"),
        ("/Users/ada/Library/Mobile Documents/com~apple~CloudDocs/robin", "a cloud drive"),
        ("/home/ada/OneDrive - Herons Ltd/robin", "OneDrive"),
        ("/home/ada/Nextcloud/agents/robin", "Nextcloud"),
    ],
)
def test_a_synchronised_folder_is_known_by_its_path(root: str, program: str) -> None:
    assert program in location.synced(root, [])[0].says


def test_an_ordinary_path_is_not_taken_for_a_synchronised_one() -> None:
    assert location.synced("/home/ada/work/dropbox-clone/robin", []) == []


def test_the_nearest_mark_tells_which_program_it_is() -> None:
    marks = [("/home/ada", ".dropbox"), ("/home/ada/agents", ".stfolder")]

    found = location.synced("/home/ada/agents/robin", marks)

    assert "Syncthing" in found[0].says
    assert ".stignore" in found[0].remedy


def test_many_conflict_copies_are_counted() -> None:
    paths = [f"memory/2026-11-{day:02}.sync-conflict-20261119-101112.md" for day in range(1, 31)]

    found = location.conflicts(paths)

    assert len(found) == 21
    assert found[-1].says.startswith("10 more")


@pytest.mark.parametrize("copy", ["SOUL.md~", "SOUL (1).md"])
def test_a_stray_copy_is_advice_where_its_original_is_there(copy: str) -> None:
    assert names(location.conflicts(["SOUL.md", copy])) == [("stray-copy", ADVICE)]
    assert location.conflicts([copy]) == []


def test_a_note_about_a_conflict_is_none_unless_it_stands_beside_its_original() -> None:
    assert location.conflicts(["Herons (conflict at the pond).md"]) == []
    assert names(location.conflicts(["Herons.md", "Herons (conflict at the pond).md"])) == [("conflict-copy", WARNING)]


def test_the_copy_of_a_journal_is_not_for_merging_by_hand() -> None:
    found = location.conflicts(["journal/w/000001.jsonl", "journal/w/000001.sync-conflict-20261119-101112.jsonl"])

    assert "journal verify" in found[0].remedy


@pytest.mark.parametrize(("mode", "expected"), [(0o700, []), (0o600, []), (0o640, [PROBLEM]), (0o604, [PROBLEM])])
def test_what_is_private_is_for_its_user_alone(mode: int, expected: list[str]) -> None:
    found = location.private("/state", [("key", mode)])

    assert [one.severity for one in found] == expected
    assert all(one.remedy == "chmod go= /state/key" for one in found)


def test_a_readable_workspace_is_advice_only_where_others_come_as_far() -> None:
    def look(*, reachable: bool) -> list[tuple[str, str]]:
        return names(location.shared("/home/ada/robin", mode=0o755, reachable=reachable, open_paths=[]))

    assert look(reachable=True) == [("readable", ADVICE)]
    assert look(reachable=False) == []


def test_what_everybody_may_change_is_said_in_a_sentence() -> None:
    def says(*paths: str) -> str:
        return location.shared("/r", mode=0o700, reachable=False, open_paths=paths)[0].says

    assert says("SOUL.md") == "every user of this machine may change this path"
    assert says("SOUL.md", "memory") == "every user of this machine may change this path; same for memory"


def test_a_sticky_folder_is_not_open_to_all() -> None:
    assert location.shared("/tmp/robin", mode=0o1777, reachable=False, open_paths=[]) == []


@pytest.mark.parametrize(
    ("path", "word"),
    [("/a/b-c_d.e", "/a/b-c_d.e"), ("/a b", "'/a b'"), ("-rf", "./-rf"), ("it's", "'it'\"'\"'s'"), ("$(x)", "'$(x)'")],
)
def test_a_path_in_a_remedy_is_one_word_of_a_shell(path: str, word: str) -> None:
    assert location.quoted(path) == word


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("tasks/a.md:3: no such key.", ("tasks/a.md", 3, "no such key.")),
        ("agentws.toml: not UTF-8.", ("agentws.toml", 0, "not UTF-8.")),
        ("git is locked by /x: since then", ("", 0, "git is locked by /x: since then")),
        ("something else", ("", 0, "something else")),
        ("my notes/a b.md:7: odd.", ("my notes/a b.md", 7, "odd.")),
        ("moved to /srv/b, 2026-11-20 12:06: gone", ("", 0, "moved to /srv/b, 2026-11-20 12:06: gone")),
    ],
)
def test_the_place_in_a_message_is_found(message: str, expected: tuple[str, int, str]) -> None:
    assert finding.located(message) == expected


@pytest.mark.parametrize(
    ("ahead", "expected"), [(timedelta(minutes=4), 0), (timedelta(minutes=6), 1), (timedelta(days=-9), 0)]
)
def test_an_event_of_the_future_makes_the_clock_doubtful(ahead: timedelta, expected: int) -> None:
    assert len(durability.future_events(NOW, (NOW + ahead).isoformat(), "w:1")) == expected


def test_a_time_that_is_none_proves_nothing() -> None:
    assert durability.future_events(NOW, "yesterday", "w:1") == []
    assert durability.made_later(NOW, "", "agentws.toml") == []


def test_zones_with_another_name_and_the_same_time_are_one() -> None:
    there = NOW.astimezone(timezone(timedelta(0), "GMT"))

    assert durability.zones(NOW, there, own_zone="Europe/London", zone="UTC", manifest="agentws.toml") == []


@pytest.mark.parametrize(
    "line",
    [
        "1. Read `SOUL.md` — it says who you are",
        "- Always read USER.md first",
        "Open memory/YYYY-MM-DD.md (today and yesterday)",
        "- Also load **MEMORY.md** in the main session",
        "Review today's log before you begin",
    ],
)
def test_an_order_to_read_what_boot_shows_is_found(line: str) -> None:
    assert names(contents.orders("AGENTS.md", f"# Work\n\n{line}\n")) == [("read-again", ADVICE)]


@pytest.mark.parametrize(
    "line",
    [
        "- Do not read SOUL.md aloud",
        "- Long-term facts go to MEMORY.md, in a few words that can be read alone.",
        "- You need not open USER.md: it was read already",
        "- Read the manual. SOUL.md is about you.",
        "```\nRead SOUL.md\n```",
        "- Read the README.md of each project",
    ],
)
def test_other_words_about_these_files_are_no_orders(line: str) -> None:
    assert contents.orders("AGENTS.md", f"# Work\n\n{line}\n") == []


def test_a_lock_of_git_is_old_after_ten_minutes() -> None:
    assert durability.git_lock("/r/.git/index.lock", age_s=599) == []
    assert "2 hours" in durability.git_lock("/r/.git/index.lock", age_s=7300)[0].says


def test_history_says_one_thing_at_a_time() -> None:
    def look(
        *, failure: str = "", kept: bool = True, gone: bool = False, remotes: bool = True
    ) -> list[tuple[str, str]]:
        told = durability.history(failure=failure, kept=kept, gone=gone, why_not="off", remotes=remotes, ref="HEAD")
        return names(told)

    assert look() == []
    assert look(remotes=False) == [("no-remote", ADVICE)]
    assert look(kept=False, remotes=False) == [("no-history", ADVICE)]
    assert look(kept=False, gone=True, remotes=False) == [("repository-gone", WARNING)]
    assert look(failure="yesterday", kept=True, remotes=False) == [("history-failing", PROBLEM)]
