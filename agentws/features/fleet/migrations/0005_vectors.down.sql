DROP TRIGGER IF EXISTS drop_vectors ON agentws.events;
DROP TRIGGER IF EXISTS drop_vectors ON agentws.documents;
DROP TRIGGER IF EXISTS drop_vectors ON agentws.agents;
DROP FUNCTION IF EXISTS agentws.drop_vectors, agentws.put_vectors, agentws.nearest;
DROP TABLE IF EXISTS agentws.vectors;
DROP FUNCTION IF EXISTS agentws.nearness, agentws.half;
