"""What events of the journal say, one by one and together. Pure."""
