"""The words by which two texts are compared, in scripts with spaces and without."""

from __future__ import annotations

from agentws.core.notes import similarity


def test_case_marks_and_signs_make_no_other_word() -> None:
    assert similarity.words("Call  TOM!") == similarity.words("call Tom") == ("call", "tom")
    assert similarity.words("Straße") == similarity.words("STRASSE")
    assert similarity.words("क़लम ख़रीदना।") == ("क़लम", "ख़रीदना")
    assert similarity.words("ซ่อม!") == similarity.words("ซ่อม")
    assert similarity.words("") == similarity.words("—!") == ()


def test_words_of_scripts_without_spaces_are_pairs() -> None:
    assert similarity.words("给汤姆") == ("给汤", "汤姆")
    assert similarity.words("Tom给") == ("tom", "给")
    assert similarity.words("屋根 roof") == ("屋根", "roof")
    assert similarity.words("집세 내기") == ("집세", "내기")
    assert similarity.words("Été, été") == ("été",)
