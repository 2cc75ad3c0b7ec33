"""The receiver where an agent arrives: it takes the copy, checks it, makes it durable, and puts it in its place.

Over ssh it is sent as text, with conversation.py and all that it imports, to a bare `python3` (3.7 or later), so it
imports nothing else of agentws; for a folder on this machine it is called directly. It decides nothing: it reports and
obeys; features/copies/migrate/plan/next_step.py decides.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import sys

from agentws.features.copies.transfer import copy_place, disk
from agentws.features.copies.transfer.copy_place import ARRIVAL, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.features.copies.transfer.disk import Stream

LOCAL = ".agentws"
"""Files of one machine alone: never read, never sent."""
_APPEND = ".agentws/append.lock"
_BOOT_S = 120
_SAID = 600


class Receiver:
    """The place `final` where an agent is to be, and beside it the copy that is on its way there.

    `wired` where it is asked through a connection: whoever asks again knows that the one before has broken.
    """

    def __init__(self, boot: list[str] | None = None, wired: bool = False) -> None:
        self._boot = boot
        self._lock = copy_place.Lock(wired)
        self._tried_fd = -1
        self.final = self.staging = self.part = self._migration = self._tried = ""

    # Looking

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """Return what is at the destination and beside it. Nothing is changed."""
        final = os.path.normpath(os.path.join(os.path.expanduser("~"), os.path.expanduser(path)))
        above, name = os.path.split(final)
        if os.path.isdir(above):
            above = os.path.realpath(above)
            final = os.path.join(above, name)
        self.final, self._migration = final, _name(migration)
        self.staging = os.path.join(above, f".{name}.incoming-{migration}")
        about = {"path": final, "host": os.uname().nodename, "python": list(sys.version_info[:3])}
        return {**about, **copy_place.inspect(final, self.staging)}

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """Yield the content of the copy, all or that at `paths`, each file read and digested."""
        if paths is None:
            if os.path.isdir(self.staging):
                for rows in disk.entries(self.staging, (LOCAL,)):
                    yield rows[:6]
            return
        for path in paths:
            _beneath(self.staging, path)
            entry = disk.look_at(self.staging, path)
            if entry is not None:
                yield entry[:6]

    # Receiving

    def prepare(self, attempt: str) -> dict[str, str]:
        """Make the folder that receives the copy, for this user alone, and keep others from writing into it."""
        self.part = f"{self.staging}.part-{_name(attempt)}"
        if not os.path.isdir(self.staging) and not self._has_arrived():
            os.mkdir(self.staging, 0o700)
            disk.sync_folder(os.path.dirname(self.staging))
        if not self._lock.take(self.staging):
            raise Refused("gone", "another process has just installed or removed the copy")
        before = self._parts()
        # A receiver that was left behind by a broken connection loses the way back into the copy with the old name.
        for index, old in enumerate(before):
            os.rename(old, self.part) if index == 0 else disk.remove_tree(old)
        if not before:
            os.mkdir(self.part, 0o700)
        return {"staging": self.staging, "part": self.part}

    def put(self, entry: list[Any], stream: Stream | None) -> None:
        """Put one thing into the copy, as `disk.entries` gives it; the bytes of a file come from `stream`."""
        path, kind, mode, mtime_ns, size, content = entry
        place = _beneath(self.staging, path)
        if os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
            raise Refused("outside", f"{path!r} lies beneath a link")
        if kind == disk.FOLDER:
            if not os.path.isdir(place) or os.path.islink(place):
                with _writable(os.path.dirname(place)):
                    os.mkdir(place, 0o700)
            disk.where_offered(os.chmod, place, mode)
            return
        with _writable(os.path.dirname(place)):
            new = os.path.join(self.part, "put")
            if os.path.lexists(new):
                os.unlink(new)
            if kind == disk.LINK:
                os.symlink(content, new)
            elif stream is not None:
                disk.receive(new, mode, size, stream)
            disk.where_offered(os.utime, new, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
            os.rename(new, place)

    def drop(self, paths: list[str]) -> None:
        """Take what stands at `paths` out of the copy, folders with all that they hold."""
        for place in sorted((_beneath(self.staging, path) for path in paths), reverse=True):
            if not os.path.lexists(place):
                continue
            with _writable(os.path.dirname(place)):
                if os.path.isdir(place) and not os.path.islink(place):
                    disk.remove_tree(place)
                else:
                    os.unlink(place)

    def set_folders(self, folders: list[list[Any]]) -> None:
        """Give the folders their modes and times: [path, mode, mtime_ns], the deepest first."""
        places = [(_beneath(self.staging, path), mode, mtime_ns) for path, mode, mtime_ns in folders]
        for place, mode, mtime_ns in sorted(places, key=lambda pair: -pair[0].count("/")):
            if stat.S_IMODE(os.lstat(place).st_mode) != mode:
                disk.where_offered(os.chmod, place, mode)
            disk.where_offered(os.utime, place, ns=(mtime_ns, mtime_ns))

    def record(self, origin: dict[str, Any]) -> None:
        """Leave word in the copy of where it comes from; it stays on this machine, and holds for this folder alone.

        It is durable with the rest of the copy: after `sync`.
        """
        place = os.path.join(self.staging, ARRIVAL)
        record = dict(origin, inode=os.stat(self.staging).st_ino, place=self.final)
        disk.replace(os.path.join(self.staging, LOCAL, ".gitignore"), "*\n")
        disk.replace(place, json.dumps(record) + "\n")

    def sync(self) -> None:
        """Make the whole copy durable. If that fails, remove the copy and report the error."""
        try:
            disk.sync_tree(self.staging)
        except OSError:
            self._discard()
            raise

    # Ending

    def activate(self, mode: int, stamp: str) -> dict[str, Any]:
        """Put the copy where the agent is to be; again where it is there already, which makes sure of its name.

        An older copy that the agent had left there is kept beside.
        """
        aside = ""
        if os.path.isdir(self.staging):
            self._clear(self._parts())
            disk.where_offered(os.chmod, self.staging, mode)
            aside = self._make_way(stamp)
            os.rename(self.staging, self.final)
        elif not self._has_arrived():
            raise Refused("gone", "the received copy is missing")
        disk.sync_folder(os.path.dirname(self.final))
        _forget(os.path.join(self.final, copy_place.LOCK))
        return {"path": self.final, "aside": aside}

    def _make_way(self, stamp: str) -> str:
        if copy_place.what_stands(self.final) != "workspace":
            return ""
        if not os.path.lexists(os.path.join(self.final, copy_place.MOVED)):
            raise Refused("taken", f"{self.final} is a workspace in use")
        aside = f"{self.final}.moved-{_name(stamp)}"
        os.rename(self.final, aside)
        return aside

    def abandon(self) -> bool:
        """Take the copy away for good; False where there was none. `arrived` is refused: it is in its place already.

        Whoever was about to put it there has either done so when we hold the lock, or never will.
        """
        was_there = self._lock.take(self.staging)
        if was_there:
            self._discard()
        if self._has_arrived():
            raise Refused("arrived", f"the agent has arrived at {self.final}")
        return was_there

    def boot(self) -> dict[str, Any]:
        """Boot the agent at its new place, as proof that it can; `code` is None where agentws is not installed."""
        code, _, message = self._run("boot", "--json")
        return {"code": code, "said": message}

    def trial_folder(self) -> str:
        """Make a folder for a copy that is only tried, which goes with `close`; returns where the copy is to be."""
        self._tried, self._tried_fd = disk.locked_folder(disk.TRIED)
        return os.path.join(self._tried, "agent")

    def verify(self) -> dict[str, Any]:
        """Verify the journal of the agent at its new place; `code` is None where agentws is not installed."""
        code, _, message = self._run("journal", "verify", "--json")
        return {"code": code, "said": message}

    def joins(self) -> dict[str, str]:
        """The `writer` that this installation is where the agent is now, and its public `key`; empty where unknown."""
        code, text, _ = self._run("identity", "vouch", "--json")
        try:
            decoded = json.loads(text) if code == 0 else {}
            return {"writer": str(decoded["writer"]), "key": str(decoded["key"])}
        except (ValueError, KeyError, TypeError):
            return {}

    def sign_in(self, lines: dict[str, str]) -> None:
        """Add a line to each of these files of the agent, where it is now; while nobody else adds to them."""
        places = {_beneath(self.final, path): line for path, line in lines.items()}
        fd = os.open(os.path.join(self.final, _APPEND), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            disk.where_offered(fcntl.flock, fd, fcntl.LOCK_EX)
            for place, line in places.items():
                disk.add_line(place, line)
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
        out, message = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        return done.returncode, out, message[-_SAID:]

    def close(self) -> None:
        """Release the copy; one that was only tried goes."""
        self._lock.release()
        if self._tried:
            self._clear([self._tried])
            os.close(self._tried_fd)
            self._tried = ""

    # Within

    def _program(self) -> list[str]:
        if self._boot is not None:
            return self._boot
        usual = os.path.expanduser("~/.local/bin/agentws")
        program = copy_place.program("agentws") or (usual if os.access(usual, os.X_OK) else "")
        return [program] if program else []

    def _parts(self) -> list[str]:
        above, name = os.path.split(self.staging)
        return [os.path.join(above, each) for each in sorted(os.listdir(above)) if each.startswith(name + ".part-")]

    def _discard(self) -> None:
        gone = self.staging + ".gone"
        if os.path.lexists(gone):
            self._clear([gone])
        os.rename(self.staging, gone)
        disk.sync_folder(os.path.dirname(gone))
        self._lock.release()
        self._clear([gone, *self._parts()])

    def _clear(self, places: list[str]) -> None:
        for place in places:
            try:
                disk.remove_tree(place)
            except OSError:
                pass  # it is in nobody's way

    def _has_arrived(self) -> bool:
        return bool(self._migration) and copy_place.arrived(self.final) == self._migration


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


def _spend(place: str) -> None:
    """Take the token out of what tells of the arrival: who begins here was signed in without it."""
    decoded = json.loads(disk.text(place) or "{}")
    if isinstance(decoded, dict) and decoded.pop("token", None) is not None:
        disk.replace(place, json.dumps(decoded) + "\n", durable=True)


def _forget(place: str) -> None:
    try:
        os.unlink(place)
    except FileNotFoundError:
        pass
