"""Proof of the journal: seals, their check, and purges."""
