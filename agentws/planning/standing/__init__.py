"""What stands over days: open items, what went quiet, notes that disagree, standing rules, routine. Pure."""
