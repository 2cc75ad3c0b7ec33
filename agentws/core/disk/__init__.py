"""Files, locks, transactions, the folder of this machine, caches, the clock."""
