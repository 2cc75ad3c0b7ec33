"""Hosts, the programs that run agents: their names, files and limits."""
