"""P1, P2, P3 on real file systems: the power is cut while writers write, and everything they were told is there.

A sparse image is mounted, and the kernel is told to forget it at a random moment (FS_IOC_SHUTDOWN): what it has not
sent to the disk by then is lost, as in a power cut. Needs root.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import shutil
import struct
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentws.errors import AgentwsError
from tests import own_mounts
from tests.crash import harness, journal_scenarios, scenarios
from tests.crash.test_mutants import no_sync
from tests.thorough import THOROUGH

SHUTDOWN = 0x8004587D
NOTHING_FLUSHED, METADATA_FLUSHED = 2, 1
CUTS = 60 if THOROUGH else 4
IMAGE_BYTES = {"ext4": 256 << 20, "xfs": 320 << 20}
MOST_S = 20.0
KINDS_AND_WAYS = [(kind, how) for kind in IMAGE_BYTES for how in (NOTHING_FLUSHED, METADATA_FLUSHED)]
each_disk = pytest.mark.parametrize(
    ("kind", "how"),
    KINDS_AND_WAYS if THOROUGH else [KINDS_AND_WAYS[0], KINDS_AND_WAYS[-1]],
    ids=lambda value: {NOTHING_FLUSHED: "nothing flushed", METADATA_FLUSHED: "metadata flushed"}.get(value),
)
"""Both file systems and both ways to lose the power; each with each in the thorough form."""


class Image:
    """A file system in a file, which can lose its power."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.file, self.place = str(folder / f"{kind}.img"), str(folder / kind)
        program = shutil.which(f"mkfs.{kind}") or shutil.which(f"mkfs.{kind}", path="/sbin:/usr/sbin")
        if program is None:
            pytest.skip(f"NOT TESTED: power cuts on {kind}; there is no mkfs.{kind} here")
        os.mkdir(self.place)
        with open(self.file, "wb") as file:
            file.truncate(IMAGE_BYTES[kind])
        subprocess.run([program, "-q", self.file], check=True, capture_output=True)

    def mount(self) -> None:
        done = own_mounts.mount("-o", "loop", self.file, self.place)
        if done.returncode != 0:
            pytest.skip(f"NOT TESTED: power cuts; mounting a file system needs root ({done.stderr.strip()})")

    def mount_again(self) -> None:
        """Mount it anew after a cut: while another process's mount namespace holds the dead one, that comes back."""
        for _ in range(100):
            self.unmount()
            self.mount()
            probe = f"{self.place}/probe"
            try:
                os.close(os.open(probe, os.O_WRONLY | os.O_CREAT))
                os.unlink(probe)
                return
            except OSError:
                time.sleep(0.1)
        pytest.fail("the file system stays as the cut has left it")

    def unmount(self) -> None:
        subprocess.run(["umount", self.place], check=True)

    def cut(self, how: int) -> None:
        fd = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(fd, SHUTDOWN, struct.pack("I", how))
        finally:
            os.close(fd)


@contextmanager
def powered(folder: Path, kind: str) -> Iterator[Image]:
    image = Image(folder, kind)
    image.mount()
    try:
        yield image
    finally:
        subprocess.run(["umount", image.place], capture_output=True)
        os.unlink(image.file)


@pytest.fixture
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder on a real disk: an image in memory would lose nothing."""
    return tmp_path_factory.mktemp("disk")


def journal(root: str, name: str, ack: Callable[[str], None]) -> None:
    """Append events of many sizes, for ever."""
    dice = random.Random(name)
    workspace = scenarios.opened(root)
    number = 0
    while True:
        group = [f"{name}-{number + each}" for each in range(dice.choice((1, 1, 1, 5)))]
        number += len(group)
        size = dice.choice((10, 300, 5_000, 60_000, journal_scenarios.LARGE if dice.random() < 0.2 else 10))
        journal_scenarios.add(workspace, ack, *group, size=size)


def log(root: str, name: str, ack: Callable[[str], None]) -> None:
    """Log lines, for ever."""
    number = 0
    while True:
        scenarios.opened(root).log(f"{name}-{number} is logged")
        ack(f"{name}-{number}")
        number += 1


def start(
    act: Callable[[str, str, Callable[[str], None]], None], root: str, name: str, mutant: Callable[[], None] | None
) -> tuple[int, int]:
    """A process that writes and says so through a pipe: (its id, the pipe)."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a test runner's own threads hold nothing of ours
        child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            if mutant:
                mutant()
            act(root, name, lambda token: os.write(writer, token.encode() + b"\n") and None)
        finally:
            os._exit(0)
    os.close(writer)
    return child, reader


def waiting(reader: int) -> bytes:
    """What stands in a pipe at this moment."""
    os.set_blocking(reader, False)
    try:
        return os.read(reader, 1 << 20)
    except BlockingIOError:
        return b""
    finally:
        os.set_blocking(reader, True)


def run(
    image: Image, root: str, names: dict[str, Callable[..., None]], how: int, dice: random.Random,
    mutant: Callable[[], None] | None = None, *, most: int = 60, least: int = 0,
) -> dict[str, list[str]]:  # fmt: skip
    """Let them write, each `most` times or so and `least` at least, cut the power, mount again; returns what each was
    told is kept.
    """
    running = {name: start(act, root, name, mutant) for name, act in names.items()}
    told = dict.fromkeys(names, b"")
    wanted, deadline = dice.randrange(1, most) * len(names), time.monotonic() + MOST_S
    while time.monotonic() < deadline:
        counts = [text.count(b"\n") for text in told.values()]
        if sum(counts) >= wanted and min(counts) >= least:
            break
        ready, _, _ = select.select([reader for _, reader in running.values()], [], [], 1)
        for name, (_, reader) in running.items():
            if reader in ready:
                told[name] += os.read(reader, 4096)
    time.sleep(dice.random() * 0.004)
    for name, (_, reader) in running.items():
        told[name] += waiting(reader)
    image.cut(how)
    # With the power everybody would be gone. What they say from here on counts for nothing: a sync that another one's
    # commit has overtaken may report success on a file system that was shut down.
    for child, reader in running.values():
        while os.read(reader, 1 << 16):  # each meets the dead disk, and ends
            pass
        os.close(reader)
        os.waitpid(child, 0)
    image.mount_again()
    return {name: text.decode().split() for name, text in told.items()}


def check(root: str, told: list[dict[str, list[str]]]) -> None:
    """All that anybody was told, once, in order; and what comes next follows it."""
    journal_scenarios.add(scenarios.opened(root), lambda _: None, f"after-{len(told)}")
    found = journal_scenarios.tokens(root)
    assert len(found) == len(set(found)), "twice"
    places = {token: place for place, token in enumerate(found)}
    assert found[-1] == f"after-{len(told)}"
    for one in told:
        for name, acked in one.items():
            if not name.startswith("log"):
                lost = [token for token in acked if token not in places]
                assert not lost, f"acknowledged and lost: {lost[:5]}"
                assert [places[token] for token in acked] == sorted(places[token] for token in acked), "out of order"
    scenarios.opened(root).log("the next line")
    lines = Path(root, scenarios.TODAY).read_text(encoding="utf-8").split("\n")
    for one in told:
        for name, acked in one.items():
            if name.startswith("log"):
                for token in acked:
                    assert lines.count(f"- 12:00 {token} is logged") == 1, token
    assert harness.contents(f"{root}/notes.txt") == scenarios.NOTES


@pytest.mark.parametrize("how", [NOTHING_FLUSHED, METADATA_FLUSHED], ids=["nothing flushed", "metadata flushed"])
@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_what_was_acknowledged_before_a_power_cut_is_there_after_it(disk: Path, kind: str, how: int) -> None:
    dice = random.Random(f"{kind} {how}")
    with powered(disk, kind) as image:
        root = f"{image.place}/robin"
        scenarios._workspace(root)
        os.sync()
        told: list[dict[str, list[str]]] = []
        for number in range(CUTS):
            names = {f"w{number}": journal, f"v{number}": journal, f"log{number}": log}
            told.append(run(image, root, names, how, dice))
            check(root, told)

        assert sum(len(acked) for one in told for acked in one.values()) > CUTS, "hardly anything was written"


@pytest.mark.parametrize("how", [NOTHING_FLUSHED, METADATA_FLUSHED], ids=["nothing flushed", "metadata flushed"])
def test_the_first_events_of_an_installation_outlive_a_power_cut(disk: Path, how: int) -> None:
    dice = random.Random(how)
    with powered(disk, "ext4") as image:
        for number in range(CUTS // 2):
            root = f"{image.place}/robin-{number}"
            scenarios._workspace(root)
            os.sync()
            told = run(image, root, {"w": journal, "v": journal}, how, dice)
            check(root, [told])


def test_a_journal_that_does_not_sync_is_caught_by_a_real_power_cut(disk: Path) -> None:
    dice = random.Random(3)
    with powered(disk, "ext4") as image:
        for number in range(20):
            root = f"{image.place}/robin-{number}"
            scenarios._workspace(root)
            os.sync()
            told = run(image, root, {"w": journal}, NOTHING_FLUSHED, dice, no_sync)
            if told["w"] and not all(token in tokens(root) for token in told["w"]):
                return
    pytest.fail("20 power cuts have not found that nothing is synced")


def tokens(root: str) -> list[str]:
    """What is there after one more append; nothing where no more can be appended, or no reader can follow it."""
    try:
        journal_scenarios.add(scenarios.opened(root), lambda _: None, "after")
        return journal_scenarios.tokens(root)
    except (AgentwsError, AssertionError):
        return []
