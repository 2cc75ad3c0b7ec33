"""A quicker way to our own modules: each lies at one place, so one look tells what Python's search takes several for.

The same files are loaded by the same rules (compiled code of that size and time); on any doubt Python looks itself.
"""

from __future__ import annotations

import sys
from marshal import loads
from posix import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

# Both are there from the start of the interpreter; `importlib` itself is not.
_bootstrap: Any = sys.modules["_frozen_importlib"]
_external: Any = sys.modules["_frozen_importlib_external"]
_OURS = "agentws."
_BY_TIME = _external.MAGIC_NUMBER + bytes(4)
"""How compiled code begins that is known by the time and size of its source."""
_HEADER_BYTES = 16


def install() -> None:
    """From here on modules of ours are found by this; not where this interpreter keeps compiled code elsewhere."""
    if not sys.flags.optimize and sys.pycache_prefix is None and sys.implementation.cache_tag:
        sys.meta_path.insert(0, Finder)


class Finder:
    """What `sys.meta_path` asks for a module."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> Any:
        """Where the module lies, None for one that is not ours or not where it is expected."""
        if not path or not name.startswith(_OURS):
            return None
        own = name.rpartition(".")[2]
        place = f"{path[0]}/{own}"
        found = _look(f"{place}.py")
        folder = None if found else place
        found = found or _look(f"{place}/__init__.py")
        if found is None:
            return None
        loader = _Loader(name, found[0], found[1:])
        spec = _bootstrap.ModuleSpec(name, loader, origin=found[0], is_package=folder is not None)
        spec.has_location = True
        spec.cached = loader.cached = _cached(path[0], own) if folder is None else _cached(folder, "__init__")
        if folder is not None:
            spec.submodule_search_locations.append(folder)
        return spec


class _Loader(_external.SourceFileLoader):  # type: ignore[misc]
    """Loads a source file of this `stamp`, its time and size."""

    def __init__(self, name: str, path: str, stamp: tuple[int, int]) -> None:
        super().__init__(name, path)
        self.stamp = stamp
        self.cached = ""

    def get_code(self, name: str) -> CodeType:
        """What is compiled of it, where that is of this very source; else as ever."""
        try:
            with open(self.cached, "rb", 0) as file:
                data = file.read()
        except OSError:
            data = b""
        told = int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:16], "little")
        if len(data) > _HEADER_BYTES and data[:8] == _BY_TIME and told == self.stamp:
            code: CodeType = loads(memoryview(data)[_HEADER_BYTES:])  # noqa: S302 - as Python itself does
            return code
        made: CodeType = super().get_code(name)
        return made


def _look(path: str) -> tuple[str, int, int] | None:
    try:
        found = stat(path)
    except OSError:
        return None
    return path, int(found.st_mtime) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF


def _cached(folder: str, name: str) -> str:
    return f"{folder}/__pycache__/{name}.{sys.implementation.cache_tag}.pyc"
