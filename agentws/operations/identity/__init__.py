"""identity: who this agent and this installation of it are, who else writes, and who may."""
