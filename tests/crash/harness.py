"""Runs an operation in a forked child whose file operations are counted, recorded, cut short or made to fail.

`run` forks, so that one point costs milliseconds. In the child each file operation of `os` and `fcntl` goes through a
`Disk`, which can kill the process before or after operation N, tear a write in half, or let operation N fail with an
errno. Nothing is really synced there: what would have survived a power cut is told by `Model`, which replays what the
child recorded. It knows three rules: content is durable after an fsync of its file, a name after an fsync of its
folder, and what an fsync failed for stays lost, whatever a later one of the same file says.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pickle
import random
import stat
import struct
import traceback
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from agentws.errors import AgentwsError

BEFORE, AFTER, HALF, ZEROS, FOLLOWED = "before", "after", "half", "zeros", "followed"
"""How a process is killed at an operation. The last three tear a write: HALF of it, ZEROS for its second half, as a
power cut may leave it; FOLLOWED: zeros for all of it, and behind them what `Kill.follow` makes of the lost bytes."""
TORN = (HALF, ZEROS, FOLLOWED)
INTERRUPT = "interrupt"
"""Not killed, but interrupted by Ctrl-C before the operation."""

_KILLED = 137
_CHANGING = ["open", "write", "pwrite", "fsync", "fdatasync", "rename", "replace", "link", "unlink", "remove", "mkdir"]
_CHANGING += ["rmdir", "ftruncate", "truncate", "fchmod", "fchown"]
_ADVISING = ["posix_fadvise"] if hasattr(os, "posix_fadvise") else []
_LOOKING = ["read", "pread", "stat", "lstat", "fstat", "scandir", "listdir"]
_SPACE = {"create", "write", "pwrite", "mkdir", "link", "rename", "replace", "fsync", "fdatasync"}
_NAMES = {"create", "rename", "replace", "link", "unlink", "remove", "mkdir", "rmdir"}
ERRNOS: dict[int, set[str]] = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EIO: _SPACE | _NAMES | {"open", "ftruncate", "read", "pread", "stat", "scandir", "flock"},
    errno.EROFS: _NAMES | {"open-to-write", "write", "ftruncate"},
    errno.EMFILE: {"create", "open", "open-to-write", "scandir"},
    errno.EACCES: _NAMES | {"open", "open-to-write", "scandir", "stat"},
}
"""Which operations the kernel lets fail with which errno."""


@dataclass(frozen=True)
class Kill:
    """Die at the changing operation number `at` (from 0)."""

    at: int
    how: str = BEFORE
    follow: Callable[[bytes], bytes] = bytes


def kills(changing: Sequence[str], *torn: str) -> list[Kill]:
    """Return each way to be killed: before and after each changing operation, and with each write `torn`."""
    return [
        Kill(at, how)
        for at, name in enumerate(changing)
        for how in (BEFORE, AFTER, *(torn if name in ("write", "pwrite") else ()))
    ]


@dataclass(frozen=True)
class Fail:
    """Let the operation number `at` (from 0, looking ones too) fail with `errno`; `sticky`: and all later ones.

    `short`: the failing write takes half of its bytes first, as a disk that fills up does.
    """

    at: int
    errno: int
    sticky: bool = False
    short: bool = False


@dataclass(frozen=True)
class Meanwhile:
    """Somebody else does something right before the changing operation number `at` (from 0)."""

    at: int
    deed: Callable[[], None]


Plan = Kill | Fail | Meanwhile | None
Act = Callable[[str, Callable[[Any], None]], None]


@dataclass
class Outcome:
    """What became of a run: what it acknowledged, its error, and what it did to the disk."""

    acks: list[Any] = field(default_factory=list)
    error: tuple[str, bool, int, str] | None = None
    """(class, is it an AgentwsError, exit code, traceback)"""
    finished: bool = False
    changing: list[str] = field(default_factory=list)
    every: list[str] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def killed(self) -> bool:
        return not self.finished


class Disk:
    """Stands between storage and the kernel within a child."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.changing: list[str] = []
        self.every: list[str] = []
        self.events: list[tuple[Any, ...]] = []
        self.real: dict[str, Any] = {}
        self.send: Callable[[str, Any], None] = lambda what, value: None

    def install(self) -> None:
        for name in _CHANGING + _LOOKING + _ADVISING:
            self.real[name] = getattr(os, name)
            setattr(os, name, self._wrapped(name))
        self.real["flock"], self.real["fcntl"] = fcntl.flock, fcntl.fcntl
        fcntl.flock = self._flock

    def remove(self) -> None:
        for name in _CHANGING + _LOOKING + _ADVISING:
            setattr(os, name, self.real[name])
        fcntl.flock = self.real["flock"]

    def _flock(self, fd: int, how: int) -> None:
        if not how & fcntl.LOCK_UN:  # letting go of a lock does not fail
            self._count("flock", None)
        self.real["flock"](fd, how)

    def _wrapped(self, name: str) -> Callable[..., Any]:
        real = self.real[name]

        def call(*args: Any, **kwargs: Any) -> Any:
            if name in ("read", "write") and not stat.S_ISREG(self.real["fstat"](args[0]).st_mode):
                return real(*args, **kwargs)  # a pipe to another program is no disk
            kind = self._kind(name, args, kwargs)
            data = args[1] if name in ("write", "pwrite") else None
            changes = kind not in ("open", "open-to-write") and name in _CHANGING
            try:
                short = self._count(kind, data)
            except OSError:
                if name in ("fsync", "fdatasync"):
                    self.events.append(("unsynced", self.real["fstat"](args[0]).st_ino))
                raise
            if not changes:
                if name in _ADVISING:
                    self.events.append(("advise", self.real["fstat"](args[0]).st_ino))
                return real(*args, **kwargs)
            number = len(self.changing)
            self.changing.append(kind)
            if isinstance(self.plan, Meanwhile) and self.plan.at == number:
                self.remove()
                self.plan.deed()
                self.install()
            plan = self.plan if isinstance(self.plan, Kill) and self.plan.at == number else None
            if plan and plan.how == BEFORE:
                self.die()
            if plan and plan.how == INTERRUPT:
                self.changing.append(kind)  # what it does to put things back does not meet the plan again
                raise KeyboardInterrupt
            if data is not None and (short or (plan and plan.how in TORN)):
                args = (args[0], _torn(bytes(data), plan), *args[2:])
            result = self._do(name, kind, real, args, kwargs)
            if plan:
                self.die()
            return result

        return call

    def die(self) -> None:
        """Be killed; only what was recorded gets out, for the model of a power cut that follows."""
        self.remove()
        self.send("killed", self.events)
        os._exit(_KILLED)

    def _kind(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        if name == "lstat":
            return "stat"
        if name != "open":
            return name
        flags = args[1]
        if flags & os.O_CREAT:
            try:
                self.real["stat"](args[0], dir_fd=kwargs.get("dir_fd"), follow_symlinks=False)
            except FileNotFoundError:
                return "create"
        return "open-to-write" if flags & (os.O_WRONLY | os.O_RDWR) else "open"

    def _count(self, kind: str, data: Any) -> bool:
        """Count an operation and raise if it is to fail; True where its write is to be short."""
        number = len(self.every)
        self.every.append(kind)
        plan = self.plan
        if not isinstance(plan, Fail) or number < plan.at or (number > plan.at and not (plan.sticky or plan.short)):
            return False
        if plan.short and number == plan.at:
            return True
        # After a short write the same write is the one that fails; `sticky` decides whether anything else does.
        if not plan.sticky and plan.short and number != plan.at + 1:
            return False
        if kind in ERRNOS[plan.errno]:
            raise OSError(plan.errno, os.strerror(plan.errno))
        return False

    def _do(self, name: str, kind: str, real: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        note = self.events.append
        if name in ("fsync", "fdatasync"):
            # Not done: the machine that runs the tests does not lose power. The model knows what it is worth.
            note(("fsync", self.real["fstat"](args[0]).st_ino))
            return None
        place = self._place(args[0], kwargs.get("dir_fd", kwargs.get("src_dir_fd")))
        other = self._place(args[1], kwargs.get("dst_dir_fd")) if name in ("rename", "replace", "link") else None
        result = real(*args, **kwargs)
        if name == "open":
            note(("create", *place, self.real["fstat"](result).st_ino))
        elif name in ("write", "pwrite"):
            at = args[2] if name == "pwrite" else os.lseek(args[0], 0, os.SEEK_CUR) - result
            note(("write", self.real["fstat"](args[0]).st_ino, at, bytes(args[1][:result])))
        elif name == "ftruncate":
            note(("truncate", self.real["fstat"](args[0]).st_ino, args[1]))
        elif name == "mkdir":
            note(("mkdir", *place, self.real["stat"](args[0], dir_fd=kwargs.get("dir_fd")).st_ino))
        elif name in ("unlink", "remove", "rmdir"):
            note(("unlink", *place))
        elif other is not None:
            note(("link" if name == "link" else "rename", *place, *other))
        elif name == "truncate":
            raise NotImplementedError("the model does not know os.truncate")
        return result

    def _place(self, path: Any, folder: int | None) -> tuple[int, str]:
        """(inode of the folder, name) of a path."""
        if isinstance(path, int):
            return (0, "")
        above, name = os.path.split(path)
        if folder is not None:
            assert not above, path
            return self.real["fstat"](folder).st_ino, name
        return self.real["stat"](above or ".").st_ino, name


def _torn(whole: bytes, plan: Kill | None) -> bytes:
    part = whole[: len(whole) // 2]
    if plan and plan.how == ZEROS:
        return part.ljust(len(whole), b"\0")
    return bytes(len(whole)) + plan.follow(whole) if plan and plan.how == FOLLOWED else part


def run(act: Act, root: str, plan: Plan = None, *, mutant: Callable[[], None] | None = None) -> Outcome:
    """Run `act(root, ack)` in a child, under `plan`; `mutant` breaks the code there first."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # A test runner's own threads hold nothing that the child needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        _child(act, root, Disk(plan), writer, mutant)
    os.close(writer)
    outcome = Outcome()
    with os.fdopen(reader, "rb") as pipe:
        while size := pipe.read(4):
            what, value = pickle.loads(pipe.read(struct.unpack("I", size)[0]))
            if what == "ack":
                outcome.acks.append(value)
            elif what == "killed":
                outcome.events = value
            else:
                outcome.error, outcome.changing, outcome.every, outcome.events = value
                outcome.finished = True
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == (0 if outcome.finished else _KILLED), f"the child died of {code}"
    return outcome


def _child(act: Act, root: str, disk: Disk, writer: int, mutant: Callable[[], None] | None) -> None:
    write = os.write

    def send(what: str, value: Any) -> None:
        message = pickle.dumps((what, value))
        message = struct.pack("I", len(message)) + message
        while message:
            message = message[write(writer, message) :]

    def ack(value: Any = None) -> None:
        disk.events.append(("ack", value))
        send("ack", value)

    error = None
    disk.send = send
    try:
        uuid.uuid4 = lambda: uuid.UUID(int=1)  # a second run is compared with the first one
        if mutant:
            mutant()
        disk.install()
        try:
            act(root, ack)
        finally:
            disk.remove()
    except AgentwsError as raised:
        error = (type(raised).__name__, True, raised.exit_code, traceback.format_exc())
    except BaseException as raised:
        error = (type(raised).__name__, False, 70, traceback.format_exc())
    try:
        send("end", (error, disk.changing, disk.every, disk.events))
    finally:
        os._exit(0)


class Node:
    """A file or folder in two states: as the kernel shows it, and as the disk would after a power cut."""

    __slots__ = ("durable", "folder", "lost", "now")

    def __init__(self, now: Any, *, folder: bool, durable: bool = False) -> None:
        self.folder = folder
        self.lost: list[tuple[int, int]] = []
        self.now: Any = now
        self.durable: Any = type(now)(now) if durable else ({} if folder else b"")

    def sync(self) -> None:
        """What is there now is durable, but for what an earlier sync has lost: its pages count as clean."""
        self.durable = type(self.now)(self.now)
        for start, end in self.lost:
            self.durable = (self.durable[:start].ljust(start, b"\0") + bytes(end - start) + self.durable[end:])[
                : len(self.now)
            ]

    def lose(self) -> None:
        """A sync has failed."""
        if not self.folder:
            pairs = zip(self.now, self.durable, strict=False)
            same = next((at for at, (new, old) in enumerate(pairs) if new != old), len(self.durable))
            self.lost.append((min(same, len(self.now)), len(self.now)))


class Model:
    """What is durable beneath a root, event by event; all that stands at the beginning is."""

    def __init__(self, root: str) -> None:
        self._nodes: dict[int, Node] = {}
        self.root = self._load(root)

    def _load(self, path: str) -> Node:
        found = os.lstat(path)
        if found.st_ino not in self._nodes:
            if stat.S_ISDIR(found.st_mode):
                names = {name: self._load(os.path.join(path, name)) for name in os.listdir(path)}
                self._nodes[found.st_ino] = Node(names, folder=True, durable=True)
            else:
                self._nodes[found.st_ino] = Node(contents(path), folder=False, durable=True)
        return self._nodes[found.st_ino]

    def apply(self, event: tuple[Any, ...]) -> None:
        """Let one recorded event happen; events outside of the root are passed over."""
        what, first, *rest = event
        if what == "ack" or first not in self._nodes:
            return
        node = self._nodes[first]
        if what == "fsync":
            node.sync()
        elif what == "unsynced":
            node.lose()
        elif what == "write":
            at, data = rest
            node.now = node.now[:at].ljust(at, b"\0") + data + node.now[at + len(data) :]
        elif what == "truncate":
            node.now = node.now[: rest[0]].ljust(rest[0], b"\0")
            node.lost = [(start, min(end, rest[0])) for start, end in node.lost if start < rest[0]]
        elif what in ("create", "mkdir"):
            made = Node({} if what == "mkdir" else b"", folder=what == "mkdir")
            self._nodes[rest[1]] = node.now[rest[0]] = made
        elif what == "unlink":
            node.now.pop(rest[0], None)  # another program may have made it
        elif what in ("link", "rename"):
            name, there, to = rest
            moved = node.now[name]
            if what == "rename" and self._nodes[there].now.get(to) is moved:
                return  # two names of one file: rename does nothing
            if what == "rename":
                del node.now[name]
            self._nodes[there].now[to] = moved

    def volatile(self) -> list[str]:
        """What a power cut could take back now, as words; locks and cleared-away links carry nothing."""
        return list(self._volatile(self.root, ""))

    def _volatile(self, node: Node, path: str) -> Iterator[str]:
        if not node.folder:
            # That a line was carried out is noted unsynced: after a power cut the line itself shows it.
            notes = path == ".agentws/changes.jsonl" and _without_notes(node.now) == _without_notes(node.durable)
            if node.now != node.durable and not notes:
                yield f"{path}: content"
            return
        for name in sorted({*node.now, *node.durable}):
            within = f"{path}/{name}".lstrip("/")
            if within.startswith(".agentws/") and within.endswith(".lock"):
                continue
            if name not in node.now:
                if not name.endswith(".agentws-old"):  # the next replacement clears it away
                    yield f"{within}: removal"
            elif node.durable.get(name) is not node.now[name]:
                yield f"{within}: name"
            if name in node.now:
                yield from self._volatile(node.now[name], within)

    def cut(self, to: str, how: str, seed: int = 0) -> None:
        """Build in the new folder `to` what a power cut now may leave.

        `lost`: nothing that was not synced. `names`: all names, and where content was not synced, zeros. `data`: all
        content, and of names the synced ones. `mixed`: each file and folder the one or the other.
        """
        dice = random.Random(seed)
        made: dict[int, str] = {}

        def build(node: Node, place: str) -> None:
            if id(node) in made:
                os.link(made[id(node)], place)
                return
            if not node.folder:
                made[id(node)] = place
            newer = {"lost": False, "names": node.folder, "data": not node.folder}.get(how, dice.random() < 0.5)
            if not node.folder:
                data = node.now if newer else node.durable
                if not newer and (how == "names" or (how == "mixed" and dice.random() < 0.5)):
                    data = data.ljust(len(node.now), b"\0") if node.now.startswith(node.durable) else data
                with open(place, "wb") as file:
                    file.write(data)
                return
            os.mkdir(place)
            for name, child in sorted((node.now if newer else node.durable).items()):
                build(child, os.path.join(place, name))

        build(self.root, to)


def _without_notes(data: bytes) -> bytes:
    return b"\n".join(line for line in data.split(b"\n") if line and line[:8] != b'{"done":'[: len(line)])


def contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def tree(root: str) -> dict[str, bytes]:
    """RelPath → content of every file beneath `root`, but for locks."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)
            if not path.endswith(".lock"):
                found[path] = contents(os.path.join(root, path))
    return found


def documents(root: str) -> dict[str, bytes]:
    """RelPath → content of what people and agents see: not `.agentws/`, `.git/` and our temporary files."""
    return {
        path: data
        for path, data in tree(root).items()
        if not path.startswith((".agentws/", ".git/")) and not path.endswith((".agentws-new", ".agentws-old"))
    }


@contextmanager
def patched(owner: Any, name: str, value: Any) -> Iterator[None]:
    """`owner.name` is `value` within the block."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
