"""What agentws knows of programs that run agents: names, files, limits."""
