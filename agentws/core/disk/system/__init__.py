"""Programs and files of the system that agentws uses: cron, agents, what the package ships."""
