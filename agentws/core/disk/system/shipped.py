"""Files shipped with the package: templates for `init`, the Agent Skill, the docs, the changelog; tables for counting
tokens. In a checkout, at its top.
"""

from __future__ import annotations

import os

from agentws.errors import DamagedError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_TEMPLATES, _SKILLS, _DOCS = "templates", "skills", "docs"
_SKILL = "agentws/SKILL.md"
_LIMIT_FILES = 200


def template(name: str) -> dict[str, bytes]:
    """Return the files of a shipped template: RelPath → content. `name` may also be the path of a user's folder."""
    ours = names()
    folder = os.path.join(_place(_TEMPLATES), name) if name in ours else os.path.abspath(os.path.expanduser(name))
    if name not in ours and not os.path.isdir(folder):
        raise UsageError(
            f"{name!r} is neither a template nor a folder.", hint=f"Templates: {', '.join(ours)}, or your own folder."
        )
    contents = dict(_walk(_beneath(folder), ""))
    if not contents:  # also where the disk would not show it: a workspace without a soul is not what was asked for
        raise UsageError(
            f"The template {folder} contains no readable files.", hint="Choose another folder: --template DIR"
        )
    return contents


def names() -> list[str]:
    """Return the names of the shipped templates."""
    return [name for name, kind in _beneath(_place(_TEMPLATES)).names() if kind == "folder"]


def skill() -> str:
    """Return the text of the shipped Agent Skill."""
    return _beneath(_place(_SKILLS)).read(_SKILL).decode("utf-8")


def docs() -> Files:
    """Return the folder of the shipped documentation."""
    return _beneath(_place(_DOCS))


def changelog() -> str:
    """Return the text of the changelog, which is beside the docs, where their links lead."""
    return _beneath(os.path.dirname(_place(_DOCS))).read("CHANGELOG.md").decode("utf-8")


def _beneath(folder: str) -> Files:
    from agentws.core.disk import files  # counting tokens does without

    return files.Files(folder)


def _place(kind: str) -> str:
    """Return the folder of the shipped files of this kind."""
    shipped = os.path.join(_HERE, kind)
    return shipped if os.path.isdir(shipped) else os.path.join(os.path.dirname(_HERE), kind)


def _walk(tree: Files, folder: str) -> list[tuple[str, bytes]]:
    result: list[tuple[str, bytes]] = []
    for name, kind in tree.names(folder):
        path = f"{folder}/{name}" if folder else name
        if name in (".git", ".agentws", "__pycache__"):
            continue
        if kind == "folder":
            result += _walk(tree, path)
        elif kind == "file":
            result.append((path, tree.read(path)))
        if len(result) > _LIMIT_FILES:
            raise UsageError(f"The template has more than {_LIMIT_FILES} files. Check that it is the right folder.")
    return result


_FOLDER = os.path.join(_HERE, "vocabulary")
_O200K = "o200k_base.bin"
O200K_PATH = os.path.join(_FOLDER, _O200K)
"""The table of o200k_base, where it is installed."""
WORDS_PATH = os.path.join(_FOLDER, "words.json")
"""The words of core/notes/vocabulary.py, where they are installed."""
_MAGIC = b"agentws o200k 1\n"
_HEADER_BYTES = 128
_HINT = "Reinstall agentws, or run: agentws config boot.tokenizer bytes"


def open_o200k(folder: str = _FOLDER) -> memoryview:
    """Return the token vocabulary o200k_base, a read-only table for core/tokens; takes about 0.05 ms.

    The layout is described in tools/build_o200k.py. Only its magic and its length are checked.
    """
    import mmap

    path = os.path.join(folder, _O200K)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise MissingFileError(
            f"The token vocabulary {path} cannot be opened: {error.strerror}.", hint=_HINT
        ) from error
    try:
        size_bytes = os.fstat(descriptor).st_size
        if size_bytes < _HEADER_BYTES:
            raise _damaged(path)
        table = memoryview(mmap.mmap(descriptor, size_bytes, access=mmap.ACCESS_READ))
    except OSError as error:
        raise MissingFileError(f"The token vocabulary {path} cannot be read: {error.strerror}.", hint=_HINT) from error
    finally:
        os.close(descriptor)
    if table[:16] != _MAGIC or int.from_bytes(table[16:20], "little") != size_bytes:
        raise _damaged(path)
    return table


def _damaged(path: str) -> DamagedError:
    return DamagedError(f"The token vocabulary {path} is damaged.", hint=_HINT)
