"""compact: archives old logs, adds their marked lines to MEMORY.md, keeps the digest; verifies and undoes its runs."""
