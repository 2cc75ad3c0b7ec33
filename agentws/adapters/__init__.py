"""Adapters to other programs' interfaces, one a module."""
