DROP POLICY searched ON agentws.events;
DROP TRIGGER end_drill ON agentws.teams;
DROP FUNCTION agentws.begin_drill, agentws.end_drill, agentws.found, agentws.word_counts, agentws.any_of, agentws.atoms_of,
    agentws.readable, agentws.fits, agentws.keep_documents, agentws.put_documents;
DROP VIEW agentws.texts;
DROP TABLE agentws.documents;
