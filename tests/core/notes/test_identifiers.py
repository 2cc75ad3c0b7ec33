"""What a text names exactly."""

from __future__ import annotations

from agentws.core.notes import identifiers
from tests.table import holds

NAMES: list[tuple[str, tuple[str, ...]]] = [
    ("merge #183, please", ("#183",)),
    ("#garden is a tag, # is nothing", ()),
    ("see ABC-12 and WEB2-7", ("abc-12", "web2-7")),
    ("abc-12, A-B-C, 2026-11-20 and A-x1", ()),
    ("at 3f9d1ab it broke", ("3f9d1ab",)),
    ("3f9d1a is short, 1234567 a number, deadbeef a hash", ("deadbeef",)),
    (f"{'a' * 64} and {'b' * 65}", ("a" * 64,)),
    ("open https://example.org/a now", ("https://example.org/a",)),
    ("edit src/main.py and main.py, then docs/", ("src/main.py", "main.py", "docs/")),
    ("version 1.2 or 1.2.3, e.g. this. And 24/7", ()),
    ("set retries=3", ("retries=3",)),
    ("write to kim@example.org", ("kim@example.org",)),
    ("call load_all first", ("load_all",)),
    ("run `make all` twice", ("make all",)),
    ('the "blue tiles" and “the red”', ("blue tiles", "the red")),
    ("„die blauen“ und «les bleus» und 「青い」", ("die blauen", "les bleus", "青い")),
    (f'\'{"x " * 60}\' "{"x" * 100}" "{"y" * 101}"', ("x" * 100,)),
    ("it's 5\" wide", ()),
    ("Same same", ()),
]


def test_what_a_text_names() -> None:
    def check(row: tuple[str, tuple[str, ...]]) -> None:
        assert identifiers.of(row[0]) == row[1]

    holds(check, NAMES)
