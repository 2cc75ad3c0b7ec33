"""The plan of a migration: its destination, what has to be sent, and the order of its steps."""
