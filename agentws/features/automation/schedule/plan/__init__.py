"""Plans of `schedule`: the jobs, lines of a crontab, units of systemd, and the steps of a change. Pure."""
