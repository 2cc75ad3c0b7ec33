"""What `doctor` makes of what it saw: facts to findings, each with its remedy. Pure."""
