"""The eyes of a watcher: what tells that something changed in a workspace, and what a watcher has seen."""
