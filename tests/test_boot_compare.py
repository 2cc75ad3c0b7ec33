"""The tool for blind reading: each pair holds both texts, and only the key says which is which."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLAIN = "import glob, sys\nprint('plain', sys.argv[1], *sorted(glob.glob('memory/*')))\n"
DAYS = ("2026-11-18", "2026-11-19", "2026-11-20")


def test_a_pair_holds_both_texts_and_the_key_alone_tells_which_is_which(tmp_path: Path) -> None:
    (tmp_path / "heron/memory").mkdir(parents=True)
    for day in DAYS:
        (tmp_path / f"heron/memory/{day}.md").write_text(f"- pruned the pear tree on {day}\n", encoding="utf-8")
    (tmp_path / "plain.py").write_text(PLAIN, encoding="utf-8")
    subprocess.run(
        [
            *(sys.executable, str(ROOT / "tools/boot_compare.py"), str(tmp_path / "heron")),
            *("--plain", str(tmp_path / "plain.py"), "--budget", "500", "900", "--out", str(tmp_path / "out")),
            *("--until", DAYS[1], "--seed", "2"),
        ],
        check=True,
    )
    key = json.loads((tmp_path / "out/key.json").read_text(encoding="utf-8"))
    assert key.keys() == {"heron-500", "heron-900"}
    for name, order in key.items():
        page = (tmp_path / f"out/{name}.md").read_text(encoding="utf-8")
        first, _, second = page.partition(" B ====")
        texts = dict(zip((order["A"], order["B"]), (first, second), strict=True))
        assert f"plain {name[-3:]} memory/{DAYS[0]}.md memory/{DAYS[1]}.md" in texts["plain"], name
        assert f"pruned the pear tree on {DAYS[1]}" in texts["boot"], name
        assert DAYS[2] not in texts["boot"].replace(f"Fri {DAYS[2]} 08:00", ""), name
