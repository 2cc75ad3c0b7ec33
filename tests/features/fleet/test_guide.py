"""The console sessions of the guide of a fleet do what it says, where a server is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleet.cluster import PORT, Server
from tests.sessions.runner import play, steps

GUIDE = Path(__file__).resolve().parents[3] / "docs/guides/fleet.md"
SERVICES = (("owner", "keeper"), ("fleet", "robin"))


@pytest.mark.slow
def test_the_guide_does_what_it_says(cluster: Server, database: str, tmp_path: Path) -> None:
    name = database.partition("@/")[2].partition("?")[0]
    for _, role in SERVICES:
        if not cluster.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"):
            cluster.run(f"CREATE ROLE {role} LOGIN")
    cluster.run(f"GRANT CREATE ON DATABASE {name} TO keeper")
    home = tmp_path / "home"
    home.mkdir()
    place = f"host={cluster.folder}\nport={PORT}\ndbname={name}\n"
    (home / ".pg_service.conf").write_text("".join(f"[{service}]\n{place}user={role}\n" for service, role in SERVICES))

    assert play(GUIDE, home) == len(steps(GUIDE.read_text(encoding="utf-8"))) > 9
