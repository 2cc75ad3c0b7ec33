"""What a watcher decides: which files matter, when it is quiet, whose a change is, and whether something was lost."""
