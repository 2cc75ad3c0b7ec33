"""The installations of an agent: show, retire, take over, vouch."""
