"""Everything that a verb may ask of the world, for one workspace."""
