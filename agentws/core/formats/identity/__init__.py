"""Formats of the agent's identity: writers, their keys and signatures, the tombstone."""
