"""An `ssh` that keeps an account of what it is asked, and answers from this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_SCRIPT = """\
#!/bin/sh
for word; do
  case "$word" in
    -N) begins=1 ;;
    ControlPath=*) socket="${word#ControlPath=}" ;;
  esac
  last="$word"
done
if [ "$begins" ]; then
  echo "connect $last" >> "$0.calls"
  if [ -e "$0.away" ]; then echo "ssh: connect to host $last port 22: Connection refused" >&2; exit 255; fi
  if [ -e "$0.plain" ]; then exit 1; fi
  : > "$socket"
  exit 0
fi
echo "${last%% *}" >> "$0.calls"
exec sh -c "$last"
"""


class Ssh:
    """A program in the place of `ssh`; `calls` are the hosts that it connected to and the commands run over there."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder.mkdir()
        self._at = folder / "ssh"
        self._at.write_text(_SCRIPT)
        self._at.chmod(0o755)
        self._patch = monkeypatch
        monkeypatch.setenv("GIT_SSH_COMMAND", str(self._at))

    def taken(self) -> list[str]:
        """What it was asked since the last time."""
        at = Path(f"{self._at}.calls")
        told = at.read_text().splitlines() if at.exists() else []
        at.write_text("")
        return told

    def is_away(self) -> None:
        """Let no host answer from now on."""
        Path(f"{self._at}.away").touch()

    def shares_nothing(self) -> None:
        """Let it be one that knows no shared connections."""
        Path(f"{self._at}.plain").touch()

    def rewrites(self, text: str, url: str) -> None:
        """Let the user's settings of git name `url` where a URL begins with `text`."""
        at = self._at.with_name("gitconfig")
        at.write_text(f'[url "{url}"]\n\tinsteadOf = {text}\n')
        self._patch.setenv("GIT_CONFIG_GLOBAL", os.fspath(at))
