"""Jobs that run at a fixed time, and the texts that say so: lines of a crontab, units of systemd."""
