"""Hosts whose hooks are Claude Code's but for names: each is a row."""
