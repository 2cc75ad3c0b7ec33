"""Pure code of data and artifact: names, rows, schemas, queries."""
