"""What git keeps and says: settings, excludes, its wire."""
