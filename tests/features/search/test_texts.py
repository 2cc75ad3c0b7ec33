"""Texts that a program has itself are ranked as entries are."""

from __future__ import annotations

from agentws.workspace import Workspace

TEXTS = (
    "The boiler was serviced in May",
    "Bello is the neighbour's dog and likes apples",
    "Apples are stored in the cellar",
    "Bello is the neighbour's dog and likes apples",
)


def test_the_best_text_is_first_and_texts_without_a_word_of_the_question_are_left_out(workspace: Workspace) -> None:
    ranked = workspace.search.texts("which dog likes apples?", TEXTS)

    assert [number for number, _ in ranked] == [1, 3, 2]
    assert ranked[0][1] == ranked[1][1] > ranked[2][1]


def test_a_beginning_of_a_word_is_enough(workspace: Workspace) -> None:
    assert [number for number, _ in workspace.search.texts("cell*", TEXTS)] == [2]


def test_no_text_and_no_word_are_no_fault(workspace: Workspace) -> None:
    assert workspace.search.texts("dog", []) == []
    assert workspace.search.texts("", TEXTS) == []
