"""Approvals: actions that wait for a person."""
