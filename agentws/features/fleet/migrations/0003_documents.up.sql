-- The versions of the documents that an agent ships, and what its last ship said of its sessions and backups.
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
    PRIMARY KEY (team, agent, path, seen),
    FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
);
CREATE INDEX documents_words ON agentws.documents USING gin (words);
ALTER TABLE agentws.agents ADD COLUMN kept_out text NOT NULL DEFAULT '', ADD COLUMN forgotten integer NOT NULL DEFAULT 0,
    ADD COLUMN hidden text NOT NULL DEFAULT '', ADD COLUMN crashed text[] NOT NULL DEFAULT '{}',
    ADD COLUMN backed_up timestamptz;
SELECT agentws.guard('agentws.documents', 'ship', 'read'), agentws.hide_statistics('agentws.agents');

-- Takes new versions of documents; one that is current already changes nothing.
CREATE FUNCTION agentws.put_documents(a_team text, an_agent text, paths text[], digests text[], texts text[], rooms text[], terms text[])
RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    SELECT FROM agents WHERE (team, agent) = (a_team, an_agent) FOR UPDATE;
    UPDATE documents SET gone = now() FROM unnest(paths, digests) AS given (path, digest)
        WHERE (team, agent) = (a_team, an_agent) AND documents.path = given.path AND gone IS NULL
            AND documents.digest <> given.digest;
    WITH added AS (INSERT INTO documents (team, agent, path, digest, text, room, words)
        SELECT a_team, an_agent, given.path, given.digest, given.text, given.room, words_of(code_of(a_team), given.terms)
        FROM unnest(paths, digests, texts, rooms, terms) AS given (path, digest, text, room, terms) LEFT JOIN documents
            ON (documents.team, documents.agent, documents.path) = (a_team, an_agent, given.path) AND gone IS NULL
        WHERE documents.path IS NULL RETURNING path)
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
    UPDATE documents SET gone = now()
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

-- How many events and documents have each word, up to 10,000 of each; `is_old`: earlier versions too.
CREATE FUNCTION agentws.word_counts(a_team text, given text[], is_old boolean) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT ARRAY(SELECT
        (SELECT count(*) FROM (SELECT FROM events WHERE words @@ atom AND team || '' = a_team
            AND agent = ANY ((SELECT readable(a_team, ''))::text[]) LIMIT 10000) found)
        + (SELECT count(*) FROM (SELECT FROM documents WHERE words @@ atom AND team || '' = a_team AND (is_old OR gone IS NULL)
            AND agent = ANY ((SELECT readable(a_team, ''))::text[]) LIMIT 10000) found)
        FROM unnest(atoms_of(a_team, given)) WITH ORDINALITY asked (atom, n) ORDER BY n)
$$;

-- The events with the weightiest words, of the newest 10,000 that have any. No condition may raise: all teams' rows meet it.
CREATE FUNCTION agentws.found_events(a_team text, given text[], weights float8[], whose text, a_kind text,
    since timestamptz, most integer) RETURNS TABLE (agent text, writer text, seq bigint, header text, tail text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT agent, writer, seq, header, tail FROM (
        SELECT * FROM events WHERE words @@ (SELECT any_of(atoms_of(a_team, given))) AND team || '' = a_team
            AND agent = ANY ((SELECT readable(a_team, whose))::text[])
            AND tail IS NOT NULL AND (since IS NULL OR at >= since) AND CASE right(a_kind, 1) WHEN '*' THEN starts_with(kind, left(a_kind, -1)) ELSE a_kind IN ('', kind) END
        ORDER BY at DESC LIMIT 10000) found
    ORDER BY (SELECT sum(weight) FROM unnest((SELECT atoms_of(a_team, given)), weights) asked (atom, weight) WHERE words @@ atom) DESC, at DESC, seq DESC
    LIMIT most
$$;

-- The documents with the weightiest words, up to 4 MiB of text.
CREATE FUNCTION agentws.found_documents(a_team text, given text[], weights float8[], whose text,
    since timestamptz, is_old boolean, most integer) RETURNS TABLE (agent text, path text, room text, text text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT agent, path, room, text FROM (
        SELECT *, sum(length(text)) OVER (ORDER BY weight DESC, seen DESC, agent, path) AS size FROM (
            SELECT *, (SELECT sum(weight) FROM unnest((SELECT atoms_of(a_team, given)), weights) asked (atom, weight) WHERE words @@ atom) AS weight
            FROM documents WHERE words @@ (SELECT any_of(atoms_of(a_team, given))) AND team || '' = a_team
                AND agent = ANY ((SELECT readable(a_team, whose))::text[])
                AND (since IS NULL OR seen >= since) AND (is_old OR gone IS NULL)
            ORDER BY weight DESC, seen DESC LIMIT most) found) sized
    WHERE size <= 4194304 ORDER BY size
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
