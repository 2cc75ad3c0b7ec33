"""The disk of a workspace: files, locks, transactions, the `.agentws/` folder, caches, the clock."""
