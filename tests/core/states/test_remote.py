"""Moves of refs in another repository: all or none, by what they were, and known even if no answer comes back."""

from __future__ import annotations

import pytest

from agentws.core.states import remote
from agentws.errors import AgentwsError, ChangedUnderneathError, OutsideProgramError

A, B, C = ("1" * 40, "2" * 40, "3" * 40)
REF, OTHER = "refs/agentws/a", "refs/agentws/b"
LOST = OutsideProgramError("git push failed: the remote end hung up")


class Told:
    """Notes what git is asked."""

    def __init__(self, answer: bytes = b"") -> None:
        self.calls: list[tuple[str, ...]] = []
        self.answer = answer

    def __call__(self, word: str, *options: str, after: tuple[str, ...] = ()) -> bytes:
        self.calls.append((word, *options, "URL", *after))
        return self.answer


def test_refs_are_read_by_their_names() -> None:
    ask = Told(f"{A}\t{REF}\n{B}\t{OTHER}\n".encode())
    assert remote.refs(ask, "refs/agentws/*") == {REF: A, OTHER: B}
    assert ask.calls == [("ls-remote", "--refs", "URL", "refs/agentws/*")]


def test_a_push_names_what_each_ref_must_be_and_leaves_out_what_stays() -> None:
    ask = Told()
    remote.push(ask, [(REF, A, B), (OTHER, "", C), ("refs/agentws/c", "", "")])
    ((word, *options),) = ask.calls
    assert word == "push"
    assert [each for each in options if "lease" in each] == [
        f"--force-with-lease={REF}:{A}",
        f"--force-with-lease={OTHER}:",
    ]
    assert "--atomic" in options
    assert options[-2:] == [f"{B}:{REF}", f"{C}:{OTHER}"]


def test_a_push_that_was_taken_although_no_answer_came_is_done() -> None:
    remote.check_moved(LOST, [(REF, A, B)], lambda: {REF: B}, "news")
    remote.check_moved(LOST, [(REF, A, "")], dict, "news")


@pytest.mark.parametrize("now", [{REF: C}, {}])
def test_a_ref_that_another_has_moved_is_news(now: dict[str, str]) -> None:
    with pytest.raises(ChangedUnderneathError, match="news"):
        remote.check_moved(LOST, [(REF, A, B)], lambda: now, "news")


def test_a_refused_lease_is_news_without_another_question() -> None:
    refused = OutsideProgramError("git push failed: ! [rejected] (stale info)")
    with pytest.raises(ChangedUnderneathError, match="news"):
        remote.check_moved(refused, [(REF, A, B)], lambda: pytest.fail("the refs were asked for"), "news")


@pytest.mark.parametrize("now", [None, {REF: A}])
def test_a_push_that_moved_nothing_keeps_its_error(now: dict[str, str] | None) -> None:
    with pytest.raises(AgentwsError) as caught:
        remote.check_moved(LOST, [(REF, A, B)], lambda: now, "news")
    assert caught.value is LOST


def test_no_other_command_contacts_a_remote() -> None:
    with pytest.raises(ValueError, match="does not contact other machines"):
        remote.run("clone", url="/there", git_dir="/here")


def test_an_error_has_the_hint_of_its_first_known_words() -> None:
    away = OutsideProgramError("git fetch failed: ssh: Could not resolve host: there")
    assert remote.is_away(away.message)
    assert "Check the network" in str(remote.explained(away, "otherwise").hint)
    assert remote.explained(OutsideProgramError("git fetch failed: odd"), "otherwise").hint == "otherwise"
