-- Vectors of texts, made by the search of the agent's own workspace, where this database has pgvector (0.7 or later), or
-- whoever migrates may make it; else nothing.
DO $do$
DECLARE
    place text;
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector' AND installed_version IS NULL) THEN
        BEGIN
            CREATE EXTENSION vector;
        EXCEPTION WHEN insufficient_privilege THEN NULL;
        END;
    END IF;
    SELECT typnamespace::regnamespace::text INTO place FROM pg_type JOIN pg_extension ON typnamespace = extnamespace
        WHERE extname = 'vector' AND typname = 'halfvec';
    IF place IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('search_path', place, true);

    -- `seq`: of the event that has the text, with its writer as `place`; 0 for a document, with its path. `key`: of the entry.
    CREATE TABLE agentws.vectors (
        team text NOT NULL,
        agent text NOT NULL,
        place text NOT NULL,
        seq bigint NOT NULL,
        key uuid NOT NULL,
        vector halfvec NOT NULL,
        PRIMARY KEY (team, agent, place, seq, key),
        FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
    );
    PERFORM agentws.guard('agentws.vectors', 'ship', 'read');
    -- The next ship of each agent looks at all its texts.
    ALTER TABLE agentws.writers NO FORCE ROW LEVEL SECURITY;
    UPDATE agentws.writers SET rules = rules || '.';
    ALTER TABLE agentws.writers FORCE ROW LEVEL SECURITY;

    CREATE FUNCTION agentws.half(numbers real[]) RETURNS halfvec LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN numbers::halfvec;
    -- The cosine of two vectors of length 1; null if they have not the same size.
    CREATE FUNCTION agentws.nearness(one halfvec, other halfvec) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE WHEN vector_dims(one) = vector_dims(other) THEN -(one <#> other) END;

    -- The entries nearest to a question, up to 100; of a kind or time, those among the 2,000 nearest. All vectors of the team
    -- are compared, as the owner: policies would take four times longer.
    CREATE POLICY searched ON agentws.vectors FOR SELECT TO CURRENT_USER USING (true);
    CREATE FUNCTION agentws.nearest(a_team text, a_model text, numbers real[], whose text, a_kind text, since timestamptz)
    RETURNS TABLE (agent text, place text, seq bigint, key uuid) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = agentws, pg_temp SET enable_indexscan = off AS $$
        SELECT agent, place, seq, key FROM (
            SELECT * FROM (SELECT half(numbers) AS asked OFFSET 0) question, vectors WHERE team = a_team AND agent = ANY ((
                SELECT array_agg(agent) FROM agents WHERE team = a_team AND model = a_model AND agent = ANY (readable(a_team, whose)))::text[])
            ORDER BY nearness(vector, asked) DESC NULLS LAST
            LIMIT CASE WHEN a_kind = '' AND since IS NULL THEN 100 ELSE 2000 END) near
        WHERE seq = 0 OR (a_kind = '' AND since IS NULL) OR EXISTS (
            SELECT FROM events WHERE (events.team, events.agent, writer, events.seq) = (a_team, near.agent, place, near.seq)
                AND (since IS NULL OR at >= since) AND fits(kind, a_kind)) LIMIT 100
    $$;

    -- Takes vectors of texts that are here, by the embedder in force.
    CREATE FUNCTION agentws.put_vectors(a_team text, an_agent text, a_model text, a_place text, seqs bigint[], keys uuid[], numbers text[])
    RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
        SELECT allow(may(a_team, an_agent, 'ship'), 'ship this agent');
        -- Whoever takes texts away waits for these locks, or is waited for.
        SELECT FROM writers WHERE (team, agent, writer) = (a_team, an_agent, a_place) FOR UPDATE;
        SELECT FROM agents WHERE (team, agent) = (a_team, an_agent) FOR UPDATE;
        WITH added AS (INSERT INTO vectors SELECT a_team, an_agent, a_place, given.seq, given.key, given.vector::real[]
            FROM unnest(seqs, keys, numbers) AS given (seq, key, vector)
            WHERE EXISTS (SELECT FROM agents WHERE (team, agent, model) = (a_team, an_agent, a_model))
                AND EXISTS (SELECT FROM texts WHERE (team, agent, place, texts.seq) = (a_team, an_agent, a_place, given.seq) AND is_new)
            ON CONFLICT DO NOTHING RETURNING seq)
        SELECT count(*) FROM added;
    $$;

    -- A text that goes takes its vectors with it, but those of entries that the new version of a document has as well. An
    -- embedder that goes takes all of them.
    CREATE FUNCTION agentws.drop_vectors() RETURNS trigger LANGUAGE plpgsql SET search_path = agentws, pg_temp AS $$
    DECLARE
        changed jsonb := to_jsonb(NEW) - 'words';
    BEGIN
        IF TG_TABLE_NAME = 'agents' THEN
            DELETE FROM vectors WHERE (team, agent) = (NEW.team, NEW.agent);
            RETURN NULL;
        END IF;
        DELETE FROM vectors WHERE (team, agent, place, seq)
            = (NEW.team, NEW.agent, coalesce(changed ->> 'path', changed ->> 'writer'), coalesce((changed ->> 'seq')::bigint, 0))
            AND NOT EXISTS (SELECT FROM documents WHERE (team, agent, path) = (NEW.team, NEW.agent, place) AND seq = 0
                AND gone IS NULL AND key = ANY (entries));
        RETURN NULL;
    END
    $$;
    CREATE TRIGGER drop_vectors AFTER UPDATE OF tail ON agentws.events FOR EACH ROW
        WHEN (OLD.tail IS DISTINCT FROM NEW.tail) EXECUTE FUNCTION agentws.drop_vectors();
    CREATE TRIGGER drop_vectors AFTER UPDATE OF gone ON agentws.documents FOR EACH ROW
        WHEN (NEW.gone IS NOT NULL) EXECUTE FUNCTION agentws.drop_vectors();
    CREATE TRIGGER drop_vectors AFTER UPDATE OF model ON agentws.agents FOR EACH ROW
        WHEN (OLD.model <> NEW.model) EXECUTE FUNCTION agentws.drop_vectors();
END
$do$;
