DROP FUNCTION agentws.check_fence, agentws.lease_renew, agentws.lease_take,
    agentws.offer, agentws.settle, agentws.answer, agentws.asked, agentws.choose_text, agentws.put_requests, agentws.wake;
DROP INDEX agentws.events_asked;
ALTER TABLE agentws.machines DROP COLUMN text;
DROP TABLE agentws.leases, agentws.offers, agentws.answers, agentws.requests;
