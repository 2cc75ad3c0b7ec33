"""Who writes here: joining, vouching, admission, pins."""
