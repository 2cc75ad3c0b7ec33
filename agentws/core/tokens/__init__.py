"""Token counters, exact or upper bounds. Pure."""
