-- The events of all writers, by month, and the head of each writer's chain as this database has witnessed it.
-- `base_seq`: the lines up to it were retired before they came, `base_hash` is what the first line calls the last of them.
-- `rules`: which texts may be here, as the ship said that judged all lines last (`judged`).
CREATE TABLE agentws.writers (
    team text NOT NULL,
    agent text NOT NULL,
    writer text NOT NULL CHECK (writer ~ '^[0-9a-f]{16}$'),
    base_seq bigint NOT NULL DEFAULT 0,
    head_seq bigint NOT NULL DEFAULT 0,
    head_hash text NOT NULL,
    head_at timestamptz,
    base_hash text,
    rules text NOT NULL DEFAULT '',
    judged timestamptz,
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
CREATE INDEX events_purges ON agentws.events (team, agent) WHERE kind = 'purged' OR absent = 'purged';

CREATE TYPE agentws.shipped_line AS (seq bigint, header text, tail text, absent text, terms text, hash text,
    at timestamptz, kind text, session text, src text, prev text, digest text);

-- Terms with blanks between them as what is searched: each begins with the code of the team, so that no search reads the
-- words of another team, or takes longer because of them.
CREATE FUNCTION agentws.words_of(code text, terms text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT array_to_tsvector(array_remove(string_to_array(code || ':' || replace(terms, ' ', ' ' || code || ':'), ' '), code || ':'))
$$;
CREATE FUNCTION agentws.code_of(a_team text) RETURNS text
LANGUAGE sql STABLE AS $$ SELECT code::text FROM agentws.teams WHERE team = a_team $$;

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
    PERFORM FROM migrations WHERE number = 1 FOR UPDATE;  -- members cannot lock it
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

-- Takes lines of a writer's chain, from `first_seq` on, and returns its head, why lines were refused, or null, and how
-- many texts of earlier lines came (`filled`) and went (`taken`).
-- Each line must have its number, name the hash of the line before, and have the digest of its tail in its header; a seal
-- must name the stored hash of what it seals. Lines that are already there must be the same: any batch may be sent twice.
-- Their text comes where it was missing, unless it was purged or forgotten. It goes if the agent has a purge that took
-- no text yet, or if `rules` are given: whoever may ship can so empty an agent's texts, which `writers.judged` dates.
-- Headers, and with them digests and the chain, never go. `terms`: the words of each line, as a workspace's search has them.
-- `retired`: the lines before `first_seq` are gone; wrong_lines asks for the retirement that names the last of them.
-- Not checked, for a database cannot know: signatures (clients do, at the ship and in `fleet verify`), that a first chain
-- is the workspace's, that a text which is absent is private, and clocks.
CREATE FUNCTION agentws.accept_lines(
    a_team text, an_agent text, a_writer text, first_seq bigint, headers text[], tails text[], absents text[],
    terms text[], a_rules text DEFAULT NULL, retired boolean DEFAULT false,
    OUT seq bigint, OUT refusal text, OUT filled bigint, OUT taken bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    head writers;
    code text := code_of(a_team);
    wrong bigint;
    why text := 'it does not continue what this database has witnessed: it was changed, or two copies of this writer went on';
    behind bigint;
    newest shipped_line;
    month timestamptz;
    given shipped_line[];
    old shipped_line[];
BEGIN
    PERFORM allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    PERFORM expect(cardinality(headers) BETWEEN 1 AND 10000 AND cardinality(headers) = ALL (ARRAY[cardinality(tails),
        cardinality(absents), cardinality(terms)]), 'AW001', 'A batch has 1 to 10,000 lines, each with a header and a tail or null.');
    INSERT INTO writers (team, agent, writer, head_hash) VALUES (a_team, an_agent, a_writer,
        encode(sha256(convert_to(format(E'agentws-genesis-1 %s %s\n', an_agent, a_writer), 'UTF8')), 'hex'))
        ON CONFLICT DO NOTHING;
    SELECT * INTO head FROM writers WHERE (team, agent, writer) = (a_team, an_agent, a_writer) FOR UPDATE;
    seq := head.head_seq;
    BEGIN  -- What PostgreSQL cannot read, such as a 45th day, is refused as well.
        -- A header is {"agentws":1,"seq":…,"id":…,"at":…,"kind":…,"session":…,"src":…,"prev":…,"digest":…}, perhaps with more
        -- before "prev"; a line with another one gets no kind. Taken apart without captures, which take a millisecond a line.
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
        CROSS JOIN LATERAL (SELECT octet_length(h) <= 65536 AND starts_with(h, start) AND length(clock) = 27 AND clock ~ '^[0-9TZ:.-]+$'
            AND length(a_kind) <= 64 AND a_kind ~ '^[A-Za-z][A-Za-z0-9_.-]*$'
            AND (quoted = 'null' OR quoted ~ '^"(?:[^"\\]|\\.)*"$') AND source !~ '\\'
            AND substr(rest, length(source) + 1, 2) = '",' AND length(rest) >= length(source) + 151
            AND substr(h, length(h) - 149, 1) = ',' AND links ~ '^"prev":"[0-9a-f]+","digest":"[0-9a-f]+"$'
            AND substr(links, 73, 12) = '","digest":"' AS is_header OFFSET 0) AS judged;

        -- Before `events` is touched: whoever attaches a partition waits for all that read or write there.
        FOR month IN SELECT DISTINCT date_trunc('month', lines.at) FROM unnest(given) lines WHERE lines.at IS NOT NULL LOOP
            PERFORM ensure_month(month);
        END LOOP;

        SELECT min(lines.seq) INTO wrong FROM unnest(given) lines
            WHERE lines.seq < 1 OR lines.kind IS NULL OR encode(sha256(convert_to(lines.tail, 'UTF8')), 'hex') <> lines.digest;
        IF wrong IS NULL AND first_seq <= head.head_seq THEN  -- lines that are there already
            behind := greatest(first_seq, head.base_seq + 1);
            SELECT behind + min(n) - 1 INTO wrong FROM unnest(
                headers[behind - first_seq + 1:least(head.head_seq - first_seq + 1, cardinality(headers))],
                ARRAY(SELECT events.header FROM events WHERE (team, agent, writer) = (a_team, an_agent, a_writer)
                    AND events.seq BETWEEN behind AND least(head.head_seq, first_seq + cardinality(headers) - 1) ORDER BY events.seq)
            ) WITH ORDINALITY AS pairs (told, stored, n) WHERE told IS DISTINCT FROM stored;
        END IF;
        IF wrong IS NULL THEN
            old := given[:head.head_seq - first_seq + 1];
            given := given[greatest(head.head_seq - first_seq + 2, 1):];
            IF retired AND first_seq > head.head_seq + 1 THEN
                head.head_hash := given[1].prev;
                head.base_seq := first_seq - 1;
                head.head_seq := first_seq - 1;
                UPDATE writers SET base_seq = first_seq - 1, base_hash = head.head_hash
                WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
            ELSIF first_seq > head.head_seq + 1 THEN
                wrong := head.head_seq + 1;
            END IF;
        END IF;
        IF wrong IS NULL THEN
            SELECT min(linked.seq) INTO wrong FROM (
                SELECT lines.seq, lines.prev, lag(lines.hash, 1, head.head_hash) OVER (ORDER BY lines.seq) AS before
                FROM unnest(given) lines
            ) linked WHERE linked.prev <> linked.before;
        END IF;
        IF wrong IS NULL THEN
            INSERT INTO events (team, agent, writer, seq, at, kind, session, src, header, tail, absent, hash, words)
                SELECT a_team, an_agent, a_writer, lines.seq, lines.at, lines.kind, lines.session, lines.src, lines.header,
                    lines.tail, lines.absent, lines.hash, CASE WHEN lines.absent IS NULL THEN words_of(code, lines.terms) END
                FROM unnest(given) lines;
            SELECT min(seal.seq) INTO wrong FROM (
                SELECT lines.seq, body ->> 'hash' AS hash, (body ->> 'seq')::bigint AS sealed
                FROM unnest(given) lines, LATERAL (SELECT ('{' || lines.tail || '}')::json -> 'body' AS body) b
                WHERE lines.kind = 'seal' AND lines.tail IS NOT NULL
            ) seal LEFT JOIN events ON (events.team, events.agent, events.writer, events.seq)
                = (a_team, an_agent, a_writer, seal.sealed) AND events.seq < seal.seq
            WHERE (seal.sealed > head.base_seq) IS NOT FALSE AND (seal.hash = events.hash) IS NOT TRUE;
            IF wrong IS NOT NULL THEN
                RAISE data_exception USING MESSAGE = 'the event that it seals is another one here';
            END IF;
        END IF;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
        wrong := coalesce(wrong, first_seq);
        why := left(SQLERRM, 300);
    END;
    IF wrong IS NOT NULL THEN
        refusal := format('Event %s:%s was refused: %s.', a_writer, wrong, why);
        UPDATE writers SET refused = refusal WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
        RETURN;
    END IF;

    WITH changed AS (
        SELECT stored.seq, stored.at, lines.tail, lines.absent, lines.terms, stored.tail IS NOT NULL AS goes,
            count(*) FILTER (WHERE lines.absent = 'purged') OVER (ORDER BY lines.seq) AS purges
        FROM unnest(old) lines JOIN events stored ON (stored.team, stored.agent, stored.writer, stored.seq)
            = (a_team, an_agent, a_writer, lines.seq) AND stored.at = lines.at
        WHERE stored.absent IS DISTINCT FROM lines.absent AND coalesce(stored.absent, '') <> 'purged'
            AND (coalesce(stored.absent, '') <> 'forgotten' OR lines.absent = 'purged')
            AND (lines.tail IS NULL) = (lines.absent IS NOT NULL)
            AND (lines.absent IS NULL OR lines.absent = 'purged' OR a_rules IS NOT NULL)
    ), allowed AS (
        SELECT * FROM changed WHERE absent IS NULL OR a_rules IS NOT NULL OR purges <= (
            SELECT count(*) FILTER (WHERE kind = 'purged') - count(*) FILTER (WHERE absent = 'purged') FROM events
            WHERE (team, agent) = (a_team, an_agent) AND (kind = 'purged' OR absent = 'purged'))
    ), done AS (
        UPDATE events SET tail = allowed.tail, absent = allowed.absent,
            words = CASE WHEN allowed.absent IS NULL THEN words_of(code, allowed.terms) END
        FROM allowed WHERE (events.team, events.agent, events.writer, events.seq, events.at)
            = (a_team, an_agent, a_writer, allowed.seq, allowed.at)
    )
    SELECT count(*) FILTER (WHERE absent IS NULL), count(*) FILTER (WHERE goes) INTO filled, taken FROM allowed;
    newest := given[cardinality(given)];
    IF newest.seq IS NOT NULL THEN
        seq := newest.seq;
        UPDATE writers SET head_seq = newest.seq, head_hash = newest.hash, head_at = newest.at
            WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
        PERFORM pg_notify(channel, '') FROM teams WHERE team = a_team;
    END IF;
    IF a_rules IS NOT NULL THEN
        UPDATE writers SET judged = now() WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
    END IF;
    UPDATE agents SET shipped = now() WHERE (team, agent) = (a_team, an_agent);
END
$$;

-- Ends a ship that judged all of a writer's lines from `first_seq` on by these rules. Earlier lines are retired in the
-- workspace, so nobody can judge them any more: their text goes. Returns how many had one.
CREATE FUNCTION agentws.end_judging(a_team text, an_agent text, a_writer text, first_seq bigint, a_rules text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    UPDATE writers SET rules = a_rules, judged = now() WHERE (team, agent, writer) = (a_team, an_agent, a_writer);
    WITH dropped AS (UPDATE events SET tail = NULL, absent = 'retired', words = NULL
        WHERE (team, agent, writer) = (a_team, an_agent, a_writer) AND seq < first_seq AND tail IS NOT NULL
            AND kind NOT IN ('seal', 'segments.retired') RETURNING seq)
    SELECT count(*) FROM dropped;
$$;

-- The stored lines of a writer whose own check fails, up to 100: number, number's gap, link, digest.
CREATE FUNCTION agentws.wrong_lines(a_team text, an_agent text, a_writer text) RETURNS TABLE (seq bigint, what text)
LANGUAGE sql STABLE SET search_path = agentws, pg_temp AS $$
    WITH lines AS (
        SELECT events.seq, header, tail, hash,
            CASE WHEN events.seq <> base_seq + 1 THEN lag(events.seq) OVER w END AS before_seq, lag(hash) OVER w AS before,
            encode(sha256(convert_to(header, 'UTF8')), 'hex') AS hashed
        FROM events JOIN writers USING (team, agent, writer)
        WHERE (team, agent, writer) = (a_team, an_agent, a_writer) WINDOW w AS (ORDER BY events.seq)
    ), judged AS (
        SELECT lines.seq, CASE
            WHEN hash <> hashed THEN 'the header was changed'
            WHEN before_seq IS NOT NULL AND lines.seq <> before_seq + 1 THEN format('%s events before it are missing', lines.seq - before_seq - 1)
            WHEN before_seq IS NOT NULL AND substring(right(header, 149) from 9 for 64) <> before THEN 'it does not follow the line before'
            WHEN encode(sha256(convert_to(tail, 'UTF8')), 'hex') <> substring(right(header, 65) for 64) THEN 'the body was changed'
        END AS what FROM lines
    )
    SELECT judged.seq, judged.what FROM judged WHERE judged.what IS NOT NULL
    UNION ALL SELECT base_seq, 'no retirement in the journal names the lines up to it, which are missing' FROM writers
        WHERE (team, agent, writer) = (a_team, an_agent, a_writer) AND base_seq > 0 AND NOT EXISTS (
            SELECT FROM events WHERE (team, agent) = (a_team, an_agent) AND kind = 'segments.retired'
                AND tail LIKE format('%%"writer":"%s"%%"seq":%s,%%"hash":"%s"%%', a_writer, base_seq, base_hash))
    ORDER BY 1 LIMIT 100
$$;

SELECT agentws.guard('agentws.writers', 'ship', 'read'), agentws.guard('agentws.events', 'ship', 'read');
-- Members have no right on a partition itself; without FORCE its owner can move rows of all teams.
ALTER TABLE agentws.events_default ENABLE ROW LEVEL SECURITY;
SELECT agentws.hide_statistics('agentws.events_default');
