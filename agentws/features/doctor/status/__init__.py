"""The verdict: what needs somebody."""
