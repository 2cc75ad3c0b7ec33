"""What is said of a remote that cannot be reached."""

from __future__ import annotations

import pytest

from agentws.errors import OutsideProgramError
from agentws.features.sync.store import contact
from agentws.features.sync.store.contact import Address

BEHIND = (
    "fatal: Could not read from remote repository.\n\n"
    "Please make sure you have the correct access rights\nand the repository exists."
)
AWAY = "ssh: Could not resolve hostname example.org: Name or service not known"


@pytest.mark.parametrize(
    ("said", "told", "hint"),
    [
        (f"git fetch failed: {AWAY}\n{BEHIND}", f"git fetch failed: {AWAY}.", "the name of the host"),
        (f"ssh failed: {AWAY}", f"ssh failed: {AWAY}.", "the name of the host"),
        (f"git push failed: {BEHIND}", "git push failed: Could not read from remote repository", "Check the remote"),
        (
            f"git fetch failed: fatal: 'robin.git' does not appear to be a git repository\n{BEHIND}",
            "git fetch failed: 'robin.git' does not appear to be a git repository.",
            "git init --bare",
        ),
    ],
)
def test_it_is_one_sentence_with_what_git_said(said: str, told: str, hint: str) -> None:
    place = Address("ssh://example.org/robin.git")

    error = contact._explained(OutsideProgramError(said), place)

    assert error.message.startswith(f"{place.shown}: {told}")
    assert "\n" not in error.message
    assert hint in str(error.hint)


def test_another_message_stays_as_it_is() -> None:
    error = contact._explained(OutsideProgramError("git was not found on PATH."), Address("ssh://example.org/a.git"))

    assert error.message == "git was not found on PATH."
