"""Hosts, the programs that run agents: their descriptions, and the values that `install` writes for them."""
