DROP POLICY searched ON agentws.events;
DROP TRIGGER end_drill ON agentws.teams;
DROP FUNCTION agentws.begin_drill, agentws.end_drill, agentws.found_documents, agentws.found_events, agentws.word_counts, agentws.any_of, agentws.atoms_of, agentws.readable,
    agentws.keep_documents, agentws.put_documents;
DROP TABLE agentws.documents;
ALTER TABLE agentws.agents DROP COLUMN kept_out, DROP COLUMN forgotten, DROP COLUMN hidden, DROP COLUMN crashed, DROP COLUMN backed_up;
