"""Programs that behave as crontab and systemctl do, on a machine of the test's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CRONTAB = """#!/bin/sh
# As Debian's: a file for the user, checked when it is put there.
echo "crontab $*" >> "{folder}/calls"
if [ -e "{folder}/denied" ]; then
    echo "You (sam) are not allowed to use this program (crontab)" >&2
    echo "See crontab(1) for more information" >&2
    exit 1
fi
case "$1" in
-l) [ -e "{folder}/crontab" ] || {{ echo "no crontab for sam" >&2; exit 1; }}
    cat "{folder}/crontab" ;;
-r) [ -e "{folder}/crontab" ] || {{ echo "no crontab for sam" >&2; exit 1; }}
    rm "{folder}/crontab" ;;
-)  cat > "{folder}/new"
    if [ -s "{folder}/new" ] && [ -n "$(tail -c 1 "{folder}/new")" ]; then
        echo "new crontab file is missing newline before EOF, can't install." >&2
        exit 1
    fi
    mv "{folder}/new" "{folder}/crontab" ;;
*)  echo "crontab: usage error" >&2; exit 1 ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
# As systemd's for a user: a link says what is enabled, a file what it waits for.
echo "systemctl $*" >> "{folder}/calls"
[ "$1" = --user ] || exit 1
units="{folder}/config/systemd/user"
if [ ! -e "{folder}/manager" ]; then
    [ "$2" = is-system-running ] && echo offline
    echo "Failed to connect to bus: No medium found" >&2
    exit 1
fi
shift
verb="$1"
for timer; do :; done
case "$verb" in
is-system-running) echo running ;;
daemon-reload)
    rm -rf "{folder}/loaded"
    mkdir "{folder}/loaded"
    cp "$units"/*.timer "{folder}/loaded" 2>/dev/null
    true ;;
is-enabled) [ -L "$units/timers.target.wants/$timer" ] && echo enabled ;;
is-active) [ -e "{folder}/waits/$timer" ] && echo active ;;
enable)
    [ -e "{folder}/loaded/$timer" ] || {{ echo "Failed to enable unit: Unit file $timer does not exist." >&2; exit 1; }}
    mkdir -p "$units/timers.target.wants" "{folder}/waits"
    ln -sf "$units/$timer" "$units/timers.target.wants/$timer"
    [ -e "{folder}/waits/$timer" ] || cp "{folder}/loaded/$timer" "{folder}/waits/$timer" ;;
restart) cp "{folder}/loaded/$timer" "{folder}/waits/$timer" ;;
stop) ;;
disable) rm -f "$units/timers.target.wants/$timer" "{folder}/waits/$timer" ;;
*) exit 1 ;;
esac
"""


@dataclass
class Machine:
    """A machine with `crontab` and `systemctl`, each only where the test has put it there."""

    folder: Path

    @property
    def config(self) -> str:
        return str(self.folder / "config")

    @property
    def units(self) -> Path:
        return self.folder / "config" / "systemd" / "user"

    @property
    def calls(self) -> list[str]:
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def crontab(self) -> bytes | None:
        path = self.folder / "crontab"
        return path.read_bytes() if path.exists() else None

    @crontab.setter
    def crontab(self, content: bytes) -> None:
        (self.folder / "crontab").write_bytes(content)

    def waits_for(self, timer: str) -> str | None:
        """The timer as systemd waits for it."""
        path = self.folder / "waits" / timer
        return path.read_text() if path.exists() else None

    def has(self, *, crontab: bool = False, systemd: bool = False, manager: bool = True) -> None:
        for wanted, name, text in ((crontab, "crontab", CRONTAB), (systemd, "systemctl", SYSTEMCTL)):
            if wanted:
                program = self.folder / "bin" / name
                program.write_text(text.format(folder=self.folder))
                program.chmod(0o755)
        if systemd and manager:
            (self.folder / "manager").touch()
            (self.folder / "loaded").mkdir(exist_ok=True)

    def denies_cron(self) -> None:
        (self.folder / "denied").touch()

    def files(self) -> dict[str, bytes]:
        """Every unit and link, and the crontab."""
        found = {
            str(path.relative_to(self.folder)): path.read_bytes() for path in self.units.rglob("*") if path.is_file()
        }
        return found if self.crontab is None else {**found, "crontab": self.crontab}
