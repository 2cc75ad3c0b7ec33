DROP FUNCTION agentws.check_fence, agentws.lease_release, agentws.lease_renew, agentws.lease_take,
    agentws.settle_offer, agentws.offer, agentws.settle_answer, agentws.answer, agentws.put_requests, agentws.wake;
DROP TABLE agentws.leases, agentws.offers, agentws.answers, agentws.requests;
