"""Approvals: requests for a person's yes (`ask`), their answers, and the rules that make tool calls wait for one."""
