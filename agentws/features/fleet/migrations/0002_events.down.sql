DROP FUNCTION agentws.wrong_lines, agentws.end_judging, agentws.accept_lines, agentws.ensure_month, agentws.words_of, agentws.code_of;
DROP TABLE agentws.events, agentws.writers;
DROP TYPE agentws.shipped_line;
