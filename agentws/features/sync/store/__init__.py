"""One agent on several machines: the private repository here, and the one that they all reach."""
