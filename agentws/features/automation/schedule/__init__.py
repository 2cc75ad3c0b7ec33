"""schedule: runs jobs daily, weekly or more often, by the user's crontab, by systemd, or by a line to add by hand."""
