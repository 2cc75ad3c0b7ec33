"""Search by meaning: the choice of a model, its vectors."""
