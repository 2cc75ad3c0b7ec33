"""Formats for moving, backing up and syncing an agent: inventories, manifests, parcels, conflicts."""
