"""Two weeks of an assistant, a coder and a researcher in six languages: what boot and `todo` say is true afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.weeks import player, story

MOST_AGAIN = 2
"""So many closings of a story may name none or several with their words, so that a reference is needed."""


@pytest.mark.slow
@pytest.mark.parametrize("name", story.names())
def test_what_is_open_is_shown_and_what_is_over_is_not(name: str, tmp_path: Path) -> None:
    played = player.play(name, tmp_path, mornings=player.MORNINGS)
    assert not played.wrong, "\n".join(played.wrong)
    assert len(played.again) <= MOST_AGAIN, "\n".join(played.again)


def test_three_roles_have_a_story_in_each_of_six_languages() -> None:
    roles, languages = ("assistant", "coder", "researcher"), ("de", "en", "es", "ja", "ru", "zh")
    assert story.names() == [f"{role}-{language}" for role in roles for language in languages]
    for name in story.names():
        assert len(story.read(name).days) == 14, name
