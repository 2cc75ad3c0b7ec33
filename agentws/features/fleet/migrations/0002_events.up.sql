-- The events of all writers, by month, and the head of each writer's chain as this database has witnessed it.
CREATE TABLE agentws.writers (
    team text NOT NULL,
    agent text NOT NULL,
    writer text NOT NULL CHECK (writer ~ '^[0-9a-f]{16}$'),
    base_seq bigint NOT NULL DEFAULT 0,
    head_seq bigint NOT NULL DEFAULT 0,
    head_hash text NOT NULL,
    head_at timestamptz,
    refused text,
    PRIMARY KEY (team, agent, writer),
    FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
);

-- A line is `header || ',' || tail || '}'`. A tail that is null stays at home (`absent` says why), or was purged.
-- Texts keep their JSON escapes: jsonb has no NUL and no lone surrogate.
CREATE TABLE agentws.events (
    team text NOT NULL,
    agent text NOT NULL,
    writer text NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    session text,
    src text NOT NULL,
    header text NOT NULL,
    tail text,
    absent text,
    hash text NOT NULL,
    words tsvector,
    PRIMARY KEY (team, agent, writer, seq, at)
) PARTITION BY RANGE (at);
CREATE TABLE agentws.events_default PARTITION OF agentws.events DEFAULT;
CREATE INDEX events_words ON agentws.events USING gin (words);
CREATE INDEX events_at ON agentws.events (team, at DESC);

CREATE TYPE agentws.shipped_line AS (seq bigint, header text, tail text, absent text, terms text, hash text,
    at timestamptz, kind text, session text, src text, prev text, digest text);

-- Terms with blanks between them as what is searched.
CREATE FUNCTION agentws.words_of(terms text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT array_to_tsvector(array_remove(string_to_array(terms, ' '), '')) $$;

-- Makes the partition of a month. Months before 2020, and those after the next one, have none: the default takes them.
CREATE FUNCTION agentws.ensure_month(moment timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    first date := date_trunc('month', moment);
    name text := to_char(first, '"events_"YYYYMM');
BEGIN
    IF first < '2020-01-01' OR first > date_trunc('month', now()) + interval '1 month' OR to_regclass(name) IS NOT NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('agentws'), 2);
    -- Not by to_regclass: the lock does not renew its memory of names that did not exist.
    IF EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = name) THEN
        RETURN;
    END IF;
    -- Rows of this month that an earlier clock put into the default partition stay valid there: they move.
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
    EXECUTE format('WITH moved AS (DELETE FROM events_default WHERE at >= %L AND at < %L RETURNING *)'
        ' INSERT INTO %I SELECT * FROM moved', first, first + interval '1 month', name);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, first, first + interval '1 month');
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    PERFORM hide_statistics(name::regclass);
END
$$;
REVOKE ALL ON FUNCTION agentws.ensure_month FROM PUBLIC;

-- Takes lines of a writer's chain, from `first_seq` on, and returns its head and why lines were refused, or null.
-- Each line must have its number, name the hash of the line before, and have the digest of its tail in its header. Lines
-- that are already there must be the same: any batch may be sent twice. `retired`: the lines before `first_seq` are gone.
-- `terms`: the words of each line, as the search in a workspace has them.
CREATE FUNCTION agentws.accept_lines(
    a_team text, an_agent text, a_writer text, first_seq bigint, headers text[], tails text[], absents text[],
    terms text[], retired boolean DEFAULT false, OUT seq bigint, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    head writers;
    wrong bigint;
    behind bigint;
    newest shipped_line;
    month timestamptz;
    given shipped_line[];
BEGIN
    PERFORM allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    IF cardinality(headers) NOT BETWEEN 1 AND 10000 OR cardinality(headers) <> cardinality(tails)
        OR cardinality(headers) <> cardinality(absents) OR cardinality(headers) <> cardinality(terms) THEN
        RAISE SQLSTATE 'AW001' USING MESSAGE = 'A batch has 1 to 10,000 lines, each with a header and a tail or null.';
    END IF;
    INSERT INTO writers (team, agent, writer, head_hash) VALUES (a_team, an_agent, a_writer,
        encode(sha256(convert_to(format(E'agentws-genesis-1 %s %s\n', an_agent, a_writer), 'UTF8')), 'hex'))
        ON CONFLICT DO NOTHING;
    SELECT * INTO head FROM writers WHERE (team, agent, writer) = (a_team, an_agent, a_writer) FOR UPDATE;

    -- A header is {"agentws":1,"seq":…,"id":…,"at":…,"kind":…,"session":…,"src":…,"prev":…,"digest":…}, perhaps with more
    -- before "prev"; a line with another one gets no kind. Taken apart without captures, which take a millisecond a line.
    BEGIN
        SELECT array_agg(ROW(first_seq + n - 1, h, t, a, p, encode(sha256(convert_to(h, 'UTF8')), 'hex'),
                CASE WHEN is_header THEN clock::timestamptz END, CASE WHEN is_header THEN a_kind END,
                CASE WHEN quoted <> 'null' THEN substr(quoted, 2, length(quoted) - 2) END,
                source, substr(links, 9, 64), substr(links, 85, 64))::shipped_line ORDER BY n) INTO given
        FROM unnest(headers, tails, absents, terms) WITH ORDINALITY AS told (h, t, a, p, n)
        CROSS JOIN LATERAL (SELECT split_part(h, '"', 12) AS clock, split_part(h, '"', 16) AS a_kind,
            format('{"agentws":1,"seq":%s,"id":"%s","at":"%s","kind":"%s","session":', first_seq + n - 1,
                split_part(h, '"', 8), split_part(h, '"', 12), split_part(h, '"', 16)) AS start,
            split_part(h, ',"src":"', 2) AS rest, right(h, 149) AS links OFFSET 0) AS parts
        CROSS JOIN LATERAL (SELECT split_part(substr(h, length(start) + 1), ',"src":"', 1) AS quoted,
            split_part(rest, '"', 1) AS source OFFSET 0) AS further
        CROSS JOIN LATERAL (SELECT starts_with(h, start) AND length(clock) = 27 AND clock ~ '^[0-9TZ:.-]+$'
            AND length(a_kind) <= 64 AND a_kind ~ '^[A-Za-z][A-Za-z0-9_.-]*$'
            AND (quoted = 'null' OR quoted ~ '^"(?:[^"\\]|\\.)*"$') AND source !~ '\\'
            AND substr(rest, length(source) + 1, 2) = '",' AND length(rest) >= length(source) + 151
            AND substr(h, length(h) - 149, 1) = ',' AND links ~ '^"prev":"[0-9a-f]+","digest":"[0-9a-f]+"$'
            AND substr(links, 73, 12) = '","digest":"' AS is_header OFFSET 0) AS judged;
    EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format THEN
        wrong := first_seq;  -- a date that no calendar has
    END;

    -- Before `events` is touched: whoever attaches a partition waits for all that read or write there.
    FOR month IN SELECT DISTINCT date_trunc('month', lines.at) FROM unnest(given) lines WHERE lines.at IS NOT NULL LOOP
        PERFORM ensure_month(month);
    END LOOP;

    SELECT coalesce(wrong, min(lines.seq)) INTO wrong FROM unnest(given) lines
        WHERE lines.kind IS NULL OR encode(sha256(convert_to(lines.tail, 'UTF8')), 'hex') <> lines.digest;
    IF wrong IS NULL AND first_seq <= head.head_seq THEN  -- lines that are there already
        behind := greatest(first_seq, head.base_seq + 1);
        SELECT behind + min(n) - 1 INTO wrong FROM unnest(
            headers[behind - first_seq + 1:least(head.head_seq - first_seq + 1, cardinality(headers))],
            ARRAY(SELECT events.header FROM events WHERE (team, agent, writer) = (a_team, an_agent, a_writer)
                AND events.seq BETWEEN behind AND least(head.head_seq, first_seq + cardinality(headers) - 1) ORDER BY events.seq)
        ) WITH ORDINALITY AS pairs (told, stored, n) WHERE told IS DISTINCT FROM stored;
    END IF;
    IF wrong IS NULL THEN
        given := given[greatest(head.head_seq - first_seq + 2, 1):];
    END IF;
    IF wrong IS NULL AND retired AND first_seq > head.head_seq + 1 THEN
        SELECT lines.prev, lines.seq - 1 INTO head.head_hash, head.head_seq
        FROM unnest(given) lines WHERE lines.seq = first_seq;
        UPDATE writers SET base_seq = head.head_seq
        WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
    END IF;
    IF wrong IS NULL AND first_seq > head.head_seq + 1 THEN
        wrong := head.head_seq + 1;
    END IF;
    IF wrong IS NULL THEN
        SELECT min(linked.seq) INTO wrong FROM (
            SELECT lines.seq, lines.prev, lag(lines.hash, 1, head.head_hash) OVER (ORDER BY lines.seq) AS before
            FROM unnest(given) lines
        ) linked WHERE linked.prev <> linked.before;
    END IF;
    IF wrong IS NOT NULL THEN
        refusal := format('Event %s:%s does not continue what this database has witnessed: it was changed, or two copies'
            ' of this writer went on.', a_writer, wrong);
        UPDATE writers SET refused = refusal WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
        seq := head.head_seq;
        RETURN;
    END IF;

    INSERT INTO events (team, agent, writer, seq, at, kind, session, src, header, tail, absent, hash, words)
        SELECT a_team, an_agent, a_writer, lines.seq, lines.at, lines.kind, lines.session, lines.src, lines.header,
            lines.tail, lines.absent, lines.hash, words_of(lines.terms)
        FROM unnest(given) lines;
    newest := given[cardinality(given)];
    seq := coalesce(newest.seq, head.head_seq);
    IF newest.seq IS NOT NULL THEN
        UPDATE writers SET head_seq = newest.seq, head_hash = newest.hash, head_at = newest.at
            WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
        PERFORM pg_notify(channel, '') FROM teams WHERE team = a_team;
    END IF;
    UPDATE agents SET shipped = now() WHERE (team, agent) = (a_team, an_agent);
END
$$;

-- Takes the tails of purged or forgotten events away; returns how many had one.
CREATE FUNCTION agentws.drop_tails(a_team text, an_agent text, a_writer text, numbers bigint[], why text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
DECLARE
    dropped bigint;
BEGIN
    PERFORM allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    UPDATE events SET tail = NULL, absent = why, words = NULL
        WHERE (team, agent, writer) = (a_team, an_agent, a_writer) AND seq = ANY (numbers)
            AND (tail IS NOT NULL OR absent IS DISTINCT FROM why);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END
$$;

-- The stored lines of a writer whose own check fails, up to 100: number, number's gap, link, digest.
CREATE FUNCTION agentws.wrong_lines(a_team text, an_agent text, a_writer text) RETURNS TABLE (seq bigint, what text)
LANGUAGE sql STABLE SET search_path = agentws, pg_temp AS $$
    WITH lines AS (
        SELECT events.seq, header, tail, hash, lag(events.seq) OVER w AS before_seq, lag(hash) OVER w AS before,
            encode(sha256(convert_to(header, 'UTF8')), 'hex') AS hashed
        FROM events WHERE (team, agent, writer) = (a_team, an_agent, a_writer) WINDOW w AS (ORDER BY events.seq)
    ), judged AS (
        SELECT lines.seq, CASE
            WHEN hash <> hashed THEN 'the header was changed'
            WHEN before_seq IS NOT NULL AND lines.seq <> before_seq + 1 THEN format('%s events before it are missing', lines.seq - before_seq - 1)
            WHEN substring(right(header, 149) from 9 for 64) <> before THEN 'it does not follow the line before'
            WHEN encode(sha256(convert_to(tail, 'UTF8')), 'hex') <> substring(right(header, 65) for 64) THEN 'the body was changed'
        END AS what FROM lines
    )
    SELECT judged.seq, judged.what FROM judged WHERE judged.what IS NOT NULL ORDER BY judged.seq LIMIT 100
$$;

ALTER TABLE agentws.writers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE agentws.events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
-- Members have no right on a partition itself; without FORCE its owner can move rows of all teams.
ALTER TABLE agentws.events_default ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON agentws.writers USING ((team, agent) IN (SELECT team, agent FROM agentws.mine('ship', 'read')));
CREATE POLICY own ON agentws.events USING ((team, agent) IN (SELECT team, agent FROM agentws.mine('ship', 'read')));
GRANT SELECT ON agentws.writers, agentws.events TO PUBLIC;
SELECT agentws.hide_statistics(name) FROM unnest(ARRAY['agentws.writers', 'agentws.events', 'agentws.events_default']::regclass[]) name;
