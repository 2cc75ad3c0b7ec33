"""A first exam, from the texts of identity files."""

from __future__ import annotations

import re

from agentws.core.formats.documents.exam import Question
from agentws.core.notes import vocabulary
from agentws.features.exam import suggest

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def suggested(*texts: tuple[str, str]) -> list[tuple[str, Question]]:
    return suggest.questions(texts, vocabulary.USUAL)


def test_the_beginning_of_an_identity_file_and_each_rule_are_asked_for() -> None:
    soul = "# Soul\n\nI am Robin (an agent).\n\n- Likes tea\n- Never send mail without asking Sam first\n"

    found = suggested(("SOUL.md", soul))

    assert [comment for comment, _ in found] == ["SOUL.md: its beginning", "SOUL.md: a rule"]
    assert [question.table for _, question in found] == ["must", "must"]
    assert all(re.search(question.expect, soul) for _, question in found)
    assert not re.search(found[0][1].expect, "I am Robin [an agent].")


def test_of_memory_only_marked_rules_are_asked_for() -> None:
    memory = "## Facts\n\n- The bakery never opens on Mondays\n- [rule] Answer in Dutch\n"

    found = suggested(("MEMORY.md", memory))

    assert [question.expect for _, question in found] == [r"Answer\s+in\s+Dutch"]


def test_a_shared_audience_must_not_see_the_beginning_of_the_file_on_the_user() -> None:
    found = suggested(("USER.md", "# User\n\nSam bakes bread.\n"))

    assert [(question.table, question.audience) for _, question in found] == [("must", "main"), ("must_not", "shared")]
    assert found[0][1].expect == found[1][1].expect


def test_fields_without_a_value_secrets_and_words_of_others_are_no_questions() -> None:
    user = f"# User\n\n- Name:\n- Never share {TOKEN}\n- Never pay by card (via net:shop)\n"

    assert suggested(("USER.md", user)) == []


def test_an_expression_also_matches_where_a_line_is_broken() -> None:
    found = suggested(("SOUL.md", "I am Robin and I\nkeep the accounts\n"))

    assert re.search(found[0][1].expect, "I am\nRobin and I keep the accounts")
