"""The entry of `agentws hook`: reads a host's call, runs its actions within time limits, prints the reply."""
