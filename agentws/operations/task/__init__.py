"""task: work that outlives a session, one file each; its state in the front matter, its history in the journal."""
