"""Files so small that the doctor asks no boot about them: it would have found nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.formats import layout
from agentws.operations.doctor import shares
from agentws.operations.doctor.report import Seen
from agentws.planning.doctor import documents
from agentws.planning.tokens import counters
from agentws.storage.inspect import scan
from agentws.workspace import Workspace
from tests import table

BUDGET = 2_000
LINES = (
    "- 値値値 §§ 9 9 9\n",
    "## A\n",
    "\n- x\n",
    "<!-- x -->\n",
    "a" * 99 + "\n",
    "> [!q] ```\n",
    "- [ ] TODO 2025-01-01: é\n",
)


@pytest.mark.parametrize("counter", counters.NAMES)
def test_what_is_little_is_whole_in_the_smallest_boot_that_it_is_little_for(workspace: Workspace, counter: str) -> None:
    manifest = Path(workspace.root) / "agentws.toml"
    manifest.write_text(f'{manifest.read_text()}\n[boot]\nbudget = {BUDGET}\ntokenizer = "{counter}"\n')
    stores = Workspace.open(workspace.root, environment=workspace.environment)
    seen = Seen(stores, scan.look(stores.files))

    def check(line: str) -> None:
        for count in (1, len(layout.AGENT_FILES)):
            size = BUDGET // 4 // count
            numbered = (line.replace("x", f"x{number}") for number in range(size))
            text = b"".join(each.encode() for each in numbered)[:size].decode("utf-8", "ignore").encode()
            texts = (
                dict.fromkeys(layout.AGENT_FILES[-count:], text)
                if count == 1
                else {path: path.encode() + text[len(path) :] for path in layout.AGENT_FILES}
            )
            assert documents.is_little(sum(map(len, texts.values())), budget=BUDGET)
            assert shares.findings(seen, texts) == []

    table.holds(check, list(LINES))


def test_more_than_a_quarter_of_the_budget_is_not_little() -> None:
    assert documents.is_little(2_000, budget=8_000)
    assert not documents.is_little(2_001, budget=8_000)
    assert not documents.is_little(0, budget=1_000)
