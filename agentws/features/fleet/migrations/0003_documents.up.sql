-- The versions of the documents that an agent ships. `entries`: of the newest one, the keys of those that have a vector.
CREATE TABLE agentws.documents (
    team text NOT NULL,
    agent text NOT NULL,
    path text NOT NULL,
    digest text NOT NULL,
    seen timestamptz NOT NULL DEFAULT clock_timestamp(),
    gone timestamptz,
    text text,
    room text NOT NULL,
    words tsvector,
    entries uuid[],
    PRIMARY KEY (team, agent, path, seen),
    FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
);
CREATE INDEX documents_words ON agentws.documents USING gin (words);
SELECT agentws.guard('agentws.documents', 'ship', 'read');

-- All texts of which search reads, as far as the role that asks may read them: of events, and (`seq` 0) of documents.
CREATE VIEW agentws.texts WITH (security_invoker) AS
    SELECT team, agent, writer AS place, seq, at, kind, header AS head, tail AS text, words, true AS is_new
        FROM agentws.events WHERE tail IS NOT NULL
    UNION ALL SELECT team, agent, path, 0, seen, '', room, text, words, gone IS NULL
        FROM agentws.documents WHERE text IS NOT NULL;
GRANT SELECT ON agentws.texts TO PUBLIC;

-- Takes new versions of documents; one that is current already changes nothing.
CREATE FUNCTION agentws.put_documents(a_team text, an_agent text, paths text[], digests text[], texts text[], rooms text[],
    terms text[], entries text[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    SELECT FROM agents WHERE (team, agent) = (a_team, an_agent) FOR UPDATE;
    WITH given AS (SELECT * FROM unnest(paths, digests, texts, rooms, terms, entries) AS given (path, digest, text, room, terms, keys)
        WHERE NOT EXISTS (SELECT FROM documents WHERE (team, agent, documents.path, documents.digest)
            = (a_team, an_agent, given.path, given.digest) AND gone IS NULL)
    ), ended AS (UPDATE documents SET gone = now(), entries = NULL FROM given
        WHERE (team, agent, documents.path) = (a_team, an_agent, given.path) AND gone IS NULL
    ), added AS (INSERT INTO documents (team, agent, path, digest, text, room, words, entries)
        SELECT a_team, an_agent, path, digest, text, room, words_of(code_of(a_team), given.terms), keys::uuid[] FROM given RETURNING path)
    SELECT count(*) FROM added;
$$;

-- Ends documents that are not among `paths`, and takes what else a ship tells: the digest of the list of forgotten texts
-- and their number. Earlier versions lose their text if they may hold what is tagged private or forgotten by now: unless
-- the document is among `wholes`, those that are shown whole, and what is hidden has the digest of the last ship.
-- Returns whether forgotten texts are gone here: whether the lines of all writers were judged by that list.
CREATE FUNCTION agentws.keep_documents(a_team text, an_agent text, paths text[], wholes text[], a_hidden text, a_kept_out text,
    a_forgotten integer, a_crashed text[], a_backup timestamptz) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    SELECT FROM agents WHERE (team, agent) = (a_team, an_agent) FOR UPDATE;
    UPDATE documents SET gone = now(), entries = NULL
        WHERE (team, agent) = (a_team, an_agent) AND gone IS NULL AND path <> ALL (paths);
    UPDATE documents SET text = NULL, words = NULL
        WHERE (team, agent) = (a_team, an_agent) AND gone IS NOT NULL AND text IS NOT NULL AND (path <> ALL (wholes)
            OR (SELECT hidden FROM agents WHERE (team, agent) = (a_team, an_agent)) <> a_hidden);
    UPDATE agents SET hidden = a_hidden, kept_out = a_kept_out, forgotten = a_forgotten, crashed = a_crashed,
        backed_up = a_backup, shipped = now() WHERE (team, agent) = (a_team, an_agent);
    SELECT NOT EXISTS (SELECT FROM writers WHERE (team, agent) = (a_team, an_agent) AND NOT starts_with(rules, a_kept_out || ' '));
$$;

-- Search reads as the owner, and picks the agents by `mine`: under a member's own policies no index of words is used, for
-- no operator of tsvector is leakproof. `|| ''` keeps the planner from the other indexes: it has no statistics to compare
-- them by. `given` are words, or beginnings with a `*`.
CREATE POLICY searched ON agentws.events FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY searched ON agentws.documents FOR SELECT TO CURRENT_USER USING (true);

-- Whether a kind is the wanted one or of its family (`approval.*`); an empty one wants all.
CREATE FUNCTION agentws.fits(kind text, wanted text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE right(wanted, 1) WHEN '*' THEN starts_with(kind, left(wanted, -1)) ELSE wanted IN ('', kind) END;

-- The agents of a team whose rows the connected role reads; `whose` is the id or name of some, empty for all.
CREATE FUNCTION agentws.readable(a_team text, whose text) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT array_agg(agent) FROM mine('ship', 'read') JOIN agents USING (team, agent)
    WHERE team = a_team AND whose IN ('', agent, name)
$$;

-- The given words as the index has those of the team; nulls if the role reads nothing of it: then no index is read.
CREATE FUNCTION agentws.atoms_of(a_team text, given text[]) RETURNS tsquery[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT ARRAY(SELECT ('''' || code || ':' || replace(replace(rtrim(word, '*'), '\', '\\'), '''', '''''') || ''''
        || CASE WHEN right(word, 1) = '*' THEN ':*' ELSE '' END)::tsquery FROM unnest(given) WITH ORDINALITY asked (word, n) ORDER BY n)
    FROM (SELECT CASE WHEN readable(a_team, '') IS NOT NULL THEN code_of(a_team) END AS code) own
$$;
CREATE FUNCTION agentws.any_of(atoms tsquery[]) RETURNS tsquery
LANGUAGE sql IMMUTABLE AS $$ SELECT string_agg(atom::text, ' | ')::tsquery FROM unnest(atoms) atom $$;

-- How many texts have each word, up to 10,000; `is_old`: earlier versions of documents, too.
CREATE FUNCTION agentws.word_counts(a_team text, given text[], is_old boolean) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT ARRAY(SELECT (SELECT count(*) FROM (SELECT FROM texts WHERE words @@ atom AND team || '' = a_team
            AND agent = ANY ((SELECT readable(a_team, ''))::text[]) AND (is_new OR is_old) LIMIT 10000) found)
        FROM unnest(atoms_of(a_team, given)) WITH ORDINALITY asked (atom, n) ORDER BY n)
$$;

-- The texts with the weightiest words, of the newest 10,000 of each sort that have any: 200 events, and 50 documents, up to 4 MiB.
-- No condition may raise: all teams' rows meet it.
CREATE FUNCTION agentws.found(a_team text, given text[], weights float8[], whose text, a_kind text, since timestamptz, is_old boolean)
RETURNS TABLE (agent text, name text, place text, seq bigint, head text, text text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT agent, name, place, seq, head, text FROM (
        SELECT *, row_number() OVER alike AS n, sum(octet_length(text)) OVER alike AS size FROM (
            SELECT *, (SELECT sum(weight) FROM unnest((SELECT atoms_of(a_team, given)), weights) asked (atom, weight)
                WHERE words @@ atom) AS weight
            FROM (SELECT *, row_number() OVER (PARTITION BY seq = 0 ORDER BY at DESC) AS age FROM texts
                WHERE words @@ (SELECT any_of(atoms_of(a_team, given))) AND team || '' = a_team
                AND agent = ANY ((SELECT readable(a_team, whose))::text[]) AND (is_new OR is_old) AND (since IS NULL OR at >= since)
                AND (seq = 0 OR fits(kind, a_kind))) newest WHERE age <= 10000) weighed
        WINDOW alike AS (PARTITION BY seq = 0 ORDER BY weight DESC, at DESC, seq DESC, agent, place)) ranked
        JOIN agents USING (team, agent)
    WHERE CASE seq WHEN 0 THEN n <= 50 AND size <= 4194304 ELSE n <= 200 END ORDER BY seq = 0, n
$$;

-- Makes a team of its own for a drill, which no transaction can keep: it ships there what it compares, and is rolled back.
CREATE FUNCTION agentws.begin_drill(a_team text, an_agent text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
DECLARE
    name text := 'drill-' || replace(gen_random_uuid()::text, '-', '');
BEGIN
    PERFORM allow(is_owner() OR may(a_team, an_agent, 'ship'), 'ship this agent');
    INSERT INTO teams (team, code) SELECT name, code FROM teams WHERE team = a_team;
    INSERT INTO members (role, team, agent, may) VALUES (session_user, name, an_agent, '{ship,read}');
    RETURN name;
END
$$;
CREATE FUNCTION agentws.end_drill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'A drill is rolled back.'; END $$;
CREATE CONSTRAINT TRIGGER end_drill AFTER INSERT ON agentws.teams DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.team ~ '^drill-[0-9a-f]{32}$') EXECUTE FUNCTION agentws.end_drill();
