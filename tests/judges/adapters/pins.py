"""The versions of the frameworks and of their suites that judge the adapters."""

from __future__ import annotations

from tests.judges.rig import CLAUDE_CODE

LANGGRAPH = ("langgraph==1.2.24", "langgraph-checkpoint==4.3.2", "langgraph-checkpoint-sqlite==3.1.2")
LANGGRAPH_CONFORMANCE = "langgraph-checkpoint-conformance==0.0.2"
LANGGRAPH_TESTS = ("pytest==9.2.0", "pytest-mock==3.17.0", "pytest-xdist==3.8.0", "syrupy==7.0.2", "numpy==2.4.6")
"""What the engine's own tests import; they come with the source distribution of LangGraph."""

ANTHROPIC = ("anthropic==2.14.0", CLAUDE_CODE)
ANTHROPIC_TESTS = ("pytest==9.2.0", "pytest-asyncio==1.5.0")
EVENTSOURCING = ("eventsourcing[crypto]==9.5.6", "pycryptodome==4.4.0")
GOOGLE_ADK = ("google-adk==2.13.0", "aiosqlite==0.22.1")
OPENAI_AGENTS = ("openai-agents==0.24.0",)
OPENAI_AGENTS_TESTS = ("pytest==9.2.0", "pytest-asyncio==1.5.0")
PYDANTIC_AI = ("pydantic-ai-slim==2.68.0",)
