"""Backups in a git repository: their refs, and the content of their commits. Pure.

Specified in docs/format/backup.md.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.travel import backup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "refs/agentws/backup"
"""How all refs of backups begin."""
WHOLE, HEADER, PART = f"{FOLDER}/", f"{FOLDER}-header/", f"{FOLDER}-part/"
"""A whole backup; its first line alone; what is there of one that is being made."""
FIRST_LINE = "header.json"
PIECE_BYTES = 1 << 18
"""Larger files are kept in pieces: of a file that grows only the last ones are sent again."""
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
_MOST_ID, _DIGEST_DIGITS = 64, 32


def id_of(agent: str) -> str:
    """Return an agent's id as it is in the ref names of its backups."""
    plain = 0 < len(agent) <= _MOST_ID and not agent.strip(_PLAIN) and agent[0] != "-"
    return agent if plain else digest.of(agent.encode("utf-8", "surrogateescape"))[:_DIGEST_DIGITS]


def agents(refs: Iterable[str]) -> list[str]:
    """Return the agents (by `id_of`) that have a backup in these refs."""
    ids = {ref.removeprefix(WHOLE).partition("/")[0] for ref in refs if ref.startswith(WHOLE)}
    return sorted(name for name in ids if names(refs, name))


def names(refs: Iterable[str], agent: str) -> list[str]:
    """Return the names of an agent's backups, oldest first."""
    start = f"{WHOLE}{agent}/"
    matches = [ref.removeprefix(start) for ref in refs if ref.startswith(start)]
    return sorted((name for name in matches if backup.number_of(name)), key=lambda name: (backup.number_of(name), name))


def pieces(content: str, size_bytes: int) -> list[str]:
    """Return the paths of a file's pieces in a backup commit, by the file's digest: at least one."""
    count = max(1, -(-size_bytes // PIECE_BYTES))
    return [f"content/{content[:2]}/{content}-{number:07d}" for number in range(count)]


def readme(name: str) -> bytes:
    """Return the README for people in a backup commit."""
    return (
        f"A backup of the agent {name}, made by `agentws backup create`.\n\n"
        "`manifest.jsonl` lists what it holds; `content/` has the files by SHA-256, large ones in pieces.\n\n"
        "To restore:  agentws backup restore REPOSITORY TARGET\n\n"
        "Without agentws, in a checkout of this commit, with Python:\n\n"
    ).encode("utf-8", "replace") + _WITHOUT


_WITHOUT = b"""\
    import glob, json, os
    for line in list(open("manifest.jsonl"))[1:]:
        path, kind, mode, _, _, content = json.loads(line)[:6]
        to = os.path.join("restored", path)
        if kind == "d":
            os.makedirs(to, exist_ok=True)
        elif kind == "l":
            os.symlink(content, to)
        else:
            with open(to, "wb") as file:
                for piece in sorted(glob.glob(f"content/{content[:2]}/{content}-*")):
                    file.write(open(piece, "rb").read())
            os.chmod(to, mode)
"""
