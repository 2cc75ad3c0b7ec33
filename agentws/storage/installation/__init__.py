"""This machine's writer: its keys, its state, and whether this copy is a stale one."""
