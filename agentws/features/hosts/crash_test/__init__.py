"""agentws crash-test: a played job in a real agent program that is killed again and again."""
