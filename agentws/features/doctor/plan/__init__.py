"""Findings of `doctor`: from facts to findings, each with its remedy. Pure."""
