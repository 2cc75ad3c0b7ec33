"""P1, P2, P24, P27 on real file systems: the power is cut while handoffs, tasks, facts, checkpoints, approvals and
steps are written, and everything that was acknowledged is there. Needs root; how it is done says test_power_cuts.py.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.documents import task
from agentws.errors import ApprovalRefusedError, ChangedUnderneathError, LockHeldError
from agentws.features.workflow.plan import state
from agentws.workspace import Environment, Workspace
from tests.crash import harness, journal_reader, scenarios, test_power_cuts
from tests.crash.test_mutants import no_sync
from tests.crash.test_power_cuts import NOTHING_FLUSHED, each_disk, powered
from tests.thorough import THOROUGH

disk = test_power_cuts.disk

CUTS = 30 if THOROUGH else 2
CUTS_OF_A_ROOT = 5
"""Verbs read all notes and tasks: a workspace is not kept until they are very many."""
MOST, LEAST = 12, 1
"""So many acknowledgements of each process, or so, before the power is cut."""
LIFE = ["added", "started", "waiting", "woken", "stepped", "done"]
"""What a task goes through here, by the kinds of its events."""
STEPS = 3
ANSWERS = {
    "asked": ("pending", "approved", "rejected", "used"),
    "approved": ("approved", "used"),
    "rejected": ("rejected",),
    "used": ("used",),
}
"""What a request may be once this was acknowledged."""
EFFECTS = ("effect", "returned")
Ack = Callable[[str], None]


def patiently(verb: Callable[[], Any]) -> Any:
    """What the verb returns, once nobody else is at it."""
    while True:
        try:
            return verb()
        except (LockHeldError, ChangedUnderneathError):
            continue


def handoffs(root: str, name: str, ack: Ack) -> None:
    """Write handoffs and close every other one, for ever."""
    number = 0
    while True:
        token = f"{name}-{number}"
        workspace = scenarios.opened(root)
        done = patiently(lambda token=token, on=workspace: on.handoff(doing=f"{token} is handed", session=token))
        ack(f"written:{token}" if not done.notices else f"noted:{token}")
        if number % 2:
            patiently(lambda done=done, on=workspace: on.handoff.ack(done.path))
            ack(f"closed:{token}")
        number += 1


def tasks(root: str, name: str, ack: Ack) -> None:
    """Let tasks live and end, for ever."""
    number = 0
    while True:
        slug = f"{name}-{number}"
        on = scenarios.opened(root)
        verbs: list[Callable[[], Any]] = [
            lambda slug=slug, on=on: on.tasks.add(slug),
            lambda slug=slug, on=on: on.tasks.start(slug),
            lambda slug=slug, on=on: on.tasks.wait(slug, path="notes.txt"),
            lambda on=on: on.tasks.due(),
            lambda slug=slug, on=on: on.tasks.step(slug, "the last"),
            lambda slug=slug, on=on: on.tasks.done(slug),
        ]
        for what, verb in zip(LIFE, verbs, strict=True):
            patiently(verb)
            ack(f"{what}:{slug}")
        number += 1


def facts(root: str, name: str, ack: Ack) -> None:
    """Remember facts, for ever."""
    number = 0
    while True:
        token = f"{name}-{number}"
        workspace = scenarios.opened(root)
        patiently(lambda token=token, on=workspace: on.remember(f"{token} is a fact"))
        ack(f"fact:{token}")
        number += 1


def checkpoints(root: str, name: str, ack: Ack) -> None:
    """Save states of a task, some with a long text, and prune them, for ever."""
    on = scenarios.opened(root)
    patiently(lambda: on.tasks.add(name))
    number = 0
    while True:
        state = {"n": number, "text": f"{name} {number} " * (8_000 if number % 2 else 1)}
        label = "" if number % 3 else "kept"
        patiently(lambda state=state, label=label: on.checkpoints.save(name, state, label=label))
        ack(f"saved:{name}/{number}")
        if number % 4 == 3:
            patiently(lambda: on.checkpoints.prune(name))
        number += 1


def approvals(root: str, name: str, ack: Ack) -> None:
    """Ask a person, answer, and use the answer, for ever."""
    number = 0
    while True:
        token = f"{name}-{number}"
        on, is_yes = person(root), bool(number % 3)
        id = patiently(lambda on=on, token=token: on.ask(token, action=token)).id
        ack(f"asked:{token}")
        patiently(lambda on=on, id=id, is_yes=is_yes: on.approvals.decide(id, approve=is_yes, typed=True))
        ack(f"{'approved' if is_yes else 'rejected'}:{token}")
        if is_yes:
            patiently(lambda on=on, id=id, token=token: on.approvals.use(id, token))
            ack(f"used:{token}")
        number += 1


def person(root: str) -> Workspace:
    """The workspace for a person whose settings, which lie on another disk, accept what is typed."""
    settings = Path(root).parents[1] / "settings-of-sam.toml"
    return Workspace.open(root, environment=Environment(now=scenarios.NOW, timezone="UTC", config=str(settings)))


def steps(root: str, name: str, ack: Ack) -> None:
    """Make effects that the world knows of at once, each a step of a workflow, for ever."""
    number = 0
    while True:
        token = f"{name}-{number}"
        with scenarios.opened(root).workflow(token) as flow:
            for key in range(STEPS):
                flow.step("pay", lambda token=token, key=key: ack(f"effect:{token}/{key}"), key=key)
                ack(f"returned:{token}/{key}")
        number += 1


def check(root: str, acked: list[str]) -> None:
    """Everything that was acknowledged is there, once and whole; and what comes next works."""
    workspace = scenarios.opened(root)
    patiently(lambda: workspace.tasks.add("Next"))
    workspace.remember("the next fact")
    workspace.handoff(doing="the next", session="next")
    memory = Path(root, "MEMORY.md").read_text(encoding="utf-8").split("\n")
    notes = [path.read_text(encoding="utf-8") for path in Path(root, "handoffs").glob("*.md")]
    events = Counter(
        (one.kind, one.body.get("task") or one.session or "") for one in journal_reader.events(root) if one.body
    )
    _check_answers(root, acked)
    _check_effects(root, acked)
    for what, _, token in (each.partition(":") for each in acked):
        if what in (*ANSWERS, *EFFECTS):
            continue
        if what == "fact":
            assert memory.count(f"- {token} is a fact") == 1, token
        elif what == "saved":
            task_name, _, number = token.partition("/")
            assert int(number) in _states(root, task_name) or int(number) % 3, token
        elif what in LIFE:
            assert events[f"task.{what}", token] == 1, (what, token)
            assert token in _reached(root, token, what), (what, token)
        else:
            (note,) = [text for text in notes if f"{token} is handed\n" in text]
            assert what != "closed" or "\nstatus: closed\n" in note, token
            assert what != "written" or events["handoff.written", token] == 1, token
    assert all(text.endswith("\n") and "\0" not in text for text in notes)
    assert harness.contents(f"{root}/notes.txt") == scenarios.NOTES
    assert workspace.journal.verify().sound
    assert [one.says for one in workspace.status().checks if not one.ok] == []


def _check_answers(root: str, acked: list[str]) -> None:
    """Each request, answer and use stands, and what may still be used is used once."""
    found = {one.question: one for one in person(root).approvals.list()}
    for what, _, token in (each.partition(":") for each in acked):
        if what in ANSWERS:
            assert token in found, f"{what} and lost: {token}"
            assert found[token].status in ANSWERS[what], (what, token, found[token].status)
    for one in found.values():
        if one.status == "approved":
            person(root).approvals.use(one.id, one.action)
        if one.status in ("approved", "used"):
            with pytest.raises(ApprovalRefusedError, match="used already"):
                person(root).approvals.use(one.id, one.action)


def _check_effects(root: str, acked: list[str]) -> None:
    """No effect that the world knows of is made again by itself, whether its result is known or not; then a person
    says of those that nobody knows of that they were made.
    """
    known = {token for what, _, token in (each.partition(":") for each in acked) if what in EFFECTS}
    for name in [one.name for one in scenarios.opened(root).workflow.list()]:
        again: list[str] = []
        for _ in range(STEPS + 1):
            with scenarios.opened(root).workflow(name) as flow:
                for key in range(STEPS):
                    flow.step("pay", lambda name=name, key=key, again=again: again.append(f"{name}/{key}"), key=key)
            for step in scenarios.opened(root).workflow.show(name).flow.steps.values():
                if step.status == state.OPEN:
                    scenarios.opened(root).workflow.resolve(name, "pay", key=step.key, result=None)
        assert not flow.is_paused
        assert not known & {*again}, f"made twice: {known & {*again}}"


def _states(root: str, name: str) -> list[int]:
    """The numbers of the states of a task, each read whole; the newest is among them."""
    found = scenarios.opened(root)
    listed = found.checkpoints.list(name)
    assert not [each for each in listed.notices if "checkpoints/" in each]
    states = [found.checkpoints.show(name, row.head.id).state for row in listed.rows]
    assert all(state["text"].startswith(f"{name} {state['n']} ") for state in states)
    return [state["n"] for state in states]


def _reached(root: str, slug: str, what: str) -> list[str]:
    """The task, where its file is at least as far as `what`."""
    path = f"tasks/{slug}.md"
    one = task.decode(harness.contents(f"{root}/{path}"), slug=slug, where=path)
    far = {"open": 0, "waiting": 2, "done": 5}.get(one.status, 4 if one.step else 3)
    return [slug] if far >= LIFE.index(what) else []


Writer = Callable[[str, str, Ack], None]
WRITERS = {"h": handoffs, "t": tasks, "f": facts, "c": checkpoints, "a": approvals, "s": steps}


def cut(
    disk: Path, kind: str, how: int, cuts: int, writers: Mapping[str, Writer], check: Callable[[str, list[str]], None],
    prepare: Callable[[str], object] = str, mutant: Callable[[], None] | None = None,
) -> Counter[str]:  # fmt: skip
    """Cut the power so many times, and check; returns how much was acknowledged by whom, and of what."""
    dice, counts = random.Random(f"{kind} {how}"), Counter[str]()
    acked: list[str] = []
    (disk / "settings-of-sam.toml").write_text("[ask]\ntyped = true\n", encoding="utf-8")
    with powered(disk, kind) as image:
        for number in range(cuts):
            root = f"{image.place}/robin-{number // CUTS_OF_A_ROOT}"
            if not os.path.exists(root):
                scenarios._workspace(root)
                prepare(root)
                os.sync()
                acked = []
            names = {f"{letter}{number}": writer for letter, writer in writers.items()}
            told = test_power_cuts.run(image, root, names, how, dice, mutant, most=MOST, least=LEAST)
            acked += [token for tokens in told.values() for token in tokens]
            counts.update(token.partition(":")[0] for tokens in told.values() for token in tokens)
            counts.update({name[0]: len(tokens) for name, tokens in told.items()})
            check(root, acked)
    return counts


@each_disk
def test_what_a_verb_acknowledged_before_a_power_cut_is_there_after_it(disk: Path, kind: str, how: int) -> None:
    counts = cut(disk, kind, how, CUTS, WRITERS, check)

    assert all(counts[what] >= CUTS for what in WRITERS), f"hardly anything was written: {counts}"


def assert_caught(
    disk: Path, writers: Mapping[str, Writer], check: Callable[[str, list[str]], None],
    prepare: Callable[[str], object] = str,
) -> None:  # fmt: skip
    """Fail unless one of 20 power cuts finds that nothing is synced."""
    try:
        cut(disk, "ext4", NOTHING_FLUSHED, 20, writers, check, prepare, no_sync)
    except (AssertionError, ValueError, FileNotFoundError, harness.AgentwsError):
        return
    pytest.fail("20 power cuts have not found that nothing is synced")


def test_verbs_that_do_not_sync_are_caught_by_a_real_power_cut(disk: Path) -> None:
    assert_caught(disk, WRITERS, check)
