"""fleet: many agents of a team in PostgreSQL. psycopg is an extra, `agentws[fleet]`; no other verb loads it."""
