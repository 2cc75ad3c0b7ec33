"""Earlier states: history, diff, restore, undo."""
