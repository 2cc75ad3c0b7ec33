"""Formats of an agent's travels: inventories, backup manifests, parcels, sync states, conflicts."""
