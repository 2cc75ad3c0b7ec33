"""Every tool takes all that its schema allows: an answer as its output schema says, or an error of agentws."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from jsonschema import Draft202012Validator

from agentws.features.mcp.plan import schemas
from agentws.workspace import Workspace
from tests.features.mcp.clients import Raw
from tests.thorough import THOROUGH

EXAMPLES = 500 if THOROUGH else 25
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TEXT = st.text(max_size=60) | st.sampled_from(
    [
        "Fix the roof",
        "fix-the-roof",
        "t3fk",
        "3d",
        "monday",
        "todo",
        "rule",
        "net:mail",
        "user",
        "# A",
        "- [x] b",
        "../x",
    ]
)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a schema of this server allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if kind == "string":
        return TEXT
    if kind == "integer":
        return st.integers(schema.get("minimum"), schema.get("maximum", 10**12))
    if kind == "array":
        return st.lists(values(schema["items"]), max_size=4)
    if kind == "object" and "properties" not in schema:
        return st.dictionaries(st.text(max_size=8), JSON, max_size=3)
    if kind == "object":
        fields = {name: values(inner) for name, inner in schema["properties"].items()}
        needed = {name: fields.pop(name) for name in schema.get("required", ())}
        return st.fixed_dictionaries(needed, optional=fields)
    return JSON


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    root = Path(tmp_path_factory.mktemp("fuzz")) / "robin"
    Workspace.init(str(root), name="Robin", git=False)
    with Raw(root) as connected:
        yield connected


@pytest.mark.parametrize("tool", schemas.TOOLS, ids=lambda tool: tool.name)
def test_a_tool_answers_all_that_its_schema_allows(tool: schemas.ToolSchema, client: Raw) -> None:
    output = Draft202012Validator(tool.output)

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(values(tool.input))
    def play(arguments: dict[str, Any]) -> None:
        result = client.call(tool.name, arguments)["result"]
        shown = result["content"][0]["text"]
        assert "agentws failed" not in shown, shown
        if not result.get("isError"):
            output.validate(result["structuredContent"])

    play()


def test_what_a_schema_forbids_is_refused(client: Raw) -> None:
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(schemas.TOOLS), JSON)
    def play(tool: schemas.ToolSchema, arguments: Any) -> None:
        response = client.call(tool.name, arguments)
        is_right = Draft202012Validator(tool.input).is_valid({} if arguments is None else arguments)
        if not is_right:
            assert "error" in response or response["result"]["isError"]

    play()
