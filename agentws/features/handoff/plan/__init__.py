"""Deriving handoffs for sessions that ended without one, and fitting handoffs to a size. Pure."""
