"""Tests of schedules as text."""
