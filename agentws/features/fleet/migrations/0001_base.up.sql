-- Teams, their members and agents. A member is a PostgreSQL login role. Row-level security is the only guard.
DO $$ BEGIN IF to_regnamespace('agentws') IS NULL THEN CREATE SCHEMA agentws; END IF; END $$;
GRANT USAGE ON SCHEMA agentws TO PUBLIC;

CREATE TABLE agentws.migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    digest text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON agentws.migrations TO PUBLIC;

-- `channel` names the team's NOTIFY channel: anyone may listen, so the name must not be guessed.
CREATE TABLE agentws.teams (
    team text PRIMARY KEY CHECK (team ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    channel text NOT NULL DEFAULT 'agentws_' || replace(gen_random_uuid()::text, '-', ''),
    made timestamptz NOT NULL DEFAULT now()
);

-- `agent` null: all agents of the team.
CREATE TABLE agentws.members (
    role text NOT NULL,
    team text NOT NULL REFERENCES agentws.teams ON DELETE CASCADE,
    agent text CHECK (agent ~ '^[0-9a-f]{32}$'),
    may text[] NOT NULL CHECK (may <@ ARRAY['ship', 'read', 'answer', 'admin'] AND may <> '{}'),
    UNIQUE NULLS NOT DISTINCT (role, team, agent)
);

CREATE TABLE agentws.agents (
    team text NOT NULL REFERENCES agentws.teams ON DELETE CASCADE,
    agent text NOT NULL CHECK (agent ~ '^[0-9a-f]{32}$'),
    name text NOT NULL,
    joined timestamptz NOT NULL DEFAULT now(),
    shipped timestamptz,
    left_at timestamptz,
    PRIMARY KEY (team, agent)
);

CREATE TABLE agentws.machines (
    team text NOT NULL,
    agent text NOT NULL,
    writer text NOT NULL CHECK (writer ~ '^[0-9a-f]{16}$'),
    host text NOT NULL,
    keys text[] NOT NULL,
    renews boolean NOT NULL DEFAULT false,
    joined timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, agent, writer),
    FOREIGN KEY (team, agent) REFERENCES agentws.agents ON DELETE CASCADE
);

-- Whether the connected role has this right on an agent; `agent` null asks for the right on all agents of the team.
CREATE FUNCTION agentws.may(a_team text, an_agent text, a_right text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM members
        WHERE role = session_user AND team = a_team AND (agent IS NULL OR agent = an_agent) AND a_right = ANY (may)
    )
$$;

-- The agents on which the connected role has any of these rights. Policies evaluate it once for each query.
CREATE FUNCTION agentws.mine(VARIADIC rights text[]) RETURNS TABLE (team text, agent text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT DISTINCT agents.team, agents.agent FROM agents JOIN members ON members.team = agents.team
    WHERE role = session_user AND (members.agent IS NULL OR members.agent = agents.agent) AND rights && may
$$;

CREATE FUNCTION agentws.is_owner() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
    SELECT pg_has_role(session_user, current_user, 'MEMBER')
$$;

-- Raises unless `is_allowed`. SQLSTATE 42501: insufficient privilege.
CREATE FUNCTION agentws.allow(is_allowed boolean, what text) RETURNS void
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF is_allowed IS NOT TRUE THEN
        RAISE insufficient_privilege USING MESSAGE = format('The role %I may not %s.', session_user, what);
    END IF;
END
$$;

CREATE FUNCTION agentws.add_team(a_team text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
BEGIN
    PERFORM allow(is_owner(), 'add a team: only the owner of the schema may');
    INSERT INTO teams (team) VALUES (a_team) ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION agentws.set_member(a_team text, a_role text, an_agent text, rights text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
BEGIN
    PERFORM allow(is_owner() OR may(a_team, NULL, 'admin'), 'change the members of this team');
    IF rights = '{}' THEN
        DELETE FROM members WHERE role = a_role AND team = a_team AND agent IS NOT DISTINCT FROM an_agent;
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = a_role) THEN
        RAISE undefined_object USING MESSAGE = format('There is no role %I in this database.', a_role),
            HINT = format('Its server makes it: CREATE ROLE %I LOGIN', a_role);
    END IF;
    INSERT INTO members (role, team, agent, may) VALUES (a_role, a_team, an_agent, rights)
        ON CONFLICT (role, team, agent) DO UPDATE SET may = excluded.may;
END
$$;

-- Makes an agent and its machines known, or known again. The first key of a machine is believed, another one only after
-- an admin's renew_machine: with a key of its own, whoever ships could sign seals for a machine that is not theirs.
CREATE FUNCTION agentws.join_agent(a_team text, an_agent text, a_name text, writers text[], hosts text[], keys text[])
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
DECLARE
    strange text;
BEGIN
    PERFORM allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    INSERT INTO agents (team, agent, name) VALUES (a_team, an_agent, a_name)
        ON CONFLICT (team, agent) DO UPDATE SET name = excluded.name, left_at = NULL;
    INSERT INTO machines AS known (team, agent, writer, host, keys)
        SELECT a_team, an_agent, writer, max(host), coalesce(array_agg(DISTINCT key) FILTER (WHERE key <> ''), '{}')
        FROM unnest(writers, hosts, keys) AS told (writer, host, key) GROUP BY writer
        ON CONFLICT (team, agent, writer) DO UPDATE SET host = excluded.host,
            keys = CASE WHEN known.renews OR known.keys = '{}'
                THEN ARRAY(SELECT DISTINCT unnest(known.keys || excluded.keys) ORDER BY 1) ELSE known.keys END,
            renews = known.renews AND excluded.keys <@ known.keys;
    SELECT told.writer INTO strange FROM unnest(writers, keys) AS told (writer, key) JOIN machines known
        ON (known.team, known.agent, known.writer) = (a_team, an_agent, told.writer)
        WHERE told.key <> '' AND told.key <> ALL (known.keys) LIMIT 1;
    IF FOUND THEN
        RAISE SQLSTATE 'AW002' USING MESSAGE = format('Machine %s has another key than this database knows.', strange),
            HINT = format('If its key was made anew, an admin of the team runs: agentws fleet team %s --renew %s', a_team, strange);
    END IF;
END
$$;

-- Lets a machine have one key more: the one with which it ships next.
CREATE FUNCTION agentws.renew_machine(a_team text, a_writer text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
BEGIN
    PERFORM allow(is_owner() OR may(a_team, NULL, 'admin'), 'accept a new key of a machine');
    UPDATE machines SET renews = true WHERE team = a_team AND writer = a_writer;
    IF NOT FOUND THEN
        RAISE undefined_object USING MESSAGE = format('Team %s has no machine %s that you may see.', a_team, a_writer);
    END IF;
END
$$;

CREATE FUNCTION agentws.leave_agent(a_team text, an_agent text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = agentws, pg_temp AS $$
BEGIN
    PERFORM allow(may(a_team, an_agent, 'ship'), 'ship this agent');
    UPDATE agents SET left_at = now() WHERE team = a_team AND agent = an_agent;
END
$$;

-- Statistics of columns would tell EXPLAIN of another team's values: none are gathered, but those of times.
CREATE FUNCTION agentws.hide_statistics(a_table regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT attname FROM pg_attribute
        WHERE attrelid = a_table AND attnum > 0 AND NOT attisdropped AND atttypid <> 'timestamptz'::regtype
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', a_table, name);
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION agentws.hide_statistics FROM PUBLIC;

-- These three have no FORCE: the functions above read them as their owner.
ALTER TABLE agentws.teams ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentws.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentws.agents ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentws.machines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON agentws.teams FOR SELECT USING (agentws.may(team, NULL, 'read') OR team IN (SELECT team FROM agentws.members));
CREATE POLICY own ON agentws.members FOR SELECT USING (role = session_user OR agentws.may(team, NULL, 'admin'));
CREATE POLICY own ON agentws.agents FOR SELECT USING ((team, agent) IN (SELECT team, agent FROM agentws.mine('ship', 'read')));
CREATE POLICY own ON agentws.machines USING ((team, agent) IN (SELECT team, agent FROM agentws.mine('ship', 'read', 'admin')));
GRANT SELECT ON agentws.teams, agentws.members, agentws.agents, agentws.machines TO PUBLIC;
SELECT agentws.hide_statistics(name) FROM unnest(ARRAY['agentws.teams', 'agentws.members', 'agentws.agents', 'agentws.machines']::regclass[]) name;
