"""The world: disk, locks, git, clock. The only room beside the doors that touches it."""
