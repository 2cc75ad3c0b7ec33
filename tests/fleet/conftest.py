"""A server for the tests of the fleet."""

from __future__ import annotations

from tests.fleet.cluster import cluster, database

__all__ = ["cluster", "database"]
