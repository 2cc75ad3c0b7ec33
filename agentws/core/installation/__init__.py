"""This installation of agentws on this machine: its state folder, its keys, and the facts that it remembers."""
