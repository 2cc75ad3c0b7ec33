"""watch: a process that records a workspace's documents as they change, and warns of losses. Nothing depends on it."""
