"""The git repositories of sync: the workspace's private one, and the remote that all machines share."""
