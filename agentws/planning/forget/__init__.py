"""What is to be forgotten: where it stands, and what the documents are without it. Pure."""
