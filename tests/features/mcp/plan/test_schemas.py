"""The tools as clients see them: few, and cheap in each conversation."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from agentws.core.disk.system import shipped
from agentws.core.tokens import counters
from agentws.features.mcp import tools
from agentws.features.mcp.plan import schemas, shown
from tests import table

MOST_TOOLS, MOST_TOKENS = 7, 1_200


def test_all_tools_together_cost_a_client_at_most_1200_tokens() -> None:
    counter = counters.counter("o200k_base", shipped.open_o200k)
    listed = [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input,
            "outputSchema": tool.output,
            "annotations": {"readOnlyHint": tool.is_read_only, "destructiveHint": False, "openWorldHint": False},
        }
        for tool in schemas.TOOLS
    ]

    assert len(listed) <= MOST_TOOLS
    assert counters.tokens(counter, json.dumps({"tools": listed}, separators=(",", ":"))) <= MOST_TOKENS


def test_every_tool_has_a_function_and_valid_schemas() -> None:
    assert [tool.name for tool in schemas.TOOLS] == list(tools._TOOLS)
    for tool in schemas.TOOLS:
        Draft202012Validator.check_schema(tool.input)
        Draft202012Validator.check_schema(tool.output)
        assert set(tool.input.get("required", ())) <= set(tool.input["properties"])


def test_a_client_name_becomes_one_word_of_an_origin_that_is_the_agents_own() -> None:
    def check(row: tuple[str, str]) -> None:
        name, source = row
        assert shown.source(name) == source

    table.holds(
        check,
        [
            ("claude-ai", "agent:mcp:claude-ai"),
            ("", "agent:mcp:client"),
            ("x) [rule] (via user", "agent:mcp:x---rule---via-user"),
            ("a\nb", "agent:mcp:a-b"),
            ("n" * 5_000, "agent:mcp:" + "n" * 48),
        ],
    )


def test_texts_within_a_value_hold_no_secret_and_nothing_that_acts() -> None:
    token = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"

    value = shown.inert({"hits": [{"text": f"key: {token}"}, {"text": "a\x1b[2Jb", "line": 3}]})

    assert token not in json.dumps(value)
    assert "\x1b" not in value["hits"][1]["text"]
    assert value["hits"][1]["line"] == 3
