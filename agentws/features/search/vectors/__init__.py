"""Search by meaning: embedders that make vectors, stores that keep them, and the choice of both."""
