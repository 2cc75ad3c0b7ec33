"""Find the texts to forget, and remove them from documents. Pure."""
