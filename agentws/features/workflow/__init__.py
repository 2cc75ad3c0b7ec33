"""Workflows: steps whose results are recorded, and which are not run twice."""
