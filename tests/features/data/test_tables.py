"""data: tables that people and programs read, checked, found again, and forgotten."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from agentws.cli import main
from agentws.core.disk.files import Files
from agentws.core.formats.travel.sync_path import Merge
from agentws.errors import AgentwsError, DamagedError, ForgottenError, MissingFileError, SecretRefusedError, UsageError
from agentws.features.sync.plan import file as _file
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.search.worlds import opened

SCHEMA = {"x-key": "sku", "required": ["sku"], "properties": {"price": {"type": "number"}}}


def lines(workspace: Workspace, table: str) -> list[str]:
    return Path(workspace.root, f"data/{table}.jsonl").read_text().splitlines()


def test_rows_are_added_changed_and_removed_by_their_key(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 7, "status": "open"}, {"id": 8, "status": "open"})

    changed = workspace.data.set("orders", "7", {"status": "paid"})
    workspace.data.set("orders", "9", {"status": "new"})
    removed = workspace.data.set("orders", "8", None)

    assert (changed.before, changed.row) == ({"id": 7, "status": "open"}, {"id": 7, "status": "paid"})
    assert (removed.before, removed.row) == ({"id": 8, "status": "open"}, None)
    assert lines(workspace, "orders") == ['{"id":7,"status":"paid"}', '{"id":"9","status":"new"}']
    assert workspace.data.get("orders", 7) == {"id": 7, "status": "paid"}


def test_what_is_not_there_cannot_be_removed(workspace: Workspace) -> None:
    with pytest.raises(MissingFileError, match="orders"):
        workspace.data.set("orders", "8", None)
    workspace.data.append("orders", {"id": 7})
    with pytest.raises(MissingFileError, match=r"data/orders\.jsonl: no row has id '8'"):
        workspace.data.set("orders", "8", None)

    assert lines(workspace, "orders") == ['{"id":7}']


def test_a_key_stays_a_number_in_a_schema_that_wants_one(workspace: Workspace) -> None:
    Path(workspace.root, "data").mkdir()
    schema = {"x-key": "of.no", "properties": {"of.no": {"type": "integer"}, "id": {"type": "integer"}}}
    Path(workspace.root, "data/parts.schema.json").write_text(json.dumps(schema))
    Path(workspace.root, "data/goods.schema.json").write_text(json.dumps({**schema, "x-key": "id"}))
    workspace.data.append("goods", {"id": 7})
    workspace.data.append("parts", {"of": {"no": 7}})

    assert workspace.data.set("goods", "7", {"n": 1}).row == {"id": 7, "n": 1}
    assert workspace.data.set("parts", "7", {"n": 1}).row == {"of.no": 7, "n": 1}
    with pytest.raises(UsageError, match="integer"):
        workspace.data.set("goods", "8", {"id": "8"})


def test_a_damaged_table_is_named_and_the_others_are_listed(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 1})
    workspace.data.append("readings", {"id": 2})
    workspace.data.rows("langgraph/thread-1").append({"n": 1})
    for path in ("data/orders.jsonl", "data/langgraph/thread-1.jsonl"):
        Path(workspace.root, path).write_text('{"id":1}\nhand-made\n{"id":3}\n')

    listed = workspace.data.list()

    assert [(each.table, each.rows) for each in listed.tables] == [
        ("langgraph/thread-1", 1),
        ("orders", 1),
        ("readings", 1),
    ]
    assert any("data/orders.jsonl:2: not a row" in notice for notice in listed.notices)
    findings = [each for each in workspace.doctor().findings if each.name == "data-damaged"]
    assert [each.where for each in findings] == ["data/langgraph/thread-1.jsonl:2", "data/orders.jsonl:2"]
    assert findings[1].remedy == "Correct or remove the line: agentws open data/orders.jsonl"


def test_the_doctor_names_the_keys_that_several_rows_have(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 7, "at": "desk"}, {"id": 8}, {"n": 1}, {"n": 2})
    assert [each for each in workspace.doctor().findings if each.path.startswith("data/")] == []
    workspace.data.append("orders", {"id": 7, "at": "laptop"})

    (finding,) = (each for each in workspace.doctor().findings if each.name == "data-repeated-key")

    assert (finding.path, finding.says) == ("data/orders.jsonl", "several rows have the same id: 7")
    assert finding.remedy == "Keep one of them: agentws data set orders 7 JSON"


def test_the_newest_of_several_rows_counts_and_set_leaves_one(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 7, "n": 1}, {"id": 8}, {"id": 7, "n": 2})
    assert workspace.data.get("orders", 7)["n"] == 2

    workspace.data.set("orders", "7", {"n": 3})

    assert lines(workspace, "orders") == ['{"id":7,"n":3}', '{"id":8}']


def test_undo_reverts_a_set(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 7, "n": 1})
    workspace.data.set("orders", "7", {"n": 2})

    workspace.undo()

    assert workspace.data.get("orders", 7)["n"] == 1


def test_a_query_is_ordered_and_limited(workspace: Workspace) -> None:
    workspace.data.append("readings", *({"n": number, "even": number % 2 == 0} for number in range(6)))

    result = workspace.data.query("readings", "even=true", order="n", descending=True, limit=2)

    assert [row["n"] for row in result.rows] == [4, 2]
    assert [row["n"] for row in workspace.data.query("readings", descending=True, limit=1).rows] == [5]


def test_what_is_not_there_is_said(workspace: Workspace) -> None:
    for call in (lambda: workspace.data.query("orders"), lambda: workspace.data.get("orders", 1)):
        with pytest.raises(MissingFileError, match="orders"):
            call()
    workspace.data.append("orders", {"id": 1})
    with pytest.raises(MissingFileError, match="2"):
        workspace.data.get("orders", 2)


@pytest.mark.parametrize("name", ["Orders", "a/b", "", "../x", "artifacts", "a.b"])
def test_a_name_that_is_no_table_is_refused(workspace: Workspace, name: str) -> None:
    with pytest.raises(UsageError):
        workspace.data.append(name, {"id": 1})
    with pytest.raises(UsageError):
        workspace.data.set(name, "1", {})


def test_secrets_and_what_was_forgotten_are_refused(workspace: Workspace) -> None:
    key = "sk-ant-api03-" + "x7Kq2mPz9Rt4Vw8Yb1Nc" * 4 + "AA"
    with pytest.raises(SecretRefusedError):
        workspace.data.append("orders", {"id": 1, "token": key})
    with pytest.raises(SecretRefusedError):
        workspace.data.set("orders", "1", {"token": key})
    workspace.log("Anna Winter called")
    workspace.memory.forget(matching=["Anna Winter called"])

    with pytest.raises(ForgottenError):
        workspace.data.append("orders", {"note": "Anna Winter called"})
    assert not Path(workspace.root, "data/orders.jsonl").exists()


def test_the_schema_is_met_by_every_row(workspace: Workspace) -> None:
    Path(workspace.root, "data").mkdir()
    Path(workspace.root, "data/goods.schema.json").write_text(json.dumps(SCHEMA))

    for row in ({"sku": "a", "price": "much"}, {"price": 1}):
        with pytest.raises(UsageError, match=r"goods\.schema\.json"):
            workspace.data.append("goods", {"sku": "z"}, row)
    workspace.data.set("goods", "a", {"price": 2.5})

    assert workspace.data.get("goods", "a") == {"sku": "a", "price": 2.5}
    assert [(each.table, each.rows, each.has_schema) for each in workspace.data.list().tables] == [("goods", 1, True)]


@pytest.mark.parametrize("text", ["{", '{"type": 7}'])
def test_a_broken_schema_is_damage(workspace: Workspace, text: str) -> None:
    Path(workspace.root, "data").mkdir()
    Path(workspace.root, "data/goods.schema.json").write_text(text)

    with pytest.raises(DamagedError, match=r"goods\.schema\.json"):
        workspace.data.append("goods", {"sku": "a"})


def test_rows_that_were_added_together_stay_when_a_person_removes_the_last(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 0})
    workspace.data.append("orders", {"id": 1}, {"id": 2}, {"id": 3})
    path = Path(workspace.root, "data/orders.jsonl")
    path.write_text(path.read_text().removesuffix('{"id":3}\n'))

    assert workspace.data.query("orders").rows == [{"id": 0}, {"id": 1}, {"id": 2}]
    workspace.data.append("orders", {"id": 4})
    assert [row["id"] for row in workspace.data.query("orders").rows] == [0, 1, 2, 4]


def test_search_and_sql_find_tables_but_not_the_logs_of_programs(workspace: Workspace, tmp_path: Path) -> None:
    workspace = opened(workspace.root, cache=str(tmp_path / "cache"))
    workspace.data.append("orders", {"id": 7, "what": "gravel for the path"})
    workspace.data.rows("langgraph/thread-1").append({"what": "gravel in a checkpoint"})

    assert [hit.unit.path for hit in workspace.search("gravel").hits] == ["data/orders.jsonl"]
    rows = workspace.search.sql("SELECT name, line, json_extract(row, '$.id') FROM data").rows
    assert rows == [["orders", 1, 7]]
    assert workspace.search.sql("SELECT * FROM memories WHERE path LIKE 'data/%'").rows == []
    for condition in ("json_extract(row, '$.id') > 5", "name = 'orders' AND row->>'id' > 5"):
        assert workspace.search.sql(f"SELECT line FROM data WHERE {condition}").rows == [[1]]


def test_a_table_is_a_document_and_the_log_of_a_program_is_not(workspace: Workspace, tmp_path: Path) -> None:
    kept = Workspace.init(str(tmp_path / "kept"), environment=Environment(now=NOW, timezone="UTC"))
    kept.data.rows("langgraph/thread-1").append({"n": 1})
    kept.data.set("orders", "7", {"n": 1})

    assert kept.history("data/orders.jsonl").changes
    with pytest.raises(AgentwsError):
        kept.history("data/langgraph/thread-1.jsonl")
    assert not [each for each in kept.doctor().findings if "data" in (each.path or "")]


def test_forget_empties_the_rows_of_tables_and_logs_and_others_stay(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 1, "who": "Ännie Winter"}, {"id": 2}, {"id": 3, "who": "Ännie Winter"})
    log = workspace.data.rows("langgraph/thread-1")
    log.append({"n": 1}, {"n": 2, "who": "Ännie Winter"})
    log.append({"n": 3}, {"who": {"name": "Ännie Winter"}})

    workspace.memory.forget(subjects=["Ännie Winter"])

    assert workspace.data.query("orders").rows == [{"id": 2}]
    assert [row for _, row in log.read()] == [{"n": 1}, {"n": 3}]
    log.append({"n": 4})
    assert [row for _, row in log.read()] == [{"n": 1}, {"n": 3}, {"n": 4}]
    assert not any("Winter" in path.read_text() for path in Path(workspace.root, "data").rglob("*.jsonl"))


def test_a_shared_audience_sees_no_data(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 7, "what": "gravel"})
    shared = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", audience="shared"))

    assert shared.search("gravel").hits == []


def test_sync_keeps_the_rows_of_both_sides_whole() -> None:
    base = b'{"n":0}\n'
    ours = base + b' {"n":1}\n{"end":1}\n'
    theirs = base + b' {"n":2}\n{"end":1}\n {"torn":1}\n'

    merged = _file.merge("data/langgraph/x.jsonl", base, ours, theirs, lambda path: Merge.ROWS).content

    assert merged is not None
    assert sorted(merged.splitlines()) == [b'{"end":1}', b'{"end":1}', b'{"n":0}', b'{"n":1}', b'{"n":2}']


def test_a_row_added_while_the_table_is_replaced_waits_and_stays(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.data.append("orders", {"id": 1})
    other, write_new = Workspace.open(workspace.root).data.rows("orders"), Files._write_new
    threads: list[Thread] = []

    def slow(self: Files, folder: int, name: str, data: bytes, **more: Any) -> None:
        if "orders" in name:
            threads.append(Thread(target=other.append, args=({"id": 3},)))
            threads[-1].start()
            threads[-1].join(0.2)  # enough for an append that does not wait
        write_new(self, folder, name, data, **more)

    monkeypatch.setattr(Files, "_write_new", slow)
    workspace.data.set("orders", "2", {})
    for thread in threads:
        thread.join()

    assert [row["id"] for row in workspace.data.query("orders").rows] == [1, "2", 3]
    assert os.listdir(os.path.join(workspace.root, "data")) == ["orders.jsonl"]


def test_what_is_printed_is_json_in_each_line(workspace: Workspace, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    row = {"id": 1, "text": "Grüße \u202e x \x7f\x1b[0m\u200b\u2028 \U0001f426"}
    workspace.data.append("orders", row)

    for verb in (["query", "orders"], ["get", "orders", "1"]):
        main.run(["-C", workspace.root, "data", *verb])
        (line,) = capfdbinary.readouterr().out.splitlines()
        assert json.loads(line) == row
        assert "Grüße \\u202e x" in line.decode()


def test_a_row_that_cannot_be_removed_is_an_error_of_the_command(workspace: Workspace) -> None:
    workspace.data.append("orders", {"id": 1})

    assert main.run(["-C", workspace.root, "data", "set", "orders", "2", "null"]) == 1
    assert main.run(["-C", workspace.root, "data", "set", "readings", "2", "null"]) == 1
    assert not Path(workspace.root, "data/readings.jsonl").exists()
