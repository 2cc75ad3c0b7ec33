"""The disk under a workspace: its files, locks, transactions, the `.agentws/` folder, caches, clocks, processes."""
