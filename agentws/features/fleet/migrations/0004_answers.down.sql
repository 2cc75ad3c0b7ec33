DROP FUNCTION agentws.check_fence, agentws.lease_renew, agentws.lease_take,
    agentws.offer, agentws.settle, agentws.answer, agentws.asked, agentws.put_requests, agentws.wake;
DROP INDEX agentws.events_asked;
DROP TABLE agentws.leases, agentws.messages, agentws.requests;
