"""What runs by itself: schedules, and the watch for edits."""
