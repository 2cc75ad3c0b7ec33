"""Tasks, each a file in tasks/, and open items: `task`, `todo`, `done` and `drop`."""
