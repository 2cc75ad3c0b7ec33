"""A folder for each feature. A feature imports the core, and other features only downwards."""
