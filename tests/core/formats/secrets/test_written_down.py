"""How people write secrets down is found by kind, and ordinary talk about passwords, tokens and cookies is not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from agentws.core.formats.secrets import secrets
from tests.core.formats.secrets import written_down

MISSED = {"password is VALUE": 2, "-u NAME:VALUE": 2, "token HEX": 1, "cloud keys": 1}
"""The templates of each kind of which a value was missed: these numbers only fall."""
FEWEST_LINES, ALARM_IN = 180, 90


def is_hidden(text: str, secret: str) -> bool:
    """Return whether nothing of the secret is left but a mark at its end, which may be the sentence's."""
    return secret.rstrip("!?") not in secrets.hide(text)[0]


def test_secrets_are_found_however_they_are_written_down() -> None:
    missed = [
        (kind, template)
        for kind, (_, templates) in written_down.KINDS.items()
        for template in templates
        if not all(is_hidden(*pair) for pair in written_down.written(kind, template))
    ]

    assert all(len(templates) >= 4 for _, templates in written_down.KINDS.values())
    assert Counter(kind for kind, _ in missed) == MISSED, missed


def test_ordinary_lines_about_passwords_tokens_cookies_and_wallets_give_one_alarm_in_ninety_at_most() -> None:
    lines = Path(__file__).with_name("ordinary.txt").read_text(encoding="utf-8").splitlines()
    alarms = [line for line in lines if secrets.find(line)]

    assert len(set(lines)) == len(lines) >= FEWEST_LINES
    assert len(alarms) * ALARM_IN <= len(lines), alarms
