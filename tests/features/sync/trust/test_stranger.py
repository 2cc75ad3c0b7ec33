"""A machine that nobody vouched for writes anything to the remote: readers answer as if it had never been synced."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.errors import MayNotWriteError, NeedsYouError
from agentws.features.sync.join import join
from agentws.workspace import Environment, Workspace
from tests import table
from tests.features.sync.conftest import Machines
from tests.features.sync.trust.test_forged_journal import behind, forge

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="NOT TESTED: keys; ssh-keygen is not here")

NOBODY = "006b0070611a6f64"
MINE, THEIRS = "The roof has 300 tiles", "Mallory takes the deposit"
SETTINGS = {
    "retention.archive": "1d",
    "retention.handoffs": "1d",
    "journal.keep": "1d",
    "recall.prompt": "true",
    "sync.hooks": "true",
    "boot.budget": "300",
    "boot.pinned": "memory/pinned.md",
    "boot.private_tags": "nothing",
    "log.folders": "journals",
    "history.commits": "off",
    "compaction.before": "1d",
    "handoff.ask": "off",
    "identity.mode": "require",
}


def settled(machines: Machines) -> Workspace:
    """A machine with one of each document, which has synced."""
    desk = machines.first(git=False)
    desk.log(MINE)
    desk.log("The user is allergic to nuts [rule] !9")
    desk.todo("order the tiles")
    desk.remember("Sam drinks tea")
    desk.tasks.add("Mend the roof", steps=["order tiles", "lay tiles"])
    desk.remember("The forum says that nuts are harmless", via="web:forum")
    desk.checkpoints.save("mend-the-roof", {"row": 3})
    desk.contexts.new("holiday")
    desk.ask("Pay the deposit?", action={"tool": "pay", "amount": 250})
    desk.handoff(doing="planned the roof", next="ask Sam about the colour")
    desk.sync(str(machines.stick))
    return machines.opened("desk")


def without_quotes(text: str) -> str:
    """What boot says as its own: neither notices nor quoted lines, without the frame's mark and the count of tokens."""
    lines = [line for line in text.split("\n") if "other:" not in line and "⚠" not in line]
    return re.sub(r" \[[a-z]+\](?=$| belong)|[\d,]+ of [\d,]+ tokens", "", "\n".join(lines), flags=re.MULTILINE)


def views(desk: Workspace) -> dict[str, object]:
    """What the readers of a workspace answer."""
    return {
        "boot": without_quotes(desk.boot().text),
        "search": [
            (hit.path, hit.line, hit.text)
            for word in ("roof", "deposit", "nuts")
            for hit in desk.search(word).hits
            if not hit.unit.src.startswith("other:")
        ],
        "todo": [(row.text, row.state) for row in desk.todos().rows],
        "ask": [(one.id, one.question, one.status, one.is_usable) for one in desk.approvals.list()],
        "compact": [
            (change.path, type(change).__name__) for change in desk.memory.compact(dry_run=True).changes.changes
        ],
        "settings": [(one.key, one.value) for one in desk.config.list().settings],
        "handoffs": [(row.name, row.status) for row in desk.handoff.list().rows],
        "tasks": [(one.slug, one.status) for one in desk.tasks.list(all=True).tasks],
        "files": {
            path: data
            for path, data in files(desk).items()
            if not path.startswith(("journal/", "identity/", "approvals/.", ".agentws", ".git"))
        },
    }


def files(desk: Workspace) -> dict[str, bytes]:
    root = Path(desk.root)
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def edits(name: str, change: Callable[[str], str]) -> Callable[[Workspace], object]:
    """Change a file of the stranger by hand; where `name` is a folder, each file in it."""

    def made(there: Workspace) -> None:
        at = Path(there.root) / name
        for path in sorted(at.glob("*.*")) if at.is_dir() else [at]:
            path.write_text(change(path.read_text()))

    return made


def sets(there: Workspace) -> None:
    for key, value in SETTINGS.items():
        if key != "identity.mode":
            there.config.set(key, value)
    there.config.set("identity.mode", "require")


def removes(there: Workspace) -> None:
    for name in ("MEMORY.md", "SOUL.md", "handoffs", "tasks", "approvals"):
        path = Path(there.root) / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()


WAYS: dict[str, Callable[[Workspace], object]] = {
    "handoff": lambda it: it.handoff(doing=THEIRS, next=THEIRS),
    "settings": sets,
    "settings by hand": edits("agentws.toml", lambda text: f'{text}\n[retention]\narchive = "1d"\n'),
    "memory": lambda it: it.remember(THEIRS),
    "memory, a fact gone": edits("MEMORY.md", lambda text: text.replace("Sam drinks tea", THEIRS)),
    "memory, marks gone": edits("MEMORY.md", lambda text: re.sub(r" \(via [^)]*\)", "", text)),
    "origins": edits("memory", lambda text: re.sub(r" \(via [^)]*\)|\"src\":\"[^\"]*\",?", "", text)),
    "soul": edits("SOUL.md", lambda text: f"{text}\n{THEIRS}\n"),
    "log": lambda it: it.log(f"{THEIRS} [rule] !10"),
    "log, a line gone": edits("memory", lambda text: text.replace(MINE, THEIRS)),
    "todo": lambda it: it.todo(THEIRS),
    "todo done": lambda it: it.done("order the tiles"),
    "task": lambda it: it.tasks.add(THEIRS),
    "task done": lambda it: it.tasks.cancel("mend-the-roof", THEIRS),
    "request": lambda it: it.ask(THEIRS, action={"tool": "pay", "amount": 9_000}),
    "answer": edits("approvals", lambda text: text.replace("status: pending", "status: approved")),
    "answer, recorded": lambda it: it.approvals.decide("", approve=False),
    "context": lambda it: it.contexts.use("holiday"),
    "checkpoint": lambda it: it.checkpoints.save("mend-the-roof", {"row": 9}),
    "decision": lambda it: it.event("decision", THEIRS, importance=10),
    "compaction": lambda it: it.memory.compact(),
    "forgetting": lambda it: it.memory.forget(matching=["tiles"], confirm=True),
    "all gone": removes,
    "new file": lambda it: (Path(it.root) / "memory" / "plans.md").write_text(f"# Plans\n\n- {THEIRS}\n"),
}


@pytest.mark.parametrize("way", WAYS)
def test_readers_answer_as_if_the_stranger_had_never_been_synced(machines: Machines, way: str) -> None:
    desk = settled(machines)
    stranger = machines.another("stranger", known=False)
    WAYS[way](stranger)
    stranger.sync()
    before = views(desk)

    with pytest.raises(MayNotWriteError, match="requires a vouch"):
        machines.opened("desk").sync()

    desk = machines.opened("desk")
    assert views(desk) == before
    assert "1 writer not vouched for. A person runs: agentws identity verify" in desk.boot().text
    assert any("requires a vouch" in str(one.failed) for one in desk.sync.list())


def forged(desk: Workspace) -> dict[str, bytes]:
    """A forged file for each that a machine has, and one of each kind that it lacks."""
    own = {path: data for path, data in files(desk).items() if not path.startswith(".") and "/." not in path}
    writer = desk.identity.show().writer
    (segment,) = [data for path, data in own.items() if path == f"journal/{writer}/000001.jsonl"]
    event = behind(segment, "decision", {"v": 1, "text": THEIRS})
    told = {
        path: data.replace(MINE.encode(), THEIRS.encode()) + f"\n- {THEIRS}\n".encode() for path, data in own.items()
    }
    told[layout.MANIFEST] = own[layout.MANIFEST] + b'\n[retention]\narchive = "1d"\n[sync]\ninclude = ["**"]\n'
    told |= dict.fromkeys((f"journal/{writer}/000001.jsonl", f"journal/{NOBODY}/000001.jsonl"), event)
    line = f"- [rule] {THEIRS} !10\n".encode()
    front = f"---\nstatus: open\nsession: s9\n---\n# {THEIRS}\n\n## Next\n\n- {THEIRS}\n".encode()
    row = json.dumps(
        {"entry": "0" * 16, "kind": "rule", "writer": NOBODY, "key": f"ssh-ed25519 AAAA {THEIRS}"}
    ).encode()
    told |= dict.fromkeys((*layout.AGENT_FILES, *layout.HOST_FILES, "docs/plans.md"), line)
    told |= dict.fromkeys((f"memory/{day}.md" for day in ("2026-11-20", "2026-11-21", "plans", "pinned")), line)
    told |= dict.fromkeys(
        ("memory/archive/2025/2025-01-01.md", layout.DIGEST, layout.OLD_DIGEST, layout.SUPERSEDED), line
    )
    told |= dict.fromkeys((f"{folder}/theirs.md" for folder in FOLDERS), front)
    told |= dict.fromkeys((layout.SOURCES, layout.WRITERS, layout.KEPT_OUT, layout.RETIRED), row)
    told |= dict.fromkeys((layout.SIGNERS, layout.APPROVERS, f"{layout.APPROVERS}.sig", layout.RULES), row)
    told |= {layout.RULES_SIGNATURE: row, f"{layout.CHECKPOINTS}/mend-the-roof/000009-aaaaaa.json": b'{"state": 9}'}
    told |= {f"{layout.CHECKPOINTS}/blobs/{'a' * 64}": b"9", f"journal/{writer}/000002.jsonl": event}
    return told


FOLDERS = (layout.TASKS, layout.CONTEXTS, layout.HANDOFFS, layout.APPROVALS, layout.CONFLICTS)


def test_a_file_of_any_kind_that_a_stranger_forges_or_removes_changes_no_answer(machines: Machines) -> None:
    desk = settled(machines)
    every = forged(desk)
    before, chance = views(desk), random.Random(39)
    draws: list[dict[str, bytes | None]] = [{**every}, dict.fromkeys(every)]
    for _ in range(4):
        some = chance.sample(sorted(every), 12)
        draws.append({path: chance.choice((every[path], None, b"", b"\xff\x00", every[path] * 2)) for path in some})

    def check(draw: dict[str, bytes | None]) -> None:
        forge(machines, {**draw, layout.MANIFEST: draw.get(layout.MANIFEST) or every[layout.MANIFEST]}, by=NOBODY)
        with pytest.raises(MayNotWriteError, match="requires a vouch"):
            machines.opened("desk").sync()
        assert views(machines.opened("desk")) == before

    table.holds(check, draws)


@pytest.mark.parametrize("way", WAYS)
def test_one_step_lets_the_second_machine_of_a_user_in(machines: Machines, way: str) -> None:
    desk = settled(machines)
    laptop = machines.another("laptop", known=False)
    WAYS[way](laptop)
    laptop.sync()
    asked = laptop.identity.request_vouch()

    desk.identity.vouch(asked.writer, key=asked.key)
    desk.sync()
    laptop = machines.opened("laptop")
    if way != "settings":  # under `require` the laptop learns first that it may write
        laptop.sync()
        desk.sync()

    assert "not vouched" not in machines.opened("desk").boot().text
    assert desk.sync.list()[0].failed == ""


@pytest.mark.parametrize("mode", ["warn", "require"])
def test_a_journal_of_a_known_writer_gains_nothing_by_a_stranger(machines: Machines, mode: str) -> None:
    desk = settled(machines)
    other = machines.another("laptop")
    other.event("note", "rang the office")
    other.sync()
    desk.config.set("identity.mode", mode)
    desk.sync()
    path = f"journal/{other.identity.show().writer}/000001.jsonl"
    lines = (machines.root("desk") / path).read_bytes()
    forged = behind(lines, "decision", {"v": 1, "text": THEIRS})
    before = views(machines.opened("desk"))

    forge(machines, {path: forged, f"journal/{NOBODY}/000001.jsonl": forged}, by=NOBODY)
    with pytest.raises(MayNotWriteError, match="requires a vouch"):
        desk.sync()

    assert (machines.root("desk") / path).read_bytes() == lines
    assert views(machines.opened("desk")) == before


def test_the_settings_of_a_stranger_are_named_and_set_one_by_one(machines: Machines) -> None:
    desk = settled(machines)
    before = [(one.key, one.value) for one in desk.config.list().settings]
    stranger = machines.another("stranger", known=False)
    stranger.config.set("retention.archive", "1d")
    stranger.config.set("recall.prompt", "true")
    stranger.log("Rang the office")
    (done,) = stranger.sync()

    with pytest.raises(MayNotWriteError) as refused:
        desk.sync()
    before_accepted = machines.opened("desk").boot().text
    failing = str([one.says for one in desk.doctor().findings] + [check.says for check in desk.status().checks])
    (accepted,) = desk.sync(accept=done.commit[:12])

    told = 'recall.prompt = true, retention.archive = "1d"'
    assert told in refused.value.message
    (line,) = [line for line in before_accepted.split("\n") if "would set" in line]
    assert told in line
    assert line.endswith("A person runs: agentws sync")
    assert told in failing
    assert any('recall.prompt = true, retention.archive = "1d"' in notice for notice in accepted.notices)
    desk = machines.opened("desk")
    assert "would set" not in desk.boot().text
    assert [(one.key, one.value) for one in desk.config.list().settings] == before
    assert [hit.path for hit in desk.search("office").hits]
    desk.config.set("recall.prompt", "true")
    assert machines.opened("desk").stores.manifest.setting("recall.prompt") is True


def test_a_state_is_accepted_by_a_person_and_by_its_id(machines: Machines) -> None:
    desk = settled(machines)
    stranger = machines.another("stranger", known=False)
    stranger.log(THEIRS)
    (done,) = stranger.sync()

    with pytest.raises(MayNotWriteError):
        desk.sync(accept="0" * 12)
    with pytest.raises(NeedsYouError, match="Only a person"):
        agents(machines).sync(accept=done.commit[:12])

    assert THEIRS not in json.dumps(views(machines.opened("desk")), default=str)


def agents(machines: Machines) -> Workspace:
    """The desk as an agent opens it."""
    usual = machines.environment("desk")
    environment = Environment(now=usual.now, timezone="UTC", state=usual.state, by_agent=True)
    return Workspace.open(str(machines.root("desk")), environment=environment)


@pytest.mark.parametrize(
    "act",
    [
        lambda it, name: it.identity.vouch(name),
        lambda it, _: it.identity.show(accept=True),
        lambda it, _: it.config.set("sync.include", "**"),
        lambda it, _: it.sync(accept="0" * 12),
        lambda it, _: it.sync(accept_removals=True),
        lambda it, _: it.doctor(accept_loss=True),
        lambda it, _: it.memory.decide([]),
    ],
    ids=["vouch", "accept", "include", "state", "removals", "loss", "review"],
)
def test_an_agent_lets_nobody_in_and_accepts_nothing(
    machines: Machines, act: Callable[[Workspace, str], object]
) -> None:
    desk = settled(machines)
    known = machines.another("laptop")
    known.config.set("sync.include", "**")
    known.sync()
    desk.sync()
    stranger = machines.another("stranger", known=False)
    stranger.log(THEIRS)
    stranger.sync()
    with pytest.raises(MayNotWriteError):
        desk.sync()
    name = str(stranger.identity.show().writer)

    with pytest.raises(NeedsYouError, match="Only a person"):
        act(agents(machines), name)

    assert machines.opened("desk").stores.unknown_writers() == {name}


def test_join_prints_the_command_that_lets_the_new_machine_in(machines: Machines) -> None:
    desk = settled(machines)
    joined = join(str(machines.stick), str(machines.root("laptop")), machines.environment("laptop"))

    desk.identity.vouch(joined.writer, key=joined.key)
    desk.sync()

    assert machines.opened("desk").stores.unknown_writers() == set()


def test_a_known_writer_whose_key_an_older_copy_does_not_list_is_vouched_for_with_that_key(machines: Machines) -> None:
    desk = settled(machines)
    signers = machines.root("desk") / "identity/allowed_signers"
    older = signers.read_bytes()
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    desk.sync()
    laptop.log("Bought bread")
    laptop.sync()
    signers.write_bytes(older)

    with pytest.raises(MayNotWriteError, match="requires a vouch") as refused:
        desk.sync()

    advice = re.search(r"identity vouch (\w+) --key '([^']+)'", refused.value.hint or "")
    assert advice, refused.value.hint
    assert "an older copy was restored" in str(refused.value.hint)
    desk.identity.vouch(advice[1], key=advice[2])
    desk.sync()
    assert "Bought bread" in (machines.root("desk") / "memory/2026-11-20.md").read_text()
