"""todo, done and drop: what is open everywhere in the workspace, and closing it."""
