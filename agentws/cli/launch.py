"""Code inside a launcher: finds its modules without a search, then runs the fast lane.

Nobody imports this: cli/launcher.py puts its code into the launcher, where it runs before site-packages exist.
"""

from __future__ import annotations

import sys
from marshal import loads
from posix import fstat, pread, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec, SourceFileLoader
    from types import CodeType

    Stamp = tuple[int, int, int]
    """Stamp of an unchanged file: time, size, inode."""
    Row = tuple[str, bool, Stamp, int, int]
    """A module: its file, whether it is a package, its stamp; its code's place and size."""
else:
    # Both are there from the start of the interpreter; `importlib` itself is not.
    ModuleSpec = sys.modules["_frozen_importlib"].ModuleSpec
    SourceFileLoader = sys.modules["_frozen_importlib_external"].SourceFileLoader


class Finder:
    """Finds the modules of a launcher, in its open file of modules; any that has changed is left to other finders."""

    def __init__(self, descriptor: int, begins: int, rows: dict[str, Row]) -> None:
        self._descriptor = descriptor
        self._begins = begins
        self._rows = rows

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return the spec that the import system would make, with a loader that has the code already."""
        row = self._rows.get(name)
        if row is None:
            return None
        origin, is_package, stamp, place, size = row
        if _stamp(origin) != stamp:
            return None
        loader = _Loader(name, origin)
        loader.code = self._descriptor, size, self._begins + place
        spec = ModuleSpec(name, loader, origin=origin, is_package=is_package)
        spec.has_location = True
        spec.cached = origin  # else the import system makes up the path of a file that nobody reads
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(origin.rpartition("/")[0])
        return spec


class _Loader(SourceFileLoader):
    code: tuple[int, int, int]

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = loads(pread(*self.code))  # noqa: S302 - what Python has compiled of our own file
        return code


def enter(
    descriptor: int, begins: int, rows: dict[str, Row], size: int, paths: list[str], script: Stamp
) -> Callable[[], None]:
    """Return `main` for a launched call of the fast lane; any exception means an ordinary start.

    The modules begin in the open file at `begins`, and take `size` bytes. `script` is the stamp of the console script,
    whose path is the first word of this process.
    """
    finder = Finder(descriptor, begins, rows)
    if fstat(descriptor).st_size != begins + size or _stamp(sys.argv[0]) != script or not finder.find_spec("agentws"):
        raise LookupError("something has changed")
    sys.path += [path for path in paths if path not in sys.path]
    sys.meta_path.insert(0, finder)

    from agentws.cli import fast_lane, main
    from agentws.core import environment

    call = None if environment.completes() else fast_lane.recognise(sys.argv[1:])
    if call is None or not call.is_hot:
        raise LookupError("these words are for the other door")
    return main.main


def _stamp(path: str) -> Stamp:
    status = stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino
