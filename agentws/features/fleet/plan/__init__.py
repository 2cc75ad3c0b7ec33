"""The decisions of the fleet: pure functions."""
