"""P10 for hosts: whatever the notes look like, each text is what its host takes, and nothing is lost between them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings, strategies as st

from agentws import features
from agentws.core.disk.system import shipped
from agentws.core.hosts import loading
from agentws.core.text import sizes
from agentws.core.tokens import counters
from agentws.features.boot import host_preset
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.hostile.test_boot_account import Shape
from tests.thorough import THOROUGH

O200K = counters.counter("o200k_base", shipped.open_o200k)
CLAUDE = "# Mine\n\n@AGENTS.md\n\n```\n@SOUL.md\n```\n\n@NOW.md `@USER.md` @memory/2026-11-20-0.md\n"


def fits(host: loading.Host, text: str) -> bool:
    if host.cap is None:
        return True
    if host.cap.unit == loading.TOKENS:
        return O200K.units(text) <= host.cap.most and len(text.encode()) <= 4 * host.cap.most
    return sizes.utf16_units(text) <= host.cap.most


@given(
    shape=st.integers(0, 10_000),
    days=st.sampled_from([0, 3, 40]),
    items=st.sampled_from([1, 30, 150]),
    budget=st.sampled_from([200, 2000, 8000, 32_000]) | st.integers(200, 32_000),
    tokenizer=st.sampled_from(["o200k_base", "bytes", "chars4"]),
    audience=st.sampled_from(["main", "shared"]),
    host=st.sampled_from(["plain", *features.with_hooks()]).map(host_preset.host),
)
@settings(max_examples=40 if THOROUGH else 8, deadline=None)
def test_every_text_fits_its_host_and_every_file_is_shown_loaded_or_accounted_for(
    shape: int, days: int, items: int, budget: int, tokenizer: str, audience: str, host: loading.Host
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Shape(shape).workspace(Path(folder) / "w", days=days, items=items)
        (root / "CLAUDE.md").write_text(CLAUDE)
        robin = Workspace.open(str(root), environment=Environment(now=NOW, timezone="UTC"))
        asked = {"budget": budget, "tokenizer": tokenizer, "audience": audience, "host": host.name}
        one = robin.boot(**asked)  # type: ignore[arg-type]
        first = robin.boot(**asked, part=1)  # type: ignore[arg-type]
        parts = [robin.boot(**asked, part=part) for part in range(1, first.parts + 2)]  # type: ignore[arg-type]
        there = {path for path in ("SOUL.md", "AGENTS.md", "NOW.md") if (root / path).is_file()}
        there = {path for path in there if (root / path).read_text().strip()}
        there -= {"NOW.md"} if audience == "shared" else set()

    counter = counters.counter(tokenizer, shipped.open_o200k)
    assert one.tokens == counters.tokens(counter, one.text) <= budget
    assert all(fits(host, each.text) for each in (one, *parts))
    assert sum(counter.units(part.text) for part in parts) <= budget * counter.units_per_token
    texts = [part.text for part in parts]
    assert texts.pop() == ""
    bodies = [text.partition("\n\n")[2] for text in texts] if len(texts) > 1 else texts
    assert "".join(bodies) == first.context.text
    for booted in (one, first):
        whole = {section.source for section in booted.context.sections if section.reason == "whole"}
        omitted = {left.source for left in booted.context.omitted}
        assert there <= whole | omitted
    if host.name == "claude-code" and audience == "main":
        themselves = {left.source for left in one.context.omitted if not left.cut}
        assert themselves - {"CLAUDE.md", "AGENTS.md", "NOW.md", "memory/2026-11-20-0.md"} == set()
        assert {"CLAUDE.md", *there & {"AGENTS.md", "NOW.md"}} <= themselves
