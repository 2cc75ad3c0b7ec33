"""Which clauses of a text tell that something went well."""

from __future__ import annotations

import pytest

from agentws.planning.compaction.overtaken import ACTS, clauses_that_went_well, roots


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("✅ Ledger for Sam installed and in use", ["✅ Ledger for Sam installed and in use"]),
        ("New storage token validated, but the import failed", ["New storage token validated"]),
        ("The ledger is done, only Sam can install it", []),
        ("Ledger to be installed for Sam tomorrow", []),
        ("Watered the roses", []),
        ("- [ ] pay the rent ✅", ["-  pay the rent ✅"]),
        ("- [ ] pay the rent, it is done", []),
    ],
)
def test_a_clause_in_which_something_did_not_go_well_is_none(text: str, clauses: list[str]) -> None:
    assert clauses_that_went_well(text) == clauses


def test_words_of_one_root_are_one_and_acts_are_told_from_things() -> None:
    assert roots("verify") == roots("verified") == roots("verification")
    assert roots("deployed") <= ACTS
    assert not roots("ledger") & ACTS
