"""Checks before sync merges a state: a fork, an unknown writer, an older copy, a mass removal."""
