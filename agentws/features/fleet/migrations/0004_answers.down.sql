DROP FUNCTION agentws.check_fence, agentws.lease_release, agentws.lease_renew, agentws.lease_take,
    agentws.offer, agentws.settle, agentws.answer, agentws.put_requests, agentws.wake;
DROP TABLE agentws.leases, agentws.offers, agentws.answers, agentws.requests;
