"""Code inside a launcher: loads its modules without a search, then runs the fast lane.

Nobody imports this: cli/launcher.py puts its code into the launcher, where it runs before site-packages exist.
"""

from __future__ import annotations

import sys
from posix import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    Stamp = tuple[int, int, int]
    """What tells whether a file is as it was: time, size, inode."""
    Frozen = tuple[str, str, str, bool, Stamp, CodeType]
    """A module: its name, its file, that of its compiled code, whether it is a package, its stamp, and its code."""


def enter(modules: list[Frozen], paths: list[str], script: Stamp) -> Callable[[], None]:
    """Return `main` for a launched call of the fast lane, its modules loaded; any exception means an ordinary start.

    `script` is the stamp of the console script, whose path is the first word of this process.
    """
    _check(sys.argv[0], script)
    for module in modules:
        _check(module[1], module[4])
    sys.path += [path for path in paths if path not in sys.path]
    for module in modules:
        _place(*module)

    from agentws.cli import fast_lane, main
    from agentws.core import environment

    call = None if environment.completes() else fast_lane.recognise(sys.argv[1:])
    if call is None or not call.is_hot:
        raise LookupError("these words are for the other door")
    return main.main


def _check(path: str, stamp: Stamp) -> None:
    status = stat(path)
    if (status.st_mtime_ns, status.st_size, status.st_ino) != stamp:
        raise LookupError(path)


def _place(name: str, origin: str, cached: str, is_package: bool, stamp: Stamp, code: CodeType) -> None:
    """Make the module as the import system would, all its attributes included."""
    if name in sys.modules:
        return  # another one has imported it already
    # Both are there from the start of the interpreter; `importlib` itself is not.
    bootstrap, external = sys.modules["_frozen_importlib"], sys.modules["_frozen_importlib_external"]
    spec = bootstrap.ModuleSpec(name, external.SourceFileLoader(name, origin), origin=origin, is_package=is_package)
    spec.has_location, spec.cached = True, cached
    if is_package:
        spec.submodule_search_locations.append(origin.rpartition("/")[0])
    module = bootstrap.module_from_spec(spec)
    sys.modules[name] = module
    exec(code, module.__dict__)  # noqa: S102 - what Python has compiled of our own file
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)
