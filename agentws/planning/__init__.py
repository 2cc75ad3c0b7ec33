"""Decisions: values to values. Pure."""
