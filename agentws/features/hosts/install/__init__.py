"""Installation into hosts, and removal."""
