"""identity: shows, verifies, vouches for, retires, revives and replaces the writers of an agent, and rotates keys."""
