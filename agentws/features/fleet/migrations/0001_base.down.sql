DROP FUNCTION agentws.leave_agent, agentws.renew_machine, agentws.join_agent, agentws.set_member, agentws.add_team;
DROP TABLE agentws.machines, agentws.agents, agentws.members, agentws.teams CASCADE;
DROP FUNCTION agentws.guard, agentws.hide_statistics, agentws.allow, agentws.expect, agentws.is_owner, agentws.mine, agentws.may, agentws.iso;
DROP TABLE agentws.migrations;
DROP SCHEMA agentws;
