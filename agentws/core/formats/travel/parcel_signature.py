"""The signature of a migration parcel, and a short code for people to compare. Pure.

Specified in docs/format/git.md.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.identity import sshsig
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import inventory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agentws.core.formats.travel.inventory import TreeEntry

FIELD = "parcel"
"""The key of what is told of a move under which this stands."""
_NOBODY = "-"
_BESIDE = (FIELD, "inode", "place", "through", "claim", "token")
"""What the far side adds, and the token, which has a signature of its own and is spent."""
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_CHARS = 8
_HALF = 4
_LOOKS_LIKE = str.maketrans("OIL", "011")
_COST, _BLOCK = 1 << 14, 8
"""A code is short, so each try of somebody who looks for another parcel with the same one has to take its time."""


class Signed:
    """A parcel's signed digests: that of its `inventory` and that of its facts (`told`), with the signature.

    `by`, `key` and `signature` are empty if nobody could sign.
    """

    __slots__ = ("by", "inventory", "key", "signature", "told")

    def __init__(self, inventory: str, facts: str, *, by: str = "", key: str = "", signature: str = "") -> None:
        self.inventory = inventory
        self.told = facts
        self.by = by
        self.key = key
        self.signature = signature

    def plain(self) -> dict[str, str]:
        """Return the signature as a JSON dictionary."""
        return {name: getattr(self, name) for name in Signed.__slots__}

    def message(self, agent: str, migration: str) -> bytes:
        """Return the bytes that a parcel's signature covers."""
        by, key = self.by or _NOBODY, self.key or _NOBODY
        return f"agentws-parcel-1 {agent} {migration} {by} {key} {self.inventory} {self.told}\n".encode()

    def code(self, agent: str, migration: str) -> str:
        """Return eight characters, in two halves, that identify the parcel and the key that signed it."""
        from hashlib import scrypt

        data = scrypt(self.message(agent, migration), salt=b"agentws-code-1", n=_COST, r=_BLOCK, p=1, dklen=_CODE_CHARS)
        text = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in data)
        return f"{text[:_HALF]}-{text[_HALF:]}"


def of(entries: Iterable[TreeEntry], fields: Mapping[str, Any], *, by: str = "", key: str = "") -> Signed:
    """Return the digests of a parcel with these entries and facts, still without a signature."""
    kept = {name: fields[name] for name in sorted(fields) if name not in _BESIDE}
    text = plainjson.dumps(_sorted(kept), separators=(",", ":"))
    return Signed(digest.of(inventory.canonical(entries)), digest.of(text.encode("ascii")), by=by, key=key)


def read(fields: Mapping[str, Any]) -> Signed | None:
    """Return a parcel's signature; None if missing or unreadable."""
    value = fields.get(FIELD)
    if not isinstance(value, dict):
        return None
    words = [value.get(name) for name in Signed.__slots__]
    if not all(isinstance(word, str) and len(word) <= sshsig.MOST_CHARS for word in words):
        return None
    made = Signed(value["inventory"], value["told"], by=value["by"], key=value["key"], signature=value["signature"])
    return made if not set(made.by + made.inventory + made.told) & set(" \n") and "\n" not in made.key else None


def is_code(text: str) -> bool:
    """Return whether a typed text can be a parcel's code."""
    return len(_bare(text)) == _CODE_CHARS and not _bare(text).strip(_ALPHABET)


def is_same(code: str, typed: str) -> bool:
    """Return whether a typed text is this parcel's code: with or without dash, in either case, `O` for `0`."""
    return _bare(code) == _bare(typed)


def _bare(text: str) -> str:
    return text.strip().replace("-", "").replace(" ", "").upper().translate(_LOOKS_LIKE)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value
