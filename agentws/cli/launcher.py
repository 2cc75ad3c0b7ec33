"""The launcher: a faster start of `agentws` for hooks, which skips most of an interpreter's start-up.

It is in this user's cache folder, one for each workspace: a small script for `python -IS`, and beside it the compiled
modules that hooks need. It is valid for one interpreter and for the present files of agentws; in any doubt it starts
the console script instead. So it may be missing or outdated: then a start takes as long as without it.
"""

from __future__ import annotations

import contextlib
import os
import sys

from agentws.core.disk import cache
from agentws.core.disk.inspect import programs
from agentws.core.formats import digest
from agentws.core.hosts import plan
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType

    Stamp = tuple[int, int, int]
    """Stamp of an unchanged file: time, size, inode."""
    Row = tuple[str, bool, Stamp, int, int]
    """As `Finder` in cli/launch.py takes it."""


_FOLDER = "launcher"
_NAME = "agentws"
_MOST = 16
_DIGITS = 12
_STAMP_DIGITS = 16
_PROGRAM, _START = "agentws", "agentws/cli/launch.py"
_FEATURES = ("approvals", "boot", "daily", "handoff", "hosts", "journal")
"""The features that hooks import."""
_LIBRARIES = ("git", "gitdb", "smmap", "frontmatter", "yaml", "tzdata", "cryptography")
"""Modules outside the standard library that the verbs of the fast lane may import."""
_CALLS = ("from agentws.cli import start", "from agentws.__main__ import main", "from agentws.cli.main import main")
_FUTURE = "__future__"
_FUTURE_LINE = "from __future__ import annotations"
_USUAL = (*_CALLS, "import re", "import sys", "sys.exit(start())", "sys.exit(main())", "' '''")
_USUAL_BEGINNINGS = ("#", "if __name__ == ", "if sys.argv[0]", "elif sys.argv[0]", "sys.argv[0] = ", "'''exec' ")
"""The lines of a console script as pip and uv write it."""
_GONE = plan.GONE.format(script="$0", workspace="$2", host="$4")
_CHECKED = f'"$0" --version >/dev/null 2>&1 && exec "$0" "$@"; echo "{_GONE}" >&2'
"""Starts the console script if it starts at all; the words are those of a hook."""
_PACKAGE, _SOURCE = "__init__.py", ".py"
_MOST_SCRIPT_BYTES = 4096

_TEXT = """\
# Written by `agentws install` for {root}
# Starts hooks faster than the console script, or starts that. `agentws uninstall` removes it. {stamp}
import sys

sys.argv[0] = {script}
try:
    if sys.hexversion != {version}:
        raise ImportError
    from gc import disable
    from marshal import loads

    disable()

    file = open({modules}, "rb", 0)
    code, *told = loads(file.read(int(file.read({digits}))))
    exec(code)
    main = enter(file.fileno(), file.tell(), *told)
except KeyboardInterrupt:
    from posix import _exit

    _exit(130)
except Exception:
    from posix import execv

    # The script may lack its Python or the package; sh can say so.
    execv("/bin/sh", ["sh", "-c", {checked}, *sys.argv])
main()
"""


class Launcher:
    """The launcher at `path`, which `python` runs; in any doubt it starts the console script `script`."""

    __slots__ = ("_root", "path", "python", "script")

    def __init__(self, base: str, root: str, script: str, python: str) -> None:
        self.path = f"{_folder(base, root)}/{_NAME}"
        self.python = python
        self.script = script
        self._root = root

    @property
    def words(self) -> tuple[str, str, str]:
        """Return the words that start the launcher; those of the call follow them."""
        return self.python, "-IS", self.path

    def is_current(self) -> bool:
        """Return whether the launcher's files are what `make` would write now."""
        try:
            stamp = _stamp(self)
            with open(self.path, encoding="ascii") as file:
                return file.read() == self._text(stamp) and os.path.exists(self._modules(stamp))
        except (OSError, LookupError, ValueError):
            return False

    def make(self) -> bool:
        """Write the launcher unless it is current; False if that fails or it would not start the same program."""
        if self.is_current():
            return True
        folder = os.path.dirname(self.path)
        new = not os.path.isdir(folder)
        try:
            stamp = _stamp(self)
            data = _bundle(_paths(), _stat(self.script))
            if not _is_installed(self.python) or _stamp(self) != stamp:
                return False
            modules = self._modules(stamp)
            cache.make_folder(folder)
            # A text names the modules that it was made with: killed in between, the old two are still a pair.
            cache.write_file(folder, os.path.basename(modules), data, synced=True)
            cache.write_file(folder, _NAME, self._text(stamp).encode("ascii"), mode=0o700, synced=True)
            _clear(folder, but=(_NAME, os.path.basename(modules)))
            if new:
                _forget_others(os.path.dirname(folder))
        except (OSError, ValueError, ImportError, LookupError, AgentwsError):
            return False
        return True

    def _modules(self, stamp: str) -> str:
        return f"{os.path.dirname(self.path)}/modules-{stamp}"

    def _text(self, stamp: str) -> str:
        names = {"root": self._root, "script": self.script, "modules": self._modules(stamp), "checked": _CHECKED}
        quoted = {name: ascii(value) for name, value in names.items()}
        return _TEXT.format(stamp=stamp, version=sys.hexversion, digits=_DIGITS, **quoted)


def find(base: str | None, root: str, script: str) -> Launcher | None:
    """Return the launcher for the workspace at `root`, written or not; None if there can be none.

    `base` is this user's cache folder. `script` has to be a console script of this interpreter as installers write it:
    one that somebody changed or wrapped must run itself.
    """
    python = _interpreter(script)
    if base is None or python is None or sys.implementation.cache_tag is None:
        return None
    launcher = Launcher(base, root, script, python)
    return launcher if launcher.path.isprintable() and python.isprintable() else None


def remove(base: str | None, root: str) -> None:
    """Remove the launcher of the workspace at `root`, and the folder of all launchers if it is empty then."""
    if base is None:
        return
    folder = _folder(base, root)
    with contextlib.suppress(OSError):
        _clear(folder)
        os.rmdir(folder)
        os.rmdir(os.path.dirname(folder))


def _folder(base: str, root: str) -> str:
    return f"{base}/{_FOLDER}/{digest.quick(os.fsencode(root))[:_STAMP_DIGITS]}"


def _interpreter(script: str) -> str | None:
    """The interpreter that the script names, where that is this one and the script is a usual one."""
    try:
        with open(script, "rb") as file:
            lines = [line.strip() for line in file.read(_MOST_SCRIPT_BYTES).decode().splitlines()]
    except (OSError, ValueError):
        return None
    if not set(_CALLS) & set(lines) or not all(
        not line or line in _USUAL or line.startswith(_USUAL_BEGINNINGS) for line in lines
    ):
        return None
    named = lines[0].removeprefix("#!").strip()
    if named == "/bin/sh":  # what is too long for a first line, or has a blank, stands in the second
        named = lines[1].removeprefix("'''exec' ").partition(' "$0"')[0].strip("'\"")
    return named if os.path.isabs(named) and _is_this(named) else None


def _is_this(python: str) -> bool:
    executable = sys.executable or ""
    same_folder = os.path.dirname(python) == os.path.dirname(executable)
    return same_folder and os.path.realpath(python) == os.path.realpath(executable)


def _is_installed(python: str) -> bool:
    """Return whether a plain interpreter finds this very package, without anything set for this process."""
    data = programs.try_run([python, "-E", "-P", "-c", "import agentws; print(ascii(agentws.__file__))"])[0]
    return data.decode("ascii", "replace").strip() == ascii(sys.modules[_PROGRAM].__file__)


def _paths() -> list[str]:
    """The folders that make the same modules importable; LookupError if some come from elsewhere than a folder."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    module_specs = {name: spec for name in (_PROGRAM, *_LIBRARIES) if (spec := find_spec(name)) is not None}
    paths = list(dict.fromkeys(os.path.dirname(os.path.dirname(_origin(spec))) for spec in module_specs.values()))
    for name in (_PROGRAM, *_LIBRARIES):
        plainly, known = PathFinder.find_spec(name, paths), module_specs.get(name)
        if (plainly and plainly.origin) != (known and known.origin):
            raise LookupError(name)
    return paths


def _origin(spec: ModuleSpec) -> str:
    """The file of a package; LookupError if it does not lie in a folder."""
    if spec.origin is None or not spec.has_location or not os.path.isabs(spec.origin):
        raise LookupError(spec.name)
    return spec.origin


def _home() -> str:
    """The folder that this package is in."""
    path = sys.modules[_PROGRAM].__file__
    if path is None or not os.path.isabs(path):
        raise LookupError(_PROGRAM)
    return os.path.dirname(os.path.dirname(path))


def _files() -> dict[str, str]:
    """Return the file of each module in a launcher."""
    future, home = sys.modules[_FUTURE].__file__, _home()
    files = {_FUTURE: future} if future else {}
    for folder, _, names in os.walk(f"{home}/{_PROGRAM}"):
        above = folder.removeprefix(f"{home}/").split("/")
        if above[1:2] == ["features"] and not set(above[2:3]) <= set(_FEATURES):
            continue
        for name in (name for name in names if name.endswith(_SOURCE)):
            module = above if name == _PACKAGE else [*above, name.removesuffix(_SOURCE)]
            files[".".join(module)] = f"{folder}/{name}"
    return files


def _stamp(launcher: Launcher) -> str:
    """Return what identifies a launcher: the interpreter, the script, and each included file."""
    paths = (launcher.script, f"{_home()}/{_START}", *sorted(_files().values()))
    files = [(path, *_stat(path)) for path in paths]
    return digest.quick(ascii((launcher.words, sys.hexversion, files)).encode())[:_STAMP_DIGITS]


def _stat(path: str) -> Stamp:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino


def _bundle(paths: list[str], script: Stamp) -> bytes:
    """The compiled modules one after another; before them the code that finds them, and where each is."""
    import marshal

    rows: dict[str, Row] = {}
    code = bytearray()
    for name, path in _files().items():
        own = marshal.dumps(_code(name, path))
        rows[name] = path, os.path.basename(path) == _PACKAGE, _stat(path), len(code), len(own)
        code += own
    head = marshal.dumps((_start(f"{_home()}/{_START}"), rows, len(code), paths, script))
    return b"%0*d" % (_DIGITS, len(head)) + head + code


def _start(path: str) -> CodeType:
    """The code that puts modules in place, which runs before there is any: also before there is `__future__`."""
    import __future__

    with open(path, encoding="utf-8") as file:
        text = file.read().replace(_FUTURE_LINE, "pass", 1)
    code: CodeType = compile(text, path, "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    return code


def _code(name: str, path: str) -> CodeType:
    from importlib.machinery import SourceFileLoader

    code = SourceFileLoader(name, path).get_code(name)
    if code is None:
        raise ImportError(name)
    return code


def _clear(folder: str, but: tuple[str, ...] = ()) -> None:
    for name in os.listdir(folder):
        if name not in but:
            os.unlink(f"{folder}/{name}")


def _forget_others(base: str) -> None:
    """Keep only the newest launchers; the others are written again when needed."""
    folders = sorted((f"{base}/{name}" for name in os.listdir(base)), key=lambda path: -os.lstat(path).st_mtime_ns)
    for folder in folders[_MOST:]:
        _clear(folder)
        os.rmdir(folder)
