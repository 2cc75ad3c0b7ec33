DROP FUNCTION agentws.wrong_lines, agentws.drop_tails, agentws.accept_lines, agentws.ensure_month, agentws.words_of;
DROP TABLE agentws.events, agentws.writers;
DROP TYPE agentws.shipped_line;
