"""journal: records, lists, audits, replays, verifies, seals and retracts events; session: runs of the agent."""
