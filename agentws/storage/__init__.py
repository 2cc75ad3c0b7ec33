"""Where a workspace lives: disk, locks, git, clock. The only room beside the doors that touches the world."""
