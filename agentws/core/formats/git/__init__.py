"""Git's bytes: settings, excludes, its wire."""
