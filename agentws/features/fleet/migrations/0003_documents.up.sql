-- The versions of the documents that an agent ships, and what its last ship said of its sessions and backups.
CREATE TABLE agentws.documents (
    team text NOT NULL,
    agent text NOT NULL,
    path text NOT NULL,
    digest text NOT NULL,
    seen timestamptz NOT NULL DEFAULT clock_timestamp(),
    gone timestamptz,
    text text,
    words tsvector GENERATED ALWAYS AS (to_tsvector('simple', left(coalesce(text, ''), 250000))) STORED,
    PRIMARY KEY (team, agent, path, seen),
    FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
);
CREATE INDEX documents_words ON agentws.documents USING gin (words);
ALTER TABLE agentws.agents ADD COLUMN kept_out text NOT NULL DEFAULT '', ADD COLUMN crashed text[] NOT NULL DEFAULT '{}',
    ADD COLUMN backed_up timestamptz;
ALTER TABLE agentws.documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON agentws.documents USING ((team, agent) IN (SELECT team, agent FROM agentws.mine('ship', 'read')));
GRANT SELECT ON agentws.documents TO PUBLIC;
SELECT agentws.hide_statistics(name) FROM unnest(ARRAY['agentws.documents', 'agentws.agents']::regclass[]) name;

-- Takes new versions of documents; one that is current already changes nothing.
CREATE FUNCTION agentws.put_documents(a_team text, an_agent text, paths text[], digests text[], texts text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
DECLARE
    added bigint;
BEGIN
    PERFORM allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    PERFORM FROM agents WHERE (team, agent) = (a_team, an_agent) FOR UPDATE;
    UPDATE documents SET gone = now() FROM unnest(paths, digests) AS given (path, digest)
        WHERE (team, agent) = (a_team, an_agent) AND documents.path = given.path AND gone IS NULL
            AND documents.digest <> given.digest;
    INSERT INTO documents (team, agent, path, digest, text)
        SELECT a_team, an_agent, given.path, given.digest, given.text
        FROM unnest(paths, digests, texts) AS given (path, digest, text) LEFT JOIN documents
            ON (documents.team, documents.agent, documents.path) = (a_team, an_agent, given.path) AND gone IS NULL
        WHERE documents.path IS NULL;
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
END
$$;

-- Ends documents that are not among `paths`. If the list of forgotten texts is another one than at the last ship, earlier
-- versions lose their text, for they may hold what was forgotten; returns how many did.
CREATE FUNCTION agentws.keep_documents(
    a_team text, an_agent text, paths text[], a_kept_out text, a_crashed text[], a_backup timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
DECLARE
    emptied bigint := 0;
BEGIN
    PERFORM allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    UPDATE documents SET gone = now()
        WHERE (team, agent) = (a_team, an_agent) AND gone IS NULL AND path <> ALL (paths);
    IF EXISTS (SELECT FROM agents WHERE (team, agent) = (a_team, an_agent) AND kept_out <> a_kept_out) THEN
        UPDATE documents SET text = NULL
            WHERE (team, agent) = (a_team, an_agent) AND gone IS NOT NULL AND text IS NOT NULL;
        GET DIAGNOSTICS emptied = ROW_COUNT;
    END IF;
    UPDATE agents SET kept_out = a_kept_out, crashed = a_crashed, backed_up = a_backup, shipped = now()
        WHERE (team, agent) = (a_team, an_agent);
    RETURN emptied;
END
$$;
