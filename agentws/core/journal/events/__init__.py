"""Events of the journal, one by one and together. Pure."""
