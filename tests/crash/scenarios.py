"""The operations that are killed, cut and starved, and what must be true afterwards."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from agentws.core.disk import daily_log, local_dir, lock
from agentws.core.disk.change import transaction
from agentws.core.disk.files import Files
from agentws.core.formats import kept_out, layout
from agentws.core.installation import installation
from agentws.errors import ChangedUnderneathError
from agentws.workspace import Environment, Workspace, initialise
from tests.crash import harness

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HERE = Environment(now=NOW, timezone="UTC")
TODAY = "memory/2026-11-20.md"
NOTES = b"mine \xff\x00\r\nno newline at the end"
"""A file of somebody else, in every workspace."""
SHARED = b"# 2026-11-20\n\nStood up late.\r\nhalf a sentence of mine"
LONG = "a long line: " + "0123456789" * 900
"""Longer than a page, so that it can be torn in many ways."""

Ack = Callable[[Any], None]


def opened(root: str) -> Workspace:
    return Workspace.open(root, environment=HERE)


def put(root: str, path: str, data: bytes) -> None:
    target = os.path.join(root, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(data)


@dataclass(frozen=True)
class Scenario:
    """One operation: what stands before it, the operation, and how it is taken up again after a crash."""

    name: str
    prepare: Callable[[str], None]
    act: harness.Act
    again: harness.Act
    logs: bool = False
    """True where lines are appended: then a file may be the old one with a part of the new line, until it is mended."""
    exact: bool = True
    """True where taking it up again must lead to the very files that an undisturbed run leaves."""
    signs_in: bool = False
    """True where it writes to the journal: then each run leaves another one, and identity, beside what it is about."""


def _workspace(root: str) -> None:
    os.mkdir(root)
    put(root, "notes.txt", NOTES)
    initialise(root, HERE, git=False)


def _lived(root: str) -> None:
    """A workspace in which this installation has written."""
    _workspace(root)
    opened(root).event("note", "something")


def _empty(root: str) -> None:
    os.mkdir(root)


def _agents_folder(root: str) -> None:
    put(root, "notes.txt", NOTES)
    put(root, "SOUL.md", b"# Soul\r\nI am somebody.")
    put(root, "MEMORY.md", b"# Memory\n- old\n")
    put(root, "memory/2026-11-19.md", b"yesterday, without a newline")


def _ours(root: str) -> None:
    _workspace(root)
    opened(root).log("earlier")


def _shared(root: str) -> None:
    _lived(root)
    put(root, TODAY, SHARED)


def _in_context(root: str) -> None:
    _workspace(root)
    opened(root).contexts.new("garden", text="Roses.\n")
    opened(root).contexts.use("garden")


def _with_context(root: str) -> None:
    _workspace(root)
    opened(root).contexts.new("garden", text="Roses.\n")


def _half_undone(root: str) -> None:
    """An undo of `init` that was killed when half of the files were gone."""
    _workspace(root)
    whole = len(harness.documents(root))
    points = harness.run(_undo, _copy(root)).changing
    for at in range(len(points) - 1, 0, -1):
        trial = _copy(root)
        harness.run(_undo, trial, harness.Kill(at))
        if 1 < len(harness.documents(trial)) < whole and any(
            name.endswith(".pending") for name in os.listdir(f"{trial}/.agentws/undo")
        ):
            shutil.rmtree(root)
            shutil.move(trial, root)
            return
    raise AssertionError("no point leaves an undo half done")


def _copy(root: str) -> str:
    to = f"{root}.trial"
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(root, to)
    return to


def _init(root: str, ack: Ack) -> None:
    ack(initialise(root, HERE, git=False).name)


def _init_git(root: str, ack: Ack) -> None:
    ack(initialise(root, HERE).name)


def _init_git_again(root: str, ack: Ack) -> None:
    try:
        _init_git(root, ack)
    except ChangedUnderneathError:
        _init_git(root, ack)


def _use_twice(root: str, ack: Ack) -> None:
    for name in ("garden", ""):
        ack(opened(root).contexts.use(name).name)


def _use_again(root: str, ack: Ack) -> None:
    try:
        _use_twice(root, ack)
    except ChangedUnderneathError:
        _use_twice(root, ack)


def _with_git(root: str) -> None:
    os.mkdir(root)
    put(root, "notes.txt", NOTES)
    initialise(root, HERE)
    opened(root).contexts.new("garden", text="Roses.\n")


def _init_twice(root: str, ack: Ack) -> None:
    """Meets what was killed, puts it back, and is run again as its hint says."""
    try:
        _init(root, ack)
    except ChangedUnderneathError:
        _init(root, ack)


def _log_two(root: str, ack: Ack) -> None:
    for text in ("one", LONG):
        done = opened(root).log(text)
        ack((done.path, done.line, done.entry))


def _log(root: str, ack: Ack) -> None:
    done = opened(root).log("again")
    ack((done.path, done.line, done.entry))


def _undo(root: str, ack: Ack) -> None:
    ack(opened(root).undo(yes=True).verb)


def _nothing(root: str, ack: Ack) -> None:
    ack(None)


def _new(root: str, ack: Ack) -> None:
    ack(opened(root).contexts.new("garden", text="Roses.\n").name)


def _new_again(root: str, ack: Ack) -> None:
    if not os.path.exists(f"{root}/contexts/garden.md") or local_dir.interrupted(opened(root).stores.files):
        _recover(root)
        if not os.path.exists(f"{root}/contexts/garden.md"):
            opened(root).contexts.new("garden", text="Roses.\n")
    ack("garden")


def _use(root: str, ack: Ack) -> None:
    ack(opened(root).contexts.use("garden").name)


def _remember(root: str, ack: Ack) -> None:
    ack(opened(root).remember("Leo likes his coffee black", section="People").line)


def _remembered(root: str) -> None:
    _lived(root)
    put(root, "MEMORY.md", b"# Memory\r\n\r\n- mine \xff\r\n")
    opened(root).remember("Leo likes his tea black")


def _replace(root: str, ack: Ack) -> None:
    ack(opened(root).remember("Leo likes his coffee black", replaces="tea", about="notes.txt").line)


def _replace_again(root: str, ack: Ack) -> None:
    recorded = opened(root).remember("Leo likes his coffee black", dry_run=True)
    if recorded.is_new:
        _replace(root, ack)
    else:
        _recover(root)


def _with_vault(root: str) -> None:
    _lived(root)
    put(root, "vault/house.md", b"---\ncreated: 2026-11-18\n---\n- The roof has 300 tiles\n- The gate is green\n")


def _import(root: str, ack: Ack) -> None:
    done = opened(root).memory.import_from("markdown", f"{root}/vault")
    ack(done.memories + done.known)


def _recover(root: str) -> None:
    """What every writing verb does first, on its own."""
    files = opened(root).stores.files
    with lock.Lock(files, lock.TRANSACTION, timeout_s=1):
        transaction.recover(files)
        with lock.Lock(files, lock.APPEND, timeout_s=1):
            daily_log.repair(files, local_dir.last(files))


LOG_FIRST = Scenario("log as the first write", _workspace, _log_two, _log, logs=True, exact=False, signs_in=True)
REMEMBER_FIRST = Scenario("remember as the first write", _workspace, _remember, _remember, signs_in=True)
LOG_NEW = Scenario("log into a new day", _lived, _log_two, _log, logs=True, exact=False)
LOG_OURS = Scenario("log into a file of ours", _ours, _log_two, _log, logs=True, exact=False)
LOG_SHARED = Scenario("log into a file that others write too", _shared, _log_two, _log, logs=True, exact=False)
INIT_EMPTY = Scenario("init of an empty folder", _empty, _init, _init)
INIT_ADOPTS = Scenario("init that adopts", _agents_folder, _init, _init)
UNDO_LOG = Scenario("undo of log", _ours, _undo, _nothing, exact=False, signs_in=True)
UNDO_USE = Scenario("undo of a context's use", _in_context, _undo, _nothing, exact=False, signs_in=True)
UNDO_INIT = Scenario("undo of init", _workspace, _undo, _nothing, exact=False)
NEW_CONTEXT = Scenario("new context", _lived, _new, _new_again)
USE_CONTEXT = Scenario("use of a context", _with_context, _use, _use)
REMEMBER = Scenario("remember", _lived, _remember, _remember)
IMPORT = Scenario("import", _with_vault, _import, _import)
REPLACE = Scenario("remember that replaces", _remembered, _replace, _replace_again)
RECOVERY = Scenario("recovery of a half undone init", _half_undone, _init_twice, _init_twice)

INIT_GIT = Scenario("init with git", _empty, _init_git, _init_git_again)
USE_GIT = Scenario("use of a context with git", _with_git, _use_twice, _use_again)

LOGS = [LOG_FIRST, LOG_NEW, LOG_OURS, LOG_SHARED]
SMALL = [*LOGS, UNDO_LOG, UNDO_USE, NEW_CONTEXT, USE_CONTEXT, REMEMBER, REMEMBER_FIRST]
LARGE = [INIT_EMPTY, INIT_ADOPTS, UNDO_INIT, RECOVERY, REPLACE, IMPORT]
ALL = [*SMALL, *LARGE]


bases = ""
"""The folder for what stands before scenarios: tests/crash/conftest.py."""


@functools.cache
def _made(prepare: Callable[[str], None]) -> str:
    """Return what was made for the first stage that begins so; each works on a copy."""
    base = f"{tempfile.mkdtemp(dir=bases)}/base"
    prepare(base)
    return base


class Copies:
    """Copies of a folder: the same installation, or where it was `moved` another."""

    moved = False

    def __init__(self, base: str, folder: str) -> None:
        self._base, self._folder = base, folder

    def fresh(self) -> str:
        """A new copy of what stands before the operation."""
        root = self.place()
        shutil.copytree(self._base, root)
        if not self.moved:
            rebind(root)
        return root

    def place(self) -> str:
        """The path of a root that is not there yet. There is only ever one."""
        root = f"{self._folder}/robin"
        shutil.rmtree(root, ignore_errors=True)
        return root

    def model(self) -> tuple[str, harness.Model]:
        root = self.fresh()
        return root, harness.Model(root)


class Stage(Copies):
    """A scenario set up once; each point gets a copy of it."""

    def __init__(self, scenario: Scenario, folder: str) -> None:
        super().__init__(_made(scenario.prepare), folder)
        self.scenario = scenario
        # The root keeps its name: init takes an agent's name from it.
        self.root = self.fresh()
        self.before = self.documents(self.root)
        self.whole = harness.run(scenario.act, self.root)
        assert self.whole.error is None, self.whole.error[3]
        self.after = self.documents(self.root)

    def documents(self, root: str) -> dict[str, bytes]:
        """RelPath → content of what the scenario is about."""
        beside = ("journal/", "identity/") if self.scenario.signs_in else ()
        found = {path: data for path, data in harness.documents(root).items() if not path.startswith(beside)}
        if layout.KEPT_OUT in found:  # its key is random
            entries = kept_out.decode(found[layout.KEPT_OUT].decode()).entries
            found[layout.KEPT_OUT] = repr([(one.reason, one.day, one.words) for one in entries]).encode()
        return found


def rebind(root: str, environment: Environment = HERE) -> None:
    """Let a copy be the installation that was copied: its state is bound to the inode of the root."""
    if not os.path.exists(f"{root}/agentws.toml"):
        return  # an init that was undone
    base = environment.state[0] or environment.state[1] or f"{root}/.agentws/state"
    for name in os.listdir(base) if os.path.isdir(base) else []:
        here = installation.place(Files(root), opened(root).stores.manifest.agent_id, environment.state)
        assert here is not None
        # What is the agent's, not that of one place, lies beside these folders.
        if os.path.isdir(f"{base}/{name}") and f"{base}/{name}" != here:
            os.rename(f"{base}/{name}", here)


def is_hint(place: str) -> bool:
    """True for what says how far somebody has written: never synced, it may lag behind; and for scratch files.

    So may the copy of MEMORY.md in which lost facts are found: an older one, or none, knows of fewer of them.
    """
    name = place.rpartition("/")[2]
    if place.startswith((".agentws/memory", ".agentws/.memory.")):
        return True
    is_scratch = name.startswith(".") and not name.startswith(".git")
    says_how_far = place.endswith((".head", "/newest")) or (place.startswith(".agentws/state/") and name == "changed")
    return says_how_far or (is_scratch and place.startswith((".agentws/state/", "journal/")))


def rests_on(ack: Any, place: str) -> bool:
    """Not on hints, nor on who wrote: where that could not be told, the verb goes on with a notice."""
    return not is_hint(place) and not place.startswith(("journal", "identity", ".agentws/state"))


def next_verb(root: str, ack: Ack) -> None:
    """The next verb that somebody runs, each kind of it, after whatever happened here."""
    if not os.path.exists(f"{root}/agentws.toml"):
        _init_twice(root, ack)
    done = opened(root).log("the next line")
    ack((done.path, done.line, done.entry))
    try:
        opened(root).contexts.new("next")
    except ChangedUnderneathError:
        opened(root).contexts.new("next")
    ack(None)


def check(
    stage: Stage, root: str, acks: list[Any], *, power_cut: bool = False, mutant: Callable[[], None] | None = None
) -> None:
    """What is promised of `root` after a crash or an error: at once, after a rerun, and after the next verb."""
    if power_cut:
        rebind(root)
    _old_or_new(stage, stage.documents(root))
    outcome = harness.run(lambda root, ack: _aftermath(stage, root, ack), root, mutant=mutant)
    assert outcome.error is None, f"what came after failed:\n{outcome.error[3]}"
    said = opened(root).boot().text
    assert "New copy" not in said, "it does not know itself any more"
    assert "older than the last write here" not in said, "it misses what nobody was told is saved"
    reran, *_, named, _, first, second, last = outcome.acks
    _converged(stage, reran, acks)
    _line_is_whole(named, first)
    assert first == second == last, "recovering twice changed something"
    # That a link was cleared away is not synced: after a power cut it may be back until the next replacement.
    ours = (".agentws-new",) if power_cut else (".agentws-new", ".agentws-old")
    # In state and journal it stays until the file beside it is replaced once more.
    left = [path for path in last if path.endswith(ours) or ".pending/" in path]
    left = [path for path in left if not path.startswith((".agentws/state/", "journal/"))]
    assert not left, f"left behind: {left}"


def _aftermath(stage: Stage, root: str, ack: Ack) -> None:
    try:
        stage.scenario.again(root, lambda _: None)
    except ChangedUnderneathError:
        stage.scenario.again(root, lambda _: None)  # its hint: run the same command again
    ack(stage.documents(root))
    next_verb(root, ack)
    for _ in range(3):
        ack(harness.tree(root))
        _recover(root)


def _old_or_new(stage: Stage, found: dict[str, bytes]) -> None:
    before, after = stage.before, stage.after
    for path in {*before, *after, *found}:
        data, old, new = found.get(path), before.get(path), after.get(path)
        if data in (old, new):
            continue
        assert stage.scenario.logs, f"{path}: neither old nor new: {data!r}"
        assert data is not None, f"{path}: gone"
        assert new is not None, f"{path}: nobody should have made it: {data!r}"
        written = data.rstrip(b"\0")
        assert data.startswith(old or b""), f"{path}: what stood there before was changed: {data!r}"
        assert new.startswith(written), f"{path}: not a part of what was logged: {data!r}"
        assert len(data) <= len(new), f"{path}: more than what was logged: {data!r}"


def _converged(stage: Stage, found: dict[str, bytes], acks: list[Any]) -> None:
    scenario = stage.scenario
    if "notes.txt" in stage.before:
        assert found["notes.txt"] == NOTES
    if scenario.exact:
        assert found == stage.after, _difference(found, stage.after)
        return
    if not scenario.logs:
        if acks:
            assert found == stage.after, _difference(found, stage.after)
        assert found in (stage.before, stage.after) or not scenario.exact, _difference(found, stage.before)
        for path in {*stage.before, *stage.after}:
            assert found.get(path) in (stage.before.get(path), stage.after.get(path)), f"{path}: a mix"
        return
    for path in stage.before:
        if path != TODAY:
            assert found[path] == stage.before[path], f"{path}: changed by a log"
    data = found[TODAY]
    old = stage.before.get(TODAY, b"")
    assert data.startswith(old), "what stood in the day's log was changed"
    assert b"\0" not in data
    entries = [line for line in data[len(old) :].decode().splitlines() if line.startswith("- ")]
    wanted = [f"- 12:00 {text}" for text in ("one", LONG, "again")]
    assert set(entries) <= set(wanted), f"half a line: {[entry[:60] for entry in entries]}"
    assert entries == [line for line in wanted if line in entries], "a line stands there twice or out of order"
    assert wanted[-1] in entries
    for _, _, entry in acks:
        assert entry.rstrip("\n") in entries, f"acknowledged and lost: {entry[:60]}"
    if old == SHARED:
        assert data.startswith((SHARED + b"\n\n## ", SHARED + b"\r\n\r\n## "))


def _line_is_whole(named: tuple[str, int, str], found: dict[str, bytes]) -> None:
    path, number, entry = named
    lines = found[path].decode().replace("\r\n", "\n").split("\n")
    assert lines[number - 1] == entry.rstrip("\n")
    assert lines.count(entry.rstrip("\n")) == 1


def _difference(found: dict[str, bytes], wanted: dict[str, bytes]) -> str:
    return "\n".join(
        f"{path}: {found.get(path)!r} is not {wanted.get(path)!r}"
        for path in sorted({*found, *wanted})
        if found.get(path) != wanted.get(path)
    )
