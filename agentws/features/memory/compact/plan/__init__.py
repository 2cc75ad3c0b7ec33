"""Plans of `compact`: which lines of old logs enter MEMORY.md, the new digest, and the changes of a run. Pure."""
