"""Files of agent programs: read, replaced, given back."""
