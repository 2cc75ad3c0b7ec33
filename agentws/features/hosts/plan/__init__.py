"""Decisions about hosts. Pure."""
