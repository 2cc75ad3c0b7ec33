DROP FUNCTION agentws.keep_documents, agentws.put_documents;
DROP TABLE agentws.documents;
ALTER TABLE agentws.agents DROP COLUMN kept_out, DROP COLUMN crashed, DROP COLUMN backed_up;
