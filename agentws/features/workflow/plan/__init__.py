"""Workflows: what the events of their steps lead to. Pure."""
