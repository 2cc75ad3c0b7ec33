"""Who has written here: a line of `identity/writers.jsonl`, and the keys of `identity/allowed_signers`.

Both are documents: people may add to them, and what is not understood is kept. Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.formats import plainjson, sshsig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Heads = Mapping[str, Mapping[str, object]]

_NAMESPACES = "namespaces="
_PATTERN = "*?!"


def line(*, writer: str, key: str, host: str, at: str, after: Heads) -> str:
    """The line, without its newline, by which a writer joins: its key, and the heads that it saw of the others."""
    told = {"agentws": 1, "writer": writer, "key": key, "host": host, "at": at, "after": after, "vouched_by": None}
    return plainjson.dumps(told, separators=(",", ":"))


def joined(text: str) -> set[tuple[str, str]]:
    """(writer, key) of each line of `writers.jsonl` that says so; others are passed over."""
    found = set()
    for each in text.split("\n"):
        try:
            told = plainjson.loads(each) if each.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and isinstance(told.get("writer"), str) and isinstance(told.get("key"), str):
            found.add((told["writer"], told["key"]))
    return found


def signer(writer: str, key: str) -> str:
    """The line of `allowed_signers`, without its newline, by which `ssh-keygen -Y verify` accepts a writer's key."""
    return f'{writer} namespaces="{sshsig.NAMESPACE}" {key}'


def signers(text: str) -> dict[str, set[str]]:
    """The keys that each writer may sign with.

    Lines with patterns for names, and with options other than `namespaces`, are passed over: what they allow, and
    when, ssh-keygen alone can tell.
    """
    found: dict[str, set[str]] = {}
    for each in text.split("\n"):
        names, key = _allowed(_words(each))
        for name in names:
            found.setdefault(name, set()).add(key)
    return found


def _allowed(words: list[str]) -> tuple[list[str], str]:
    """(names, key) of one line; no names where it allows nothing that is understood here."""
    if sshsig.KIND not in words[1:-1]:
        return [], ""
    at = words.index(sshsig.KIND, 1)
    key = f"{sshsig.KIND} {words[at + 1]}"
    names = words[0].strip('"').split(",")
    options = ",".join(words[1:at])
    if options and not _is_for_us(options):
        return [], ""
    try:
        sshsig.raw_key(key)
    except ValueError:
        return [], ""
    return [name for name in names if name and not any(char in name for char in _PATTERN)], key


def _is_for_us(options: str) -> bool:
    name, value = options[: len(_NAMESPACES)], options[len(_NAMESPACES) :]
    quoted = len(value) > 1 and value[0] == value[-1] == '"' and '"' not in value[1:-1]
    return name.lower() == _NAMESPACES and quoted and sshsig.NAMESPACE in value[1:-1].split(",")


def _words(text: str) -> list[str]:
    """The words of a line; white space between quotes divides nothing. None of a comment."""
    words, word, quoted = [], "", False
    for char in "" if text.lstrip().startswith("#") else text + " ":
        quoted ^= char == '"'
        if char in " \t\r" and not quoted:
            words += [word] if word else []
            word = ""
        else:
            word += char
    return words
