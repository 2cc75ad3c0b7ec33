"""What kind of machine this is, as far as a workspace must know."""

from __future__ import annotations

import os

_SIGNS = ("/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io")


def in_container(declared: str | None) -> bool:
    """True inside a container, where a home folder seldom survives. `declared` is the value of `$container`."""
    return bool(declared) or any(os.path.exists(sign) for sign in _SIGNS)
