"""Machines of their own: network namespaces and sshd. Run where somebody asks for it (`make hosts`), as root."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

collect_ignore_glob = [] if "AGENTWS_HOSTS" in os.environ else ["test_*.py"]

_PACKAGES = {"sshd": "openssh-server", "rsync": "rsync", "ip": "iproute2", "iptables": "iptables"}
_SBIN = "/usr/sbin:/sbin"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip loudly where there is no root; else install what is missing."""
    ours = [item for item in items if "hosts_real" in str(item.path)]
    if not ours:
        return
    if os.geteuid() != 0:
        for item in ours:
            item.add_marker(pytest.mark.skip(reason="network namespaces need root: sudo make hosts"))
        return
    path = f"{os.environ['PATH']}:{_SBIN}"
    missing = [package for name, package in _PACKAGES.items() if shutil.which(name, path=path) is None]
    if missing:
        for words in (["update"], ["install", "-y", "--no-install-recommends", *missing]):
            subprocess.run(
                ["apt-get", "-qq", *words], check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            )
