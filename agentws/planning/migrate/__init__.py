"""How an agent moves to another place: where to, what has to be sent, and which step may follow which."""
