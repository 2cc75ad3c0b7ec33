"""handoff: what one session leaves for the next, written, listed, shown and closed; also where nobody wrote one."""
