"""The store of search: its SQLite index file, schema, queries and refresh."""
