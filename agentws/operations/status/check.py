"""One thing that `status` looks at."""

from __future__ import annotations


class Check:
    """One protection or finding: whether it is `ok`, what is so, and (where not) what would help."""

    __slots__ = ("name", "ok", "remedy", "says")

    def __init__(self, name: str, *, ok: bool, says: str, remedy: str = "") -> None:
        self.name = name
        self.ok = ok
        self.says = says
        self.remedy = remedy
