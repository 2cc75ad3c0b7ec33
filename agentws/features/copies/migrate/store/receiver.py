"""The receiver where an agent arrives: it takes the copy, checks it, makes it durable, and puts it in its place.

This file runs there by itself: it is sent as text to a bare `python3` (3.7 or later), so it imports nothing of agentws.
Requests come as JSON lines on standard input and are answered the same way; for a folder on this machine the same class
is called directly. What is here decides nothing: it reports and obeys; features/copies/migrate/plan/next_step.py
decides.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import signal
import stat
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any, BinaryIO, Protocol

    class Stream(Protocol):
        """What bytes come from."""

        def read(self, __size: int) -> bytes | None:
            """At most so many of them, none at the end."""


MARK = "agentws-far-1"
FOLDER, FILE, LINK, OTHER = "d", "f", "l", "?"
LOCAL = ".agentws"
"""What belongs to one machine alone: never looked at, never sent."""
ARRIVAL = ".agentws/arrival.json"
_LOCK, _APPEND = ".agentws/incoming.lock", ".agentws/append.lock"
_MANIFEST, _MOVED, _RETIRED = "agentws.toml", "identity/moved.json", "identity/retired.jsonl"
_ID = re.compile(rb'^id\s*=\s*["\']([^"\']*)["\']', re.MULTILINE)
_PIECE = 1 << 20
_SMALL = 1 << 16
_LARGE = 1 << 24
_BATCH = 500
_WIRED = "wired"
"""In the lock: whoever holds it is asked through a connection, and ends with that."""
_TRIES, _TRIES_WIRED, _TRY_S = 20, 100, 0.05
_BOOT_S = 120
_SAID = 600


class Refused(Exception):  # noqa: N818
    """A refusal; `code` says why in a word."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Receiver:
    """The place `final` where an agent is to be, and beside it the copy that is on its way there.

    `wired` where it is asked through a connection: whoever asks anew knows that the one before has broken.
    """

    def __init__(self, boot: list[str] | None = None, wired: bool = False) -> None:
        self._boot = boot
        self._wired = wired
        self._tried_fd = -1
        self.final = self.staging = self.part = self._migration = self._tried = ""
        self._locked = -1

    # Looking

    def look(self, path: str, migration: str) -> dict[str, Any]:
        """Return what is at the destination and beside it. Nothing is changed."""
        final = os.path.normpath(os.path.join(os.path.expanduser("~"), os.path.expanduser(path)))
        above, name = os.path.split(final)
        if os.path.isdir(above):
            above = os.path.realpath(above)
            final = os.path.join(above, name)
        self.final, self._migration = final, _name(migration)
        self.staging = os.path.join(above, f".{name}.incoming-{migration}")
        found: dict[str, Any] = {"path": final, "host": os.uname().nodename, "python": list(sys.version_info[:3])}
        found["rsync"] = bool(_which("rsync"))
        found["above"] = _folder_state(above)
        found["inside"] = _workspace_above(above)
        found["stands"] = _what_stands(final)
        found["agent"] = _agent(final)
        found["moved"] = _text(os.path.join(final, _MOVED), _LARGE)
        found["retired"] = os.path.lexists(os.path.join(final, _RETIRED))
        found["arrived"] = _arrived(final)
        found["waiting"] = os.path.isdir(self.staging)
        found.update(_space(above))
        return found

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """Yield the content of the copy, all or that at `paths`, each file read and digested."""
        if paths is None:
            if os.path.isdir(self.staging):
                for found in walk(self.staging, (LOCAL,)):
                    yield found[:6]
            return
        for path in paths:
            _beneath(self.staging, path)
            entry = look_at(self.staging, path)
            if entry is not None:
                yield entry[:6]

    # Receiving

    def prepare(self, attempt: str) -> dict[str, str]:
        """Make the folder that receives the copy, for this user alone, and keep others from writing into it."""
        self.part = f"{self.staging}.part-{_name(attempt)}"
        if not os.path.isdir(self.staging) and not self._has_arrived():
            os.mkdir(self.staging, 0o700)
            _sync_folder(os.path.dirname(self.staging))
        if not self._lock():
            raise Refused("gone", "another process has just installed or removed the copy")
        before = self._parts()
        # A receiver that was left behind by a broken connection loses the way back into the copy with the old name.
        for index, old in enumerate(before):
            os.rename(old, self.part) if index == 0 else _remove_tree(old)
        if not before:
            os.mkdir(self.part, 0o700)
        return {"staging": self.staging, "part": self.part}

    def put(self, entry: list[Any], stream: Stream | None) -> None:
        """Put one thing into the copy, as `walk` tells it; the bytes of a file come from `stream`."""
        path, kind, mode, mtime_ns, size, content = entry
        place = _beneath(self.staging, path)
        if os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
            raise Refused("outside", f"{path!r} lies beneath a link")
        if kind == FOLDER:
            if not os.path.isdir(place) or os.path.islink(place):
                with _writable(os.path.dirname(place)):
                    os.mkdir(place, 0o700)
            os.chmod(place, mode)
            return
        with _writable(os.path.dirname(place)):
            new = os.path.join(self.part, "put")
            if os.path.lexists(new):
                os.unlink(new)
            if kind == LINK:
                os.symlink(content, new)
            elif stream is not None:
                _receive(new, mode, size, stream)
            os.utime(new, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
            os.rename(new, place)

    def drop(self, paths: list[str]) -> None:
        """Take what stands at `paths` out of the copy, folders with all that they hold."""
        for place in sorted((_beneath(self.staging, path) for path in paths), reverse=True):
            if not os.path.lexists(place):
                continue
            with _writable(os.path.dirname(place)):
                if os.path.isdir(place) and not os.path.islink(place):
                    _remove_tree(place)
                else:
                    os.unlink(place)

    def settle(self, folders: list[list[Any]]) -> None:
        """Give the folders their modes and times: [path, mode, mtime_ns], the deepest first."""
        places = [(_beneath(self.staging, path), mode, mtime_ns) for path, mode, mtime_ns in folders]
        for place, mode, mtime_ns in sorted(places, key=lambda one: -one[0].count("/")):
            if stat.S_IMODE(os.lstat(place).st_mode) != mode:
                os.chmod(place, mode)
            os.utime(place, ns=(mtime_ns, mtime_ns))

    def announce(self, told: dict[str, Any]) -> None:
        """Leave word in the copy of where it comes from; it stays on this machine, and holds for this folder alone.

        It is durable with the rest of the copy: after `sync`.
        """
        place = os.path.join(self.staging, ARRIVAL)
        told = dict(told, inode=os.stat(self.staging).st_ino, place=self.final)
        _replace(os.path.join(self.staging, LOCAL, ".gitignore"), "*\n")
        _replace(place, json.dumps(told) + "\n")

    def sync(self) -> None:
        """Make the whole copy durable. Where that fails, the copy is worth nothing: it goes, and the error is told."""
        try:
            sync_tree(self.staging)
        except OSError:
            self._discard()
            raise

    # Ending

    def place(self, mode: int, stamp: str) -> dict[str, Any]:
        """Put the copy where the agent is to be; again where it is there already, which makes sure of its name.

        An older copy that the agent had left there is kept beside.
        """
        aside = ""
        if os.path.isdir(self.staging):
            self._clear(self._parts())
            os.chmod(self.staging, mode)
            aside = self._make_way(stamp)
            os.rename(self.staging, self.final)
        elif not self._has_arrived():
            raise Refused("gone", "the received copy is missing")
        _sync_folder(os.path.dirname(self.final))
        _forget(os.path.join(self.final, _LOCK))
        return {"path": self.final, "aside": aside}

    def _make_way(self, stamp: str) -> str:
        if _what_stands(self.final) != "workspace":
            return ""
        if not os.path.lexists(os.path.join(self.final, _MOVED)):
            raise Refused("taken", f"{self.final} is a workspace in use")
        aside = f"{self.final}.moved-{_name(stamp)}"
        os.rename(self.final, aside)
        return aside

    def abandon(self) -> bool:
        """Take the copy away for good; False where there was none. `arrived` is refused: it is in its place already.

        Whoever was about to put it there has either done so when we hold the lock, or never will.
        """
        found = self._lock()
        if found:
            self._discard()
        if self._has_arrived():
            raise Refused("arrived", f"the agent has arrived at {self.final}")
        return found

    def boot(self) -> dict[str, Any]:
        """Boot the agent at its new place, as proof that it can; `code` is None where agentws is not installed."""
        code, _, said = self._run("boot", "--json")
        return {"code": code, "said": said}

    def aside(self) -> str:
        """Make a folder for a copy that is only tried, which goes with `close`; returns where the copy is to be."""
        import tempfile

        for _ in range(_TRIES):
            made, fd = tempfile.mkdtemp(prefix="agentws-drill-"), -1
            # Held while it is needed: who finds one without removes it (temporary.py), perhaps just before this.
            try:
                fd = os.open(made, os.O_RDONLY)
                fcntl.flock(fd, fcntl.LOCK_EX)
                is_there = os.path.samestat(os.fstat(fd), os.stat(made))
            except FileNotFoundError:
                is_there = False
            if is_there:
                self._tried, self._tried_fd = made, fd
                return os.path.join(made, "agent")
            if fd >= 0:
                os.close(fd)
        raise Refused("aside", "other processes remove what is made in the folder for temporary files")

    def verify(self) -> dict[str, Any]:
        """Verify the journal of the agent at its new place; `code` is None where agentws is not installed."""
        code, _, said = self._run("journal", "verify", "--json")
        return {"code": code, "said": said}

    def joins(self) -> dict[str, str]:
        """The `writer` that this installation is where the agent is now, and its public `key`; empty where unknown."""
        code, told, _ = self._run("identity", "vouch", "--json")
        try:
            found = json.loads(told) if code == 0 else {}
            return {"writer": str(found["writer"]), "key": str(found["key"])}
        except (ValueError, KeyError, TypeError):
            return {}

    def sign_in(self, lines: dict[str, str]) -> None:
        """Add a line to each of these files of the agent, where it is now; while nobody else adds to them."""
        places = {_beneath(self.final, path): line for path, line in lines.items()}
        fd = os.open(os.path.join(self.final, _APPEND), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            for place, line in places.items():
                _add(place, line)
            _spend(os.path.join(self.final, ARRIVAL))
        finally:
            os.close(fd)

    def _run(self, *words: str) -> tuple[int | None, str, str]:
        program = self._program()
        if not program:
            return None, "", ""
        import subprocess

        try:
            done = subprocess.run(
                [*program, "-C", self.final, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd="/",  # `python -m` would look for modules in the present folder, which may be anybody's
                timeout=_BOOT_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return 1, "", str(error)[:_SAID]
        out, said = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        return done.returncode, out, said[-_SAID:]

    def close(self) -> None:
        """Release the copy; one that was only tried goes."""
        self._release()
        if self._tried:
            self._clear([self._tried])
            os.close(self._tried_fd)
            self._tried = ""

    # Within

    def _release(self) -> None:
        if self._locked >= 0:
            os.close(self._locked)
            self._locked = -1

    def _program(self) -> list[str]:
        if self._boot is not None:
            return self._boot
        usual = os.path.expanduser("~/.local/bin/agentws")
        found = _which("agentws") or (usual if os.access(usual, os.X_OK) else "")
        return [found] if found else []

    def _parts(self) -> list[str]:
        above, name = os.path.split(self.staging)
        return [os.path.join(above, each) for each in sorted(os.listdir(above)) if each.startswith(name + ".part-")]

    def _discard(self) -> None:
        gone = self.staging + ".gone"
        if os.path.lexists(gone):
            self._clear([gone])
        os.rename(self.staging, gone)
        _sync_folder(os.path.dirname(gone))
        self._release()
        self._clear([gone, *self._parts()])

    def _clear(self, places: list[str]) -> None:
        for place in places:
            try:
                _remove_tree(place)
            except OSError:
                pass  # it is in nobody's way

    def _has_arrived(self) -> bool:
        return bool(self._migration) and _arrived(self.final) == self._migration

    def _lock(self) -> bool:
        """Be the only one that works on this copy; False where there is none, or none any more.

        The lock lies in the copy and goes with it: whoever got it looks whether the copy is still where it was.
        """
        holder = ""
        place = os.path.join(self.staging, _LOCK)
        if self._locked >= 0 and _is_at(self._locked, place):
            return True
        self._release()
        for _ in range(_TRIES_WIRED if self._wired else _TRIES):
            fd = _lock_file(place)
            if fd < 0:
                return False
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = self._end_holder(fd)
                os.close(fd)
                time.sleep(_TRY_S)
                continue
            if _is_at(fd, place):
                os.ftruncate(fd, 0)
                told = f"{_process(str(os.getpid()))} {_WIRED if self._wired else ''}".rstrip()
                os.pwrite(fd, f"{told}\n".encode("ascii"), 0)
                self._locked = fd
                return True
            os.close(fd)
        if holder:
            raise Refused("busy", f"another `agentws migrate --from` is running at {self.staging} (process {holder})")
        raise Refused("busy", f"another process is working on the copy at {self.staging}")

    def _end_holder(self, fd: int) -> str:
        """The process that holds the lock, where it can be told, and goes on.

        One that is asked through a connection, as we are, belongs to an earlier try of the same source, which knows
        that it is over: the connection broke, and nobody here was told. So it is ended. No other one is.
        """
        words = os.pread(fd, 200, 0).decode("ascii", "replace").split("\n")[0].split(" ")
        holder, pid = " ".join(words[:3]), words[0]
        if not holder or holder != _process(pid):
            return ""
        if not self._wired or words[3:] != [_WIRED] or int(pid) == os.getpid():
            return pid
        try:
            os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass  # it has ended by itself; or it is another user's, and goes on
        return ""


class _writable:  # noqa: N801
    """A folder that lets things be put into it, for as long as that takes; its mode stays what it was."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._mode: int | None = None

    def __enter__(self) -> None:
        mode = stat.S_IMODE(os.lstat(self._folder).st_mode)
        if mode & 0o300 != 0o300:
            self._mode = mode
            os.chmod(self._folder, mode | 0o700)

    def __exit__(self, *_: object) -> None:
        if self._mode is not None:
            os.chmod(self._folder, self._mode)


# What a tree holds


def walk(root: str, leave_out: Collection[str], known: Mapping[str, list[Any]] | None = None) -> Iterator[list[Any]]:
    """Each thing beneath `root`, folders before what they hold.

    As [path, kind, mode, mtime in nanoseconds, size, digest of a file or target of a link, marks]. One that was read
    before (`known`) is recognised by its marks: it is given again as it was, and not read.
    """
    known = known or {}
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        within = f"{folder}/" if folder else ""
        try:
            with os.scandir(os.path.join(root, folder) if folder else root) as found:
                names = sorted(found, key=_by_name)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            continue  # it went while we looked, or is something else now: the next look sees what
        for each in names:
            path = within + each.name
            if path in leave_out:
                continue
            try:
                status = each.stat(follow_symlinks=False)
            except (FileNotFoundError, NotADirectoryError):
                continue
            entry = known.get(path)
            if entry is None or entry[6] != _marks(status):
                entry = _entry(root, path, status)
                if entry is None:
                    continue  # it went while we looked
            yield entry
            if entry[1] == FOLDER:
                waiting.append(path)


def _by_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _marks(status: os.stat_result) -> tuple[int, int, int, int, int]:
    """What the system tells of a thing, and tells otherwise once it changes."""
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def look_at(root: str, path: str) -> list[Any] | None:
    """Return one thing as `walk` describes it, None where nothing is."""
    try:
        status = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _entry(root, path, status)


def _entry(root: str, path: str, status: os.stat_result) -> list[Any] | None:
    mode, place = status.st_mode, os.path.join(root, path)
    kind, size, content = OTHER, 0, ""
    try:
        if stat.S_ISREG(mode):
            kind = FILE
            content, status = _digest(place)
            size = status.st_size
        elif stat.S_ISDIR(mode):
            kind = FOLDER
        elif stat.S_ISLNK(mode):
            kind, content = LINK, os.readlink(place)
            size = len(os.fsencode(content))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO) or (error.errno == errno.EINVAL and stat.S_ISLNK(mode)):
            return None  # something else was put in its place while we looked
        raise
    rights = 0o777 if kind == LINK else stat.S_IMODE(status.st_mode)
    return [path, kind, rights, status.st_mtime_ns, size, content, _marks(status)]


def _digest(place: str) -> tuple[str, os.stat_result]:
    """The digest of a file, and what the system told of it before it was read."""
    fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), place)
        if status.st_size < _SMALL:
            first = os.read(fd, status.st_size + 1)
            if len(first) == status.st_size:
                return hashlib.sha256(first).hexdigest(), status
            os.lseek(fd, 0, os.SEEK_SET)
        digest = hashlib.sha256()
        while True:
            piece = os.read(fd, _PIECE)
            if not piece:
                return digest.hexdigest(), status
            digest.update(piece)
    finally:
        os.close(fd)


def _beneath(root: str, path: str) -> str:
    """The place of a thing in the tree at `root`. Refused is what would lead out of it: nobody is trusted in that."""
    if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise Refused("outside", f"{path!r} is not a path in {root}")
    return os.path.join(root, path)


def _name(text: str) -> str:
    """A word that becomes part of a name, as it is."""
    if not text or "/" in text or "\0" in text:
        raise Refused("outside", f"{text!r} is not a file name")
    return text


# The destination


def _what_stands(place: str) -> str:
    """`nothing`, `empty` (a folder), `workspace`, `folder` (with other things in it), or `other`."""
    if not os.path.lexists(place):
        return "nothing"
    if os.path.islink(place) or not os.path.isdir(place):
        return "other"
    if os.path.lexists(os.path.join(place, _MANIFEST)):
        return "workspace"
    return "folder" if os.listdir(place) else "empty"


def _folder_state(place: str) -> str:
    if not os.path.isdir(place):
        return "missing"
    return "ready" if os.access(place, os.W_OK | os.X_OK) else "read-only"


def _workspace_above(place: str) -> str:
    while True:
        if os.path.lexists(os.path.join(place, _MANIFEST)):
            return place
        above = os.path.dirname(place)
        if above == place:
            return ""
        place = above


def _agent(place: str) -> str:
    text = _text(os.path.join(place, _MANIFEST)) or ""
    found = _ID.search(text.partition("\n[")[0].encode("utf-8", "surrogateescape"))
    return found.group(1).decode("ascii", "replace") if found else ""


def _arrived(place: str) -> str:
    """The id of the migration by which the workspace at `place` came there, empty where it came by none."""
    try:
        return str(json.loads(_text(os.path.join(place, ARRIVAL)) or "{}").get("migration", ""))
    except (ValueError, AttributeError):
        return ""


def _text(place: str, limit: int = _SMALL) -> str | None:
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, limit).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    finally:
        os.close(fd)


def _space(above: str) -> dict[str, int | None]:
    try:
        told = os.statvfs(above)
    except OSError:
        return {"free_bytes": None, "free_files": None}
    return {"free_bytes": told.f_bavail * told.f_frsize, "free_files": told.f_favail if told.f_files else None}


def _process(pid: str) -> str:
    """A process by its id, the moment it began and whose ids these are; empty where that cannot be told."""
    try:
        with open(f"/proc/{int(pid)}/stat", encoding="utf-8", errors="replace") as file:
            began = file.read(4096).rpartition(")")[2].split()[19]
        return f"{int(pid)} {began} {os.stat('/proc/self/ns/pid').st_ino}"
    except (OSError, ValueError, IndexError):
        return ""


def _which(name: str) -> str:
    """The program of this name on the PATH, empty where there is none."""
    places = (os.path.join(folder, name) for folder in os.get_exec_path() if os.path.isabs(folder))
    return next((place for place in places if os.access(place, os.X_OK) and not os.path.isdir(place)), "")


def _lock_file(place: str) -> int:
    """The file by which a copy is locked, opened; -1 where there is no such copy."""
    try:
        try:
            os.mkdir(os.path.dirname(place), 0o700)
        except FileExistsError:
            pass
        return os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        return -1


def _is_at(fd: int, place: str) -> bool:
    """Return whether the file that was opened is still the one at this place."""
    try:
        there = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return os.path.samestat(os.fstat(fd), there)


# Writing


def _remove_tree(place: str) -> None:
    """Remove a folder of ours with all that it holds; the modules that could do so take longer to load than this."""
    for folder, folders, names in os.walk(place, topdown=False):
        os.chmod(folder, 0o700)
        for name in names:
            os.unlink(os.path.join(folder, name))
        for name in folders:
            inner = os.path.join(folder, name)
            os.unlink(inner) if os.path.islink(inner) else os.rmdir(inner)
    os.rmdir(place)


def _receive(place: str, mode: int, size: int, stream: Stream) -> None:
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        while size:
            piece = stream.read(min(size, _PIECE))
            if not piece:
                break  # it was cut short while it was sent: its digest will tell
            _write(fd, piece)
            size -= len(piece)
        os.fchmod(fd, mode)
    finally:
        os.close(fd)


def _add(place: str, line: str) -> None:
    """Add a line at the end of a file, durably, unless it stands there already."""
    os.makedirs(os.path.dirname(place), exist_ok=True)
    fd = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o644)
    try:
        with open(fd, "rb", closefd=False) as file:
            known = file.read()
        if line.encode("utf-8") in known.split(b"\n"):
            return
        before = b"" if not known or known.endswith(b"\n") else b"\n"
        _write(fd, before + line.encode("utf-8") + b"\n")
        os.fsync(fd)
    finally:
        os.close(fd)
    _sync_folder(os.path.dirname(place))


def _replace(place: str, text: str, durable: bool = False) -> None:
    """Put a file of ours in its place, for this user alone."""
    fd = os.open(place + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        _write(fd, text.encode("ascii"))
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(place + ".new", place)
    if durable:
        _sync_folder(os.path.dirname(place))


def _spend(place: str) -> None:
    """Take the token out of what tells of the arrival: who begins here was signed in without it."""
    told = json.loads(_text(place) or "{}")
    if isinstance(told, dict) and told.pop("token", None) is not None:
        _replace(place, json.dumps(told) + "\n", durable=True)


def _forget(place: str) -> None:
    try:
        os.unlink(place)
    except FileNotFoundError:
        pass


def _write(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _sync_folder(place: str) -> None:
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_tree(root: str) -> None:
    """Make all of a tree durable: by one sync of its file system, where that tells whether it went well."""
    if sys.platform.startswith("linux") and _syncfs(root):
        return
    full = getattr(fcntl, "F_FULLFSYNC", None)
    for folder, _, names in os.walk(root, topdown=False):
        for name in [*names, ""]:
            place = os.path.join(folder, name) if name else folder
            if os.path.islink(place) or not (os.path.isfile(place) or os.path.isdir(place)):
                continue
            fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
            try:
                fcntl.fcntl(fd, full) if full is not None else os.fsync(fd)
            finally:
                os.close(fd)


def _syncfs(root: str) -> bool:
    """Return False where this system has no such call; OSError where the disk did not take all."""
    try:
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).syncfs
    except (ImportError, OSError, AttributeError):
        return False
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if call(fd) == 0:
            return True
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), root)
    finally:
        os.close(fd)


# The conversation


class Conversation:
    """Answers requests until there are no more. What is put into the copy is not answered; the next answer tells."""

    def __init__(self, asked: BinaryIO, answers: BinaryIO) -> None:
        self._far = Receiver(wired=True)
        self._asked = asked
        self._answers = answers
        self._late: OSError | Refused | None = None

    def hold(self) -> None:
        """Say hello, and answer."""
        self._answers.write(f"{MARK}\n".encode("ascii"))
        self._say({"python": list(sys.version_info[:3])})
        try:
            for line in iter(self._asked.readline, b""):
                try:
                    self._answer(json.loads(line))
                except Refused as error:
                    self._say({"refused": error.code, "message": str(error)})
                except OSError as error:
                    self._say({"errno": error.errno, "message": str(error)})
        finally:
            self._far.close()

    def _answer(self, request: dict[str, Any]) -> None:
        name = request.pop("op")
        if name == "put":
            self._put(request)
            return
        if self._late is not None:
            raise self._late
        if name == "entries":
            self._entries(request["paths"])
        else:
            self._say({"done": getattr(self._far, name)(**request)})

    def _entries(self, paths: list[str] | None) -> None:
        batch: list[list[Any]] = []
        for entry in self._far.entries(paths):
            batch.append(entry)
            if len(batch) == _BATCH:
                self._say({"entries": batch})
                batch = []
        self._say({"entries": batch, "end": True})

    def _put(self, request: dict[str, Any]) -> None:
        # The bytes are taken from the stream whatever happens, so that what follows is a request again.
        stream = _Bounded(self._asked, request["entry"][4] if request["entry"][1] == FILE else 0)
        try:
            if self._late is None:
                self._far.put(request["entry"], stream)
        except (OSError, Refused) as error:
            self._late = error
        finally:
            stream.skip()

    def _say(self, told: dict[str, Any]) -> None:
        self._answers.write(json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n")
        self._answers.flush()


class _Bounded:
    """So many bytes of a stream, and no more."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int) -> bytes:
        piece = self._stream.read(min(size, self._left))
        self._left -= len(piece)
        return piece

    def skip(self) -> None:
        while self._left and self.read(_PIECE):
            pass


if __name__ == "__main__":
    try:
        Conversation(sys.stdin.buffer, sys.stdout.buffer).hold()
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(1)
