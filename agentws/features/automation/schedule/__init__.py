"""schedule: a job that runs once a day, by the user's crontab, by systemd, or by a line that a person puts there."""
