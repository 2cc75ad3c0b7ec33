"""The moving picture of the README is what `agentws demo` shows, and needs nothing from elsewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import picture  # noqa: E402

SVG = (ROOT / "docs" / "demo.svg").read_text(encoding="utf-8")


def test_the_picture_is_what_the_demonstration_shows() -> None:
    assert picture.played() == SVG


def test_a_picture_of_other_words_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "demo.svg"
    old.write_text(SVG.replace("Invoice", "Bill"), encoding="utf-8")
    monkeypatch.setattr(picture, "PICTURE", old)
    monkeypatch.setattr(sys, "argv", ["picture.py", "--check"])
    monkeypatch.setattr(picture, "played", lambda: SVG)

    assert picture.main() == 1
    old.write_text(SVG, encoding="utf-8")
    assert picture.main() == 0


def test_two_boots_that_differ_in_random_names_give_one_picture() -> None:
    first = "# Robin\n## Now [maple]\nsession 20261120-0715-0a1b2c · 590 of 600 tokens · call-0123456789abcdef\n"
    second = "# Robin\n## Now [slate]\nsession 20261120-0715-ffffff · 597 of 600 tokens · call-fedcba9876543210\n"

    assert picture.fixed(first) == picture.fixed(second)
    assert picture.fixed(first) != picture.fixed(first.replace("Robin", "Ada"))


def test_it_shows_the_kill_and_the_action_in_flight_and_loads_nothing() -> None:
    shown = re.sub(r"\s+", " ", " ".join(ElementTree.fromstring(SVG).itertext()))

    assert "Killed (kill -9)" in shown
    assert "In flight: 1 action" in shown
    assert "send_mail" in shown
    assert "prefers-reduced-motion" in SVG
    assert not re.search(r"url\((?!#|&quot;#|\"#)|href|@import|<script", SVG)
    assert len(SVG.encode()) <= 200 * 1024
