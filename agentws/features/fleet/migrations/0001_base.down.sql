DROP FUNCTION agentws.choose, agentws.renew_machine, agentws.join_agent, agentws.set_member, agentws.add_team;
DROP TABLE agentws.machines, agentws.agents, agentws.members, agentws.teams, agentws.migrations;
DROP FUNCTION agentws.guard, agentws.hide_statistics, agentws.allow, agentws.expect, agentws.is_owner, agentws.mine, agentws.may, agentws.iso;
DROP SCHEMA agentws;
