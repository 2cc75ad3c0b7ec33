-- Requests that wait for a person, signed answers, offers between agents, leases.
-- Members read by the policies alone, and write by the functions alone.

CREATE TABLE agentws.requests (
    team text NOT NULL,
    agent text NOT NULL,
    request text NOT NULL CHECK (length(request) <= 64),
    risk text NOT NULL,
    asked text NOT NULL,
    expires text NOT NULL,
    file text,  -- null: its text stays at home
    PRIMARY KEY (team, agent, request),
    FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
);

-- Answers to requests (of no `sender`; `kind` is the verdict, `text` JSON of the action approved instead), which count by
-- their signature alone, and offers of a text by another agent.
CREATE TABLE agentws.messages (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team text NOT NULL,
    sender text NOT NULL DEFAULT '',
    agent text NOT NULL,  -- the receiver
    kind text NOT NULL CONSTRAINT kind CHECK (CASE sender WHEN '' THEN kind IN ('approved', 'rejected') ELSE kind IN ('todo', 'note', 'memory') END),
    request text NOT NULL DEFAULT '' CHECK (length(request) <= 64),
    text text CHECK (CASE sender WHEN '' THEN length(text) <= 65536 ELSE text IS NOT NULL AND length(text) BETWEEN 1 AND 4000 END),
    signature text CHECK (length(signature) <= 16384 AND (sender <> '' OR signature IS NOT NULL)),
    role text NOT NULL DEFAULT session_user,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    outcome text CHECK (outcome IN ('refused', CASE sender WHEN '' THEN 'applied' ELSE 'taken' END)),
    reason text,
    settled timestamptz,
    FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
);
CREATE INDEX messages_waiting ON agentws.messages (team, agent) WHERE outcome IS NULL;
CREATE INDEX messages_newest ON agentws.messages (team, agent, request, number);

CREATE TABLE agentws.leases (
    team text NOT NULL REFERENCES agentws.teams ON DELETE CASCADE,
    agent text NOT NULL,  -- '': a lease of the whole team
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    holder text NOT NULL CHECK (length(holder) BETWEEN 1 AND 400),
    role text NOT NULL,
    epoch bigint NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (team, agent, name)
);

SELECT agentws.guard('agentws.requests', 'ship', 'read', 'answer'), agentws.guard('agentws.messages', 'ship', 'read', 'answer');
CREATE POLICY sent ON agentws.messages USING ((team, sender) IN (SELECT team, agent FROM agentws.mine('ship')));
ALTER TABLE agentws.leases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON agentws.leases USING (agentws.may(team, nullif(agent, ''), 'ship') OR agentws.may(team, nullif(agent, ''), 'read'));
GRANT SELECT ON agentws.leases TO PUBLIC;
SELECT agentws.hide_statistics('agentws.leases');

-- Wake those who listen to a team. The notification has no content.
CREATE FUNCTION agentws.wake(a_team text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT pg_notify(channel, '') FROM teams WHERE team = a_team
$$;
REVOKE ALL ON FUNCTION agentws.wake FROM PUBLIC;

-- Replace what waits for a person at one agent. `rows`: [{"request", "risk", "asked", "expires", "file"}].
CREATE FUNCTION agentws.put_requests(a_team text, an_agent text, rows json) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    DELETE FROM requests WHERE team = a_team AND agent = an_agent;
    INSERT INTO requests SELECT a_team, an_agent, r.*
        FROM json_to_recordset(rows) AS r(request text, risk text, asked text, expires text, file text);
    SELECT wake(a_team);
$$;

-- The lines of the journal that record what an agent asked, for those who may answer it. The copy in `requests` must be that.
CREATE INDEX events_asked ON agentws.events (team, agent) WHERE kind = 'approval.asked';
CREATE FUNCTION agentws.asked(a_team text, an_agent text, a_request text) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT coalesce(array_agg(header || ',' || tail || '}'), '{}') FROM events
    WHERE (team, agent) = (a_team, an_agent) AND kind = 'approval.asked' AND strpos(tail, format('"id":"%s"', a_request)) > 0
        AND (team, agent) IN (SELECT team, agent FROM requests WHERE request = a_request AND file IS NOT NULL)
        AND (is_owner() OR (team, agent) IN (SELECT team, agent FROM mine('ship', 'read', 'answer')))
$$;

-- Send a signed answer to a request; the agent's own machine judges it. Returns its number.
CREATE FUNCTION agentws.answer(a_team text, an_agent text, a_request text, a_verdict text, an_edit text, a_signature text)
RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, an_agent, 'answer'), 'answer for this agent');
    SELECT expect(count(*) < 20, 'program_limit_exceeded', '20 answers to this request wait already.') FROM messages
        WHERE (team, agent, request, sender) = (a_team, an_agent, a_request, '') AND outcome IS NULL;
    SELECT wake(a_team);
    INSERT INTO messages (team, agent, request, kind, text, signature)
        VALUES (a_team, an_agent, a_request, a_verdict, an_edit, a_signature) RETURNING number;
$$;

CREATE FUNCTION agentws.offer(a_team text, a_sender text, an_agent text, a_kind text, a_text text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, a_sender, 'ship'), 'ship this agent');
    SELECT expect(NOT EXISTS (SELECT unnest(ARRAY[an_agent, a_sender]) EXCEPT SELECT agent FROM agents WHERE team = a_team),
        'undefined_object', 'This team has no such agent.', 'To list them: agentws fleet status');
    SELECT expect(count(*) < 100, 'program_limit_exceeded', '100 offers of this agent wait already.') FROM messages
        WHERE team = a_team AND agent = an_agent AND sender = a_sender AND outcome IS NULL;
    SELECT wake(a_team);
    INSERT INTO messages (team, sender, agent, kind, text) VALUES (a_team, a_sender, an_agent, a_kind, a_text) RETURNING number;
$$;

-- Record what the agent's machine made of a message.
CREATE FUNCTION agentws.settle(a_number bigint, an_outcome text, a_reason text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow((SELECT may(team, agent, 'ship') FROM messages WHERE number = a_number), 'ship this agent');
    SELECT wake(team) FROM messages WHERE number = a_number;
    UPDATE messages SET outcome = an_outcome, reason = left(a_reason, 2000), settled = clock_timestamp()
        WHERE number = a_number AND outcome IS NULL;
$$;

-- Take a lease for some seconds of the server's clock, if nobody holds it. A repeated call of one holder gets the same
-- epoch, so a lost reply costs nothing. An epoch begins with the timeline of the database, which each failover raises:
-- epochs grow although a failover to an asynchronous standby may lose the newest lease.
CREATE FUNCTION agentws.lease_take(a_team text, an_agent text, a_name text, a_holder text, seconds double precision,
    OUT is_taken boolean, OUT holder text, OUT epoch bigint, OUT seconds_left double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
DECLARE
    entry leases;
    base bigint := ('x' || lpad(left(pg_walfile_name(pg_current_wal_lsn()), 8), 16, '0'))::bit(64)::bigint << 36;
BEGIN
    PERFORM allow(may(a_team, nullif(an_agent, ''), 'ship'), 'take this lease');
    PERFORM set_config('synchronous_commit', 'remote_apply', true);
    INSERT INTO leases AS l (team, agent, name, holder, role, epoch, until)
        VALUES (a_team, an_agent, a_name, a_holder, session_user, base + 1,
                clock_timestamp() + make_interval(secs => least(greatest(seconds, 1), 86400)))
        ON CONFLICT ON CONSTRAINT leases_pkey DO UPDATE SET
            epoch = CASE WHEN l.until > clock_timestamp() THEN l.epoch ELSE greatest(l.epoch, base) + 1 END,
            holder = excluded.holder, role = excluded.role,
            until = clock_timestamp() + make_interval(secs => least(greatest(seconds, 1), 86400))
        WHERE l.until <= clock_timestamp() OR (l.holder = excluded.holder AND l.role = excluded.role)
        RETURNING * INTO entry;
    is_taken := FOUND;
    IF NOT is_taken THEN
        SELECT * INTO entry FROM leases l WHERE l.team = a_team AND l.agent = an_agent AND l.name = a_name;
    END IF;
    holder := entry.holder;
    epoch := entry.epoch;
    seconds_left := greatest(0, extract(epoch FROM entry.until - clock_timestamp()));
END
$$;

-- Hold a lease for some seconds more, or (0) no longer. False if it has ended: then it must be taken again, with a new epoch.
CREATE FUNCTION agentws.lease_renew(a_team text, an_agent text, a_name text, an_epoch bigint, seconds double precision)
RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT allow(may(a_team, nullif(an_agent, ''), 'ship'), 'take this lease');
    SELECT set_config('synchronous_commit', 'remote_apply', true) WHERE seconds > 0;
    WITH renewed AS (UPDATE leases SET until = clock_timestamp() + make_interval(secs => least(greatest(seconds, 0), 86400))
        WHERE team = a_team AND agent = an_agent AND name = a_name AND epoch = an_epoch AND role = session_user
            AND until > clock_timestamp() RETURNING name)
    SELECT EXISTS (SELECT FROM renewed);
$$;

-- Whether an epoch holds the lease now. In a transaction that writes, nobody else takes the lease before its end.
CREATE FUNCTION agentws.check_fence(a_team text, an_agent text, a_name text, an_epoch bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
DECLARE
    entry leases;
BEGIN
    PERFORM allow(may(a_team, nullif(an_agent, ''), 'ship'), 'take this lease');
    SELECT * INTO entry FROM leases WHERE team = a_team AND agent = an_agent AND name = a_name FOR SHARE;
    RETURN coalesce(entry.epoch = an_epoch AND entry.until > clock_timestamp(), false);
END
$$;
