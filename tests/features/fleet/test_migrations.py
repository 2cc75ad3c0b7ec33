"""The migrations: up, down and up again, all or nothing, once."""

from __future__ import annotations

import pytest

from agentws.errors import OutsideProgramError, UsageError
from agentws.features.fleet import database as fleet_database, migrations
from agentws.features.fleet.database import Database

CATALOGUE = """
    SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstattarget,
           pg_get_expr(d.adbin, d.adrelid)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (c.oid, attnum)
    WHERE c.relnamespace = to_regnamespace('agentws') AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), NULL, NULL, NULL
    FROM pg_constraint WHERE connamespace = to_regnamespace('agentws')
    UNION ALL SELECT 'policy', tablename, policyname, cmd, NULL, NULL, concat(qual, with_check) FROM pg_policies
    WHERE schemaname = 'agentws'
    UNION ALL SELECT 'function', oid::regprocedure::text, pg_get_functiondef(oid), proacl::text, NULL, NULL, NULL
    FROM pg_proc WHERE pronamespace = to_regnamespace('agentws')
    UNION ALL SELECT 'table', relname, relkind::text, relacl::text, relrowsecurity, NULL, relforcerowsecurity::text
    FROM pg_class WHERE relnamespace = to_regnamespace('agentws')
    ORDER BY 1, 2, 3
"""
"""Everything in the schema that a migration makes."""


def catalogue(opened: Database) -> list[tuple[object, ...]]:
    return opened.rows(CATALOGUE)


def test_up_down_and_up_makes_the_same_at_each_number(database: str) -> None:
    with fleet_database.connected(database) as opened:
        states = [catalogue(opened)]
        for migration in migrations.every():
            migrations.migrate(opened, migration.number)
            states.append(catalogue(opened))
        for number in reversed(range(len(states) - 1)):
            migrations.migrate(opened, number)
            assert catalogue(opened) == states[number]
        migrations.migrate(opened)
        assert catalogue(opened) == states[-1]
        assert states[0] == []


@pytest.mark.parametrize(
    "foreign",
    ["CREATE TABLE agentws.own (x text)", "CREATE VIEW public.report AS SELECT team, name FROM agentws.agents"],
)
def test_the_schema_stays_while_something_else_needs_it(database: str, foreign: str) -> None:
    with fleet_database.connected(database) as opened:
        migrations.migrate(opened)
        opened.rows(foreign)
        before = catalogue(opened)
        with pytest.raises(OutsideProgramError, match="depend"):
            migrations.migrate(opened, 0)
        assert catalogue(opened) == before


def test_what_is_applied_is_not_applied_again(database: str) -> None:
    with fleet_database.connected(database) as opened:
        first = migrations.migrate(opened)
        second = migrations.migrate(opened)
    assert [step.number for step in first.applied] == [step.number for step in migrations.every()]
    assert (list(second.applied), second.before) == ([], first.after)


def test_a_dry_run_changes_nothing(database: str) -> None:
    with fleet_database.connected(database) as opened:
        plan = migrations.migrate(opened, is_dry=True)
        assert plan.applied
        assert catalogue(opened) == []


def test_a_migration_that_fails_leaves_nothing(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = migrations.every()
    bad = migrations.Migration(len(known) + 1, "bad", "CREATE TABLE agentws.half (); SELECT 1 / 0;", "")
    monkeypatch.setattr(migrations, "every", lambda: [*known, bad])
    with fleet_database.connected(database) as opened, pytest.raises(OutsideProgramError, match="division by zero"):
        migrations.migrate(opened)
    with fleet_database.connected(database) as opened:
        assert catalogue(opened) == []


def test_a_migration_that_was_changed_later_is_refused(database: str) -> None:
    with fleet_database.connected(database) as opened:
        migrations.migrate(opened)
        opened.rows("UPDATE agentws.migrations SET digest = 'other' WHERE number = 1")
        with pytest.raises(OutsideProgramError, match="Migration 1 was applied in another form"):
            migrations.migrate(opened)


def test_a_number_that_does_not_exist_is_refused(database: str) -> None:
    with fleet_database.connected(database) as opened, pytest.raises(UsageError, match="no migration 99"):
        migrations.migrate(opened, 99)
